"""Collaborating parties: each measures its own records, and only the noisy sum can be opened.

Guarantee.  The release is what one owner of all records would have published, with the noise of
the honest shares alone or more; whoever collects the files and up to the agreed number of parties
may put together what they see.  Assumptions and proof: `docs/proofs/party.md`.
Limits.  Parties follow the protocol: one that does not can spoil the sum, and learns no more.
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
