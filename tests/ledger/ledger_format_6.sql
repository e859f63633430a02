-- A ledger of format 6, as Sfumato wrote it before what was refunded went back to its clients.
PRAGMA application_id = 1399223661;
PRAGMA user_version = 6;
BEGIN TRANSACTION;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('create', 'dataset', 'grant', 'request', 'approve',
        'decline', 'lapse', 'client', 'use', 'reserve', 'part', 'draw', 'settle', 'stop', 'refund',
        'same-data', 'protects', 'inspect', 'new-key', 'checkpoint', 'move', 'arrive')),
    dataset TEXT NOT NULL CHECK ((dataset = '')
        = (kind IN ('create', 'new-key', 'checkpoint', 'move', 'arrive'))),
    release TEXT CHECK (kind = 'inspect' OR (release IS NOT NULL)
        = (kind IN ('reserve', 'part', 'draw', 'settle', 'stop', 'refund'))),
    fingerprint TEXT CHECK (fingerprint IS NULL OR kind = 'draw'),
    veil TEXT CHECK (veil IS NULL OR (fingerprint IS NOT NULL AND length(veil) = 32)),
    other TEXT CHECK ((other IS NOT NULL)
        = (kind IN ('same-data', 'part', 'approve', 'decline', 'use'))),
    heuristic INTEGER NOT NULL
        CHECK (heuristic BETWEEN 0 AND (kind IN ('grant', 'request', 'approve'))),
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
    who TEXT,
    detail TEXT NOT NULL,
    clock INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "event" VALUES(1,'create','',NULL,NULL,NULL,NULL,0,0,0,0,0,0,0,0,0,0,0,0,0,NULL,NULL,'officer','{"key":"374ad6bf9cc862030681eebdd7d925091e52da430f0d910055d3de95612a316f","ledger":"1c5779c8cbf4cedfe7597c425fd0810d"}',1777896000,'3fce18669f962d3d03a1728e3c086483','eb37a8c71f361dcb80a362165b1f1547b0adb0e7d57f06be198cefff5904d238','6f5d33781df51688e78399ae13ae32bb2f6301f4cb08ea8b20114fda62ab7f1c');
INSERT INTO "event" VALUES(2,'grant','words',NULL,NULL,NULL,NULL,0,3000000,0,0,3000000,0,0,0,0,0,0,0,0,NULL,NULL,'officer','{"reason":"data board, 4 May","until":"2099-12-31"}',1777896000,'e46af05817b477c889f8379bb809f86d','6f5d33781df51688e78399ae13ae32bb2f6301f4cb08ea8b20114fda62ab7f1c','6ec1c94caf95fedf268c16bfd09ae64ab6fea071a2ecdee02e399ce38f061c81');
INSERT INTO "event" VALUES(3,'client','words	anna',NULL,NULL,NULL,NULL,0,1000000,0,0,1000000,0,0,0,0,0,0,0,0,NULL,NULL,'officer','{"reason":"a contract","token":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}',1777896000,'d08a56cb126a4541621fa6ad01efd207','6ec1c94caf95fedf268c16bfd09ae64ab6fea071a2ecdee02e399ce38f061c81','1af540db99e28be8868adaf84b1933397995871ffb414ea4f6850532ed668ed9');
INSERT INTO "event" VALUES(4,'client','words	bert',NULL,NULL,NULL,NULL,0,1000000,0,0,1000000,0,0,0,0,0,0,0,0,NULL,NULL,'officer','{"reason":"a contract","token":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}',1777896000,'6ad2eaa2494dbe397d975ddc1c6b649b','1af540db99e28be8868adaf84b1933397995871ffb414ea4f6850532ed668ed9','de264a25859c0934251069f3b470df533153877c88ab262e3cd68fba2dc6c5b0');
INSERT INTO "event" VALUES(5,'reserve','words','batch-1',NULL,NULL,NULL,0,500000,0,0,3000000,0,0,500000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'officer','{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1777896000,'bcba664b6b710eb0f19cb2784c5546b6','de264a25859c0934251069f3b470df533153877c88ab262e3cd68fba2dc6c5b0','e65edd7124af698b2e90c9c90579b7b80c5ca48a80e6ec907330e4c89c0f47c3');
INSERT INTO "event" VALUES(6,'use','words	anna',NULL,NULL,NULL,'batch-1',0,250000,0,0,1000000,0,0,250000,0,0,0,0,0,NULL,NULL,'officer','{}',1777896000,'45f88033cd3700a53fcf65dcfe8673d9','e65edd7124af698b2e90c9c90579b7b80c5ca48a80e6ec907330e4c89c0f47c3','fdc85a4a7ca513ad13f6c708ee2163f305d2c10c1041d198554833e21145a783');
INSERT INTO "event" VALUES(7,'use','words	bert',NULL,NULL,NULL,'batch-1',0,250000,0,0,1000000,0,0,250000,0,0,0,0,0,NULL,NULL,'officer','{}',1777896000,'28946b7c4c4a93bef93a5d502dae466c','fdc85a4a7ca513ad13f6c708ee2163f305d2c10c1041d198554833e21145a783','10a76a6379b442a7a174323b8573f2e5aab887bb19fa2c1941e726d13fbe9b9e');
INSERT INTO "event" VALUES(8,'draw','words','batch-1','31313131313131313131313131313131','9605ebe62d36d702ca1d95bac7f6025e',NULL,0,0,0,0,3000000,0,0,500000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'officer','{}',1777896000,'d1fc2e398b6fd1493e68e3e2eb1ee1d1','10a76a6379b442a7a174323b8573f2e5aab887bb19fa2c1941e726d13fbe9b9e','a07d207bad8678ebc8c330e5a74d3978ee00c4f821cf42d0588c7bb6c13b779c');
INSERT INTO "event" VALUES(9,'settle','words','batch-1',NULL,NULL,NULL,0,0,0,0,3000000,0,0,500000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'officer','{"digest":"0123456789abcdef"}',1777896000,'861c9e5fd4ef87f0905a77fcedeebe83','a07d207bad8678ebc8c330e5a74d3978ee00c4f821cf42d0588c7bb6c13b779c','8823c667836f6e2268fd889cc3da3e8f6f4e8055489a32c8e2662ab191503f35');
INSERT INTO "event" VALUES(10,'reserve','words','batch-2',NULL,NULL,NULL,0,500000,0,0,3000000,0,0,1000000,0,0,2,0,0,'one record (row) of the table; replace-one',NULL,'officer','{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1777896000,'96cbbfc6ea990535ba35f246d4e67b35','8823c667836f6e2268fd889cc3da3e8f6f4e8055489a32c8e2662ab191503f35','36eb864080304f728705093bff1474cc60af1c236ec8f9bf262f8ed4740bd0c3');
INSERT INTO "event" VALUES(11,'use','words	anna',NULL,NULL,NULL,'batch-2',0,500000,0,0,1000000,0,0,750000,0,0,0,0,0,NULL,NULL,'officer','{}',1777896000,'314657b1da5b8be9b9b34cbe29ae5f21','36eb864080304f728705093bff1474cc60af1c236ec8f9bf262f8ed4740bd0c3','95d410e2b7facf39c0f6fc533b96e6dcc21fb2cfe4237c0ae41473f77d62a22b');
INSERT INTO "event" VALUES(12,'refund','words','batch-2',NULL,NULL,NULL,0,500000,0,0,3000000,0,0,500000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'officer','{"reason":"the service stopped"}',1777896000,'4f5a33c86b0a61d0519a8f1351bdc344','95d410e2b7facf39c0f6fc533b96e6dcc21fb2cfe4237c0ae41473f77d62a22b','35a1d18cdeaeb1a9f988030f40b89d601221e0584289d8a95f6d14e09db2eb50');
INSERT INTO "event" VALUES(13,'reserve','words','batch-3',NULL,NULL,NULL,0,250000,0,0,3000000,0,0,750000,0,0,2,0,0,'one record (row) of the table; replace-one',NULL,'officer','{"guarantee":{"epsilon":"1/4","label":"pure-DP"},"plan":"c0ffee00"}',1777896000,'bc4e89a183488137dd61825c85005c91','35a1d18cdeaeb1a9f988030f40b89d601221e0584289d8a95f6d14e09db2eb50','9fd37cc32750d7104ebd622518d0d5a0a760d3995151dea80a7ddc10048193d5');
INSERT INTO "event" VALUES(14,'use','words	bert',NULL,NULL,NULL,'batch-3',0,250000,0,0,1000000,0,0,500000,0,0,0,0,0,NULL,NULL,'officer','{}',1777896000,'7d4d69dad926d6369ae165d3d39e0d27','9fd37cc32750d7104ebd622518d0d5a0a760d3995151dea80a7ddc10048193d5','7fafa723bf35276d5c6aad1d2cb8106198951184b86673c12927b6a4c370c287');
INSERT INTO "event" VALUES(15,'grant','visits',NULL,NULL,NULL,NULL,0,2000000,0,0,2000000,0,0,0,0,0,0,0,0,NULL,NULL,'officer','{"reason":"data board, 4 May"}',1777896000,'3d272340eb872fb090753bfe1532a5c4','7fafa723bf35276d5c6aad1d2cb8106198951184b86673c12927b6a4c370c287','88f6ba5f60891ebcb64ed63d180af2ca059f1b5b2ac4439bdcb1ff26a1cb7cd8');
INSERT INTO "event" VALUES(16,'reserve','visits','north',NULL,NULL,NULL,0,1000000,0,0,2000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0]],"table":null}}','officer','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[0,0]],"frame":"f00df00df00df00d","name":"region=north"}}',1777896000,'7f853e462ff606563ef84aaf1fb81eb4','88f6ba5f60891ebcb64ed63d180af2ca059f1b5b2ac4439bdcb1ff26a1cb7cd8','1c0e753b499d75e5bc234da326cf34af60e0785e01e6eeedf1afed51987faef0');
INSERT INTO "event" VALUES(17,'reserve','visits','south',NULL,NULL,NULL,0,1000000,0,0,2000000,0,0,1000000,0,0,2,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":null}}','officer','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[1,1]],"frame":"f00df00df00df00d","name":"region=south"}}',1777896000,'54faaad9e4c5b562551e87e97da3e644','1c0e753b499d75e5bc234da326cf34af60e0785e01e6eeedf1afed51987faef0','62d73259f50ae42cdaaaf142cdbe02047ed3ea25bf06b524cac7a496fd78dec8');
INSERT INTO "event" VALUES(18,'draw','visits','north','32323232323232323232323232323232','1a35e4e86f99f6eda56e0b0a12e65014',NULL,0,0,0,0,2000000,0,0,1000000,0,0,2,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"01f8b035ae4772098ae63d6421a8079f608975dbf29d0fcd215e08196b0ed066"}}','officer','{}',1777896000,'c192a83ba36378c0963b7afa7b9382cc','62d73259f50ae42cdaaaf142cdbe02047ed3ea25bf06b524cac7a496fd78dec8','d5f30fdb7fef6aa0a11cebe9aa3b82f9ee45c2ef5382e8385361def1e6e1d03f');
INSERT INTO "event" VALUES(19,'inspect','words',NULL,NULL,NULL,NULL,0,0,0,0,3000000,0,0,750000,0,0,2,0,0,'one record (row) of the table; replace-one',NULL,'officer','{"what":"a look"}',1777896000,'9ce226157176407dbfa41d34b5342b92','d5f30fdb7fef6aa0a11cebe9aa3b82f9ee45c2ef5382e8385361def1e6e1d03f','6f653b68b2f86cb94afff00e5e5ede5fd84ee0280393d9b6c40aa1aa10c6d7ec');
CREATE TABLE unfinished (
    release TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    drawn INTEGER NOT NULL CHECK (drawn IN (0, 1))
) STRICT, WITHOUT ROWID;
INSERT INTO "unfinished" VALUES('batch-3','words',13,0);
INSERT INTO "unfinished" VALUES('north','visits',16,1);
INSERT INTO "unfinished" VALUES('south','visits',17,0);
CREATE INDEX event_dataset ON event (dataset, sequence);
CREATE UNIQUE INDEX event_step ON event
    (release, CASE kind WHEN 'reserve' THEN 1 WHEN 'part' THEN 1 WHEN 'settle' THEN 3
        WHEN 'stop' THEN 3 ELSE 2 END)
    WHERE release IS NOT NULL AND kind <> 'inspect';
CREATE INDEX event_fingerprint ON event (fingerprint, dataset) WHERE fingerprint IS NOT NULL;
CREATE INDEX event_other ON event (other, kind, dataset) WHERE other IS NOT NULL;
CREATE INDEX event_joined ON event (dataset) WHERE kind = 'same-data';
CREATE INDEX event_inspect ON event (dataset, sequence) WHERE kind = 'inspect';
CREATE INDEX event_checkpoint ON event (sequence) WHERE kind = 'checkpoint';
CREATE INDEX event_key ON event (sequence) WHERE kind IN ('create', 'new-key');
CREATE INDEX event_grant ON event (dataset, sequence)
    WHERE kind IN ('grant', 'approve', 'lapse');
CREATE INDEX event_request ON event (sequence) WHERE kind = 'request';
CREATE INDEX event_client ON event (dataset, sequence) WHERE kind = 'client';
CREATE UNIQUE INDEX event_answer ON event (other) WHERE kind IN ('approve', 'decline');
CREATE INDEX unfinished_dataset ON unfinished (dataset, sequence);
CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END;
CREATE TRIGGER event_has_a_nonce BEFORE INSERT ON event WHEN length(NEW.nonce) <> 32
    OR (NEW.fingerprint IS NOT NULL AND NEW.veil IS NULL)
    BEGIN SELECT RAISE(ABORT, 'an event needs a nonce, and a fingerprint a veil'); END;
CREATE TRIGGER event_says_who_and_when BEFORE INSERT ON event
    WHEN coalesce(NEW.who, '') = ''
    OR NEW.clock < (SELECT clock FROM event ORDER BY sequence DESC LIMIT 1)
    BEGIN SELECT RAISE(ABORT, 'an event says who wrote it, and no earlier time'); END;
CREATE TRIGGER event_stays_where_it_is BEFORE INSERT ON event
    WHEN (NEW.kind = 'arrive') IS NOT coalesce(
        (SELECT kind = 'move' FROM event ORDER BY sequence DESC LIMIT 1), 0)
    BEGIN SELECT RAISE(ABORT, 'the ledger was moved'); END;
CREATE TRIGGER event_needs_two_people BEFORE INSERT ON event
    WHEN NEW.kind IN ('approve', 'decline') AND NOT EXISTS (SELECT 1 FROM event
        WHERE sequence = CAST(NEW.other AS INTEGER) AND CAST(sequence AS TEXT) = NEW.other
        AND kind = 'request' AND dataset = NEW.dataset AND (NEW.kind = 'decline' OR who <> NEW.who
        AND (micro_epsilon, pico_delta, micro_rho, heuristic)
        = (NEW.micro_epsilon, NEW.pico_delta, NEW.micro_rho, NEW.heuristic)))
    BEGIN SELECT RAISE(ABORT, 'a request is approved by another person'); END;
CREATE TRIGGER event_is_not_granted_by_one BEFORE INSERT ON event
    WHEN NEW.kind = 'grant' AND (SELECT instr(detail, '"two people":true') FROM event
        WHERE sequence = 1)
    BEGIN SELECT RAISE(ABORT, 'this ledger needs two people for a grant'); END;
CREATE TRIGGER event_step_in_order BEFORE INSERT ON event
    WHEN NEW.kind IN ('draw', 'refund', 'settle', 'stop') AND NOT EXISTS (
        SELECT 1 FROM event WHERE release = NEW.release AND kind <> 'inspect'
        AND +dataset = NEW.dataset AND (+kind = CASE WHEN NEW.kind IN ('settle', 'stop')
        THEN 'draw' ELSE 'reserve' END OR (NEW.kind = 'draw' AND +kind = 'part')))
    BEGIN SELECT RAISE(ABORT, 'a step of a release is out of order'); END;
CREATE TRIGGER event_stops_before_it_goes_on BEFORE INSERT ON event
    WHEN NEW.kind = 'stop' AND EXISTS (
        SELECT 1 FROM event WHERE other = NEW.release AND kind = 'part')
    BEGIN SELECT RAISE(ABORT, 'a series that went on cannot stop'); END;
CREATE TRIGGER event_draws_once BEFORE INSERT ON event
    WHEN NEW.kind = 'draw' AND NOT EXISTS (
        SELECT 1 FROM unfinished WHERE release = NEW.release AND drawn = 0)
    BEGIN SELECT RAISE(ABORT, 'a release draws once'); END;
CREATE TRIGGER event_continues_what_was_drawn BEFORE INSERT ON event
    WHEN NEW.kind = 'part' AND NOT EXISTS (SELECT 1 FROM event WHERE release = NEW.other
        AND kind <> 'inspect' AND +dataset = NEW.dataset AND +kind = 'draw')
        OR NEW.kind = 'part' AND EXISTS (SELECT 1 FROM event WHERE release = NEW.other
        AND kind <> 'inspect' AND +kind = 'stop')
    BEGIN SELECT RAISE(ABORT, 'a part of what was never drawn'); END;
CREATE TRIGGER event_protects_the_same BEFORE INSERT ON event
    WHEN NEW.protects IS NOT coalesce((SELECT protects FROM event WHERE dataset = NEW.dataset
        ORDER BY sequence DESC LIMIT 1), NEW.protects)
        AND NOT (NEW.kind = 'refund' AND NEW.protects IS NULL AND NEW.releases = NEW.unproved)
    BEGIN SELECT RAISE(ABORT, 'an account protects one unit between its neighbours'); END;
CREATE TRIGGER event_keeps_parts BEFORE INSERT ON event
    WHEN NEW.kind NOT IN ('reserve', 'draw', 'refund', 'stop') AND NEW.parts IS NOT (SELECT parts
        FROM event WHERE dataset = NEW.dataset ORDER BY sequence DESC LIMIT 1)
        AND NOT (NEW.kind = 'lapse' AND NEW.parts IS NULL)
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
CREATE TRIGGER event_ends AFTER INSERT ON event
    WHEN NEW.kind IN ('settle', 'refund', 'stop')
    BEGIN DELETE FROM unfinished WHERE release = NEW.release; END;
CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER event_unchanged BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
COMMIT;
