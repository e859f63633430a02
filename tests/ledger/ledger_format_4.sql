-- A ledger of format 4, as Sfumato wrote it before a release could stop at its fit counts.
PRAGMA application_id = 1399223661;
PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('create', 'grant', 'reserve', 'part', 'draw', 'settle',
        'refund', 'same-data', 'protects', 'inspect', 'checkpoint')),
    dataset TEXT NOT NULL CHECK ((dataset = '') = (kind IN ('create', 'checkpoint'))),
    release TEXT CHECK (kind = 'inspect' OR (release IS NULL)
        = (kind IN ('create', 'grant', 'same-data', 'protects', 'checkpoint'))),
    fingerprint TEXT CHECK (fingerprint IS NULL OR kind = 'draw'),
    other TEXT CHECK ((other IS NULL) = (kind NOT IN ('same-data', 'part'))),
    heuristic INTEGER NOT NULL CHECK (heuristic BETWEEN 0 AND (kind = 'grant')),
    micro_epsilon INTEGER NOT NULL CHECK (micro_epsilon >= 0),
    pico_delta INTEGER NOT NULL CHECK (pico_delta >= 0),
    micro_rho INTEGER NOT NULL CHECK (micro_rho >= 0),
    granted_micro_epsilon INTEGER NOT NULL CHECK (granted_micro_epsilon < 4611686018427387904),
    granted_pico_delta INTEGER NOT NULL CHECK (granted_pico_delta < 4611686018427387904),
    granted_micro_rho INTEGER NOT NULL CHECK (granted_micro_rho < 4611686018427387904),
    spent_micro_epsilon INTEGER NOT NULL
        CHECK (spent_micro_epsilon BETWEEN 0 AND granted_micro_epsilon),
    spent_pico_delta INTEGER NOT NULL CHECK (spent_pico_delta BETWEEN 0 AND granted_pico_delta),
    spent_micro_rho INTEGER NOT NULL CHECK (spent_micro_rho BETWEEN 0 AND granted_micro_rho),
    releases INTEGER NOT NULL CHECK (releases >= 0),
    unproved INTEGER NOT NULL CHECK (unproved BETWEEN 0 AND releases),
    allowed INTEGER NOT NULL CHECK (allowed IN (0, 1) AND allowed >= (unproved > 0)),
    protects TEXT,
    parts TEXT CHECK (parts IS NULL OR protects IS 'one record (row) of the table; add-remove'),
    detail TEXT NOT NULL,
    clock INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "event" VALUES(1,'create','',NULL,NULL,NULL,0,0,0,0,0,0,0,0,0,0,0,0,0,NULL,NULL,'{"key":"40963fa56732dd258c56f480fc9f941caef2e0a65b13baebda614645b25a0c51","ledger":"2b4463424d9e640622ed1864dc26ea40"}',1794800081,'7e3fd4ad03a7d1eb6f6d9eea869f0741','2bdaa69efdceecdddc4204effc8741d4eb474e3c63327ee0264f9a6c6fe51346','2c0a32c755c236f30e81af7adbbb076bb839fa925cd5d158ce123975a126c2e8');
INSERT INTO "event" VALUES(2,'grant','adult',NULL,NULL,NULL,0,3000000,0,0,3000000,0,0,0,0,0,0,0,0,NULL,NULL,'{"reason":"approved by the data board"}',1794800081,'a1c2d64f5ad9efa7d819ab5a7dc3220b','2c0a32c755c236f30e81af7adbbb076bb839fa925cd5d158ce123975a126c2e8','c15a965bea10feb490b9011a28a44a4da8f06cfd4d3e7a6efbff30fe23260430');
INSERT INTO "event" VALUES(3,'reserve','adult','north-1',NULL,NULL,0,1000000,0,0,3000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0]],"table":null}}','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[0,0]],"frame":"f00df00df00df00d","name":"region=n"}}',1794800081,'c7d17bf97309d8318588c08b4d479676','c15a965bea10feb490b9011a28a44a4da8f06cfd4d3e7a6efbff30fe23260430','5a6d8b920760eb1b9c06531b92f112cef150ac82a1e901e4191d4bb7b4803fa7');
INSERT INTO "event" VALUES(4,'reserve','adult','south-1',NULL,NULL,0,1000000,0,0,3000000,0,0,1000000,0,0,2,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":null}}','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[1,1]],"frame":"f00df00df00df00d","name":"region=s"}}',1794800081,'02b6be0bc08915c4060e8d937bff9875','5a6d8b920760eb1b9c06531b92f112cef150ac82a1e901e4191d4bb7b4803fa7','33cad62c7b85c0335bd0e55350ce9cfd88795a22dd62d60f0e8fcf93862c72d0');
INSERT INTO "event" VALUES(5,'reserve','adult','south-2',NULL,NULL,0,1000000,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0],[1,1,2000000,0,0]],"table":null}}','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[1,1]],"frame":"f00df00df00df00d","name":"region=s"}}',1794800081,'653ddd262bccdac78c9b3864d059c648','33cad62c7b85c0335bd0e55350ce9cfd88795a22dd62d60f0e8fcf93862c72d0','0e028505c37784300b3c4e2a55d39fc89d18f7ec95c312ae6983dac7d2e03543');
INSERT INTO "event" VALUES(6,'draw','adult','north-1','31313131313131313131313131313131',NULL,0,0,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0],[1,1,2000000,0,0]],"table":"31313131313131313131313131313131"}}','{}',1794800081,'051e6e249eae6508016fb7123591441a','0e028505c37784300b3c4e2a55d39fc89d18f7ec95c312ae6983dac7d2e03543','bb1b0eebcae07849dcda3e362ead58b609ef240ebd0db66b638e4f8d6101682c');
INSERT INTO "event" VALUES(7,'draw','adult','south-1','31313131313131313131313131313131',NULL,0,0,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0],[1,1,2000000,0,0]],"table":"31313131313131313131313131313131"}}','{}',1794800081,'2147fdb40e5fd5cf9c949eb571da708a','bb1b0eebcae07849dcda3e362ead58b609ef240ebd0db66b638e4f8d6101682c','58087892c66ab56166be99b7d8f988145445f55c1d1e9318bd8554437f4ecf5b');
INSERT INTO "event" VALUES(8,'settle','adult','north-1',NULL,NULL,0,0,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0],[1,1,2000000,0,0]],"table":"31313131313131313131313131313131"}}','{"digest":"0123456789abcdef"}',1794800081,'9aa12e55f7cad328a4629eb563045ae7','58087892c66ab56166be99b7d8f988145445f55c1d1e9318bd8554437f4ecf5b','d1f5c385ef83f45c496ed881c5c4907d4b2b64a41f260f51cc3c6d4e8fd629e7');
INSERT INTO "event" VALUES(9,'refund','adult','south-2',NULL,NULL,0,1000000,0,0,3000000,0,0,1000000,0,0,2,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{"reason":"not needed"}',1794800081,'6fe9fc25376292bc2446254327a06cbc','d1f5c385ef83f45c496ed881c5c4907d4b2b64a41f260f51cc3c6d4e8fd629e7','9433c4e5a1e41dc36bbf2612c783c6058e331e1eb6d61a084af48003966dbcdf');
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ledger_id TEXT NOT NULL,
    fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT;
INSERT INTO "identity" VALUES(1,'2b4463424d9e640622ed1864dc26ea40',X'647538DF3FE4F9A9A0E5A493AD6C2E98DBC6D29EE33238D2E2B8EDDE9F56AD25');
CREATE TABLE unfinished (
    release TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    drawn INTEGER NOT NULL CHECK (drawn IN (0, 1))
) STRICT, WITHOUT ROWID;
INSERT INTO "unfinished" VALUES('south-1','adult',4,1);
CREATE TRIGGER identity_kept BEFORE DELETE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER identity_unchanged BEFORE UPDATE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE INDEX event_dataset ON event (dataset, sequence);
CREATE UNIQUE INDEX event_step ON event
    (release, CASE kind WHEN 'reserve' THEN 1 WHEN 'part' THEN 1 WHEN 'settle' THEN 3 ELSE 2 END)
    WHERE release IS NOT NULL AND kind <> 'inspect';
CREATE INDEX event_fingerprint ON event (fingerprint, dataset) WHERE fingerprint IS NOT NULL;
CREATE INDEX event_other ON event (other, kind, dataset) WHERE other IS NOT NULL;
CREATE INDEX event_joined ON event (dataset) WHERE kind = 'same-data';
CREATE INDEX event_inspect ON event (dataset, sequence) WHERE kind = 'inspect';
CREATE INDEX event_checkpoint ON event (sequence) WHERE kind = 'checkpoint';
CREATE INDEX unfinished_dataset ON unfinished (dataset, sequence);
CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END;
CREATE TRIGGER event_has_a_nonce BEFORE INSERT ON event WHEN length(NEW.nonce) <> 32
    BEGIN SELECT RAISE(ABORT, 'an event needs a nonce'); END;
CREATE TRIGGER event_step_in_order BEFORE INSERT ON event
    WHEN NEW.kind IN ('draw', 'refund', 'settle') AND NOT EXISTS (
        SELECT 1 FROM event WHERE release = NEW.release AND kind <> 'inspect'
        AND +dataset = NEW.dataset AND (+kind = CASE NEW.kind WHEN 'settle' THEN 'draw'
        ELSE 'reserve' END OR (NEW.kind = 'draw' AND +kind = 'part')))
    BEGIN SELECT RAISE(ABORT, 'a step of a release is out of order'); END;
CREATE TRIGGER event_draws_once BEFORE INSERT ON event
    WHEN NEW.kind = 'draw' AND NOT EXISTS (
        SELECT 1 FROM unfinished WHERE release = NEW.release AND drawn = 0)
    BEGIN SELECT RAISE(ABORT, 'a release draws once'); END;
CREATE TRIGGER event_continues_what_was_drawn BEFORE INSERT ON event
    WHEN NEW.kind = 'part' AND NOT EXISTS (SELECT 1 FROM event WHERE release = NEW.other
        AND kind <> 'inspect' AND +dataset = NEW.dataset AND +kind = 'draw')
    BEGIN SELECT RAISE(ABORT, 'a part of what was never drawn'); END;
CREATE TRIGGER event_protects_the_same BEFORE INSERT ON event
    WHEN NEW.protects IS NOT coalesce((SELECT protects FROM event WHERE dataset = NEW.dataset
        ORDER BY sequence DESC LIMIT 1), NEW.protects)
        AND NOT (NEW.kind = 'refund' AND NEW.protects IS NULL AND NEW.releases = NEW.unproved)
    BEGIN SELECT RAISE(ABORT, 'an account protects one unit between its neighbours'); END;
CREATE TRIGGER event_keeps_parts BEFORE INSERT ON event
    WHEN NEW.kind NOT IN ('reserve', 'draw', 'refund') AND NEW.parts IS NOT (SELECT parts
        FROM event WHERE dataset = NEW.dataset ORDER BY sequence DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'only a step of a release changes what its parts have borne'); END;
CREATE TRIGGER event_inspects_what_was_released BEFORE INSERT ON event
    WHEN NEW.kind = 'inspect' AND NOT iif(NEW.release IS NULL,
        EXISTS (SELECT 1 FROM event WHERE dataset = NEW.dataset),
        EXISTS (SELECT 1 FROM event WHERE release = NEW.release AND kind <> 'inspect'
            AND +dataset = NEW.dataset AND +kind = 'settle'))
    BEGIN SELECT RAISE(ABORT, 'an inspection of what was never released'); END;
CREATE TRIGGER event_begins AFTER INSERT ON event WHEN NEW.kind IN ('reserve', 'part')
    BEGIN INSERT INTO unfinished VALUES (NEW.release, NEW.dataset, NEW.sequence, 0); END;
CREATE TRIGGER event_draws AFTER INSERT ON event WHEN NEW.kind = 'draw'
    BEGIN UPDATE unfinished SET drawn = 1 WHERE release = NEW.release; END;
CREATE TRIGGER event_ends AFTER INSERT ON event WHEN NEW.kind IN ('settle', 'refund')
    BEGIN DELETE FROM unfinished WHERE release = NEW.release; END;
CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER event_unchanged BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
COMMIT;
