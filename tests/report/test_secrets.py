"""Secrets are made up as each test runs, so that no file holds anything that looks like one."""

import json
import random
import string
import time
from collections.abc import Callable

import pytest

from compactctl.report.secrets import mask, masked

Draw = Callable[[int, str], str]
WORD = string.ascii_letters + string.digits
HEX = string.digits + "abcdef"
BASE32 = string.ascii_uppercase + "234567"


def some(length: int, letters: str = WORD, *, seed: int = 7) -> str:
    """Letters drawn at random, the same in every run."""
    drawn = random.Random(seed)  # noqa: S311 -- made-up secrets, the same each time
    return "".join(drawn.choices(letters, k=length))


PREFIXED = {
    "anthropic-key": "sk-" + "ant-api03-" + some(90),
    "openrouter-key": "sk-" + "or-v1-" + some(64, HEX),
    "openai-key": "sk-" + "proj-" + some(48),
    "github-token": "gh" + "p_" + some(36),
    "github-fine-token": "github" + "_pat_" + some(22) + "_" + some(59),
    "gitlab-token": "gl" + "pat-" + some(20),
    "slack-token": "xo" + "xb-" + some(12, string.digits) + "-" + some(24),
    "slack-app-token": "xa" + "pp-1-" + some(40),
    "aws-access-key": "AK" + "IA" + some(16, BASE32),
    "google-key": "AI" + "za" + some(35),
    "google-token": "ya" + "29." + some(60),
    "google-secret": "GOC" + "SPX-" + some(28),
    "npm-token": "np" + "m_" + some(36),
    "pypi-token": "py" + "pi-" + some(90),
    "huggingface-token": "h" + "f_" + some(34),
    "docker-token": "dckr" + "_pat_" + some(27),
    "sendgrid-key": "S" + "G." + some(22) + "." + some(43),
    "stripe-key": "sk" + "_live_" + some(24),
    "stripe-webhook": "wh" + "sec_" + some(32),
    "linear-key": "lin" + "_api_" + some(40),
    "digitalocean-token": "dop" + "_v1_" + some(64, HEX),
    "shopify-token": "shp" + "at_" + some(32, HEX),
    "twilio-key": "S" + "K" + some(32, HEX),
    "mailgun-key": "ke" + "y-" + some(32, HEX),
    "telegram-token": some(9, "123456789") + ":A" + "A" + some(33),
    "slack-webhook": "https://hooks." + "slack.com/services/T0/B0/" + some(24),
    "databricks-token": "da" + "pi" + some(32, HEX),
    "groq-key": "gs" + "k_" + some(52),
    "xai-key": "xa" + "i-" + some(80),
    "perplexity-key": "pp" + "lx-" + some(48),
    "replicate-token": "r" + "8_" + some(37),
    "notion-token": "nt" + "n_" + some(46),
    "grafana-token": "gl" + "sa_" + some(41),
    "vault-token": "hv" + "s." + some(90),
    "doppler-token": "dp" + ".pt." + some(43),
    "postman-key": "PM" + "AK-" + some(59),
    "age-key": "AGE-" + "SECRET-KEY-1" + some(58, string.ascii_uppercase),
    "jwt": "ey" + "J" + some(30) + ".ey" + "J" + some(80) + "." + some(43),
}
IN_CONTEXT = {
    "password in a url": ("postgres://app:{}@db:5432/main", some(16)),
    "password without a user in a url": ("redis://:{}@cache:6379/0", some(16)),
    "bearer header": ("curl -H 'Authorization: Bearer {}'", some(40)),
    "basic header": ("Authorization: Basic {}=", some(24)),
    "token header in json": ('{{"authorization": "token {}"}}', some(32)),
    "cookie": ("Cookie: session={}; theme=dark", some(30)),
    "environment": ("export DB_PASSWORD={}", some(14)),
    "quoted assignment": ("client_secret = '{}'", some(32)),
    "yaml": ("apiKey: {}", some(32)),
    "json": ('{{"password": "{}"}}', some(12)),
    "json in json": ('{{\\"password\\": \\"{}\\"}}', some(12)),
    "aws secret key": ("aws_secret_access_key = {}", some(38) + "/+"),
    "account key": ("AccountName=x;AccountKey={};Suffix=y", some(86) + "=="),
    "connection string": ("Server=db;Uid=sa;Pwd={};", some(10) + "!1"),
    "flag": ("mysql --password={} -h db", some(12)),
    "curl user": ("curl -u admin:{} https://x.test", some(14)),
    "netrc": ("machine x.test login joe password {}", some(15)),
    "signed url": ("https://x.blob.test/a?sv=1&sig={}", some(40) + "1"),
    "short password": ("PASSWORD={}", "hunter" + "2"),
}


@pytest.mark.parametrize("kind", PREFIXED)
def test_a_secret_of_each_provider_is_masked_wherever_it_stands(kind: str) -> None:
    secret = PREFIXED[kind]

    shown = mask(f"I ran it with {secret}, and it worked")

    assert secret not in shown
    assert secret[8:] not in shown
    assert shown.startswith("I ran it with ")
    assert shown.endswith(", and it worked")


@pytest.mark.parametrize("kind", IN_CONTEXT)
def test_a_secret_that_its_surroundings_tell_is_masked(kind: str) -> None:
    form, secret = IN_CONTEXT[kind]

    shown = mask(form.format(secret))

    assert secret not in shown
    assert "…[" in shown


def test_a_private_key_is_masked_whole_or_cut_off() -> None:
    body = "\n".join(some(64, seed=n) for n in range(20))
    key = f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{body}\n-----END RSA PRIVATE {'KEY'}-----"

    assert mask(f"a {key} b") == "a -----BEGIN RSA PRIVATE KEY-----…[private-key] b"
    assert some(64, seed=3) not in mask(key[:400])


def test_a_private_key_within_json_is_masked() -> None:
    body = "\n".join(some(64, seed=n) for n in range(20))
    key = f"-----BEGIN PRIVATE {'KEY'}-----\n{body}\n-----END PRIVATE {'KEY'}-----\n"

    shown = mask(json.dumps({"private_key": key}))

    assert not any(some(64, seed=n) in shown for n in range(20))


@pytest.mark.parametrize(
    "text",
    [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "session 019e1000-3b7e-7a11-8c52-0f6a5d2e9b01",
        "snap:1a2b3c4d5e6f#L12.0",
        "max_tokens=4096, total tokens: 130000",
        "token = parser.next_token()",
        "password: str, secret: Optional[str]",
        "token = nextToken",
        "the token is read from token: /var/run/secrets/service/token",
        "password=$DB_PASSWORD password=${DB_PASSWORD} password=<password>",
        "API_KEY=your-api-key-here-123",
        "api_key = os.environ['API_KEY']",
        "git@github.com:someone/project.git",
        "https://example.test:8443/path?page=2",
        "basic tests/test_rates.py covers the basic src/components/Button2.tsx",
        "sk-learn and sk-image are short for libraries",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "toolu_01A09q90qw90lq917835lq9",
        "password required: yes; secret santa; bearer of bad news",
    ],
)
def test_what_only_looks_like_a_secret_stays_readable(text: str) -> None:
    assert mask(text) == text


def test_masking_twice_changes_nothing_more() -> None:
    text = "\n".join([*PREFIXED.values(), *(f.format(s) for f, s in IN_CONTEXT.values())])

    once = mask(text)

    assert mask(once) == once


def test_a_document_keeps_its_ids_and_loses_its_secrets() -> None:
    secret = PREFIXED["github-token"]
    document = {
        "id": "1a2b",
        "sha256": "0" * 64,
        "pins": [{"id": "abc", "text": f"use {secret}"}],
        "number": 3,
    }

    found = masked(document)

    assert found["id"] == "1a2b"
    assert found["sha256"] == "0" * 64
    assert found["number"] == 3
    assert secret not in json.dumps(found)


@pytest.mark.parametrize(
    "unit",
    ["a", "password=", "sk-", "://a:", "-----BEGIN ", "eyJ", "cookie: ", "A", "--user a:", "-u "],
)
def test_masking_is_linear(unit: str) -> None:
    def cost(length: int) -> float:
        text = unit * (length // len(unit))
        start = time.perf_counter()
        mask(text)
        return time.perf_counter() - start

    cost(10_000)
    short, long = min(cost(50_000) for _ in range(2)), cost(400_000)

    assert long < 40 * short + 0.2
