"""The bill of materials of the wheel (CycloneDX, JSON): what is installed with it, and its licence.

`make package` calls it: `bill.py --tools VENV --installed VENV dist` writes
`dist/sfumato-VERSION.cdx.json` and checks that it names every dependency with version and licence,
is the same when it is written again, and tells nothing of the machine.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1]


def main() -> None:
    """Write the bill beside the wheel, or say what is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, required=True, help="where cyclonedx-py is installed")
    parser.add_argument("--installed", type=Path, required=True, help="where the wheel is, alone")
    parser.add_argument("dist", type=Path, help="where the wheel lies")
    asked = parser.parse_args()
    installed = installed_in(asked.installed)
    version = installed["sfumato"].version
    text = written(asked.tools, asked.installed, version)
    if text != written(asked.tools, asked.installed, version):
        sys.exit("the bill of materials differs from itself")
    if str(asked.dist.resolve()) in text or str(HOME) in text:
        sys.exit("the bill of materials tells where it was made")
    if wrong := faults(json.loads(text), installed):
        sys.exit("\n".join(wrong))
    target = asked.dist / f"sfumato-{version}.cdx.json"
    target.write_text(text, "utf-8")
    print(f"{target}: {len(installed) - 1} packages with versions and licences")


def installed_in(environment: Path) -> dict[str, Distribution]:
    """What lies in an environment, by name."""
    places = [str(path) for path in environment.glob("lib/python*/site-packages")]
    return {plain(found.metadata["Name"]): found for found in distributions(path=places)}


def written(tools: Path, environment: Path, version: str) -> str:
    """The bill as the tool writes it, of ourselves at this version."""
    about = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
    itself = environment / "pyproject.toml"
    told = {name: about[name] for name in ("name", "description", "license", "dependencies")}
    lines = [
        f"{name} = {json.dumps(value)}" for name, value in (told | {"version": version}).items()
    ]
    itself.write_text("\n".join(["[project]", *lines]), "utf-8")
    tool, python = str(tools / "bin" / "cyclonedx-py"), str(environment / "bin" / "python")
    options = ["--mc-type", "library", "--output-reproducible", "--pyproject", str(itself)]
    run = subprocess.run(
        [tool, "environment", *options, python], check=True, stdout=subprocess.PIPE
    )
    return run.stdout.decode()


def faults(bill: dict[str, Any], installed: dict[str, Distribution]) -> list[str]:
    """What the bill leaves out."""
    listed = [bill["metadata"]["component"], *bill.get("components", ())]
    versions = {plain(part["name"]): part.get("version") for part in listed}
    return [
        *(f"{name} is not in the environment" for name in sorted(needed() - installed.keys())),
        *(
            f"{name}: {versions.get(name)} is listed, {found.version} is installed"
            for name, found in installed.items()
            if versions.get(name) != found.version
        ),
        *(f"{part['name']} has no licence" for part in listed if not part.get("licenses")),
    ]


def needed() -> set[str]:
    """The names of the dependencies in `pyproject.toml`."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text("utf-8"))["project"]
    return {plain(re.split(r"[\[<>=!~ ]", line)[0]) for line in project["dependencies"]}


def plain(name: str) -> str:
    """A name as packages are compared: `Jinja2`, `typing_extensions`.

    >>> plain("Typing_Extensions")
    'typing-extensions'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    main()
