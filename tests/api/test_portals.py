"""The API in any portal: under any prefix, and whatever the portal sets for its own REST views."""

import json
import os
import subprocess
import sys
from base64 import b64encode
from textwrap import dedent
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path, re_path, reverse

from doc_priority import services
from doc_priority.api.urls import urlpatterns
from doc_priority.models import Counter
from tests.api.conftest import TERMS, Caller, assert_problem, undone
from tests.settings import BASE_DIR

pytestmark = pytest.mark.django_db


def test_the_api_under_any_prefix(root: Caller, settings: Any) -> None:
    """With or without a namespace, beside the portal's own addresses."""

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"portal {request.path}")

    def get(address: str) -> Any:
        return root.client.get(address.removeprefix("http://testserver"), headers=root.headers)

    api, everything_else = include("doc_priority.api.urls"), re_path("", view)
    partners = include("doc_priority.api.urls", namespace="partners")
    twice = (path("v1/", api), path("partners/", partners), everything_else)
    own = "/ /about/ /customers-of-ours/ /customer/acme/ /en/customers/ /statsx"
    for urls, namespace, prefix, own_addresses in (
        ((path("", api), everything_else), "doc_priority:", "/", own),
        ((path("x/y/", api), path("x/y/about/", view)), "doc_priority:", "/x/y/", "/x/y/about/"),
        (twice, "doc_priority:", "/v1/", "/v1/"),
        (twice, "partners:", "/partners/", "/partners/home/"),
        ((path("api/", include(urlpatterns)),), "", "/api/", ""),
        ((path("größe ü/", api),), "doc_priority:", "/gr%C3%B6%C3%9Fe%20%C3%BC/", ""),
    ):
        settings.ROOT_URLCONF = urls
        assert reverse(f"{namespace}customer", args=["acme"]) == f"{prefix}customers/acme/"
        assert reverse(f"{namespace}policy", args=["a/b"]) == f"{prefix}policies/a/b/"
        for address in own_addresses.split():
            assert get(address).content.decode() == f"portal {address}"
        for name in ("customers/", "stats/", "policies/", "schema/", "docs/"):
            assert get(prefix + name).status_code == 200, name
        for name in (
            "customers",
            "customers/a/b/",
            "customers//",
            "checks/x",
            "policies",
            "docs/x/y",
        ):
            assert_problem(get(prefix + name), 404, "not_found")

        with undone():
            services.check_many(["a", "b", "c"])
            first = get(f"{prefix}customers/?limit=1&ordering=-customer").json()
            assert first["next"].startswith(f"http://testserver{prefix}customers/?")
            second = get(first["next"]).json()
            assert [row["customer"] for row in second["results"]] == ["b"]
            assert get(second["previous"]).json()["results"] == first["results"]

            mounted = Client(SCRIPT_NAME="/portal", headers=root.headers)
            page = mounted.get(f"{prefix}customers/?limit=1", secure=True).json()
            assert page["next"].startswith(f"https://testserver/portal{prefix}customers/?")

            options: Any = {"content_type": "application/json", "headers": root.headers}
            for name, body in (
                ("customers/", {"customer": "acme"}),
                ("policies/", {"name": "a/ü ?", **TERMS}),
            ):
                made = root.client.post(prefix + name, body, **options)
                assert made.status_code == 201
                assert made["Location"].startswith(f"http://testserver{prefix}{name}")
                assert get(made["Location"]).json() == made.json()


@pytest.mark.proof
@pytest.mark.sqlite
def test_the_api_is_the_same_in_a_portal_that_sets_everything_otherwise() -> None:
    """Most settings are read once, when views are imported, so this takes a process of its own."""
    tests = """
        test_errors.py::test_every_refusal_is_a_problem
        test_checks.py::test_a_decision_looks_like_this
        test_customers.py::test_a_reset test_customers.py::test_a_pin
        test_customers.py::test_a_pin_ends_at_one_moment_however_it_is_written
        test_live_list.py::test_names_and_searches_are_taken_as_they_stand_and_kept_from_page_to_page
        test_openapi.py::test_the_served_description_is_the_copy
        test_live_list.py::test_stats
        test_customers.py::test_a_policy_is_found_under_its_name_byte_by_byte
    """
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "--ds=tests.api.peculiar_portal", "-x", "-q"),
            *("-p", "no:cacheprovider", *(f"tests/api/{test}" for test in tests.split())),
        ],
        cwd=BASE_DIR,
        env={**os.environ, "TEST_NAME_SUFFIX": f"_peculiar_{os.getpid()}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.django_db(transaction=True)
def test_a_portal_that_set_nothing_of_django_rest_framework() -> None:
    """Its users sign in with a session or with HTTP Basic."""
    plain_portal = """
        import json, sys
        from tests import settings
        del settings.REST_FRAMEWORK
        for one in ("knox", "example_project.portal"):
            settings.INSTALLED_APPS.remove(one)
        name, authorization = sys.argv[1:]
        settings.DATABASES["default"]["NAME"] = name
        import django
        django.setup()
        from django.contrib.auth.models import User
        from django.test import Client
        browser = Client()
        browser.force_login(User.objects.get())
        asked = [
            Client().get("/api/v1/stats/"),
            Client().get("/api/v1/stats/", headers={"Authorization": authorization}),
            Client().get("/api/v1/stats/", headers={"Authorization": authorization[:-6]}),
            browser.post("/api/v1/customers/acme/check/", {}, content_type="application/json"),
            browser.get("/api/v1/customers/nobody/", headers={"Accept": "text/html"}),
        ]
        print(json.dumps([(one.status_code, one["Content-Type"], one.json()) for one in asked]))
    """
    User.objects.create_superuser("root", password="secret")
    name = str(connection.settings_dict["NAME"])
    authorization = f"Basic {b64encode(b'root:secret').decode()}"

    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", dedent(plain_portal), name, authorization],
        cwd=BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert run.returncode == 0, run.stderr
    plain, problem = "application/json", "application/problem+json"
    assert [
        (status, content_type, body.get("code"))
        for status, content_type, body in json.loads(run.stdout)
    ] == [
        (403, problem, "not_authenticated"),
        (200, plain, None),
        (403, problem, "authentication_failed"),
        (200, plain, None),
        (406, problem, "not_acceptable"),
    ]
    assert Counter.objects.get().pending_documents == 0
