-- A ledger of format 5, as Sfumato wrote it while the key of its fingerprints lay in the file.
PRAGMA application_id = 1399223661;
PRAGMA user_version = 5;
BEGIN TRANSACTION;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('create', 'grant', 'reserve', 'part', 'draw', 'settle',
        'stop', 'refund', 'same-data', 'protects', 'inspect', 'checkpoint')),
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
INSERT INTO "event" VALUES(1,'create','',NULL,NULL,NULL,0,0,0,0,0,0,0,0,0,0,0,0,0,NULL,NULL,'{"key":"426d163f6fc3f5e212008a2c5ccbb1e82503e01960430086c737734593ac19e5","ledger":"a07ffdb9bcc37211b84de2a43f0803a5"}',1795032115,'a21d7a9d682b4bbd8accb06a03b2594a','91610c7216037781cdb36767b3e4fdcd674b4bc63dca36dc88d08f7e2dc1b1dd','da5da2cf9b32614410368761a8e65533caae4a4061c7d17f97fb3da2c7eecdec');
INSERT INTO "event" VALUES(2,'grant','adult',NULL,NULL,NULL,0,3000000,0,0,3000000,0,0,0,0,0,0,0,0,NULL,NULL,'{"reason":"approved by the data board"}',1795032115,'2eef10ee814b0e7d0d7289410aab2a8e','da5da2cf9b32614410368761a8e65533caae4a4061c7d17f97fb3da2c7eecdec','0c0a8e4714908c4c9bbaafd8308fa83340192246efc90065bb9394873a44f08e');
INSERT INTO "event" VALUES(3,'grant','clinic',NULL,NULL,NULL,0,2000000,0,0,2000000,0,0,0,0,0,0,0,0,NULL,NULL,'{"reason":"approved by the data board"}',1795032115,'f52d32bf3cdb87f19a3cba07123d8b68','0c0a8e4714908c4c9bbaafd8308fa83340192246efc90065bb9394873a44f08e','26de8c8a384172c4862c96c179b32f70f9d6f6460a0e072dd9325ba4e32fe066');
INSERT INTO "event" VALUES(4,'reserve','adult','north-1',NULL,NULL,0,1000000,0,0,3000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,0,1000000,0,0]],"table":null}}','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[0,0]],"frame":"f00df00df00df00d","name":"region=n"}}',1795032115,'8cffe6c528ea3c8179ce42362e21b9ad','26de8c8a384172c4862c96c179b32f70f9d6f6460a0e072dd9325ba4e32fe066','6584a0808c99af23dd24fa9208a9245c59b7806e0c53b70d087e2906331fa9ab');
INSERT INTO "event" VALUES(5,'reserve','adult','south-1',NULL,NULL,0,1000000,0,0,3000000,0,0,1000000,0,0,2,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":null}}','{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00","table part":{"codes":[[1,1]],"frame":"f00df00df00df00d","name":"region=s"}}',1795032115,'ddcc1fe65b8129820b53babeb9d30b55','6584a0808c99af23dd24fa9208a9245c59b7806e0c53b70d087e2906331fa9ab','f7e15ff65c3c8f219027346ecebcb8aa95892c001f6c7594c3ccbb48abfa14c3');
INSERT INTO "event" VALUES(6,'reserve','adult','stopped',NULL,NULL,0,1000000,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":null}}','{"first":{"epsilon":"1/50","label":"pure-DP"},"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00"}',1795032115,'2ba8e2244731b0eb0e96649b3df97af8','f7e15ff65c3c8f219027346ecebcb8aa95892c001f6c7594c3ccbb48abfa14c3','8c9bf7da7b6c7bee714f17bdd3f876eb11b01049662945d5929e3bf9940c5507');
INSERT INTO "event" VALUES(7,'draw','adult','north-1','31313131313131313131313131313131',NULL,0,0,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{}',1795032115,'91b3666aa7633f4cfc683bf049f428ff','8c9bf7da7b6c7bee714f17bdd3f876eb11b01049662945d5929e3bf9940c5507','819f603322a18585df71f0d37d26c3712a48d5f233bf8eda79e3681610d08dd3');
INSERT INTO "event" VALUES(8,'draw','adult','stopped','31313131313131313131313131313131',NULL,0,0,0,0,3000000,0,0,2000000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{}',1795032115,'2c2dd451278ed690371bf5b42261e0d7','819f603322a18585df71f0d37d26c3712a48d5f233bf8eda79e3681610d08dd3','601ac92d1f88efc5203eb078acee09c2a698db4a141a094249341c824b19eac8');
INSERT INTO "event" VALUES(9,'stop','adult','stopped',NULL,NULL,0,980000,0,0,3000000,0,0,1020000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{}',1795032115,'0551cd2999c8ee1e8aaf646718c21954','601ac92d1f88efc5203eb078acee09c2a698db4a141a094249341c824b19eac8','7dbad41070556cf90455689ab5135cd698ed3aa4184db2c7ac8ddfb159cd00d9');
INSERT INTO "event" VALUES(10,'settle','adult','north-1',NULL,NULL,0,0,0,0,3000000,0,0,1020000,0,0,3,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{"digest":"0123456789abcdef"}',1795032115,'a2c0e5ebc2f4711ec1897bfda5e1d2b2','7dbad41070556cf90455689ab5135cd698ed3aa4184db2c7ac8ddfb159cd00d9','8da6b47f2fc08e25939186558d35bee67dc98beffb3b4cf2616be84f85848097');
INSERT INTO "event" VALUES(11,'reserve','adult','going-on',NULL,NULL,0,500000,0,0,3000000,0,0,1520000,0,0,4,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{"first":{"epsilon":"1/50","label":"pure-DP"},"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1795032115,'27bee151fba0eb60cfd9fc5d8ccc2957','8da6b47f2fc08e25939186558d35bee67dc98beffb3b4cf2616be84f85848097','fe68c8d6d7fbf2c13c9f742aec653c100d8e8a519525faf83d47bd764a70fd4f');
INSERT INTO "event" VALUES(12,'draw','adult','going-on','31313131313131313131313131313131',NULL,0,0,0,0,3000000,0,0,1520000,0,0,4,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{}',1795032115,'82fe8f5efb97ebe37ca6d0f351b0832c','fe68c8d6d7fbf2c13c9f742aec653c100d8e8a519525faf83d47bd764a70fd4f','ff53237a584d5a64f90fb9e82f4b3f941d194c7ec72a47c303b6afac8b42feae');
INSERT INTO "event" VALUES(13,'inspect','adult','north-1',NULL,NULL,0,0,0,0,3000000,0,0,1520000,0,0,4,0,0,'one record (row) of the table; add-remove','{"f00df00df00df00d":{"cells":[[0,1,1000000,0,0]],"table":"31313131313131313131313131313131"}}','{"what":"inspection"}',1795032115,'fc9aa7a229b4802ebe97845d4c5607f7','ff53237a584d5a64f90fb9e82f4b3f941d194c7ec72a47c303b6afac8b42feae','0dec888ef0f5c72d958a590879330ad1f1a550c2289ac793714932ac54db1847');
INSERT INTO "event" VALUES(14,'reserve','clinic','series',NULL,NULL,0,1000000,0,0,2000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00"}',1795032115,'a1dc7cb9cce3c4ad364c501e4c70804f','0dec888ef0f5c72d958a590879330ad1f1a550c2289ac793714932ac54db1847','ef2e90f3e2a07996b50eb4155298e53e1e1aaa147e3c1f437eb7402abead966a');
INSERT INTO "event" VALUES(15,'draw','clinic','series','32323232323232323232323232323232',NULL,0,0,0,0,2000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'{}',1795032115,'1b0dea7a5e7b4782e1e7150269178ef4','ef2e90f3e2a07996b50eb4155298e53e1e1aaa147e3c1f437eb7402abead966a','2a732c87e52724d73a5f9259f37588c1c73512fe5b87007d90f3d2d3f6c00f54');
INSERT INTO "event" VALUES(16,'part','clinic','series+1',NULL,'series',0,0,0,0,2000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'{"guarantee":{"epsilon":"1","label":"pure-DP"},"part":1,"plan":"c0ffee00"}',1795032115,'65bffaed2e15f91604f98fa7bb31303e','2a732c87e52724d73a5f9259f37588c1c73512fe5b87007d90f3d2d3f6c00f54','aafdfe17e30847aa4244a3a74a1f3b0e97d479fbc1a247ce6ae5d05c4857abfe');
INSERT INTO "event" VALUES(17,'reserve','clinic','given-back',NULL,NULL,0,1000000,0,0,2000000,0,0,2000000,0,0,2,0,0,'one record (row) of the table; replace-one',NULL,'{"guarantee":{"epsilon":"1","label":"pure-DP"},"plan":"c0ffee00"}',1795032115,'3d039213322e0c25866a3ddd118fc3b4','aafdfe17e30847aa4244a3a74a1f3b0e97d479fbc1a247ce6ae5d05c4857abfe','96fddf2209f42fe266ff92aaedf8a2f3e45fa30be5086a048b0ed48d18c77795');
INSERT INTO "event" VALUES(18,'refund','clinic','given-back',NULL,NULL,0,1000000,0,0,2000000,0,0,1000000,0,0,1,0,0,'one record (row) of the table; replace-one',NULL,'{"reason":"not needed"}',1795032115,'149374716a3913c39cf12dbfb2cd9bb7','96fddf2209f42fe266ff92aaedf8a2f3e45fa30be5086a048b0ed48d18c77795','a83c6cc8036c713096d6d0512fcd0f133bc6b2e4a6d09e466d47e1b0c0f3dff0');
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ledger_id TEXT NOT NULL,
    fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT;
INSERT INTO "identity" VALUES(1,'a07ffdb9bcc37211b84de2a43f0803a5',X'FD612B5F10CC1560DB26E77CAE773DBB54C9088ECA6BA13CA3642BBD7F056449');
CREATE TABLE unfinished (
    release TEXT PRIMARY KEY,
    dataset TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    drawn INTEGER NOT NULL CHECK (drawn IN (0, 1))
) STRICT, WITHOUT ROWID;
INSERT INTO "unfinished" VALUES('going-on','adult',11,1);
INSERT INTO "unfinished" VALUES('series','clinic',14,1);
INSERT INTO "unfinished" VALUES('series+1','clinic',16,0);
INSERT INTO "unfinished" VALUES('south-1','adult',5,0);
CREATE TRIGGER identity_kept BEFORE DELETE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER identity_unchanged BEFORE UPDATE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
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
CREATE INDEX unfinished_dataset ON unfinished (dataset, sequence);
CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END;
CREATE TRIGGER event_has_a_nonce BEFORE INSERT ON event WHEN length(NEW.nonce) <> 32
    BEGIN SELECT RAISE(ABORT, 'an event needs a nonce'); END;
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
