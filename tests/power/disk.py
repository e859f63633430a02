"""What a disk may hold after a power cut, from a record of all changes that were made to it.

What was synced is there.  Of what was written since, any part may be: of every write any of its
sectors, of every new, changed or removed name whether or not it had come so far.  A folder keeps
its names when the folder itself was synced; that a file was synced says nothing of its name.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

__all__ = ["Cut", "Disk", "Tree", "cuts", "tree_of", "write_tree"]

SECTOR = 512
# An index that processes share in memory: SQLite makes it anew, whatever it holds.
UNKEPT = "-shm"
Tree = dict[str, bytes | None]  # path below the root → content, None for a folder


@dataclass
class _File:
    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)  # None: a new size

    def holding(self, kept: list[tuple[int, bytes | None]]) -> bytes:
        content = bytearray(self.durable)
        for offset, new in kept:
            if new is None:
                del content[offset:]
                content.extend(bytes(offset - len(content)))
            else:
                content.extend(bytes(max(0, offset + len(new) - len(content))))
                content[offset : offset + len(new)] = new
        return bytes(content)


@dataclass(frozen=True)
class _Name:
    """A name that changes: from a folder and name (if it had one) to another (unless removed)."""

    thing: int
    old: tuple[int, str] | None
    new: tuple[int, str] | None

    def touches(self, folder: int) -> bool:
        return folder in {place[0] for place in (self.old, self.new) if place}


@dataclass(frozen=True)
class Cut:
    """A moment at which the power goes: what had been done by then, and what may be left."""

    done: tuple[str, ...]
    tree: Tree
    how: str


class Disk:
    """The changes so far; things are numbered, because inodes are used again."""

    def __init__(self, root_inode: int) -> None:
        self._number = {root_inode: 0}
        self._files: dict[int, _File] = {}
        self._folders: dict[int, dict[str, int]] = {0: {}}  # durable names
        self._now: dict[int, dict[str, int]] = {0: {}}
        self._names: list[_Name] = []
        self.done: list[str] = []

    def change(self, words: list[str], data: bytes) -> None:
        """One record of `recording.c`."""
        match words:
            case ["create", folder, inode, kind, name]:
                thing = self._number[int(inode)] = len(self._files) + len(self._now)
                if kind == "d":
                    self._folders[thing], self._now[thing] = {}, {}
                else:
                    self._files[thing] = _File()
                self._rename(_Name(thing, None, (self._number[int(folder)], name)))
            case ["link", folder, inode, name]:  # a second name of a file that is there
                place = self._number[int(folder)], name
                self._rename(_Name(self._number[int(inode)], None, place))
            case ["remove", folder, name]:
                place = self._number[int(folder)], name
                self._rename(_Name(self._now[place[0]][name], place, None))
            case ["rename", folder, target, names]:
                old, new = names.split("/")
                source = self._number[int(folder)], old
                thing = self._now[source[0]][old]
                self._rename(_Name(thing, source, (self._number[int(target)], new)))
            case ["write", inode, offset, _]:
                self._files[self._number[int(inode)]].pending.append((int(offset), data))
            case ["size", inode, size]:
                self._files[self._number[int(inode)]].pending.append((int(size), None))
            case ["sync", inode]:
                self._sync(self._number[int(inode)])
            case ["mark", *text]:
                self.done.append(" ".join(text))
            case _:
                raise AssertionError(f"a record of no known kind: {words}")

    def _rename(self, name: _Name) -> None:
        _apply(self._now, name)
        self._names.append(name)

    def _sync(self, thing: int) -> None:
        if thing in self._folders:
            for name in [name for name in self._names if name.touches(thing)]:
                _apply(self._folders, name)
                self._names.remove(name)
        else:
            file = self._files[thing]
            file.durable, file.pending = file.holding(file.pending), []

    def everything(self) -> Tree:
        """What a reader sees now, without any power cut."""
        return self._tree(self._now, lambda file: file.pending)

    def left(self, rng: Random, torn: int) -> Iterator[tuple[str, Tree]]:
        """What may be left if the power goes now: the four corners, and some states between."""
        all_names = _all(self._folders, self._names)
        yield "what was synced", self._tree(self._folders, lambda _: [])
        yield "all that was written", self.everything()
        yield "the names without the content", self._tree(all_names, lambda _: [])
        yield "the content without the names", self._tree(self._folders, lambda file: file.pending)
        for _ in range(torn):
            some = [name for name in self._names if rng.random() < 0.5]
            names = _all(self._folders, some)
            yield "a part", self._tree(names, lambda file: _sectors(file.pending, rng))

    def _tree(self, folders, kept) -> Tree:  # type: ignore[no-untyped-def]
        found: Tree = {}

        def walk(folder: int, path: str) -> None:
            for name, thing in sorted(folders[folder].items()):
                if thing in folders:
                    found[path + name] = None
                    walk(thing, f"{path}{name}/")
                elif not name.endswith(UNKEPT):
                    file = self._files[thing]
                    found[path + name] = file.holding(kept(file))

        walk(0, "")
        return found


def _apply(folders: dict[int, dict[str, int]], name: _Name) -> None:
    if name.old:
        folders[name.old[0]].pop(name.old[1], None)
    if name.new:
        folders[name.new[0]][name.new[1]] = name.thing


def _all(folders: dict[int, dict[str, int]], names: list[_Name]) -> dict[int, dict[str, int]]:
    copy = {folder: dict(content) for folder, content in folders.items()}
    for name in names:
        _apply(copy, name)
    return copy


def _sectors(
    pending: list[tuple[int, bytes | None]], rng: Random
) -> list[tuple[int, bytes | None]]:
    """Any of the sectors that were written."""
    kept: list[tuple[int, bytes | None]] = []
    for offset, new in pending:
        start, stop = offset, offset + len(new or b"")
        if new is None and rng.random() < 0.5:
            kept.append((offset, None))
        while start < stop:
            end = min(stop, (start // SECTOR + 1) * SECTOR)
            if rng.random() < 0.5:
                kept.append((start, new[start - offset : end - offset]))  # type: ignore[index]
            start = end
    return kept


def cuts(record: Path, root_inode: int, *, torn: int, seed: int) -> Iterator[Cut | Tree]:
    """A power cut before and after every sync and at every mark; last, the files as they were."""
    disk, rng = Disk(root_inode), Random(seed)
    with record.open("rb") as lines:
        for line in lines:
            words = line.decode().rstrip("\n").split(" ")
            data = lines.read(int(words[3])) if words[0] == "write" else b""
            moment = words[0] in ("sync", "mark")
            if moment:
                yield from (Cut(tuple(disk.done), tree, how) for how, tree in disk.left(rng, torn))
            disk.change(words, data)
            if moment:
                yield from (Cut(tuple(disk.done), tree, how) for how, tree in disk.left(rng, 0))
    yield disk.everything()


def write_tree(root: Path, tree: Tree) -> None:
    """Put a state of the disk into an empty folder."""
    for path, content in tree.items():
        if content is None:
            (root / path).mkdir(mode=0o700)
        else:
            (root / path).write_bytes(content)
            (root / path).chmod(0o600)


def tree_of(root: Path) -> Tree:
    """The files below a folder."""
    return {
        str(path.relative_to(root)): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if not path.name.endswith(UNKEPT)
    }
