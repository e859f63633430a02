"""Types of a database that no kind of column is read from."""

import pyarrow as pa

__all__ = ["UnreadType"]


class UnreadType(pa.ExtensionType):  # type: ignore[misc]  # pyarrow has no types
    """What the database calls it; a column that is stored so is refused before a charge.

    >>> str(UnreadType("jsonb"))
    'jsonb'
    """

    def __init__(self, name: str) -> None:
        self._name = name
        super().__init__(pa.binary(), "sfumato.unread")

    def __arrow_ext_serialize__(self) -> bytes:
        return self._name.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, _storage: pa.DataType, name: bytes) -> "UnreadType":
        return cls(name.decode())

    def __str__(self) -> str:
        return self._name
