"""`sfumato graph compare` as its user meets it."""

import stat

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.graph_compare import compare
from sfumato.cli.graph_picture import canvas_for
from sfumato.errors import DataError, MissingExtra, ParameterError, ReleaseError
from sfumato.graph.reading import edge_list as edge_list_of
from sfumato.graph.reading import network_of
from sfumato.inspection import network as inspection

pytestmark = pytest.mark.usefixtures("wide")

app = typer.Typer(pretty_exceptions_enable=False)
app.command("compare")(compare)
app.command("another")(lambda: None)  # with a single command, typer drops its name

EDGES = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("a", "d", 4), ("d", "e", 2)]


def edge_list(path, factors=(1, 1, 1, 1, 1), header="source,target,weight"):
    rows = [f"{a},{b},{w * f}" for (a, b, w), f in zip(EDGES, factors, strict=True)]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.fixture
def place(tmp_path):
    edge_list(tmp_path / "o.csv")
    changed = edge_list(tmp_path / "changed.csv", (1, 1, 1, 0.5, 1.1))
    kept = sf.publish_network(
        changed, directed=False, method="edge-gaussian", sigma="1e-9", accept_no_guarantee=True
    )
    table = network_of(changed, directed=False).network
    sf.Release(kept.certificate, synopsis=kept.synopsis, table=edge_list_of(table)).save(
        tmp_path / "release"
    )
    (tmp_path / "h.csv").write_text("from,to\na,d\nd,e\n")
    return tmp_path


def run(place, *more, original="o.csv", release="release"):
    return CliRunner().invoke(
        app, ["compare", str(place / original), str(place / release), *map(str, more)]
    )


def test_it_warns_first_and_shows_weights_paths_and_anonymity(place):
    done = run(place, "--pairs", place / "h.csv", "--k", 2, "--mu", 1)
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert "Do not publish it" in lines[0]
    assert lines[1] == "5 nodes · 5 undirected edges · paths of all 2 pairs"
    shown = {
        cells[0].strip(): [cell.strip() for cell in cells[1:]]
        for cells in (line.strip("│┃").split("│") for line in lines[2:])
        if len(cells) > 1
    }
    assert shown["weights unchanged"][0] == "60.0%"
    assert shown["paths kept"][0] == shown["… and alone"][0] == "50.0%"
    assert shown["stretch"][0].split() == ["1.000", "1.333", "1.333", "1.333"]
    assert shown["length difference"][0] == f"{(1 / 3 + 0.1) / 2:.2%}"
    assert "→" in shown["anonymous weights"][0]
    assert shown["weights"][-2] == "100.0%"
    assert shown["weights"][2] == "60.0%"
    assert shown["weights"][3] == "80.0%"


def test_without_pairs_random_ones_are_looked_at_and_counted(place):
    assert "paths of 10 random pairs from 4 nodes" in run(place).output
    assert "paths of all 5 pairs" in run(place, "--preserve", "0.5").output
    assert run(place, "--seed", 7).exit_code == 0


def test_a_sample_of_the_pairs_is_said_to_be_one(place, monkeypatch, rng):
    size = 200
    at = np.arange(size)
    rows = "".join(
        f"{i},{(i + 1) % size},{w}\n" for i, w in zip(at, rng.uniform(1, 2, size), strict=True)
    )
    (place / "ring.csv").write_text("source,target,weight\n" + rows)
    monkeypatch.setattr(inspection.sample, "_FROM_NODES", 0)
    monkeypatch.setattr(inspection.sample, "HAVE_NUMBA", False)
    done = run(place, "--undirected", "--preserve", "0.01", original="ring.csv", release="ring.csv")
    assert done.exit_code == 0, done.output
    assert " of 199 pairs" in done.output.splitlines()[1]
    assert "paths of all" not in done.output


def test_an_edge_list_is_a_release_too_and_columns_have_names(place):
    edge_list(place / "named.csv", header="from,to,cost")
    names = ("--source", "from", "--target", "to", "--weight", "cost")
    done = run(place, "--undirected", *names, original="named.csv", release="release/data.csv")
    assert done.exit_code == 0, done.output
    assert "5 undirected edges" in done.output
    done = run(place, "--directed", release="release/data.csv")
    assert "5 directed edges" in done.output
    done = run(place, release="release/data.csv")
    assert isinstance(done.exception, ParameterError)
    assert "directed must be given" in str(done.exception)


def test_a_folder_without_a_certificate_is_no_release(place):
    (place / "release" / "release.json").unlink()
    assert isinstance(run(place, "--directed").exception, ReleaseError)


def test_the_direction_of_a_release_is_not_contradicted(place):
    done = run(place, "--directed")
    assert isinstance(done.exception, ParameterError)
    assert "the release states that its network is undirected" in str(done.exception)


def test_contradictory_or_impossible_requests_are_refused(place):
    assert run(place, "--pairs", place / "h.csv", "--preserve", "0.1").exit_code == 2
    assert isinstance(run(place, "--k", 3).exception, ParameterError)
    assert isinstance(run(place, "--seed", -1).exception, ParameterError)
    (place / "h.csv").write_text("from,to\na,z\n")
    assert isinstance(run(place, "--pairs", place / "h.csv").exception, DataError)


@pytest.mark.parametrize("name", ["p.svg", "p.PNG"])
def test_the_picture_is_whole_readable_by_its_owner_alone_and_the_same_again(place, name):
    done = run(place, "--picture", place / name)
    assert done.exit_code == 0, done.output
    path = place / name
    assert "readable by you alone" in done.output
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first = path.read_bytes()
    assert first.startswith(b"\x89PNG" if name.endswith("PNG") else b"<?xml")
    path.unlink()
    run(place, "--picture", path)
    assert path.read_bytes() == first
    assert [p.name for p in place.iterdir() if "part" in p.name] == []


def test_the_picture_says_that_it_is_internal_and_what_it_shows(place):
    run(place, "--picture", place / "p.svg")
    text = (place / "p.svg").read_text()
    for words in (
        "Do not publish it",
        "Degrees",
        "Change of weights",
        "Change of shortest lengths",
    ):
        assert words in text


def test_a_picture_is_refused_before_anything_is_read(place):
    (place / "taken.svg").write_text("mine")
    for name, error in (
        ("p.pdf", ParameterError),
        ("taken.svg", ReleaseError),
        ("missing/p.svg", ReleaseError),
        ("release/p.svg", ReleaseError),
    ):
        done = run(place, "--picture", place / name, original="nothing.csv")
        assert isinstance(done.exception, error), name
    assert (place / "taken.svg").read_text() == "mine"


def test_a_disk_that_does_not_take_the_picture_leaves_nothing_behind(place, monkeypatch):
    draw = canvas_for(place / "p.svg")
    network = network_of(place / "o.csv", directed=True).network

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    with pytest.raises(ReleaseError, match="cannot be written: No space left"):
        draw(inspection.compare(network, network))
    assert not [p.name for p in place.iterdir() if "p.svg" in p.name]


def test_without_matplotlib_the_missing_package_is_named(place, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="matplotlib"):
        canvas_for(place / "p.svg")


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.1, 3.0])
@pytest.mark.parametrize("directed", [True, False])
def test_networks_with_hubs_and_wild_changes_are_drawn_on_logarithmic_axes(
    tmp_path, rng, spread, directed
):
    rows = "".join(f"hub,v{i},{w}\n" for i, w in enumerate(rng.uniform(1, 2, 300)))
    (tmp_path / "o.csv").write_text("source,target,weight\n" + rows)
    network = network_of(tmp_path / "o.csv", directed=directed).network
    changed = network.with_weights(network.weight * rng.lognormal(0, spread, 300))
    canvas_for(tmp_path / "p.svg")(inspection.compare(network, changed))
    text = (tmp_path / "p.svg").read_text()
    assert ("new over old" in text) is (spread > 1)
    assert ("edges out" in text) is directed
