"""Private inner products between counts that a server holds and a query that a client holds.

Published once (`histogram`, `privelet`), the counts answer every query at the asker's own desk.
In the mutual protocol (`mutual`, `protocol`, `service`, `client`) both sides add noise and every
answer costs the server's budget.
"""
