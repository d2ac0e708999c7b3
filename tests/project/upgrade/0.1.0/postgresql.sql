--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: doc_priority_check(text, text, bigint, boolean, text, bigint, text, integer[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.doc_priority_check(a_customer text, a_document text, a_at bigint, a_create boolean, a_lock_timeout text, a_reset_interval bigint, a_recovery text, a_thresholds integer[]) RETURNS text
    LANGUAGE plpgsql
    AS $$
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
        SELECT c.pending_documents, c.updated_at, c.recovered_at, c.pinned_priority,
               c.pinned_until, u.policy_id
          INTO k
          FROM doc_priority_counter c JOIN doc_priority_customer u ON u.key = c.customer_id
         WHERE c.customer_id = a_customer
           FOR NO KEY UPDATE OF c;
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
        -- Only now: who deletes a customer takes the counter first, and so do checks.
        PERFORM 1 FROM doc_priority_customer u WHERE u.key = a_customer FOR KEY SHARE;
        IF NOT FOUND THEN
            EXIT WHEN NOT a_create;
            RAISE foreign_key_violation USING MESSAGE = 'the customer was deleted meanwhile';
        END IF;
    END LOOP;
    IF a_document <> '' THEN
        -- COMMIT checks the decision's foreign key, when this timeout holds no longer.
        PERFORM 1 FROM doc_priority_customer u WHERE u.key = a_customer FOR KEY SHARE;
    END IF;
    PERFORM set_config('lock_timeout', host_lock_timeout, true);
    IF k IS NULL THEN
        RETURN NULL;
    END IF;

    IF a_document <> '' THEN
        SELECT o.* INTO d FROM doc_priority_documentdecision o
         WHERE o.customer_id = a_customer AND o.document = a_document;
        IF FOUND THEN
            RETURN concat_ws('|', d.pending_documents, d.priority, d.pinned::integer,
                d.reset::integer, 1, d.decided_at, COALESCE(d.resets_at, 0), d.priority,
                d.policy);
        END IF;
    END IF;

    IF k.policy_id IS NOT NULL THEN
        SELECT p.name, p.reset_interval * 1000000, p.reset_interval * 100000, p.recovery,
               ARRAY[p.threshold_1, p.threshold_2, p.threshold_3, p.threshold_4,
                     p.threshold_5, p.threshold_6, p.threshold_7, p.threshold_8]
          INTO r_policy, v_interval, v_tenth, v_recovery, t
          FROM doc_priority_policy p WHERE p.id = k.policy_id;
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
    END IF;
    RETURN concat_ws('|', r_pending_documents, r_priority, r_pinned::integer, r_reset::integer,
        0, v_now, r_resets_at, r_previous_priority, r_policy);
END
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: auth_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(80) NOT NULL
);


--
-- Name: auth_group_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_permission; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(50) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone NOT NULL,
    is_superuser boolean NOT NULL,
    username character varying(30) NOT NULL,
    first_name character varying(30) NOT NULL,
    last_name character varying(30) NOT NULL,
    email character varying(75) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);


--
-- Name: auth_user_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_user_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_admin_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_content_type; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    name character varying(100) NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: doc_priority_counter; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.doc_priority_counter (
    customer_id character varying(64) NOT NULL COLLATE pg_catalog."C",
    pending_documents bigint NOT NULL,
    updated_at bigint,
    recovered_at bigint,
    pinned_priority smallint,
    pinned_until bigint,
    CONSTRAINT doc_priority_counter_pending CHECK (((pending_documents >= '-1000000000'::integer) AND (pending_documents <= 0))),
    CONSTRAINT doc_priority_counter_pin CHECK ((((pinned_priority IS NULL) AND (pinned_until IS NULL)) OR ((pinned_priority IS NOT NULL) AND ((pinned_priority >= 1) AND (pinned_priority <= 9)) AND (pinned_until IS NOT NULL)))),
    CONSTRAINT doc_priority_counter_times CHECK ((((recovered_at IS NULL) AND (updated_at IS NULL)) OR ((recovered_at IS NOT NULL) AND (recovered_at <= updated_at) AND (updated_at IS NOT NULL))))
)
WITH (fillfactor='80');


--
-- Name: doc_priority_customer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.doc_priority_customer (
    id bigint NOT NULL,
    key character varying(64) NOT NULL COLLATE pg_catalog."C",
    name character varying(200) NOT NULL,
    created_at bigint NOT NULL,
    searched character varying(265) GENERATED ALWAYS AS ((COALESCE(lower((key)::text), ''::text) || COALESCE((COALESCE(' '::text, ''::text) || COALESCE(lower((name)::text), ''::text)), ''::text))) STORED COLLATE pg_catalog."C",
    policy_id bigint,
    CONSTRAINT doc_priority_customer_key CHECK (((NOT ((key)::text = ''::text)) AND (NOT ((key)::text ~ '[^A-Za-z0-9._~:@-]'::text))))
);


--
-- Name: doc_priority_customer_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.doc_priority_customer ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.doc_priority_customer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: doc_priority_documentdecision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.doc_priority_documentdecision (
    id bigint NOT NULL,
    document character varying(200) NOT NULL COLLATE pg_catalog."C",
    pending_documents bigint NOT NULL,
    priority smallint NOT NULL,
    pinned boolean NOT NULL,
    reset boolean NOT NULL,
    policy character varying(64) NOT NULL,
    decided_at bigint NOT NULL,
    resets_at bigint,
    customer_id character varying(64) NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT doc_priority_decision_document CHECK ((NOT ((document)::text = ''::text))),
    CONSTRAINT doc_priority_decision_priority CHECK (((priority >= 1) AND (priority <= 9)))
);


--
-- Name: doc_priority_documentdecision_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.doc_priority_documentdecision ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.doc_priority_documentdecision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: doc_priority_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.doc_priority_event (
    id bigint NOT NULL,
    customer character varying(64) NOT NULL COLLATE pg_catalog."C",
    kind character varying(10) NOT NULL,
    actor character varying(254) NOT NULL,
    reason character varying(500) NOT NULL,
    before jsonb NOT NULL,
    after jsonb NOT NULL,
    source character varying(64) NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT doc_priority_event_kind CHECK (((kind)::text = ANY ((ARRAY['reset'::character varying, 'pin'::character varying, 'unpin'::character varying, 'policy'::character varying, 'forget'::character varying])::text[])))
);


--
-- Name: doc_priority_event_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.doc_priority_event ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.doc_priority_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: doc_priority_policy; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.doc_priority_policy (
    id bigint NOT NULL,
    name character varying(64) NOT NULL COLLATE pg_catalog."C",
    reset_interval bigint NOT NULL,
    recovery character varying(7) NOT NULL,
    threshold_1 integer NOT NULL,
    threshold_2 integer NOT NULL,
    threshold_3 integer NOT NULL,
    threshold_4 integer NOT NULL,
    threshold_5 integer NOT NULL,
    threshold_6 integer NOT NULL,
    threshold_7 integer NOT NULL,
    threshold_8 integer NOT NULL,
    CONSTRAINT doc_priority_policy_interval CHECK (((reset_interval >= 10) AND (reset_interval <= 31536000))),
    CONSTRAINT doc_priority_policy_name CHECK ((NOT ((name)::text = ''::text))),
    CONSTRAINT doc_priority_policy_recovery CHECK (((recovery)::text = ANY ((ARRAY['idle'::character varying, 'window'::character varying, 'halving'::character varying])::text[]))),
    CONSTRAINT doc_priority_policy_thresholds CHECK (((threshold_1 <= 0) AND (threshold_2 < threshold_1) AND (threshold_3 < threshold_2) AND (threshold_4 < threshold_3) AND (threshold_5 < threshold_4) AND (threshold_6 < threshold_5) AND (threshold_7 < threshold_6) AND (threshold_8 >= '-1000000000'::integer) AND (threshold_8 < threshold_7)))
);


--
-- Name: doc_priority_policy_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.doc_priority_policy ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.doc_priority_policy_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_permission VALUES (1, 'Can add log entry', 1, 'add_logentry');
INSERT INTO public.auth_permission VALUES (2, 'Can change log entry', 1, 'change_logentry');
INSERT INTO public.auth_permission VALUES (3, 'Can delete log entry', 1, 'delete_logentry');
INSERT INTO public.auth_permission VALUES (4, 'Can view log entry', 1, 'view_logentry');
INSERT INTO public.auth_permission VALUES (5, 'Can add permission', 2, 'add_permission');
INSERT INTO public.auth_permission VALUES (6, 'Can change permission', 2, 'change_permission');
INSERT INTO public.auth_permission VALUES (7, 'Can delete permission', 2, 'delete_permission');
INSERT INTO public.auth_permission VALUES (8, 'Can view permission', 2, 'view_permission');
INSERT INTO public.auth_permission VALUES (9, 'Can add group', 3, 'add_group');
INSERT INTO public.auth_permission VALUES (10, 'Can change group', 3, 'change_group');
INSERT INTO public.auth_permission VALUES (11, 'Can delete group', 3, 'delete_group');
INSERT INTO public.auth_permission VALUES (12, 'Can view group', 3, 'view_group');
INSERT INTO public.auth_permission VALUES (13, 'Can add user', 4, 'add_user');
INSERT INTO public.auth_permission VALUES (14, 'Can change user', 4, 'change_user');
INSERT INTO public.auth_permission VALUES (15, 'Can delete user', 4, 'delete_user');
INSERT INTO public.auth_permission VALUES (16, 'Can view user', 4, 'view_user');
INSERT INTO public.auth_permission VALUES (17, 'Can add content type', 5, 'add_contenttype');
INSERT INTO public.auth_permission VALUES (18, 'Can change content type', 5, 'change_contenttype');
INSERT INTO public.auth_permission VALUES (19, 'Can delete content type', 5, 'delete_contenttype');
INSERT INTO public.auth_permission VALUES (20, 'Can view content type', 5, 'view_contenttype');
INSERT INTO public.auth_permission VALUES (21, 'Can add event', 6, 'add_event');
INSERT INTO public.auth_permission VALUES (22, 'Can change event', 6, 'change_event');
INSERT INTO public.auth_permission VALUES (23, 'Can delete event', 6, 'delete_event');
INSERT INTO public.auth_permission VALUES (24, 'Can view event', 6, 'view_event');
INSERT INTO public.auth_permission VALUES (25, 'Can add policy', 7, 'add_policy');
INSERT INTO public.auth_permission VALUES (26, 'Can change policy', 7, 'change_policy');
INSERT INTO public.auth_permission VALUES (27, 'Can delete policy', 7, 'delete_policy');
INSERT INTO public.auth_permission VALUES (28, 'Can view policy', 7, 'view_policy');
INSERT INTO public.auth_permission VALUES (29, 'Can add customer', 8, 'add_customer');
INSERT INTO public.auth_permission VALUES (30, 'Can change customer', 8, 'change_customer');
INSERT INTO public.auth_permission VALUES (31, 'Can delete customer', 8, 'delete_customer');
INSERT INTO public.auth_permission VALUES (32, 'Can view customer', 8, 'view_customer');
INSERT INTO public.auth_permission VALUES (33, 'Can count documents of a customer', 8, 'check_customer');
INSERT INTO public.auth_permission VALUES (34, 'Can reset the priority of a customer', 8, 'reset_customer');
INSERT INTO public.auth_permission VALUES (35, 'Can pin the priority of a customer', 8, 'pin_customer');
INSERT INTO public.auth_permission VALUES (36, 'Can add counter', 9, 'add_counter');
INSERT INTO public.auth_permission VALUES (37, 'Can change counter', 9, 'change_counter');
INSERT INTO public.auth_permission VALUES (38, 'Can delete counter', 9, 'delete_counter');
INSERT INTO public.auth_permission VALUES (39, 'Can view counter', 9, 'view_counter');
INSERT INTO public.auth_permission VALUES (40, 'Can add decision', 10, 'add_documentdecision');
INSERT INTO public.auth_permission VALUES (41, 'Can change decision', 10, 'change_documentdecision');
INSERT INTO public.auth_permission VALUES (42, 'Can delete decision', 10, 'delete_documentdecision');
INSERT INTO public.auth_permission VALUES (43, 'Can view decision', 10, 'view_documentdecision');


--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_groups; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_user_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_content_type VALUES (1, '', 'admin', 'logentry');
INSERT INTO public.django_content_type VALUES (2, '', 'auth', 'permission');
INSERT INTO public.django_content_type VALUES (3, '', 'auth', 'group');
INSERT INTO public.django_content_type VALUES (4, '', 'auth', 'user');
INSERT INTO public.django_content_type VALUES (5, '', 'contenttypes', 'contenttype');
INSERT INTO public.django_content_type VALUES (6, '', 'doc_priority', 'event');
INSERT INTO public.django_content_type VALUES (7, '', 'doc_priority', 'policy');
INSERT INTO public.django_content_type VALUES (8, '', 'doc_priority', 'customer');
INSERT INTO public.django_content_type VALUES (9, '', 'doc_priority', 'counter');
INSERT INTO public.django_content_type VALUES (10, '', 'doc_priority', 'documentdecision');


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations VALUES (1, 'contenttypes', '0001_initial', '2026-11-19 00:15:14.498788+00');
INSERT INTO public.django_migrations VALUES (2, 'auth', '0001_initial', '2026-11-19 00:15:14.628324+00');
INSERT INTO public.django_migrations VALUES (3, 'admin', '0001_initial', '2026-11-19 00:15:14.667729+00');
INSERT INTO public.django_migrations VALUES (4, 'admin', '0002_logentry_remove_auto_add', '2026-11-19 00:15:14.674936+00');
INSERT INTO public.django_migrations VALUES (5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-19 00:15:14.686769+00');
INSERT INTO public.django_migrations VALUES (6, 'doc_priority', '0001_initial', '2026-11-19 00:15:14.921308+00');


--
-- Data for Name: doc_priority_counter; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.doc_priority_counter VALUES ('floor', -1000000000, 1740830400000000, 1740830400000000, NULL, NULL);
INSERT INTO public.doc_priority_counter VALUES ('lapsed', 0, NULL, NULL, 3, 1740834000000000);
INSERT INTO public.doc_priority_counter VALUES ('acme', -24, 1740830400000001, 1740830400000000, NULL, NULL);
INSERT INTO public.doc_priority_counter VALUES ('birch', -39, 1740830400000000, 1740830400000000, NULL, NULL);
INSERT INTO public.doc_priority_counter VALUES ('a.b_c~d:e@f-9', 0, 1740830400000000, 1740830400000000, NULL, NULL);
INSERT INTO public.doc_priority_counter VALUES ('dahlia', -4, 1740830460000000, 1740830400000000, 2, 4070908800000000);
INSERT INTO public.doc_priority_counter VALUES ('cedar', 0, 1741003200000000, 1741003200000000, NULL, NULL);
INSERT INTO public.doc_priority_counter VALUES ('Dahlia', 0, 1740830400000000, 1740830400000000, NULL, NULL);


--
-- Data for Name: doc_priority_customer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.doc_priority_customer VALUES (2, 'birch', 'Birch & Söhne “🌲”', 1795047315008247, DEFAULT, 1);
INSERT INTO public.doc_priority_customer VALUES (3, 'cedar', 'O''Cedar 100 %', 1795047315012849, DEFAULT, 2);
INSERT INTO public.doc_priority_customer VALUES (4, 'new', 'Never sent a document', 1795047315018302, DEFAULT, NULL);
INSERT INTO public.doc_priority_customer VALUES (5, 'Dahlia', '', 1795047315024408, DEFAULT, NULL);
INSERT INTO public.doc_priority_customer VALUES (6, 'dahlia', '', 1795047315032386, DEFAULT, NULL);
INSERT INTO public.doc_priority_customer VALUES (7, 'a.b_c~d:e@f-9', '', 1795047315034507, DEFAULT, NULL);
INSERT INTO public.doc_priority_customer VALUES (8, 'floor', '', 1795047315043816, DEFAULT, NULL);
INSERT INTO public.doc_priority_customer VALUES (9, 'lapsed', 'Had a pin once', 1795047315052405, DEFAULT, NULL);
INSERT INTO public.doc_priority_customer VALUES (1, 'acme', 'Acme', 1795047314998896, DEFAULT, NULL);


--
-- Data for Name: doc_priority_documentdecision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.doc_priority_documentdecision VALUES (1, 'INV-2041', -24, 9, false, false, '', 1740830400000001, 1740831900000001, 'acme');
INSERT INTO public.doc_priority_documentdecision VALUES (2, 'Lieferschein 0', 0, 1, false, false, 'gold', 1740830400000000, 1740830400000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (3, 'Lieferschein 1', -1, 1, false, false, 'gold', 1740830400000000, 1740830460000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (4, 'Lieferschein 2', -2, 1, false, false, 'gold', 1740830400000000, 1740830520000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (5, 'Lieferschein 3', -3, 1, false, false, 'gold', 1740830400000000, 1740830520000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (6, 'Lieferschein 4', -4, 1, false, false, 'gold', 1740830400000000, 1740830580000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (7, 'Lieferschein 5', -5, 1, false, false, 'gold', 1740830400000000, 1740830580000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (8, 'Lieferschein 6', -6, 1, false, false, 'gold', 1740830400000000, 1740830580000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (9, 'Lieferschein 7', -7, 1, false, false, 'gold', 1740830400000000, 1740830580000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (10, 'Lieferschein 8', -8, 1, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (11, 'Lieferschein 9', -9, 1, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (12, 'Lieferschein 10', -10, 1, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (13, 'Lieferschein 11', -11, 2, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (14, 'Lieferschein 12', -12, 3, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (15, 'Lieferschein 13', -13, 4, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (16, 'Lieferschein 14', -14, 5, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (17, 'Lieferschein 15', -15, 6, false, false, 'gold', 1740830400000000, 1740830640000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (18, 'Lieferschein 16', -16, 7, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (19, 'Lieferschein 17', -17, 8, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (20, 'Lieferschein 18', -18, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (21, 'Lieferschein 19', -19, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (22, 'Lieferschein 20', -20, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (23, 'Lieferschein 21', -21, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (24, 'Lieferschein 22', -22, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (25, 'Lieferschein 23', -23, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (26, 'Lieferschein 24', -24, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (27, 'Lieferschein 25', -25, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (28, 'Lieferschein 26', -26, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (29, 'Lieferschein 27', -27, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (30, 'Lieferschein 28', -28, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (31, 'Lieferschein 29', -29, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (32, 'Lieferschein 30', -30, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (33, 'Lieferschein 31', -31, 9, false, false, 'gold', 1740830400000000, 1740830700000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (34, 'Lieferschein 32', -32, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (35, 'Lieferschein 33', -33, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (36, 'Lieferschein 34', -34, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (37, 'Lieferschein 35', -35, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (38, 'Lieferschein 36', -36, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (39, 'Lieferschein 37', -37, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (40, 'Lieferschein 38', -38, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (41, 'Lieferschein 39', -39, 9, false, false, 'gold', 1740830400000000, 1740830760000000, 'birch');
INSERT INTO public.doc_priority_documentdecision VALUES (42, 'księga/№ 7', 0, 1, false, false, 'patient', 1740830400000000, 1740916800000000, 'cedar');
INSERT INTO public.doc_priority_documentdecision VALUES (43, 'next day', 0, 1, false, true, 'patient', 1741003200000000, 1741089600000000, 'cedar');
INSERT INTO public.doc_priority_documentdecision VALUES (44, 'INV-2041', 0, 1, false, false, '', 1740830400000000, 1740831900000000, 'a.b_c~d:e@f-9');
INSERT INTO public.doc_priority_documentdecision VALUES (45, 'pinned', -4, 2, true, false, '', 1740830460000000, 1740831960000000, 'dahlia');


--
-- Data for Name: doc_priority_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.doc_priority_event VALUES (1, '', 'policy', '', '', '{}', '{"policy": "gold", "recovery": "halving", "thresholds": [-10, -11, -12, -13, -14, -15, -16, -17], "reset_interval": 600}', '', 1795047314969900);
INSERT INTO public.doc_priority_event VALUES (2, '', 'policy', '', '', '{}', '{"policy": "patient", "recovery": "window", "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20], "reset_interval": 86400}', '', 1795047314980796);
INSERT INTO public.doc_priority_event VALUES (3, '', 'policy', '', '', '{}', '{"policy": "unused", "recovery": "idle", "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20], "reset_interval": 10}', '', 1795047314984898);
INSERT INTO public.doc_priority_event VALUES (4, '', 'policy', 'ops', 'Nobody has it', '{"policy": "unused", "recovery": "idle", "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20], "reset_interval": 10}', '{}', '', 1795047314992266);
INSERT INTO public.doc_priority_event VALUES (5, 'dahlia', 'pin', 'ops', 'Contract', '{"priority": 1, "pending_documents": 0}', '{"priority": 2, "pinned_until": "2099-01-01T00:00:00.000000Z", "pinned_priority": 2, "pending_documents": 0}', '', 1795047315144825);
INSERT INTO public.doc_priority_event VALUES (6, 'cedar', 'pin', 'ops', '', '{"priority": 1, "pending_documents": 0}', '{"priority": 9, "pinned_until": "2099-01-01T00:00:00.000000Z", "pinned_priority": 9, "pending_documents": 0}', '', 1795047315160777);
INSERT INTO public.doc_priority_event VALUES (7, 'cedar', 'unpin', 'ops', 'By mistake', '{"priority": 9, "pinned_until": "2099-01-01T00:00:00.000000Z", "pinned_priority": 9, "pending_documents": 0}', '{"priority": 1, "pending_documents": 0}', 'admin', 1795047315164763);
INSERT INTO public.doc_priority_event VALUES (8, 'Dahlia', 'reset', 'ops', 'Import ran twice', '{"priority": 1, "pending_documents": 0}', '{"priority": 1, "pending_documents": 0}', '', 1740830400000000);
INSERT INTO public.doc_priority_event VALUES (9, 'acme', 'policy', 'ops', 'Trial', '{"policy": "", "priority": 1, "pending_documents": 0}', '{"policy": "gold", "priority": 1, "pending_documents": 0}', '', 1795047315176841);
INSERT INTO public.doc_priority_event VALUES (10, 'acme', 'policy', 'ops', 'Trial ended', '{"policy": "gold", "priority": 1, "pending_documents": 0}', '{"policy": "", "priority": 1, "pending_documents": 0}', '', 1795047315180756);
INSERT INTO public.doc_priority_event VALUES (11, '', 'policy', 'ops', 'Less patient', '{"policy": "patient", "recovery": "window", "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20], "reset_interval": 86400}', '{"policy": "patient", "recovery": "window", "thresholds": [-2, -4, -6, -8, -10, -12, -14, -20], "reset_interval": 43200}', '', 1795047315192269);
INSERT INTO public.doc_priority_event VALUES (12, 'gone', 'forget', 'ops', 'Left us', '{"events": 0, "policy": "", "priority": 1, "documents": 2, "pending_documents": 0}', '{}', '', 1795047315216737);


--
-- Data for Name: doc_priority_policy; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.doc_priority_policy VALUES (1, 'gold', 600, 'halving', -10, -11, -12, -13, -14, -15, -16, -17);
INSERT INTO public.doc_priority_policy VALUES (2, 'patient', 43200, 'window', -2, -4, -6, -8, -10, -12, -14, -20);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 43, true);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_id_seq', 1, false);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 10, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 6, true);


--
-- Name: doc_priority_customer_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.doc_priority_customer_id_seq', 16, true);


--
-- Name: doc_priority_documentdecision_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.doc_priority_documentdecision_id_seq', 47, true);


--
-- Name: doc_priority_event_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.doc_priority_event_id_seq', 12, true);


--
-- Name: doc_priority_policy_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.doc_priority_policy_id_seq', 3, true);


--
-- Name: auth_group auth_group_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);


--
-- Name: auth_group_permissions auth_group_permissions_group_id_permission_id_0cd325b0_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);


--
-- Name: auth_group_permissions auth_group_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);


--
-- Name: auth_permission auth_permission_content_type_id_codename_01ab375a_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);


--
-- Name: auth_permission auth_permission_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_user_id_group_id_94350c0c_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);


--
-- Name: auth_user auth_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_permission_id_14a6b632_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);


--
-- Name: auth_user auth_user_username_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);


--
-- Name: django_admin_log django_admin_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);


--
-- Name: django_content_type django_content_type_app_label_model_76bd3d3b_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);


--
-- Name: django_content_type django_content_type_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);


--
-- Name: django_migrations django_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);


--
-- Name: doc_priority_counter doc_priority_counter_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_counter
    ADD CONSTRAINT doc_priority_counter_pkey PRIMARY KEY (customer_id);


--
-- Name: doc_priority_customer doc_priority_customer_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_customer
    ADD CONSTRAINT doc_priority_customer_key_key UNIQUE (key);


--
-- Name: doc_priority_customer doc_priority_customer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_customer
    ADD CONSTRAINT doc_priority_customer_pkey PRIMARY KEY (id);


--
-- Name: doc_priority_documentdecision doc_priority_decision_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_documentdecision
    ADD CONSTRAINT doc_priority_decision_once UNIQUE (customer_id, document);


--
-- Name: doc_priority_documentdecision doc_priority_documentdecision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_documentdecision
    ADD CONSTRAINT doc_priority_documentdecision_pkey PRIMARY KEY (id);


--
-- Name: doc_priority_event doc_priority_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_event
    ADD CONSTRAINT doc_priority_event_pkey PRIMARY KEY (id);


--
-- Name: doc_priority_policy doc_priority_policy_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_policy
    ADD CONSTRAINT doc_priority_policy_name_key UNIQUE (name);


--
-- Name: doc_priority_policy doc_priority_policy_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_policy
    ADD CONSTRAINT doc_priority_policy_pkey PRIMARY KEY (id);


--
-- Name: auth_group_name_a6ea08ec_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);


--
-- Name: auth_group_permissions_group_id_b120cbf9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);


--
-- Name: auth_group_permissions_permission_id_84c5c92e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);


--
-- Name: auth_permission_content_type_id_2f476e4b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);


--
-- Name: auth_user_groups_group_id_97559544; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);


--
-- Name: auth_user_groups_user_id_6a12ed8b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);


--
-- Name: auth_user_user_permissions_permission_id_1fbb5f2c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);


--
-- Name: auth_user_user_permissions_user_id_a95ead1b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);


--
-- Name: auth_user_username_6821ab7c_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);


--
-- Name: django_admin_log_content_type_id_c4bce8eb; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);


--
-- Name: django_admin_log_user_id_c564eba6; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);


--
-- Name: doc_priority_counter_pinned; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_counter_pinned ON public.doc_priority_counter USING btree (pinned_until) WHERE (pinned_until IS NOT NULL);


--
-- Name: doc_priority_counter_updated_at_11487c9e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_counter_updated_at_11487c9e ON public.doc_priority_counter USING btree (updated_at);


--
-- Name: doc_priority_customer_policy_id_196def57; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_customer_policy_id_196def57 ON public.doc_priority_customer USING btree (policy_id);


--
-- Name: doc_priority_decision_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_decision_newest ON public.doc_priority_documentdecision USING btree (customer_id, decided_at DESC);


--
-- Name: doc_priority_documentdecision_decided_at_7ca96198; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_documentdecision_decided_at_7ca96198 ON public.doc_priority_documentdecision USING btree (decided_at);


--
-- Name: doc_priority_event_created_at_fb8fa75d; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_event_created_at_fb8fa75d ON public.doc_priority_event USING btree (created_at);


--
-- Name: doc_priority_event_customer; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_event_customer ON public.doc_priority_event USING btree (customer, created_at DESC);


--
-- Name: doc_priority_event_of_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX doc_priority_event_of_kind ON public.doc_priority_event USING btree (kind, created_at DESC);


--
-- Name: auth_group_permissions auth_group_permissio_permission_id_84c5c92e_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissions_group_id_b120cbf9_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_permission auth_permission_content_type_id_2f476e4b_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_group_id_97559544_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_user_id_6a12ed8b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_content_type_id_c4bce8eb_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_user_id_c564eba6_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: doc_priority_counter doc_priority_counter_customer_id_2a5058bb_fk_doc_prior; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_counter
    ADD CONSTRAINT doc_priority_counter_customer_id_2a5058bb_fk_doc_prior FOREIGN KEY (customer_id) REFERENCES public.doc_priority_customer(key) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: doc_priority_customer doc_priority_custome_policy_id_196def57_fk_doc_prior; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_customer
    ADD CONSTRAINT doc_priority_custome_policy_id_196def57_fk_doc_prior FOREIGN KEY (policy_id) REFERENCES public.doc_priority_policy(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: doc_priority_documentdecision doc_priority_documen_customer_id_173a26ac_fk_doc_prior; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.doc_priority_documentdecision
    ADD CONSTRAINT doc_priority_documen_customer_id_173a26ac_fk_doc_prior FOREIGN KEY (customer_id) REFERENCES public.doc_priority_customer(key) DEFERRABLE INITIALLY DEFERRED;


--
-- PostgreSQL database dump complete
--


