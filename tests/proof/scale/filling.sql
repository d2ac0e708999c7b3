-- Needs the table "asked" with one row: customers, every (so many one is counting), old.
-- Foreign keys would be looked up one by one.
SET LOCAL session_replication_role = replica;

CREATE FUNCTION pg_temp.key_of(n bigint) RETURNS text IMMUTABLE LANGUAGE sql
    AS $$ SELECT 'customer-' || lpad(n::text, 7, '0') $$;

CREATE FUNCTION pg_temp.days(days float8) RETURNS bigint IMMUTABLE LANGUAGE sql
    AS $$ SELECT (days * 86400000000)::bigint $$;

-- Between 0 and 1, and the same at every run.
CREATE FUNCTION pg_temp.scattered(n bigint) RETURNS float8 IMMUTABLE LANGUAGE sql
    AS $$ SELECT (n * 2654435761 % 4294967296)::float8 / 4294967296 $$;

CREATE TEMP TABLE moment AS
    SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint AS now;

INSERT INTO doc_priority_policy (id, name, reset_interval, recovery, threshold_1, threshold_2,
       threshold_3, threshold_4, threshold_5, threshold_6, threshold_7, threshold_8)
VALUES (1, 'contract', 1200, 'window', -2, -4, -6, -8, -10, -12, -14, -20);

-- Ten of them under the policy.
INSERT INTO doc_priority_customer (key, name, policy_id, created_at)
SELECT pg_temp.key_of(n), 'Company ' || n * 7919 % 1000003 || ' Ltd',
       CASE WHEN n % 97 = 1 AND n / 97 < 10 THEN policy.id END, now - pg_temp.days(60)
  FROM moment, asked, doc_priority_policy policy, generate_series(0, customers - 1) n;

-- All idle for two to thirty days, up to twenty of them pinned.
INSERT INTO doc_priority_counter
       (customer_id, pending_documents, updated_at, recovered_at, pinned_priority, pinned_until)
SELECT pg_temp.key_of(n), -(n / 7 % 30), last, last,
       CASE WHEN pinned THEN 2 END, CASE WHEN pinned THEN now + pg_temp.days(1) END
  FROM moment, asked, generate_series(0, customers - 1) n,
       LATERAL (SELECT now - pg_temp.days(2 + 28 * pg_temp.scattered(n)) AS last,
                       n % 89 = 2 AND n / 89 < 20 AS pinned) counter;

-- Everybody's one document, and twenty of the last day for each who counts.
INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT pg_temp.key_of(n), 'D-0', 0, 1, false, false, '',
       now - pg_temp.days(2 + 26 * pg_temp.scattered(n))
  FROM moment, asked, generate_series(0, customers - 1) n;

INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT pg_temp.key_of(n), 'D-' || d, -d, 1, false, false, '', now - pg_temp.days(d / 24.0)
  FROM moment, asked, generate_series(0, customers - 1, every) n, generate_series(1, 20) d;

-- A correction of every tenth.
INSERT INTO doc_priority_event
       (customer, kind, actor, reason, before, after, source, created_at)
SELECT pg_temp.key_of(n), 'reset', 'maria', 'asked on the phone',
       '{"priority": 7, "pending_documents": -13}', '{"priority": 1, "pending_documents": 0}',
       '', now - n * 1000000
  FROM moment, asked, generate_series(0, customers - 1, 10) n;

-- What prune finds: the oldest came first, so they lie side by side.
INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT pg_temp.key_of(n % customers), 'OLD-' || n, 0, 1, false, false, '',
       now - pg_temp.days(120 - 60.0 * n / old)
  FROM moment, asked, generate_series(0, old - 1) n;

INSERT INTO doc_priority_event
       (customer, kind, actor, reason, before, after, source, created_at)
SELECT pg_temp.key_of(n % customers), 'pin', 'maria', '', '{}', '{}', '',
       now - pg_temp.days(800) - n * 1000000
  FROM moment, asked, generate_series(0, old / 10 - 1) n;

DROP TABLE moment;
