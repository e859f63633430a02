"""Collaborating parties: each measures its own records, and only the noisy sum can be opened.

Guarantee.  The release is what one owner of all records would have published, with the noise of
the honest shares alone or more; whoever collects the files and up to the agreed number of parties
may put together what they see.  Assumptions and proof: `docs/proofs/party.md`.
Limits.  Parties follow the protocol: one that does not can spoil the sum, and learns no more.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> import pyarrow as pa
>>> columns = {"age": {"kind": "integer", "low": 0, "high": 110}, "ill": {"kind": "boolean"}}
>>> table = pa.table({"age": [30, 41], "ill": [True, False]})
>>> tables = {"north": table, "south": table}
>>> with TemporaryDirectory() as home:
...     folder, state = Path(home, "exchange"), {name: Path(home, name) for name in tables}
...     agree({"name": "study", "columns": columns}, list(tables), method="modips",
...         release="study-1", epsilon=1).save(folder)
...     keys = [join(Exchange(folder), name, state[name]) for name in tables]
...     shares = [share(Exchange(folder), state[name]) for name in tables]
...     parts = [contribute(Exchange(folder), state[name], tables[name]) for name in tables]
...     openings = [open_round(Exchange(folder), state[name]) for name in tables]
...     combine(Exchange(folder))
<Release of study by modips: 1-differential privacy>
"""

from sfumato.party.agreement import Agreement, agree
from sfumato.party.combining import combine
from sfumato.party.contributing import contribute
from sfumato.party.exchange import Exchange, fingerprint
from sfumato.party.joining import join, share
from sfumato.party.opening import open_round

__all__ = [
    "Agreement",
    "Exchange",
    "agree",
    "combine",
    "contribute",
    "fingerprint",
    "join",
    "open_round",
    "share",
]
