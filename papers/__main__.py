"""`python -m papers`: the command line."""

from sfumato.cli import run


def _start() -> None:
    from papers.command import app

    app(prog_name="python -m papers")


if __name__ == "__main__":
    run(_start, package="papers")
