"""Private inner products between counts that a server holds and a query that a client holds.

Published once (`histogram`, `privelet`), the counts answer every query on the asker's own
computer.  In the mutual protocol (`mutual`, `protocol`, `service`, `client`) both sides add noise
and every answer costs the server's budget.
"""

from sfumato.retrieval.client import Prepared, QueryClient, Reply
from sfumato.retrieval.published import Estimate, PublishedCounts

__all__ = ["Estimate", "Prepared", "PublishedCounts", "QueryClient", "Reply"]
