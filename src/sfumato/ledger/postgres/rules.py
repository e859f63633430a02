"""What the server refuses before a line is added, and keeps after: the bodies of its functions.

They run with the rights of whoever made the ledger, in a search path of their own.
"""

__all__ = ["KEEP", "RULES", "UNFINISHED"]

RULES = """
DECLARE
    last event%ROWTYPE;
    before event%ROWTYPE;
    asked event%ROWTYPE;
    needed text := CASE
        WHEN NEW.kind IN ('create', 'dataset', 'grant', 'approve', 'client', 'same-data',
            'protects') THEN 'owner'
        WHEN NEW.kind IN ('reserve', 'use', 'part', 'draw', 'settle', 'stop', 'inspect')
            THEN 'publisher' END;
    owner boolean := pg_has_role(session_user, TG_TABLE_SCHEMA || '_owner', 'MEMBER');
    publisher boolean := pg_has_role(session_user, TG_TABLE_SCHEMA || '_publisher', 'MEMBER');
    sign integer;
    now bigint := floor(extract(epoch FROM clock_timestamp()));
    said jsonb;
BEGIN
    SELECT * INTO last FROM event ORDER BY sequence DESC LIMIT 1;
    SELECT * INTO before FROM event WHERE dataset = NEW.dataset ORDER BY sequence DESC LIMIT 1;
    IF (needed = 'owner' AND NOT owner) OR (needed = 'publisher' AND NOT publisher)
        OR NOT (owner OR publisher) THEN
        RAISE insufficient_privilege USING MESSAGE = 'it needs the role ' || TG_TABLE_SCHEMA
            || '_' || coalesce(needed, 'owner or ' || TG_TABLE_SCHEMA || '_publisher');
    END IF;
    -- Elsewhere a budget is in other hands, so that only whoever has all of it takes it there.
    IF NEW.kind = 'move' AND NOT pg_has_role(session_user, (SELECT nspowner FROM pg_namespace
        WHERE nspname = TG_TABLE_SCHEMA), 'MEMBER') THEN
        RAISE insufficient_privilege USING MESSAGE = 'it needs whoever made it';
    END IF;
    IF NEW.who IS DISTINCT FROM session_user THEN
        RAISE check_violation USING MESSAGE = 'an event says who wrote it';
    END IF;
    IF NEW.clock NOT BETWEEN greatest(last.clock, now - 60) AND greatest(last.clock, now + 1) THEN
        RAISE check_violation USING MESSAGE = 'an event is written when the server says';
    END IF;
    IF NEW.sequence IS DISTINCT FROM coalesce(last.sequence, 0) + 1
        OR NEW.previous IS DISTINCT FROM coalesce(last.hash, NEW.previous) THEN
        RAISE check_violation USING MESSAGE = 'an event must follow the last one';
    END IF;
    IF NEW.nonce !~ '^[0-9a-f]{32}$' OR NEW.hash !~ '^[0-9a-f]{64}$'
        OR NEW.previous !~ '^[0-9a-f]{64}$' OR (NEW.veil IS NULL) <> (NEW.fingerprint IS NULL)
        OR NEW.veil !~ '^[0-9a-f]{32}$' THEN
        RAISE check_violation USING MESSAGE =
            'an event needs a nonce and a hash, and a fingerprint a veil';
    END IF;
    IF NEW.kind NOT IN ('create', 'dataset', 'grant', 'request', 'approve', 'decline', 'lapse',
        'client', 'use', 'return', 'reserve', 'part', 'draw', 'settle', 'stop', 'refund',
        'same-data', 'protects', 'inspect', 'new-key', 'checkpoint', 'move', 'arrive')
        OR (NEW.dataset = '') <> (NEW.kind IN ('create', 'new-key', 'checkpoint', 'move', 'arrive'))
        OR NEW.kind <> 'inspect' AND (NEW.release IS NOT NULL)
            <> (NEW.kind IN ('reserve', 'part', 'draw', 'settle', 'stop', 'refund'))
        OR NEW.fingerprint IS NOT NULL AND NEW.kind <> 'draw'
        OR (NEW.other IS NOT NULL)
            <> (NEW.kind IN ('same-data', 'part', 'approve', 'decline', 'use', 'return'))
        OR NEW.heuristic NOT BETWEEN 0 AND (NEW.kind IN ('grant', 'request', 'approve'))::integer
        OR (strpos(NEW.dataset, chr(9)) > 0) <> (NEW.kind IN ('client', 'use', 'return'))
        OR NEW.allowed NOT IN (0, 1)
        OR greatest(NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho) > 0 AND NEW.kind NOT IN
            ('grant', 'request', 'approve', 'lapse', 'client', 'use', 'return', 'reserve', 'stop',
                'refund')
    THEN
        RAISE check_violation USING MESSAGE = 'an event of this kind has another form';
    END IF;
    BEGIN
        said := NEW.detail;
    EXCEPTION WHEN data_exception THEN
        RAISE check_violation USING MESSAGE = 'an event says something in JSON';
    END;
    IF (NEW.kind = 'create') <> (last.sequence IS NULL)
        OR NEW.kind = 'arrive' OR last.kind = 'move' THEN
        RAISE check_violation USING MESSAGE = 'the ledger was moved, or begins twice';
    END IF;

    -- Balances: each figure follows from the line before.
    IF least(NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho, NEW.spent_micro_epsilon,
            NEW.spent_pico_delta, NEW.spent_micro_rho, NEW.unproved) < 0
        OR greatest(NEW.granted_micro_epsilon, NEW.granted_pico_delta, NEW.granted_micro_rho)
            >= 4611686018427387904
        OR NEW.spent_micro_epsilon > NEW.granted_micro_epsilon
        OR NEW.spent_pico_delta > NEW.granted_pico_delta
        OR NEW.spent_micro_rho > NEW.granted_micro_rho
        OR NEW.unproved > NEW.releases OR NEW.allowed < (NEW.unproved > 0)::integer THEN
        RAISE check_violation USING MESSAGE = 'more would be spent than was granted';
    END IF;
    sign := CASE WHEN NEW.kind IN ('grant', 'approve', 'client') THEN 1
        WHEN NEW.kind = 'lapse' THEN -1 ELSE 0 END;
    IF (NEW.granted_micro_epsilon, NEW.granted_pico_delta, NEW.granted_micro_rho)
        IS DISTINCT FROM (coalesce(before.granted_micro_epsilon, 0) + sign * NEW.micro_epsilon,
            coalesce(before.granted_pico_delta, 0) + sign * NEW.pico_delta,
            coalesce(before.granted_micro_rho, 0) + sign * NEW.micro_rho)
        OR NEW.allowed <> greatest(coalesce(before.allowed, 0),
            CASE WHEN NEW.kind IN ('grant', 'approve') THEN NEW.heuristic ELSE 0 END) THEN
        RAISE check_violation USING MESSAGE = 'what was granted does not follow';
    END IF;
    sign := CASE WHEN NEW.kind IN ('reserve', 'use') THEN 1
        WHEN NEW.kind IN ('refund', 'stop', 'return') THEN -1 ELSE 0 END;
    IF (NEW.parts IS NULL AND before.parts IS NULL OR sign = 0)
        AND (NEW.spent_micro_epsilon, NEW.spent_pico_delta, NEW.spent_micro_rho)
        IS DISTINCT FROM (coalesce(before.spent_micro_epsilon, 0) + sign * NEW.micro_epsilon,
            coalesce(before.spent_pico_delta, 0) + sign * NEW.pico_delta,
            coalesce(before.spent_micro_rho, 0) + sign * NEW.micro_rho)
        -- A part that was charged in a period that is over gives nothing back.
        AND (sign >= 0 OR NOT coalesce((SELECT detail::jsonb -> 'table part' IS NOT NULL FROM event
                WHERE release = NEW.release AND kind = 'reserve'), false)
            OR (NEW.spent_micro_epsilon, NEW.spent_pico_delta, NEW.spent_micro_rho)
                IS DISTINCT FROM (before.spent_micro_epsilon, before.spent_pico_delta,
                    before.spent_micro_rho)) THEN
        RAISE check_violation USING MESSAGE = 'what was spent does not follow';
    END IF;
    -- With parts it moves by no more than the amount, and never the other way.
    IF NEW.spent_micro_epsilon - coalesce(before.spent_micro_epsilon, 0)
            NOT BETWEEN least(0, sign * NEW.micro_epsilon) AND greatest(0, sign * NEW.micro_epsilon)
        OR NEW.spent_pico_delta - coalesce(before.spent_pico_delta, 0)
            NOT BETWEEN least(0, sign * NEW.pico_delta) AND greatest(0, sign * NEW.pico_delta)
        OR NEW.spent_micro_rho - coalesce(before.spent_micro_rho, 0)
            NOT BETWEEN least(0, sign * NEW.micro_rho) AND greatest(0, sign * NEW.micro_rho) THEN
        RAISE check_violation USING MESSAGE = 'what was spent does not follow';
    END IF;
    sign := CASE NEW.kind WHEN 'reserve' THEN 1 WHEN 'refund' THEN -1 ELSE 0 END;
    IF NEW.releases <> coalesce(before.releases, 0) + sign
        OR NEW.unproved <> coalesce(before.unproved, 0)
            + (CASE WHEN NEW.micro_epsilon + NEW.pico_delta + NEW.micro_rho = 0
                THEN sign ELSE 0 END)
    THEN
        RAISE check_violation USING MESSAGE = 'the number of releases does not follow';
    END IF;
    IF NEW.protects IS DISTINCT FROM coalesce(before.protects, NEW.protects)
        AND NOT (NEW.kind = 'refund' AND NEW.protects IS NULL AND NEW.releases = NEW.unproved)
        OR NEW.protects IS DISTINCT FROM before.protects
            AND NEW.kind NOT IN ('reserve', 'protects', 'refund')
        OR NEW.kind = 'reserve' AND NEW.protects IS NULL
            AND NEW.micro_epsilon + NEW.pico_delta + NEW.micro_rho > 0 THEN
        RAISE check_violation USING MESSAGE =
            'an account protects one unit between its neighbours';
    END IF;
    IF NEW.parts IS NOT NULL AND NEW.protects
            IS DISTINCT FROM 'one record (row) of the table; add-remove'
        OR NEW.kind NOT IN ('reserve', 'draw', 'refund', 'stop')
            AND NEW.parts IS DISTINCT FROM before.parts
            AND NOT (NEW.kind = 'lapse' AND NEW.parts IS NULL) THEN
        RAISE check_violation USING MESSAGE =
            'only a step of a release changes what its parts have borne';
    END IF;

    -- Decisions.
    IF NEW.kind = 'grant'
        AND (SELECT strpos(detail, '"two people":true') > 0 FROM event WHERE sequence = 1) THEN
        RAISE check_violation USING MESSAGE = 'this ledger needs two people for a grant';
    END IF;
    IF NEW.kind IN ('approve', 'decline') THEN
        SELECT * INTO asked FROM event WHERE kind = 'request' AND dataset = NEW.dataset
            AND sequence = CASE WHEN NEW.other ~ '^[1-9][0-9]{0,17}$' THEN NEW.other::bigint END;
        IF asked.sequence IS NULL OR NEW.kind = 'approve' AND (asked.who = NEW.who
            OR asked.sequence < (SELECT max(sequence) FROM event WHERE kind = 'arrive')
            OR (asked.micro_epsilon, asked.pico_delta, asked.micro_rho, asked.heuristic)
            IS DISTINCT FROM (NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho, NEW.heuristic)) THEN
            RAISE check_violation USING MESSAGE = 'a request is approved by another person';
        END IF;
        IF NEW.kind = 'decline' AND NOT owner AND asked.who <> NEW.who THEN
            RAISE insufficient_privilege USING MESSAGE =
                'it needs the role ' || TG_TABLE_SCHEMA || '_owner';
        END IF;
    END IF;
    IF NEW.kind = 'use' THEN
        SELECT * INTO asked FROM event WHERE release = NEW.other AND kind = 'reserve'
            AND dataset || '' = split_part(NEW.dataset, chr(9), 1);
        IF before.sequence IS NULL OR asked.sequence IS NULL
            OR NEW.other <> (CASE last.kind WHEN 'reserve' THEN last.release
                WHEN 'use' THEN last.other ELSE '' END)
            OR EXISTS (SELECT 1 FROM event WHERE other = NEW.other AND kind = 'use'
                HAVING sum(micro_epsilon) + NEW.micro_epsilon > asked.micro_epsilon
                OR sum(pico_delta) + NEW.pico_delta > asked.pico_delta
                OR sum(micro_rho) + NEW.micro_rho > asked.micro_rho)
            OR NEW.micro_epsilon > asked.micro_epsilon OR NEW.pico_delta > asked.pico_delta
            OR NEW.micro_rho > asked.micro_rho THEN
            RAISE check_violation USING MESSAGE = 'a client uses what was not charged';
        END IF;
    END IF;
    IF NEW.kind = 'return' AND (NOT EXISTS (SELECT 1 FROM event WHERE release = NEW.other
            AND kind = 'refund' AND dataset || '' = split_part(NEW.dataset, chr(9), 1))
        OR (NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho) IS DISTINCT FROM
            (SELECT (sum(micro_epsilon)::bigint, sum(pico_delta)::bigint, sum(micro_rho)::bigint)
            FROM event WHERE other = NEW.other AND kind = 'use' AND dataset = NEW.dataset)) THEN
        RAISE check_violation USING MESSAGE =
            'a client has back what it used of a refunded release';
    END IF;
    IF NEW.kind = 'client' AND NOT EXISTS (SELECT 1 FROM event
        WHERE dataset = split_part(NEW.dataset, chr(9), 1)) THEN
        RAISE check_violation USING MESSAGE = 'a client of a data set without an account';
    END IF;
    -- What is left lapses by an owner, or as far as it was just given back.
    IF NEW.kind = 'lapse' AND NOT owner AND (last.kind NOT IN ('refund', 'stop')
        OR last.dataset <> NEW.dataset OR NEW.micro_epsilon > last.micro_epsilon
        OR NEW.pico_delta > last.pico_delta OR NEW.micro_rho > last.micro_rho) THEN
        RAISE insufficient_privilege USING MESSAGE =
            'it needs the role ' || TG_TABLE_SCHEMA || '_owner';
    END IF;
    IF NEW.kind = 'reserve' AND to_char(to_timestamp(greatest(NEW.clock, now)) AT TIME ZONE 'UTC',
        'YYYY-MM-DD') > (SELECT detail::jsonb ->> 'until' FROM event WHERE dataset = NEW.dataset
        AND kind IN ('grant', 'approve') ORDER BY sequence DESC LIMIT 1) COLLATE "C" THEN
        RAISE check_violation USING MESSAGE = 'the time that the budget was for is over';
    END IF;

    -- Steps of a release.
    IF NEW.kind IN ('draw', 'refund', 'settle', 'stop') AND NOT EXISTS (SELECT 1 FROM event
        WHERE release = NEW.release AND dataset || '' = NEW.dataset AND kind <> 'inspect'
        AND (kind = CASE WHEN NEW.kind IN ('settle', 'stop') THEN 'draw' ELSE 'reserve' END
            OR NEW.kind = 'draw' AND kind = 'part')) THEN
        RAISE check_violation USING MESSAGE = 'a step of a release is out of order';
    END IF;
    IF NEW.kind = 'refund' AND (NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho) IS DISTINCT FROM
        (SELECT (micro_epsilon, pico_delta, micro_rho) FROM event
        WHERE release = NEW.release AND kind = 'reserve') THEN
        RAISE check_violation USING MESSAGE = 'a refund differs from its reservation';
    END IF;
    IF NEW.kind = 'stop' THEN
        SELECT * INTO asked FROM event WHERE release = NEW.release AND kind = 'reserve';
        IF asked.detail::jsonb -> 'first' IS NULL OR NEW.micro_epsilon > asked.micro_epsilon
            OR NEW.pico_delta > asked.pico_delta OR NEW.micro_rho > asked.micro_rho
            OR EXISTS (SELECT 1 FROM event WHERE other = NEW.release AND kind = 'part') THEN
            RAISE check_violation USING MESSAGE = 'a release that may not stop, or went on';
        END IF;
    END IF;
    IF NEW.kind = 'draw' AND NOT EXISTS (SELECT 1 FROM unfinished
        WHERE release = NEW.release AND NOT drawn) THEN
        RAISE check_violation USING MESSAGE = 'a release draws once';
    END IF;
    IF NEW.kind = 'part' AND (NOT EXISTS (SELECT 1 FROM event WHERE release = NEW.other
            AND dataset || '' = NEW.dataset AND kind = 'draw')
        OR EXISTS (SELECT 1 FROM event WHERE release = NEW.other AND kind = 'stop')
        OR NEW.release <> NEW.other || '+' || (SELECT count(*) + 1 FROM event
            WHERE other = NEW.other AND kind = 'part')) THEN
        RAISE check_violation USING MESSAGE = 'a part of what was never drawn';
    END IF;
    IF NEW.kind = 'inspect' AND NOT (CASE WHEN NEW.release IS NULL
        THEN before.sequence IS NOT NULL
        ELSE EXISTS (SELECT 1 FROM event WHERE release = NEW.release AND dataset || '' = NEW.dataset
            AND kind = 'settle') END) THEN
        RAISE check_violation USING MESSAGE = 'an inspection of what was never released';
    END IF;
    RETURN NEW;
END
"""

UNFINISHED = """
BEGIN
    IF NEW.kind IN ('reserve', 'part') THEN
        INSERT INTO unfinished VALUES (NEW.release, NEW.dataset, NEW.sequence, false);
    ELSIF NEW.kind = 'draw' THEN
        UPDATE unfinished SET drawn = true WHERE release = NEW.release;
    ELSIF NEW.kind IN ('settle', 'refund', 'stop') THEN
        DELETE FROM unfinished WHERE release = NEW.release;
    END IF;
    RETURN NULL;
END
"""

KEEP = """
BEGIN
    RAISE check_violation USING MESSAGE = 'the ledger is append-only';
END
"""
