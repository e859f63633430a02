"""Break the code in many small ways, one at a time: which faults does frozen noise not see?

    python benchmarks/audit_mutants.py                 # all modules; an hour or more
    python benchmarks/audit_mutants.py privacy/budget measure/scatter
    python benchmarks/audit_mutants.py --arithmetic privacy/sensitivity

Each function of the named modules is changed in place, in every way of a short list: a result
halved (a budget doubled), a clip, minimum or maximum dropped, a rounding turned, a neighbour
relation taken for the other and, if asked for, every number or sign changed.  Then the methods that
run it are searched with frozen noise until a violation is found.  A survivor is a change that
was not seen: many add noise or change nothing that a release shows, so each has to be read.
"""

import ast
import copy
import importlib
import re
import signal
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

import sfumato
from sfumato.inspection.audit.auditing import larger
from sfumato.inspection.audit.scrutiny import Effort, scrutinise
from sfumato.inspection.audit.settings import case, settings
from sfumato.methods import METHODS
from sfumato.privacy.budget import approx_from_zcdp, budget, rho_within
from sfumato.privacy.choice import Choice
from sfumato.privacy.guarantee import ZCDP, PureDP
from sfumato.privacy.mechanism import Noise
from sfumato.privacy.randomness import SeededBits
from sfumato.privacy.sensitivity import Sensitivity

ROOT = Path(sfumato.__file__).parent
PURE, GAUSS, APPROX = {"epsilon": "1"}, {"rho": "0.5"}, {"epsilon": "1", "delta": "1e-6"}
EFFORT = 60
LONGEST = 90  # seconds of processor time for one mutant

_SCATTER = [("lap-pca", PURE), ("analyze-gauss", GAUSS)]
_MOMENTS = [("modips", PURE), ("modips", GAUSS), ("dp-lda", PURE), ("dp-lda", GAUSS)]
_REDUCED = [("pca-gauss-mixture", PURE), ("pca-gauss-regression", GAUSS)]
_PROJECTED = [("lop", PURE), ("lop", GAUSS), ("compressive", PURE), ("dp-pca", PURE)]
MODULES = {
    "privacy/sensitivity": [*_MOMENTS, ("identity-laplace", PURE), *_SCATTER, *_REDUCED],
    "privacy/centred_sensitivity": [
        *_SCATTER,
        ("pca-gauss", PURE),
        ("pca-gauss", GAUSS),
        *_REDUCED,
    ],
    "privacy/budget": [("lip", APPROX), ("lip", PURE), ("modips", APPROX), ("mosaic", APPROX)],
    "privacy/mechanism": [("modips", PURE), ("lip", APPROX), ("mosaic", PURE)],
    "privacy/choice": [("diffgen", PURE), ("mosaic", PURE), ("exponential", PURE)],
    "features": [*_MOMENTS[:3], ("identity-laplace", PURE), ("dp-pca", PURE)],
    "centred": [*_SCATTER, ("pca-gauss", PURE), ("compressive", PURE)],
    "scatter": [*_SCATTER, ("lip", PURE)],
    "synopsis": [*_MOMENTS],
    "projected": _PROJECTED,
    "partition": [("mosaic", PURE), ("mosaic", GAUSS)],
    "table/encode": [("modips", PURE), ("identity-laplace", PURE), ("mosaic", PURE)],
    "table/read_numbers": [("modips", PURE), ("identity-laplace", PURE), ("mosaic", PURE)],
    "table/read_levels": [("modips", PURE), ("identity-laplace", PURE), ("mosaic", PURE)],
    "table/grid": [("modips", PURE), ("identity-laplace", PURE)],
    "measure/moments": [*_MOMENTS[::2], ("lap-pca", PURE)],
    "measure/scatter": [*_SCATTER, ("pca-gauss", PURE)],
    "measure/identity": [("identity-laplace", PURE)],
    "measure/exponential": [("exponential", PURE)],
    "measure/projection": _PROJECTED,
    "measure/projected_moments": _REDUCED,
    "measure/eigenvalues": [("pca-gauss", PURE), ("pca-gauss", GAUSS)],
    "measure/power_iteration": [("power-method", GAUSS)],
    "measure/specialise": [("diffgen", PURE)],
    "measure/tables": [("mosaic", PURE), ("mosaic", GAUSS)],
    "methods/mosaic": [("mosaic", PURE), ("mosaic", GAUSS)],
    "methods/mosaic_division": [("mosaic", PURE), ("mosaic", GAUSS)],
    "methods/basis": [("lap-pca", PURE), ("lip", PURE)],
    "methods/reduction": _REDUCED,
    "methods/diffgen": [("diffgen", PURE)],
    "methods/dp_pca": [("dp-pca", PURE)],
    "methods/lip": [("lip", PURE)],
    "methods/power_method": [("power-method", GAUSS)],
    "methods/pca_gauss": [("pca-gauss", PURE)],
}
DROPPED = ("clip", "minimum", "maximum", "min", "max", "drawn_in")
WHOLE = re.compile(
    "^(bool|str|None|int)$|Event|Paid|Bits|Guarantee|dict|Iterator|Synopsis|Any|Charge"
)
TURNED = {"rint": "floor", "trunc": "ceil", "floor": "ceil", "ceil": "floor"}


class Endless(BaseException):
    """A mutant that runs for too long."""


def _endless(*_):
    raise Endless


signal.signal(signal.SIGVTALRM, _endless)
CHANGED = []  # results that were really made less private


def less_private(value):
    """Half a sensitivity, twice a budget, twice a statistic: what a fault makes of a result."""
    made = _less_private(value)
    if made is not value:
        CHANGED.append(True)
    return made


def _less_private(value):
    match value:
        case Sensitivity(l1=l1, l2_squared=l2):
            return Sensitivity(l1 / 2, l2 / 4)
        case Noise() | Choice():
            return replace(value, sensitivity=_less_private(value.sensitivity))
        case PureDP(epsilon=epsilon):
            return PureDP(2 * epsilon)
        case ZCDP(rho=rho):
            return ZCDP(4 * rho)
        case bool() | str() | None:
            return value
        case tuple() if type(value) is tuple:
            return _each(value)
        case Fraction() | float():
            return value / 2
        case np.ndarray() if value.dtype.kind in "if":
            return value * 2
        case _:
            return value


def _each(values):
    made = tuple(_less_private(value) for value in values)
    return values if all(a is b for a, b in zip(made, values, strict=True)) else made


class Mutation(ast.NodeTransformer):
    """The `wanted`-th change of a function; counts how many there are on the way."""

    def __init__(self, wanted, arithmetic, returned):
        self.wanted, self.arithmetic, self.seen, self.text = wanted, arithmetic, 0, ""
        self.halved = not WHOLE.search(returned)  # what it returns can be halved

    def _changed(self, node, made, text):
        self.seen += 1
        if self.seen - 1 != self.wanted:
            return node
        self.text = f"line {node.lineno}: {text}"
        return ast.copy_location(made, node)

    def visit_Return(self, node):
        """A result that is less private."""
        self.generic_visit(node)
        if node.value is None or not self.halved:
            return node
        name = ast.Name("__less_private__", ast.Load())
        made = ast.Return(ast.Call(name, [node.value], []))
        return self._changed(node, made, f"return half of {ast.unparse(node.value)[:60]}")

    def visit_Call(self, node):
        """A clip, minimum or maximum dropped; a rounding turned."""
        self.generic_visit(node)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        made = node
        if name in DROPPED and len(node.args) > 1:
            every = name in ("min", "max", "minimum", "maximum")
            for part in node.args if every else node.args[:1]:
                text = f"{ast.unparse(part)[:40]} in place of {ast.unparse(node)[:60]}"
                made = made if made is not node else self._changed(node, part, text)
            return made
        if name in TURNED and isinstance(node.func, ast.Attribute):
            made = copy.deepcopy(node)
            made.func.attr = TURNED[name]
            node = self._changed(node, made, f"{TURNED[name]} in place of {ast.unparse(node)[:60]}")
        return node

    def visit_Compare(self, node):
        """One neighbour relation taken for the other."""
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        words = [part.value for part in sides if isinstance(part, ast.Constant)]
        swapped = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}.get(type(node.ops[0]))
        if swapped and any(word in ("add-remove", "replace-one") for word in words):
            made = ast.Compare(node.left, [swapped()], node.comparators)
            return self._changed(node, made, f"the opposite of {ast.unparse(node)[:60]}")
        return node

    def visit_BinOp(self, node):
        """Another operation."""
        self.generic_visit(node)
        turned = {ast.Add: ast.Sub, ast.Mult: ast.FloorDiv}.get(type(node.op))
        if self.arithmetic and turned:
            made = ast.BinOp(node.left, turned(), node.right)
            return self._changed(node, made, f"{ast.unparse(made)[:70]}")
        return node

    def visit_Constant(self, node):
        """One less."""
        if self.arithmetic and type(node.value) is int and 1 < node.value < 100:
            made = ast.Constant(node.value - 1)
            return self._changed(node, made, f"{node.value - 1} in place of {node.value}")
        return node


def functions(tree):
    """Qualified names and nodes of the outermost functions, also those of classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


def live(module, name):
    """The function object that runs under this name."""
    owner = module
    for part in name.split("."):
        owner = vars(owner)[part] if isinstance(owner, type) else getattr(owner, part)
    for attribute in ("fget", "func", "__func__", "__wrapped__"):
        owner = getattr(owner, attribute, None) or owner
    return owner


def code_of(code, name):
    """The code object of this qualified name."""
    for const in code.co_consts:
        if hasattr(const, "co_qualname"):
            if const.co_qualname == name:
                return const
            found = code_of(const, name)
            if found is not None:
                return found
    return None


def forget():
    """Caches that would keep the results of another mutant."""
    for cached in (approx_from_zcdp, rho_within):
        getattr(cached, "cache_clear", lambda: None)()


def seen(configurations):
    """The first violation that any of these methods shows, or nothing."""
    for name, figures in configurations:
        claim = budget(**figures)
        try:
            parts = scrutinise(
                METHODS[name],
                (claim, larger(claim)),
                settings(case(METHODS[name])),
                {},
                Effort(EFFORT, 0, SeededBits(1), lambda *_: None),
            )
            compared = 0
            for part in parts:
                compared += 1
                if part.violations:
                    return f"{name}: {part.violations[0]}"
            if not compared:
                return f"{name}: refused in every setting"
        except Exception as error:
            return f"{name}: {type(error).__name__} {error}"
    return ""


def mutants(path, arithmetic):
    """Every change of a module, made and undone: the function, what was changed, how to make it."""
    source = (ROOT / f"{path}.py").read_text()
    module = importlib.import_module("sfumato." + path.replace("/", "."))
    module.__less_private__ = less_private
    tree = ast.parse(source)
    for name, _ in functions(tree):
        if "Synopsis." in name:
            continue  # what was released already
        if name.endswith((".to_json", ".from_json", ".__post_init__", ".__str__", ".check")):
            continue
        wanted = 0
        while True:
            made = copy.deepcopy(tree)
            target = next(n for q, n in functions(made) if q == name)
            change = Mutation(wanted, arithmetic, ast.unparse(target.returns or ast.Constant(0)))
            target.body = [change.visit(part) for part in target.body]
            if not change.text:
                break
            code = code_of(compile(ast.fix_missing_locations(made), path, "exec"), name)
            yield live(module, name), name, change.text, code
            wanted += 1


def main(words):
    """One line for each mutant; the survivors once more at the end."""
    made, survivors = 0, []
    paths = [word for word in words if word != "--arithmetic"]
    for path in paths or MODULES:
        for function, name, text, code in mutants(path, "--arithmetic" in words):
            kept, started = function.__code__, time.process_time()
            try:
                function.__code__ = code
            except ValueError:  # a closure with other free variables
                continue
            forget()
            CHANGED.clear()
            signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
            try:
                found = seen(MODULES[path])
            except Endless:
                found = "it does not end"
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                function.__code__ = kept
                forget()
            if not found and text.partition(": ")[2].startswith("return") and not CHANGED:
                continue  # nothing was changed: never called, or nothing that could be halved
            made += 1
            took = time.process_time() - started
            line = f"{path}.{name}, {text}"
            sys.stdout.write(
                f"{'seen' if found else 'SURVIVED':8} {took:5.1f} s  {line}  {found[:90]}\n"
            )
            sys.stdout.flush()
            survivors += [] if found else [line]
    sys.stdout.write(f"{made} mutants, {len(survivors)} survivors\n" + "\n".join(survivors) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
