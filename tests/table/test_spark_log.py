"""Spark's logs are silent while any job of ours runs, and heard again after the last one."""

from types import SimpleNamespace

import pytest

from sfumato.table.spark_log import silent


class Log:
    """A logger of log4j that has a level of its own."""

    def __init__(self, level):
        self.level = level

    def getLevel(self):  # noqa: N802  as log4j calls it
        return self.level

    def setLevel(self, level):  # noqa: N802
        self.level = level


class Session:
    """A session of Spark, as far as its logs go."""

    def __init__(self):
        self.logs = {"": Log("WARN"), "org.apache.spark": Log("INFO")}
        self.updated = 0
        configuration = SimpleNamespace(getLoggers=lambda: self.logs)
        context = SimpleNamespace(
            getConfiguration=lambda: configuration, updateLoggers=self._update
        )
        log4j = SimpleNamespace(
            LogManager=SimpleNamespace(getContext=lambda _: context),
            Level=SimpleNamespace(OFF="OFF"),
            core=SimpleNamespace(
                config=SimpleNamespace(Configurator=SimpleNamespace(setLevel=self._set))
            ),
        )
        apache = SimpleNamespace(logging=SimpleNamespace(log4j=log4j))
        jvm = SimpleNamespace(org=SimpleNamespace(apache=apache))
        self.sparkContext = SimpleNamespace(_jvm=jvm)

    def _update(self):
        self.updated += 1

    def _set(self, name, level):
        self.logs.setdefault(name, Log(None)).setLevel(level)

    @property
    def levels(self):
        return {name: log.level for name, log in self.logs.items()}


def test_every_logger_is_off_until_the_last_job_has_ended():
    session = Session()
    first, second = silent(session), silent(session)
    first.__enter__()
    second.__enter__()
    assert set(session.levels.values()) == {"OFF"}
    first.__exit__(None, None, None)
    assert set(session.levels.values()) == {"OFF"}
    second.__exit__(None, None, None)
    assert session.levels == {"": "WARN", "org.apache.spark": "INFO"}
    assert session.updated == 2


def test_tasks_that_a_failed_job_left_behind_are_not_heard():
    session = Session()
    with pytest.raises(ValueError, match="the job"), silent(session):
        raise ValueError("the job")
    assert session.levels.pop("") == "WARN"
    assert session.levels["org.apache.spark"] == "INFO"
    late = [name for name, level in session.levels.items() if level == "OFF"]
    names = ("scheduler", "executor", "api.python")
    assert set(late) == {f"org.apache.spark.{name}" for name in names}
    with silent(session):
        pass
    assert {session.levels[name] for name in late} == {"OFF"}


def test_a_session_whose_logs_are_elsewhere_is_left_alone():
    with silent(SimpleNamespace()):
        pass
