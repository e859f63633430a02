-- A ledger of format 2, as Sfumato wrote it in write-ahead mode, without nonces.
PRAGMA application_id = 1399223661;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL
        CHECK (kind IN ('create', 'grant', 'reserve', 'draw', 'settle', 'refund', 'same-data', 'inspect')),
    dataset TEXT NOT NULL,
    release TEXT CHECK (kind = 'inspect' OR (release IS NULL) = (kind IN ('create', 'grant', 'same-data'))),
    fingerprint TEXT CHECK (fingerprint IS NULL OR kind = 'draw'),
    other TEXT CHECK ((other IS NULL) = (kind <> 'same-data')),
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
    detail TEXT NOT NULL,
    clock INTEGER NOT NULL,
    previous TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "event" VALUES(1,'create','',NULL,NULL,NULL,0,0,0,0,0,0,0,0,0,0,0,0,0,'{"key":"41aee409686122efb77d6ba151cf88df11d38e315be3656dbcc726817025e344","ledger":"03f589aab0d6ae9cc974f50af64bc368"}',1794741984,'63c1b9215f9a30f38686642c9106429c84ace61a4c1c91016305830c7b0fc421','a4059840c97f39fc5fa0ed9c0e2856e97c3f191bb9559414f9bf8b57461bd02e');
INSERT INTO "event" VALUES(2,'grant','adult',NULL,NULL,NULL,0,3000000,0,0,3000000,0,0,0,0,0,0,0,0,'{"reason":"approved"}',1794741984,'a4059840c97f39fc5fa0ed9c0e2856e97c3f191bb9559414f9bf8b57461bd02e','f3bb2539d9b5f49fd0943e556ddb47d503e88b7887feb3320e3e2bff5b3bde07');
INSERT INTO "event" VALUES(3,'grant','clinic',NULL,NULL,NULL,1,1000000,0,0,1000000,0,0,0,0,0,0,0,1,'{"reason":"approved"}',1794741984,'f3bb2539d9b5f49fd0943e556ddb47d503e88b7887feb3320e3e2bff5b3bde07','d8026f90f8c9a21c79e820551eac30818148db7aeb8b08928658512c219b0c16');
INSERT INTO "event" VALUES(4,'same-data','adult',NULL,NULL,'clinic',0,0,0,0,3000000,0,0,0,0,0,0,0,0,'{"reason":"one table"}',1794741984,'d8026f90f8c9a21c79e820551eac30818148db7aeb8b08928658512c219b0c16','a938e9f4a39cf76a346d17d668cd303ab5bcb0fc3d3c9e7a61b2e89ee28f786a');
INSERT INTO "event" VALUES(5,'reserve','adult','published',NULL,NULL,0,500000,0,0,3000000,0,0,500000,0,0,1,0,0,'{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1794741984,'a938e9f4a39cf76a346d17d668cd303ab5bcb0fc3d3c9e7a61b2e89ee28f786a','c9193f0769de8d62d7718435621ef76dbbbb92a3c1d45058cf5f4d7fad37491e');
INSERT INTO "event" VALUES(6,'draw','adult','published','66666666666666666666666666666666',NULL,0,0,0,0,3000000,0,0,500000,0,0,1,0,0,'{}',1794741984,'c9193f0769de8d62d7718435621ef76dbbbb92a3c1d45058cf5f4d7fad37491e','a844b2a80213269f697bdd524b7fbb946da149923ff6a57fc41e093d0a1b01a7');
INSERT INTO "event" VALUES(7,'settle','adult','published',NULL,NULL,0,0,0,0,3000000,0,0,500000,0,0,1,0,0,'{"digest":"0123456789abcdef"}',1794741984,'a844b2a80213269f697bdd524b7fbb946da149923ff6a57fc41e093d0a1b01a7','3ba30cad40f078f6a265ee4afdc46141b947ccc288808022bc3a8f6fd115b009');
INSERT INTO "event" VALUES(8,'reserve','adult','drawn',NULL,NULL,0,500000,0,0,3000000,0,0,1000000,0,0,2,0,0,'{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1794741984,'3ba30cad40f078f6a265ee4afdc46141b947ccc288808022bc3a8f6fd115b009','03d9dd2a3427f4757e525156c1e5a44f3a464c8c77d323e6247d3f4a58c2c230');
INSERT INTO "event" VALUES(9,'draw','adult','drawn','66666666666666666666666666666666',NULL,0,0,0,0,3000000,0,0,1000000,0,0,2,0,0,'{}',1794741984,'03d9dd2a3427f4757e525156c1e5a44f3a464c8c77d323e6247d3f4a58c2c230','812c91d2247454ddf9c942c8fbccfda5f6da3b9e6848823e8ec7b2fc91cf6439');
INSERT INTO "event" VALUES(10,'reserve','adult','reserved',NULL,NULL,0,500000,0,0,3000000,0,0,1500000,0,0,3,0,0,'{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1794741984,'812c91d2247454ddf9c942c8fbccfda5f6da3b9e6848823e8ec7b2fc91cf6439','18cb7ddcf084e1345cf8af3c66b6730a39f94b535a8ba2b6ff73fde7d7b24a62');
INSERT INTO "event" VALUES(11,'reserve','adult','refunded',NULL,NULL,0,500000,0,0,3000000,0,0,2000000,0,0,4,0,0,'{"guarantee":{"epsilon":"1/2","label":"pure-DP"},"plan":"c0ffee00"}',1794741984,'18cb7ddcf084e1345cf8af3c66b6730a39f94b535a8ba2b6ff73fde7d7b24a62','b8d8d66b36abdddef18c569bbba07065d99e6faf8750d75f320a33df33ba369c');
INSERT INTO "event" VALUES(12,'refund','adult','refunded',NULL,NULL,0,500000,0,0,3000000,0,0,1500000,0,0,3,0,0,'{"reason":"by hand"}',1794741984,'b8d8d66b36abdddef18c569bbba07065d99e6faf8750d75f320a33df33ba369c','d4b21eb64e9cd142f4dea7eb187b0319b9aa71355e17564e4dbd8fd4716bd116');
INSERT INTO "event" VALUES(13,'reserve','clinic','unproved',NULL,NULL,0,0,0,0,1000000,0,0,0,0,0,1,1,1,'{"guarantee":{"label":"heuristic (no guarantee)","reason":"none"},"plan":"c0ffee00"}',1794741984,'d4b21eb64e9cd142f4dea7eb187b0319b9aa71355e17564e4dbd8fd4716bd116','f475c780fa14d4b43b18adc583dcd39aba6e4230fc9239c919ab65a75217db18');
INSERT INTO "event" VALUES(14,'inspect','adult','published',NULL,NULL,0,0,0,0,3000000,0,0,1500000,0,0,3,0,0,'{"what":"inspection"}',1794767020,'f475c780fa14d4b43b18adc583dcd39aba6e4230fc9239c919ab65a75217db18','21737209cb970d12c07910b673f0f2324fa8e025c695e8855c65e0947c4a6cb9');
INSERT INTO "event" VALUES(15,'inspect','clinic',NULL,NULL,NULL,0,0,0,0,1000000,0,0,0,0,0,1,1,1,'{"what":"comparison of methods"}',1794767020,'21737209cb970d12c07910b673f0f2324fa8e025c695e8855c65e0947c4a6cb9','abea95c9fafbfb656060fcc6476a9b5f790b28e3d5277ba4bd50628df8cc715b');
CREATE TABLE identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    ledger_id TEXT NOT NULL,
    fingerprint_key BLOB NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT;
INSERT INTO "identity" VALUES(1,'03f589aab0d6ae9cc974f50af64bc368',X'A0D376C4A85113028140C8E1219637A010311854F93A5162ED3EA72523DD061D');
CREATE TRIGGER identity_kept BEFORE DELETE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER identity_unchanged BEFORE UPDATE ON identity
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE INDEX event_dataset ON event (dataset, sequence);
CREATE UNIQUE INDEX event_step ON event
    (release, CASE kind WHEN 'reserve' THEN 1 WHEN 'settle' THEN 3 ELSE 2 END)
    WHERE release IS NOT NULL AND kind <> 'inspect';
CREATE INDEX event_fingerprint ON event (fingerprint, dataset) WHERE fingerprint IS NOT NULL;
CREATE INDEX event_other ON event (other, dataset) WHERE other IS NOT NULL;
CREATE TRIGGER event_in_order BEFORE INSERT ON event
    WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM event ORDER BY sequence DESC LIMIT 1), NEW.previous)
    BEGIN SELECT RAISE(ABORT, 'an event must follow the last one'); END;
CREATE TRIGGER event_step_in_order BEFORE INSERT ON event
    WHEN NEW.kind IN ('draw', 'refund', 'settle') AND NOT EXISTS (
        SELECT 1 FROM event WHERE release = NEW.release AND dataset = NEW.dataset
        AND kind = CASE NEW.kind WHEN 'settle' THEN 'draw' ELSE 'reserve' END)
    BEGIN SELECT RAISE(ABORT, 'a step of a release is out of order'); END;
CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER event_unchanged BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER event_inspects_what_was_released BEFORE INSERT ON event
    WHEN NEW.kind = 'inspect' AND NOT EXISTS (SELECT 1 FROM event WHERE dataset = NEW.dataset
        AND release IS NEW.release AND kind = iif(NEW.release IS NULL, 'grant', 'settle'))
    BEGIN SELECT RAISE(ABORT, 'an inspection of what was never released'); END;
COMMIT;
