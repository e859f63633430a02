"""The reference: every public name with its signature and docstring, read off the package."""

import inspect
import re
from importlib import import_module
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

MODULES = {
    "sfumato": "What most programs need",
    "sfumato.errors": "What is refused, as a tree",
    "sfumato.estimator": "In the manner of scikit-learn",
    "sfumato.accuracy": "For recipients: how far a number can be off",
    "sfumato.report": "For recipients: what a promise means in figures",
    "sfumato.party": "Several owners publish together",
    "sfumato.retrieval": "Answers from published counts and from a service",
    "sfumato.inspection": "For the owner's eyes: how good a release is",
    "sfumato.inspection.attack": "For the owner's eyes: what an attacker would find",
    "sfumato.inspection.audit": "Whether a method keeps its promise",
    "sfumato.signature": "Who made it: keys, and signed heads of ledgers",
    "sfumato.perturb": "Perturbations of matrices, without a proof",
    "sfumato.example": "The made-up clinic of the guide",
}
_PATH = re.compile(r"\b(?:[a-z_]\w*\.)+([A-Za-z_]\w*)")


def markdown(text: str) -> str:
    """A docstring as Markdown: examples and trees fenced, the rest as it is.

    >>> markdown("Adds.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    made = []
    for part in re.split(r"\n[ \t]*\n", text.strip()):
        if part.lstrip().startswith(">>>"):
            plain = re.sub(r"  # doctest: \S+", "", part)
            made.append(f"```pycon\n{plain}\n```")
        elif all(line.startswith("    ") for line in part.splitlines()):
            made.append(f"```text\n{inspect.cleandoc(part)}\n```")
        else:
            made.append(part)
    return "\n\n".join(made)


def signature(name: str, thing: Any) -> str:
    """The call as a person writes it, types by their short names."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    arguments = _arguments(found, typed=True)
    result = "" if inspect.isclass(thing) else _type(found.return_annotation)
    ending = f") -> {result}" if result else ")"
    line = f"{name}({', '.join(arguments)}{ending}"
    if len(line) <= 88:
        return line
    return "\n".join([f"{name}(", *(f"    {argument}," for argument in arguments), ending])


def _arguments(found: inspect.Signature, *, typed: bool) -> list[str]:
    """Parameters, with the star that sets off those that must be named."""
    made, starred = list[str](), False
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        named = parameter.kind is parameter.KEYWORD_ONLY
        if named and not starred:
            made.append("*")
        starred |= named or parameter.kind is parameter.VAR_POSITIONAL
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text, kind = stars.get(parameter.kind, "") + parameter.name, _type(parameter.annotation)
        given = parameter.default is not parameter.empty
        if typed and kind:
            text += f": {kind}" + (f" = {parameter.default!r}" if given else "")
        elif given:
            text += f"={parameter.default!r}"
        made.append(text)
    return made


def _type(annotation: Any) -> str:
    """The short name of a type; nothing for those that say more to a program than to a person."""
    if annotation is inspect.Parameter.empty:
        return ""
    said = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return "" if "Annotated" in said else _PATH.sub(r"\1", said)


def described(name: str, thing: Any, level: int) -> list[str]:
    """A heading, the signature, the docstring; of a class also its public methods."""
    lines = [f"{'#' * level} {name}", ""]
    is_class = inspect.isclass(thing)
    if callable(thing) and not (is_class and issubclass(thing, BaseException)):
        lines += ["```python", signature(name, thing), "```", ""]
    lines += [markdown(inspect.getdoc(thing) or ""), ""]
    if is_class:
        for member, value in vars(thing).items():
            function = getattr(value, "__func__", value)
            if member.startswith("_") or not (callable(function) or isinstance(value, property)):
                continue
            if inspect.getdoc(value):
                lines += _member(member, value, function)
    return lines


def _member(name: str, value: Any, function: Any) -> list[str]:
    called = name
    if not isinstance(value, property):
        called += f"({', '.join(_arguments(inspect.signature(function), typed=False))})"
    first, _, rest = (inspect.getdoc(value) or "").partition("\n")
    lines = [f"`{called}`", f":   {first}", ""]
    if rest.strip():
        lines += [*(f"    {line}".rstrip() for line in markdown(rest).splitlines()), ""]
    return lines


def page(module: ModuleType, title: str) -> str:
    """All that a module offers: functions first, then classes, errors and packages."""
    lines = [f"# {module.__name__}", "", f"*{title}.*", "", markdown(inspect.getdoc(module) or "")]
    lines.append("")
    offered = {name: getattr(module, name) for name in module.__all__}
    for name, thing in sorted(offered.items(), key=lambda item: _rank(item[1])):
        if inspect.ismodule(thing):
            lines += [f"## {name}", "", _elsewhere(thing), ""]
        elif callable(thing):
            lines += described(name, thing, 2)
    return "\n".join(lines)


def _rank(thing: Any) -> int:
    if inspect.ismodule(thing):
        return 3
    if not inspect.isclass(thing):
        return 0
    return 2 if issubclass(thing, BaseException) else 1


def _elsewhere(module: ModuleType) -> str:
    """Where a package that is itself a public name is described."""
    if module.__name__ == "sfumato.methods":
        return "See [the methods](../methods/index.md)."
    title = MODULES[module.__name__]
    return f"{title}: see [`{module.__name__}`]({_place(module.__name__)})."


def _place(module: str) -> str:
    return f"{module.replace('.', '-')}.md"


def pages() -> dict[str, str]:
    """Every page of this section by its place in the site."""
    index = [
        "# Reference",
        "",
        "Public names, from their docstrings. Examples there are tests.",
        "",
    ]
    made = {}
    for name, title in MODULES.items():
        place = _place(name)
        index.append(f"- [`{name}`]({place}): {title[0].lower()}{title[1:]}")
        made[f"reference/{place}"] = page(import_module(name), title)
    # The picture is put in by the hook that draws it.
    built = "Each imports only from below; [architecture](../architecture.md) says why."
    index += ["", "## Packages", "", built, "", "<!-- layers -->"]
    return {"reference/index.md": "\n".join(index)} | made


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to those that lie in docs/."""
    for place, content in pages().items():
        files.append(File.generated(config, place, content=content))
    return files
