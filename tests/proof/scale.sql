-- So many customers, as of now. Ten of them have a policy, up to twenty a pin, each has a decision on a
-- document, and every tenth an event; who counts has twenty decisions more. Nobody counts yet.
-- Foreign keys would be looked up one by one.
SET LOCAL session_replication_role = replica;

CREATE FUNCTION pg_temp.key_of(n bigint) RETURNS text IMMUTABLE LANGUAGE sql
    AS $$ SELECT 'customer-' || lpad(n::text, 7, '0') $$;

CREATE FUNCTION pg_temp.ago(days float8) RETURNS bigint IMMUTABLE LANGUAGE sql
    AS $$ SELECT %(now)s - (days * 86400000000)::bigint $$;

INSERT INTO doc_priority_policy (id, name, reset_interval, recovery, threshold_1, threshold_2,
       threshold_3, threshold_4, threshold_5, threshold_6, threshold_7, threshold_8)
VALUES (1, 'contract', 1200, 'window', -2, -4, -6, -8, -10, -12, -14, -20);

INSERT INTO doc_priority_customer (key, name, policy_id, created_at)
SELECT pg_temp.key_of(n), 'Company ' || n * 7919 %% 1000003 || ' Ltd',
       CASE WHEN n %% 97 = 1 AND n / 97 < 10 THEN 1 END, pg_temp.ago(60)
  FROM generate_series(0::bigint, %(customers)s - 1) n;

INSERT INTO doc_priority_counter
       (customer_id, pending_documents, updated_at, recovered_at, pinned_priority, pinned_until)
SELECT pg_temp.key_of(n), -(n / 7 %% 30), last, last,
       CASE WHEN pinned THEN 2 END, CASE WHEN pinned THEN pg_temp.ago(-1) END
  FROM generate_series(0::bigint, %(customers)s - 1) n,
       LATERAL (SELECT pg_temp.ago(2 + n * 7919 %% 28) AS last,
                       n %% 89 = 2 AND n / 89 < 20 AS pinned) counter;

INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT pg_temp.key_of(n), 'D-0', 0, 1, false, false, '', pg_temp.ago(2 + n * 7919 %% 26)
  FROM generate_series(0::bigint, %(customers)s - 1) n;

INSERT INTO doc_priority_documentdecision
       (customer_id, document, pending_documents, priority, pinned, reset, policy, decided_at)
SELECT pg_temp.key_of(n), 'D-' || d, -d, 1, false, false, '', pg_temp.ago(d / 24.0)
  FROM generate_series(0::bigint, %(customers)s - 1, %(every)s) n, generate_series(1, 20) d;

INSERT INTO doc_priority_event
       (customer, kind, actor, reason, before, after, source, created_at)
SELECT pg_temp.key_of(n), 'reset', 'maria', 'asked on the phone',
       '{"priority": 7, "pending_documents": -13}', '{"priority": 1, "pending_documents": 0}',
       '', %(now)s - n * 1000000
  FROM generate_series(0::bigint, %(customers)s - 1, 10) n;
