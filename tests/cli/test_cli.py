"""The command line as a person meets it: exit codes, one-line refusals, files."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from commands import run
from sfumato.example import CLINIC, clinic

SFUMATO = [sys.executable, "-m", "sfumato"]


def started(words, *, cwd):
    """The program as a shell starts it."""
    environment = {k: v for k, v in os.environ.items() if k != "SFUMATO_LEDGER"}
    environment |= {"COLUMNS": "200", "NO_COLOR": "1"}
    command = [*SFUMATO, *words.split()]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def clinic_files(tmp_path):
    pacsv.write_csv(clinic(300), tmp_path / "clinic.csv")
    pq.write_table(clinic(300), tmp_path / "clinic.parquet")
    (tmp_path / "clinic.yaml").write_text(CLINIC)
    return tmp_path


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_readme_walk_works_from_grant_to_verify(clinic_files):
    for words in (
        "ledger create --ledger budget.db",
        "ledger grant clinic --epsilon 2 --reason board --ledger budget.db",
        "publish clinic.csv --schema clinic.yaml --epsilon 1 --ledger budget.db -o release",
        "verify release --ledger budget.db",
        "ledger show --ledger budget.db",
        "ledger verify --ledger budget.db",
        "methods",
        "methods modips",
        "doctor --ledger budget.db",
    ):
        done = run(words, cwd=clinic_files)
        assert done.returncode == 0, (words, done.stderr)
        assert done.stdout
    assert listing(clinic_files / "release") == ["data.csv", "release.json", "synopsis.json"]
    paper = json.loads((clinic_files / "release" / "release.json").read_text())
    assert paper["statement"] == "1-differential privacy"


def test_a_parquet_file_comes_back_as_parquet(clinic_files):
    words = "publish clinic.parquet --schema clinic.yaml --epsilon 1 -o release"
    assert run(words, cwd=clinic_files).returncode == 0
    assert pq.read_metadata(clinic_files / "release" / "data.parquet").num_rows == 300


REFUSED = {
    "epsilon zero": ("--epsilon 0", "epsilon must be"),
    "epsilon text": ("--epsilon much", "epsilon must be"),
    "epsilon nan": ("--epsilon nan", "epsilon must be"),
    "epsilon infinite": ("--epsilon inf", "epsilon must be"),
    "delta": ("--epsilon 1 --delta 2", "delta must be"),
    "method": ("--epsilon 1 --method magic", "no method 'magic'"),
    "option": ("--epsilon 1 --option rank=3", "no option rank"),
    "format": ("--epsilon 1 --format xml", "format must be"),
    "ledger": ("--epsilon 1 --ledger nowhere.db", "nowhere.db"),
    "seed and ledger": ("--epsilon 1 --seed 3 --ledger nowhere.db", "nowhere.db"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_one_line_and_exit_code_1_and_leaves_nothing(name, clinic_files):
    words, expected = REFUSED[name]
    before = listing(clinic_files)
    done = run(f"publish clinic.csv --schema clinic.yaml -o r {words}", cwd=clinic_files)
    assert done.returncode == 1
    assert done.stderr.startswith("refused: ")
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert listing(clinic_files) == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("other.csv", b"a,b\n1,2\n3,4\n"),
        ("half.parquet", b"PAR1" + b"\x00" * 100),
        ("text.parquet", b"not a table"),
        ("table.xlsx", b"PK"),
    ],
)
def test_files_that_are_no_tables_are_refused(name, content, clinic_files):
    (clinic_files / name).write_bytes(content)
    done = run(f"publish {name} --schema clinic.yaml --epsilon 1 -o r", cwd=clinic_files)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("refused: ")
    assert not (clinic_files / "r").exists()


def test_a_folder_that_exists_is_left_alone(clinic_files):
    (clinic_files / "r").mkdir()
    (clinic_files / "r" / "mine").write_text("mine")
    done = run(
        "publish clinic.csv --schema clinic.yaml --epsilon 1 -o r",
        cwd=clinic_files,
    )
    assert done.returncode == 1
    assert "exists" in done.stderr
    assert listing(clinic_files / "r") == ["mine"]


@pytest.mark.parametrize(
    "words", ["publish", "publish --epsilon 1", "paint", "verify", "ledger grant"]
)
def test_wrong_usage_is_exit_code_2(words, tmp_path):
    assert run(words, cwd=tmp_path).returncode == 2


def test_a_changed_release_fails_verification_with_exit_code_1(clinic_files):
    run(
        "publish clinic.csv --schema clinic.yaml --epsilon 1 -o r",
        cwd=clinic_files,
    )
    data = clinic_files / "r" / "data.csv"
    data.write_text(data.read_text().replace("home", "care", 1))
    done = run("verify r", cwd=clinic_files)
    assert done.returncode == 1
    assert "FAILED" in done.stdout
    assert run("verify nowhere", cwd=clinic_files).returncode == 1


def test_no_message_shows_a_value_of_the_data(clinic_files):
    secret = "SECRET-4711"
    lines = (clinic_files / "clinic.csv").read_text().splitlines()
    spoilt = ",".join([f'"{secret}"'] * 9)
    (clinic_files / "spoilt.csv").write_text("\n".join([*lines, spoilt, secret, ""]))
    for extra in ("1 -o a", "0 -o b", "1 --method identity-laplace -o c"):
        done = run(f"publish spoilt.csv --schema clinic.yaml --epsilon {extra}", cwd=clinic_files)
        assert secret not in done.stdout + done.stderr
    assert secret not in (clinic_files / "a" / "data.csv").read_text()
    assert secret not in (clinic_files / "c" / "data.csv").read_text()


@pytest.mark.slow
def test_an_interrupted_publish_says_so_and_leaves_nothing(clinic_files):
    pq.write_table(clinic(200_000), clinic_files / "big.parquet")
    words = "publish big.parquet --schema clinic.yaml --epsilon 1 -o r --rows 30000000 --misfit 1"
    with subprocess.Popen(
        [*SFUMATO, *words.split()], cwd=clinic_files, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not list(clinic_files.glob(".r.partial-*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "stopped" in said
    assert not list(clinic_files.glob("*r*partial*"))
    assert not (clinic_files / "r").exists()


def test_ctrl_c_before_a_command_has_begun_says_so_too(tmp_path):
    script = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer' and sys.meta_path.pop(0): raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from sfumato.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr.startswith("stopped")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_next_run_says_what_an_earlier_one_left(clinic_files):
    run("ledger create --ledger b.db", cwd=clinic_files)
    run("ledger grant clinic --epsilon 2 --reason r --ledger b.db", cwd=clinic_files)
    whole = (clinic_files / "clinic.parquet").read_bytes()
    spoilt = bytearray(whole)
    spoilt[2_000:6_000] = bytes(4_000)  # data pages, not the footer
    (clinic_files / "spoilt.parquet").write_bytes(spoilt)
    first = run(
        "publish spoilt.parquet --schema clinic.yaml --epsilon 1 --ledger b.db -o r",
        cwd=clinic_files,
    )
    assert first.returncode == 1
    assert "refund" in first.stderr
    second = run(
        "publish clinic.csv --schema clinic.yaml --epsilon 1 --ledger b.db -o r",
        cwd=clinic_files,
    )
    assert second.returncode == 0
    assert "unfinished releases of clinic" in second.stderr


@pytest.mark.slow
def test_the_demo_shows_a_whole_release_and_so_does_a_second(tmp_path):
    for folder in ("sfumato-demo", "sfumato-demo-2"):
        done = run("demo", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "1-differential privacy" in done.stdout
        assert "The picture stays" in done.stdout
        assert run(f"verify {folder}/release", cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_a_demo_into_a_folder_with_brackets_names_it_as_it_is(tmp_path):
    name = "a[red]/dm[/b]"
    done = run(f"demo -o {name}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"made-up patients in {name}/clinic.csv" in done.stdout
    assert f"open {name}/release/report.html in a browser" in done.stdout
    assert f"--ledger '{name}/budget.db'" in done.stdout


@pytest.mark.slow
def test_a_demo_without_matplotlib_says_what_to_install(tmp_path):
    (tmp_path / "matplotlib.py").write_text("raise ImportError")
    done = started("demo", cwd=tmp_path)  # -m puts this folder first
    assert done.returncode == 0, done.stderr
    assert "No page of the release was made" in done.stdout
    assert "pip install matplotlib" in done.stdout


@pytest.mark.parametrize("epsilon", ["1e-8", "0", "much"])
def test_a_demo_that_is_refused_leaves_nothing(tmp_path, epsilon):
    done = run(f"demo -o d --epsilon {epsilon}", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("refused: ")
    assert done.stdout == ""
    assert listing(tmp_path) == []


def test_a_release_with_brackets_in_its_name_is_shown_as_it_is(clinic_files):
    for words in (
        "ledger create --ledger b.db",
        "ledger grant clinic --epsilon 2 --reason r --ledger b.db",
        "publish clinic.csv --schema clinic.yaml --epsilon 1 --ledger b.db --release a[/b] -o r",
    ):
        done = run(words, cwd=clinic_files)
        assert done.returncode == 0, done.stderr
    assert "charged as a[/b]" in done.stdout


def test_what_to_expect_is_told_of_the_records_not_of_the_rows_drawn(clinic_files):
    words = "publish clinic.csv --schema clinic.yaml --method modips --epsilon 1"
    told = [
        run(f"{words} {more}", cwd=clinic_files).stdout for more in ("-o a", "-o b --rows 90000")
    ]
    lines = [next(line for line in text.splitlines() if "expect" in line) for text in told]
    assert "51 % of its range" in lines[0]  # scale 50/0.98, ln 20 of it, over 300 records
    assert lines[0].split("expect")[1].split() == lines[1].split("expect")[1].split()
    known = clinic_files / "clinic.yaml"
    known.write_text(CLINIC.replace("replace-one ", "add-remove "))
    assert "expect" not in run(f"{words} -o c", cwd=clinic_files).stdout


@pytest.mark.slow
def test_budgets_that_promise_little_say_so(clinic_files):
    words = "publish clinic.csv --schema clinic.yaml"
    assert "warning" not in run(f"{words} --epsilon 9 -o a", cwd=clinic_files).stdout
    weak = run(f"{words} --epsilon 11 --delta 0.5 -o b", cwd=clinic_files).stdout
    assert "promises little" in weak
    assert "is large" in weak


def test_the_version_is_printed(tmp_path):
    assert started("--version", cwd=tmp_path).stdout.startswith("sfumato 0.")
