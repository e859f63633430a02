"""Audit every method that takes a budget, one line each; exit code 1 if one is caught.

    python examples/audit_all.py 100000      # a night
    python examples/audit_all.py 2000        # minutes

The bounds of all methods together hold with 99 % confidence.  Runs are per second of
processor time.
"""

import sys
import time

import sfumato as sf

LINE = "{:<22} {:<28} {:>10} {:>10} {:>8} {:>8} {:>7}  {}"


def say(*cells):
    """One line, at once."""
    sys.stdout.write(LINE.format(*cells).rstrip() + "\n")
    sys.stdout.flush()


def main(runs):
    """Print a table as it is made."""
    audited = {name: method.audit for name, method in sf.methods.METHODS.items() if method.audit}
    confidence = 1 - 0.01 / len(audited)
    say("method", "claim", "found", "control", "moved", "verdict", "runs/s", "")
    caught = False
    for name, case in audited.items():
        started = time.process_time()
        found = sf.audit(name, runs=runs, confidence=confidence, **case.budget)
        speed = 4 * runs / (time.process_time() - started)
        best, control = found.finding.best, found.control.proof
        caught |= found.caught
        cells = (
            f"{best.figure.name} {best.found:.3f}",
            f"{control.found:.3f}",
            "-" if found.worst is None else f"{found.worst:.3f}",
            {"not contradicted": "stands"}.get(found.verdict, found.verdict),
            f"{speed:,.0f}",
        )
        claim = f"{best.figure.name} {best.figure.claimed:g}"
        say(name, claim, *cells, "; ".join(found.violations))
    return int(caught)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
