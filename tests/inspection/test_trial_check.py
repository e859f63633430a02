"""A trial passes when its noise is as declared, and every other noise is caught."""

import subprocess
import sys
from fractions import Fraction
from math import pi

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

import sfumato as sf
from panel_world import ONE, histories
from sfumato.cli import main
from sfumato.example import CLINIC, clinic
from sfumato.inspection.audit.trial import noise_of
from sfumato.inspection.trial_check import verify_trial
from sfumato.privacy import mechanism
from sfumato.privacy.noise import discrete_gaussian, discrete_laplace
from sfumato.privacy.randomness import SeededBits
from sfumato.publishing.counts import publish_counts
from sfumato.schema import Schema
from slowness import slow

FEW = Schema.parse(CLINIC)
COMING = Schema.parse(CLINIC.replace("replace-one", "add-remove"))
# So many columns have 4,185 moments: a scale that is off by a fifth is missed once in 10^11.
WIDE = Schema.of(
    {
        "name": "wide",
        "neighbours": "replace-one",
        "columns": {f"c{k}": {"kind": "integer", "low": 0, "high": 64} for k in range(90)},
    }
)
PUBLIC = pa.table(
    dict(zip(WIDE.columns, np.random.default_rng(1).integers(0, 65, (90, 40)), strict=True))
)
BITS = np.random.default_rng(2).integers(0, 2, 5_000).astype(np.uint8)
EDGES = pa.table(
    {
        "source": [f"n{k}" for k in range(5_000)],
        "target": [f"n{k + 1}" for k in range(5_000)],
        "weight": np.random.default_rng(3).uniform(0, 100, 5_000),
    }
)
COUNTS = pa.table({"key": [f"k{k}" for k in range(1_024)], "count": np.arange(1_024) % 90})


def table(schema=FEW, data=None, method="modips", *, fit=False, **asked):
    def publish(folder):
        given = clinic(300) if data is None else data
        sf.publish(given, schema=schema, method=method, folder=folder, fit=fit, **asked)

    return publish, clinic(300) if data is None else data


def wide(**asked):
    return table(WIDE, PUBLIC, **({"epsilon": 1} | asked))


def network(**asked):
    given = {"directed": False, "epsilon": 1, "high": 100, "distance": 5} | asked
    return lambda folder: sf.publish_network(EDGES, folder=folder, **given), EDGES


def stream(**asked):
    given = {"horizon": 5_000, "smooth": "none", "epsilon": 1} | asked
    return lambda folder: sf.publish_stream(BITS, folder=folder, **given), BITS


def counts(**asked):
    return lambda folder: publish_counts(COUNTS, folder=folder, **({"epsilon": 1} | asked)), COUNTS


def sampled(folder):
    asked = {"method": "reservoir-mean", "horizon": 5_000, "times": "5000", "size": 500}
    sf.publish_stream(BITS, folder=folder, epsilon=1, **asked)


def multiplied(folder):
    asked = {"directed": False, "method": "edge-gaussian", "accept_no_guarantee": True}
    sf.publish_network(EDGES, folder=folder, **asked)


HONEST = {
    "moments, Laplace": (wide(), ["moments"]),
    "moments, Gaussian": (wide(epsilon=None, rho="0.1"), ["moments"]),
    "after counts of what does not fit": (wide(fit=True), ["fit", "moments"]),
    "tables, Laplace": (table(method="mosaic", epsilon=1), ["fine tables", "one-way tables"]),
    "tables, Gaussian": (
        table(method="mosaic", epsilon=1, delta="1e-6"),
        ["fine tables", "one-way tables", "two-way tables"],
    ),
    "tables of chosen pairs": (
        table(method="mosaic", epsilon=50),
        ["fine tables", "one-way tables", "two-way tables"],
    ),
    "a part of a table": (
        table(
            Schema.parse(CLINIC.replace("replace-one", "add-remove")), epsilon=1, part="sex=male"
        ),
        ["moments"],
    ),
    "moments by class": (table(method="dp-lda", epsilon=1), ["moments"]),
    "scatter": (table(method="lap-pca", epsilon=1), ["second moments", "sums"]),
    "eigenvalues": (table(method="pca-gauss", epsilon=1), ["eigenvalues"]),
    "directions, then moments along them": (
        table(method="pca-gauss-mixture", epsilon=1, rank=2),
        ["second moments", "sums", "class sizes", "projected sums", "projected second moments"],
    ),
    "directions, then records": (table(method="dp-pca", epsilon=1), ["moments"]),
    "weights, some cut": (network(), ["weights, in steps of 25/16384"]),
    "weights, Gaussian": (
        network(delta="1e-6", low=1, high=101),
        ["weights, in steps of 25/16384"],
    ),
    "dyadic sums": (stream(), ["dyadic sums"]),
    "decaying sums": (stream(epsilon=None, rho=1), ["decaying sums"]),
    "counts in two ways": (
        counts(ways="both"),
        ["the count of every key", "Haar sums and differences of the counts"],
    ),
}


LATER = (
    "moments, Gaussian",
    "tables, Gaussian",
    "scatter",
    "weights, Gaussian",
    "decaying sums",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [slow(n) if n in LATER else n for n in HONEST])
def test_an_honest_trial_passes_and_says_how_well_it_was_tested(name, tmp_path):
    (publish, public), statistics = HONEST[name]
    publish(tmp_path / "release")
    publish(tmp_path / "trial")
    checks = verify_trial(tmp_path / "release", tmp_path / "trial", public)
    assert all(check.passed for check in checks), checks
    tested = [check for check in checks if check.name.startswith("noise of ")]
    assert [check.name[9:] for check in tested] == statistics
    assert all("would have been caught" in c.detail or "too few" in c.detail for c in tested)
    untested = [check for check in checks if check.name == "untested"]
    assert bool(untested) == (name in ("directions, then records", "tables of chosen pairs"))


def one_half_twice(scale, size, bits):
    once = discrete_laplace(scale, size // 2 + 1, bits)
    return np.concatenate([once, once])[:size]


def shuffled_twice(scale, size, bits):
    twice = one_half_twice(scale, size, bits)
    return np.random.default_rng().permutation(twice)


def of_a_gauss(scale, deviation, size, bits):
    return discrete_gaussian(Fraction(scale * scale) * deviation, size, bits)


WRONG = {
    "a fifth too wide": lambda s, n, b: discrete_laplace(s * Fraction(6, 5), n, b),
    "a fifth too narrow": lambda s, n, b: discrete_laplace(s / Fraction(6, 5), n, b),
    "Gaussian of the same variance": lambda s, n, b: of_a_gauss(s, 2, n, b),
    "Gaussian of the same mean size": lambda s, n, b: of_a_gauss(s, Fraction(pi / 2), n, b),
    "one-sided": lambda s, n, b: np.abs(discrete_laplace(s, n, b)),
    "leaning": lambda s, n, b: discrete_laplace(s, n, b) + int(s / 5) + 1,
    "used twice": one_half_twice,
    "used twice in another order": shuffled_twice,
    "none": lambda s, n, b: np.zeros(n, np.int64),
    "one value": lambda s, n, b: np.repeat(discrete_laplace(s, 1, b), n),
}


def failed(checks):
    return [check.name for check in checks if not check.passed]


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Releases of both kinds, never touched."""
    place = tmp_path_factory.mktemp("releases")
    for name, (publish, _) in {"moments": wide(), "weights": network()}.items():
        publish(place / name)
    return place


SOME = ("a fifth too narrow", "none")


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [("moments", wrong) if wrong in SOME else slow("moments", wrong) for wrong in WRONG]
    + [("weights", wrong) if wrong in SOME else slow("weights", wrong) for wrong in WRONG],
)
def test_every_wrong_noise_is_caught(kind, wrong, releases, tmp_path, monkeypatch):
    publish, public = wide() if kind == "moments" else network()
    monkeypatch.setattr(mechanism, "discrete_laplace", WRONG[wrong])
    publish(tmp_path / "trial")
    (found,) = failed(verify_trial(releases / kind, tmp_path / "trial", public))
    assert found.startswith("noise of ")


def test_a_wrong_noise_in_a_stream_is_caught(tmp_path, monkeypatch):
    publish, public = stream()
    publish(tmp_path / "release")
    monkeypatch.setattr(mechanism, "discrete_laplace", WRONG["a fifth too narrow"])
    publish(tmp_path / "trial")
    checks = verify_trial(tmp_path / "release", tmp_path / "trial", public)
    assert failed(checks) == ["noise of dyadic sums"]


@pytest.mark.parametrize("wrong", ["a fifth too narrow", slow("used twice"), slow("none")])
def test_a_wrong_noise_in_tables_is_caught(wrong, tmp_path, monkeypatch):
    publish, public = wide(method="mosaic")
    publish(tmp_path / "release")
    monkeypatch.setattr(mechanism, "discrete_laplace", WRONG[wrong])
    publish(tmp_path / "trial")
    found = failed(verify_trial(tmp_path / "release", tmp_path / "trial", public))
    assert found == ["noise of fine tables", "noise of one-way tables"][: len(found)] != []


@pytest.mark.slow
def test_noise_that_two_trials_share_is_caught_although_each_alone_is_sound(tmp_path, monkeypatch):
    publish, public = wide()
    publish(tmp_path / "release")
    monkeypatch.setattr(
        mechanism, "discrete_laplace", lambda s, n, _: discrete_laplace(s, n, SeededBits(5))
    )
    trials = [tmp_path / "first", tmp_path / "second"]
    for trial in trials:
        publish(trial)
        assert not failed(verify_trial(tmp_path / "release", trial, public))
    assert failed(verify_trial(tmp_path / "release", trials, public)) == ["noise of moments"]


def test_more_trials_catch_smaller_errors(tmp_path):
    publish, public = table(epsilon=1)
    publish(tmp_path / "release")
    trials = [tmp_path / f"trial{k}" for k in range(8)]
    for trial in trials:
        publish(trial)
    factors = []
    for some in (trials[:1], trials):
        checks = verify_trial(tmp_path / "release", some, public)
        assert not failed(checks)
        factors.append(float(checks[-1].detail.split("factor of ")[1].split()[0]))
    assert 1 < factors[1] < factors[0]


def test_a_trial_of_another_table_is_caught(tmp_path):
    publish, public = table(epsilon=50)
    publish(tmp_path / "release")
    publish(tmp_path / "trial")
    other = clinic(300, seed=2)
    assert not failed(verify_trial(tmp_path / "release", tmp_path / "trial", public))
    found = failed(verify_trial(tmp_path / "release", tmp_path / "trial", other))
    assert found == ["noise of moments"]


@pytest.mark.parametrize(
    ("given", "public"),
    [
        (network(), EDGES.slice(0, 4_999)),
        (stream(), BITS[:-1]),
        (counts(), COUNTS.slice(1)),
        (table(epsilon=1), clinic(300).drop_columns("age")),
    ],
)
def test_public_data_that_cannot_be_that_of_the_trial_is_refused(given, public, tmp_path):
    given[0](tmp_path / "release")
    given[0](tmp_path / "trial")
    found = failed(verify_trial(tmp_path / "release", tmp_path / "trial", public))
    assert found == ["public data"]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"sampler": "greedy"}, "options"),
        ({"epsilon": 2}, "guarantee"),
        ({"epsilon": None, "rho": 1}, "guarantee"),
        ({"method": "modips"}, "method"),
        ({"seed": 1}, "guarantee"),
        ({"schema": Schema.parse(CLINIC.replace("high: 98", "high: 99"))}, "schema"),
        ({"schema": Schema.parse(CLINIC.replace("replace-one", "add-remove"))}, "neighbours"),
    ],
)
def test_a_trial_made_in_another_way_is_refused_by_name(asked, named, tmp_path):
    given = {"schema": FEW, "method": "dp-lda", "epsilon": 1}
    sf.publish(clinic(60), folder=tmp_path / "release", **given)
    sf.publish(clinic(60), folder=tmp_path / "trial", **(given | asked))
    checks = verify_trial(tmp_path / "release", tmp_path / "trial", clinic(60))
    assert failed(checks) == ["settings"]
    assert named in checks[-1].detail


def test_the_trial_may_have_another_name_and_its_own_number_of_records(tmp_path):
    renamed = Schema.parse(CLINIC.replace("name: clinic", "name: trial"))
    for method in ("modips", "mosaic"):
        release, trial = tmp_path / f"{method} release", tmp_path / f"{method} trial"
        sf.publish(clinic(60), schema=FEW, method=method, epsilon=1, folder=release)
        sf.publish(clinic(90), schema=renamed, method=method, epsilon=1, folder=trial)
        assert not failed(verify_trial(release, trial, clinic(90)))


def test_a_trial_that_was_changed_afterwards_or_given_twice_is_refused(tmp_path):
    publish, public = table(epsilon=1)
    for name in ("release", "trial"):
        publish(tmp_path / name)
    twice = [tmp_path / "trial"] * 2
    assert failed(verify_trial(tmp_path / "release", twice, public)) == ["trial"]
    (tmp_path / "trial" / "synopsis.json").write_text("{}")
    assert failed(verify_trial(tmp_path / "release", tmp_path / "trial", public)) == ["trial"]


@pytest.mark.parametrize(
    "given",
    [
        table(method="identity-laplace", epsilon=1),
        table(method="diffgen", epsilon=1),
        stream(smooth="whole"),
        stream(pan=True, every=500),
        (sampled, BITS),
        (multiplied, EDGES),
    ],
)
def test_what_cannot_be_tested_says_so_and_does_not_pass(given, tmp_path):
    publish, public = given
    publish(tmp_path / "release")
    publish(tmp_path / "trial")
    checks = verify_trial(tmp_path / "release", tmp_path / "trial", public)
    assert failed(checks) == ["untested"]
    assert "cannot be tested by a trial" in checks[-1].detail


def command(monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code or 0


def test_the_command_prints_what_is_and_what_is_not_established(tmp_path, capsys, monkeypatch):
    publish, public = wide()
    publish(tmp_path / "release")
    publish(tmp_path / "trial")
    pacsv.write_csv(public, tmp_path / "public.csv")
    words = ["verify", tmp_path / "release", "--trial", tmp_path / "trial"]
    assert command(monkeypatch, *words, "--public", tmp_path / "public.csv") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "noise of moments │ passed" in said
    assert "Not established: - that the release was made by the program" in said
    assert command(monkeypatch, *words) != 0
    assert "belong together" in capsys.readouterr().err
    pacsv.write_csv(public.drop_columns("c0"), tmp_path / "other.csv")
    assert command(monkeypatch, *words, "--public", tmp_path / "other.csv") == 1
    said = capsys.readouterr().out
    assert "FAILED" in said
    assert "Established" not in said


@pytest.mark.slow
def test_publishing_never_loads_the_purse_that_adds_no_noise():
    code = (
        "import sys, pyarrow as pa, sfumato as sf\n"
        "schema = {'name': 't', 'columns': {'a': {'kind': 'boolean'}}}\n"
        "sf.publish(pa.table({'a': [True, False]}), schema=schema, epsilon=1)\n"
        "sys.exit('sfumato.inspection.audit.replay' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_noise_of_a_trial_is_what_was_added(tmp_path):
    data = pa.table({"a": [3, 5, 9]})
    schema = {"name": "t", "columns": {"a": {"kind": "integer", "low": 0, "high": 10}}}
    release = sf.publish(data, schema=schema, method="modips", epsilon=1, folder=tmp_path / "r")
    fit, seen = noise_of(tmp_path / "r", data)
    exact = np.array(release.synopsis["entries"]) - seen.drawn.noise
    assert exact.tolist() == [3 + 5 + 9, 3**2 + 5**2 + 9**2]
    assert release.certificate.fit.fitting - fit.drawn.noise[0] == 3


def test_a_trial_by_person_is_refused_because_its_key_is_not_known(tmp_path):
    rows = histories(30, np.random.default_rng(0))
    sf.publish(rows, schema=ONE, epsilon=1, fit=False, folder=tmp_path / "trial")
    with pytest.raises(sf.ReleaseError, match="make the trial by row"):
        noise_of(tmp_path / "trial", rows)
