-- A ledger of format 3, as Sfumato wrote it before parts of a table were charged apart.
PRAGMA application_id = 1399223661;
PRAGMA user_version = 3;
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
    detail TEXT NOT NULL,
    clock INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "event" VALUES(1,'create','',NULL,NULL,NULL,0,0,0,0,0,0,0,0,0,0,0,0,0,NULL,'{"key":"dab1189cee63b1006dc853e30b2c4b8b152d8b3f57e95745767078d6154b9ec8","ledger":"acf0e15100212ab29460a0b3630edb48"}',1794788751,'72e0bcfe55ea328fef81c3a37af47eac','9537e5f4e869dbfa0b5636f990273582b7d004374096a868efd13f2802dc5d27','b1fcb5dd877800137aa1382add71fffa8ff8eb6d5a2c95b8fa61f63c1a01a28e');
INSERT INTO "event" VALUES(2,'grant','adult',NULL,NULL,NULL,0,3000000,0,0,3000000,0,0,0,0,0,0,0,0,NULL,'{"reason":"approved"}',1794788751,'26b702fd600d93b1029e47c5abfb0a03','b1fcb5dd877800137aa1382add71fffa8ff8eb6d5a2c95b8fa61f63c1a01a28e','7e4930d53847e9cb8a0f986dd0f8bebef05989bc8a6e7d816a2fa615d83c3857');
INSERT INTO "event" VALUES(3,'grant','clinic',NULL,NULL,NULL,1,1000000,1000000,0,1000000,1000000,0,0,0,0,0,0,1,NULL,'{"reason":"approved"}',1794788751,'0638545ce964f1da3ea3283805c1cdf0','7e4930d53847e9cb8a0f986dd0f8bebef05989bc8a6e7d816a2fa615d83c3857','3010c07a0d3580b244cfeb7973c6aea50cf2d39b33c31b2555dc5c9348bd975e');
INSERT INTO "event" VALUES(4,'same-data','adult',NULL,NULL,'clinic',0,0,0,0,3000000,0,0,0,0,0,0,0,0,NULL,'{"reason":"one table"}',1794788751,'4bbb22eb6f68d0f330e14e7c3e2bb3ea','3010c07a0d3580b244cfeb7973c6aea50cf2d39b33c31b2555dc5c9348bd975e','7626d4874be5e2a5d98d591d08ea1e442fe8ee405bb2c3c76edfe0203d77d79c');
INSERT INTO "event" VALUES(5,'reserve','adult','published',NULL,NULL,0,1000000,0,0,3000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; add-remove','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00"}',1794788751,'5e5690d3a5f052a88140e9054caa4636','7626d4874be5e2a5d98d591d08ea1e442fe8ee405bb2c3c76edfe0203d77d79c','e1a8339efc93acc47844362e74f9ba4d16b3c6bdf549538eea1b69dbe85bd47a');
INSERT INTO "event" VALUES(6,'reserve','adult','drawn',NULL,NULL,0,250000,0,0,3000000,0,0,1250000,0,0,2,0,0,'one record (row) of the table; add-remove','{"guarantee":{"epsilon":"1/4","label":"pure-DP"},"plan":"c0ffee00"}',1794788751,'4eb7b7a5bbec8512d0632a4d7e559b38','e1a8339efc93acc47844362e74f9ba4d16b3c6bdf549538eea1b69dbe85bd47a','92247c81930a18740c75b89871043ece4a30a026f7b5209adac27265f4394738');
INSERT INTO "event" VALUES(7,'reserve','adult','reserved',NULL,NULL,0,250000,0,0,3000000,0,0,1500000,0,0,3,0,0,'one record (row) of the table; add-remove','{"guarantee":{"epsilon":"1/4","label":"pure-DP"},"plan":"c0ffee00"}',1794788751,'4c256d2a7f41eaa6952a8eee1a0902c3','92247c81930a18740c75b89871043ece4a30a026f7b5209adac27265f4394738','2f2c993d21b352c935c82963aa6c226ac2738dea4fbe1c1e7d66d41a4b7633db');
INSERT INTO "event" VALUES(8,'reserve','adult','refunded',NULL,NULL,0,500000,0,0,3000000,0,0,2000000,0,0,4,0,0,'one record (row) of the table; add-remove','{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1794788751,'245664939ce07410b0cc6f502a8aed78','2f2c993d21b352c935c82963aa6c226ac2738dea4fbe1c1e7d66d41a4b7633db','f9e5f78d636d7bdc0883f57fb420060c0b727df2be1d3f58d6cbca8c66503af2');
INSERT INTO "event" VALUES(9,'draw','adult','published','66696e6765727072696e74206f66207468652064617461',NULL,0,0,0,0,3000000,0,0,2000000,0,0,4,0,0,'one record (row) of the table; add-remove','{}',1794788751,'8d339b529dc3c90a062900d11ea3506f','f9e5f78d636d7bdc0883f57fb420060c0b727df2be1d3f58d6cbca8c66503af2','5a2c6a401419ef0b8a769e66114159bdc346f81d297c99ddd34a5b4d9caf907d');
INSERT INTO "event" VALUES(10,'settle','adult','published',NULL,NULL,0,0,0,0,3000000,0,0,2000000,0,0,4,0,0,'one record (row) of the table; add-remove','{"digest":"0123456789abcdef"}',1794788751,'dfa542afd333961db484003eedcb1eda','5a2c6a401419ef0b8a769e66114159bdc346f81d297c99ddd34a5b4d9caf907d','d86bcd7e14e60b331dc5566484709a096a752d08bd6d0e7a0c0bf5a4725112e4');
INSERT INTO "event" VALUES(11,'draw','adult','drawn','66696e6765727072696e74206f66207468652064617461',NULL,0,0,0,0,3000000,0,0,2000000,0,0,4,0,0,'one record (row) of the table; add-remove','{}',1794788751,'f96c860686ac6f1701974fece6503da8','d86bcd7e14e60b331dc5566484709a096a752d08bd6d0e7a0c0bf5a4725112e4','8003dffad8fadcc8182ffac14b4e4804b77190a7a2039799c3344dd76d088cd3');
INSERT INTO "event" VALUES(12,'refund','adult','refunded',NULL,NULL,0,500000,0,0,3000000,0,0,1500000,0,0,3,0,0,'one record (row) of the table; add-remove','{"reason":"stopped"}',1794788751,'0d10f397d00ed94eae501e4a51a9ef49','8003dffad8fadcc8182ffac14b4e4804b77190a7a2039799c3344dd76d088cd3','840cf11dd597b9a12cb00d184fb7ac7cfd56e349a30f74abc1412e5f7778af6e');
INSERT INTO "event" VALUES(13,'inspect','adult','published',NULL,NULL,0,0,0,0,3000000,0,0,1500000,0,0,3,0,0,'one record (row) of the table; add-remove','{"what":"inspect"}',1794788751,'e4a7fdf866b0597248bb421656e1070b','840cf11dd597b9a12cb00d184fb7ac7cfd56e349a30f74abc1412e5f7778af6e','aabc9470e880df16c7acf7e61d4ceff83e9afae48738a0f17354877f1ddd8918');
INSERT INTO "event" VALUES(14,'reserve','clinic','mixed',NULL,NULL,0,500000,1000,0,1000000,1000000,0,500000,1000,0,1,0,1,'one record (row) of the table; add-remove','{"guarantee":{"delta":"1/1000000000","epsilon":"1/2","label":"approx-DP"},"plan":"c0ffee01"}',1794788751,'1f5a04d29a613055d085f01ec11c69f1','aabc9470e880df16c7acf7e61d4ceff83e9afae48738a0f17354877f1ddd8918','0375bdf8b1439fbf9c3f6cdaa78dd341b271ee95f2fb02ee7f0772f1a7b30601');
INSERT INTO "event" VALUES(15,'reserve','clinic','heuristic',NULL,NULL,0,0,0,0,1000000,1000000,0,500000,1000,0,2,1,1,'one record (row) of the table; add-remove','{"guarantee":{"label":"heuristic (no guarantee)","reason":"no proof"},"plan":"c0ffee02"}',1794788751,'ff16b7593ea10e28ea27a56ce4f8f323','0375bdf8b1439fbf9c3f6cdaa78dd341b271ee95f2fb02ee7f0772f1a7b30601','a86619b939dd0ae8b72154fc69e0e41913e199ce2000a4d7df4d2c2c94f1f887');
INSERT INTO "event" VALUES(16,'part','adult','drawn+1',NULL,'drawn',0,0,0,0,3000000,0,0,1500000,0,0,3,0,0,'one record (row) of the table; add-remove','{"guarantee":{"epsilon":"1/4","label":"pure-DP"},"part":1,"plan":"c0ffee03"}',1794788751,'8ba08d3a23ee6ea4b2878811c920f67e','a86619b939dd0ae8b72154fc69e0e41913e199ce2000a4d7df4d2c2c94f1f887','b17571003b4ed95ed1eb759f66719edf04ed0d224254f9a4c6b2937278c44d99');
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ledger_id TEXT NOT NULL,
    fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT;
INSERT INTO "identity" VALUES(1,'acf0e15100212ab29460a0b3630edb48',X'87F98060A90DF8B199DA6999DBC04F44102D511E20E951FB5456BD7B33F685A6');
CREATE TABLE unfinished (
    release TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    drawn INTEGER NOT NULL CHECK (drawn IN (0, 1))
) STRICT, WITHOUT ROWID;
INSERT INTO "unfinished" VALUES('drawn','adult',6,1);
INSERT INTO "unfinished" VALUES('drawn+1','adult',16,0);
INSERT INTO "unfinished" VALUES('heuristic','clinic',15,0);
INSERT INTO "unfinished" VALUES('mixed','clinic',14,0);
INSERT INTO "unfinished" VALUES('reserved','adult',7,0);
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
