"""Where questions wait: those that come while a batch is at the disk form the next one."""

import asyncio
import time
from collections.abc import Callable

from sfumato.errors import SfumatoError
from sfumato.retrieval.desk import Answered, Asked, Desk, Refusal

__all__ = ["BROKEN", "Counter"]

BROKEN = Refusal(
    503, "ledger", "the answer could not be recorded: ask again later, under the same id"
)
_STOPPING = Refusal(503, "stopping", "the service is stopping: ask again later, under the same id")
_PATIENCE = 0.01  # seconds: a batch has four commits of some milliseconds each
_REMEMBERED = 30.0  # seconds for which a failure is told; then the next question may try


class Counter:
    """Batches of questions for a desk; `fault` gets what its owner must know."""

    def __init__(self, desk: Desk, fault: Callable[[Exception], None]) -> None:
        self._desk, self._fault = desk, fault
        self._waiting: list[tuple[Asked, asyncio.Future[Answered | Refusal]]] = []
        self._arrived, self._open = asyncio.Event(), True
        self._failed_at = float("-inf")

    @property
    def failing(self) -> bool:
        """Whether charges or answers could not be recorded lately."""
        return time.monotonic() - self._failed_at < _REMEMBERED

    async def ask(self, asked: Asked) -> Answered | Refusal:
        """The reply, when its batch is on the disk."""
        if not self._open:
            return _STOPPING
        reply: asyncio.Future[Answered | Refusal] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, reply))
        self._arrived.set()
        return await reply

    async def run(self) -> None:
        """Batch after batch, until closed and empty."""
        crowd = 1
        while self._open or self._waiting:
            await self._arrived.wait()
            await self._gathered(crowd)
            batch = self._waiting[: self._desk.most]
            del self._waiting[: len(batch)]
            if not self._waiting and self._open:
                self._arrived.clear()
            if batch:
                crowd = await self._served(batch)

    def close(self) -> None:
        """Let `run` end when nobody waits any more."""
        self._open = False
        self._arrived.set()

    async def _gathered(self, crowd: int) -> None:
        """Wait a little for as many as there were: less than a commit takes."""
        deadline = time.monotonic() + _PATIENCE
        while self._open and len(self._waiting) < crowd and time.monotonic() < deadline:
            await asyncio.sleep(_PATIENCE / 10)

    async def _served(self, batch: list[tuple[Asked, asyncio.Future[Answered | Refusal]]]) -> int:
        """How many clients there are: those answered, who may ask again, and those who wait."""
        try:
            replies = await asyncio.to_thread(self._desk.reply, [asked for asked, _ in batch])
            self._failed_at = float("-inf")
        except Exception as error:
            self._failed_at = time.monotonic()
            self._fault(error)
            replies = [BROKEN] * len(batch)
        crowd = len(batch) + len(self._waiting)
        for (_, reply), found in zip(batch, replies, strict=True):
            if not reply.done():  # a client that went away
                reply.set_result(found)
        if self.failing:
            return crowd
        try:
            await asyncio.to_thread(self._desk.settle)
        except SfumatoError as error:
            self._fault(error)
        return crowd
