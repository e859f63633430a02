"""Public facts of the data sets as they were run."""

from collections.abc import Mapping
from dataclasses import dataclass

from papers.chanyaswad2017.data import Task

__all__ = ["Fact", "Facts"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Records by part, features that components are made of, and where ranges come from."""

    rows: int
    public: int
    held_out: int
    width: int
    ranges: str
    note: str

    @classmethod
    def of(cls, task: Task, width: int) -> "Fact":
        """Of a task as it will be run."""
        parts = task.private.num_rows, task.public.num_rows, task.held_out.num_rows
        return cls(*parts, width, task.ranges, task.note)


Facts = Mapping[str, Fact]  # by table
