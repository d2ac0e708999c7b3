-- A check on PostgreSQL, in one round trip: lock the counter, read the clock, count, decide.
--
-- It returns one text, because a row of columns would be planned and assembled again for every call:
-- the fields of types.Decision from pending_documents on, in their order, joined by "|", with the
-- previous priority before the policy, whose name comes last because it may contain a "|". It returns
-- NULL if there is no such customer.
--
-- migrate installs it beside the counters' table; by hand: psql -v schema=public -f check.sql
-- The text between the dollar signs, with comments and spaces, is compared with the installed one, so
-- the next migrate installs every change. Other arguments need a new name: see
-- postgresql_function.py.
--
-- Why some lines are as they are:
-- * Tables have no schema: each schema of a search_path may have its own tables and function.
-- * Policy and earlier decision are read by statements after the one that locks the counter. After
--   waiting for a lock, a statement still sees all other rows as they were before the wait. For the
--   same reason the clock is clock_timestamp(), which is read when it is evaluated; now() is the time
--   when the transaction began.
-- * lock_timeout is set for the transaction, which may be the caller's, so it is set back before the
--   function ends. With a document it still holds for the INSERT, which may wait for another session
--   that keeps or deletes the same decision.
-- * The loop begins again if another session deletes the customer that was just created.
-- * LEAST(..., 30): 30 halvings bring every counter to 0, and PostgreSQL shifts modulo 64.
-- * -1000000000 is types.FLOOR.
CREATE OR REPLACE FUNCTION :schema.doc_priority_check (
    a_customer text, a_document text, a_at bigint, a_create boolean, a_lock_timeout text,
    a_reset_interval bigint, a_recovery text, a_thresholds integer[]
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
    k record;
    d record;
    r_pending_documents bigint;
    r_priority integer;
    r_previous_priority integer;
    r_pinned boolean;
    r_reset boolean;
    r_resets_at bigint;
    r_policy text := '';
    v_policy_id bigint;
    host_lock_timeout text := current_setting('lock_timeout');
    v_now bigint;
    v_recovered_at bigint;
    v_interval bigint := a_reset_interval * 1000000;
    v_tenth bigint := a_reset_interval * 100000;
    v_recovery text := a_recovery;
    t integer[] := a_thresholds;
    v_halvings bigint;
BEGIN
    PERFORM set_config('lock_timeout', a_lock_timeout, true);
    FOR attempt IN 1..10 LOOP
        -- The counter alone: this statement would see other rows as they were before the wait.
        SELECT c.pending_documents, c.updated_at, c.recovered_at, c.pinned_priority,
               c.pinned_until
          INTO k
          FROM doc_priority_counter c
         WHERE c.customer_id = a_customer
           FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        IF a_create THEN
            INSERT INTO doc_priority_customer (key, name, created_at)
            VALUES (a_customer, '', COALESCE(
                a_at, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint))
            ON CONFLICT DO NOTHING;
        END IF;
        INSERT INTO doc_priority_counter (customer_id, pending_documents)
        SELECT u.key, 0 FROM doc_priority_customer u WHERE u.key = a_customer
            ON CONFLICT DO NOTHING;
        -- After the counter: checks and deletions lock the counter before the customer.
        PERFORM 1 FROM doc_priority_customer u WHERE u.key = a_customer FOR KEY SHARE;
        IF NOT FOUND THEN
            EXIT WHEN NOT a_create;
            RAISE foreign_key_violation USING MESSAGE = 'the customer was deleted meanwhile';
        END IF;
    END LOOP;
    IF a_document = '' THEN
        SELECT u.policy_id INTO v_policy_id
          FROM doc_priority_customer u WHERE u.key = a_customer;
    ELSE
        -- COMMIT checks the decision's foreign key and locks the customer, without this timeout.
        SELECT u.policy_id INTO v_policy_id
          FROM doc_priority_customer u WHERE u.key = a_customer FOR KEY SHARE;
    END IF;
    IF a_document = '' OR k IS NULL THEN
        PERFORM set_config('lock_timeout', host_lock_timeout, true);
    END IF;
    IF k IS NULL THEN
        RETURN NULL;
    END IF;

    IF a_document <> '' THEN
        SELECT o.* INTO d FROM doc_priority_documentdecision o
         WHERE o.customer_id = a_customer AND o.document = a_document;
        IF FOUND THEN
            PERFORM set_config('lock_timeout', host_lock_timeout, true);
            RETURN concat_ws('|', d.pending_documents, d.priority, d.pinned::integer,
                d.reset::integer, 1, d.decided_at, COALESCE(d.resets_at, 0), d.priority,
                d.policy);
        END IF;
    END IF;

    IF v_policy_id IS NOT NULL THEN
        SELECT p.name, p.reset_interval * 1000000, p.reset_interval * 100000, p.recovery,
               ARRAY[p.threshold_1, p.threshold_2, p.threshold_3, p.threshold_4,
                     p.threshold_5, p.threshold_6, p.threshold_7, p.threshold_8]
          INTO r_policy, v_interval, v_tenth, v_recovery, t
          FROM doc_priority_policy p WHERE p.id = v_policy_id;
    END IF;

    v_now := COALESCE(a_at, (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint);
    IF k.updated_at > v_now THEN
        v_now := k.updated_at;
    END IF;
    IF k.updated_at IS NULL OR v_now - k.updated_at > v_interval
       OR v_recovery = 'window' AND v_now - k.recovered_at > v_interval THEN
        r_pending_documents := 0;
        r_reset := k.updated_at IS NOT NULL;
        v_recovered_at := v_now;
    ELSE
        r_pending_documents := k.pending_documents;
        r_reset := false;
        v_recovered_at := k.recovered_at;
        IF v_recovery = 'halving' THEN
            v_halvings := (v_now - v_recovered_at) / v_tenth;
            v_recovered_at := v_recovered_at + v_halvings * v_tenth;
            r_pending_documents :=
                -((-r_pending_documents) >> LEAST(v_halvings, 30)::integer);
        END IF;
        r_pending_documents := GREATEST(r_pending_documents - 1, -1000000000);
    END IF;
    UPDATE doc_priority_counter c
       SET pending_documents = r_pending_documents,
           updated_at = v_now,
           recovered_at = v_recovered_at
     WHERE c.customer_id = a_customer;

    r_pinned := COALESCE(v_now < k.pinned_until, false);
    IF r_pinned THEN
        r_priority := k.pinned_priority;
        r_previous_priority := k.pinned_priority;
    ELSE
        r_priority := 1
            + (r_pending_documents < t[1])::integer + (r_pending_documents < t[2])::integer
            + (r_pending_documents < t[3])::integer + (r_pending_documents < t[4])::integer
            + (r_pending_documents < t[5])::integer + (r_pending_documents < t[6])::integer
            + (r_pending_documents < t[7])::integer + (r_pending_documents < t[8])::integer;
        r_previous_priority := CASE WHEN r_pending_documents = 0 THEN 1 ELSE 1
            + (r_pending_documents + 1 < t[1])::integer
            + (r_pending_documents + 1 < t[2])::integer
            + (r_pending_documents + 1 < t[3])::integer
            + (r_pending_documents + 1 < t[4])::integer
            + (r_pending_documents + 1 < t[5])::integer
            + (r_pending_documents + 1 < t[6])::integer
            + (r_pending_documents + 1 < t[7])::integer
            + (r_pending_documents + 1 < t[8])::integer END;
    END IF;
    IF v_recovery = 'idle' THEN
        r_resets_at := v_now + v_interval;
    ELSIF v_recovery = 'window' THEN
        r_resets_at := v_recovered_at + v_interval;
    ELSE
        v_halvings := 0;
        WHILE ((-r_pending_documents) >> v_halvings::integer) > 0 LOOP
            v_halvings := v_halvings + 1;
        END LOOP;
        r_resets_at := LEAST(v_now + v_interval, v_recovered_at + v_halvings * v_tenth);
    END IF;
    IF a_document <> '' THEN
        INSERT INTO doc_priority_documentdecision (customer_id, document, pending_documents,
            priority, pinned, reset, policy, decided_at, resets_at)
        VALUES (a_customer, a_document, r_pending_documents, r_priority, r_pinned, r_reset,
            r_policy, v_now, r_resets_at);
        -- Only now: the INSERT may wait for a session that keeps or deletes the same decision.
        PERFORM set_config('lock_timeout', host_lock_timeout, true);
    END IF;
    RETURN concat_ws('|', r_pending_documents, r_priority, r_pinned::integer, r_reset::integer,
        0, v_now, r_resets_at, r_previous_priority, r_policy);
END
$body$;
