"""
Secrets in printed text: found by kind, masked, the kind named.

The kinds are those of the providers' own documentation and of the rule set of gitleaks; each is a
linear pattern that needs a literal to be there at all, so that ordinary text costs one search.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of secret: the literal it cannot do without, and its form (group ``secret``)."""

    name: str
    needs: str
    pattern: re.Pattern[str]


def _rule(name: str, needs: str, form: str) -> Rule:
    return Rule(name, needs, re.compile(rf"(?<![A-Za-z0-9_-])(?P<secret>{form})"))


RULES = (
    _rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,200}"),
    _rule("openrouter-key", "sk-or-", r"sk-or-[A-Za-z0-9_-]{16,200}"),
    _rule("openai-key", "sk-", r"sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}"),
    _rule("github-token", "gh", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _rule("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _rule("gitlab-token", "gl", r"gl(?:pat|dt|rt|ptt|agent|oas)-[A-Za-z0-9_.-]{18,200}"),
    _rule("slack-token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,250}"),
    _rule("slack-app-token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,250}"),
    _rule("aws-access-key", "A", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _rule("google-key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _rule("google-token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,500}"),
    _rule("google-secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,60}"),
    _rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _rule("pypi-token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,300}"),
    _rule("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{30,60}"),
    _rule("docker-token", "dckr_", r"dckr_[po]at_[A-Za-z0-9_-]{20,80}"),
    _rule("sendgrid-key", "SG.", r"SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80}"),
    _rule("stripe-key", "k_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,120}"),
    _rule("stripe-webhook", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,100}"),
    _rule("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,80}"),
    _rule("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _rule("shopify-token", "shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _rule("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])"),
    _rule("mailgun-key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _rule("telegram-token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{32,36}"),
    _rule(
        "discord-webhook",
        "webhooks/",
        r"https://discord(?:app)?\.com/api/webhooks/[A-Za-z0-9/_-]{20,160}",
    ),
    _rule(
        "slack-webhook",
        "hooks.slack.com",
        r"https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,120}",
    ),
    _rule("databricks-token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _rule("groq-key", "gsk_", r"gsk_[A-Za-z0-9]{40,80}"),
    _rule("xai-key", "xai-", r"xai-[A-Za-z0-9]{40,120}"),
    _rule("perplexity-key", "pplx-", r"pplx-[A-Za-z0-9]{40,80}"),
    _rule("replicate-token", "r8_", r"r8_[A-Za-z0-9]{30,60}"),
    _rule("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}"),
    _rule("grafana-token", "gl", r"gl(?:c|sa)_[A-Za-z0-9_=+/]{32,400}"),
    _rule("vault-token", "hv", r"hv[sbr]\.[A-Za-z0-9_-]{24,200}"),
    _rule("doppler-token", "dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,60}"),
    _rule("postman-key", "PMAK-", r"PMAK-[A-Za-z0-9-]{40,80}"),
    _rule("age-key", "AGE-SECRET", r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}"),
    _rule(
        "jwt", "eyJ", r"eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}"
    ),
)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?P<what>[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?)-----"
    r"(?P<body>[A-Za-z0-9+/=\s\\:,.()-]{0,8000}?)"
    r"(?:-----END [A-Z ]{0,30}-----|\Z)"
)
_IN_URL = re.compile(
    r"(?P<head>\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{0,100}:)(?P<secret>[^\s@/]{1,200})@"
)
_QUOTE = r"\\{0,2}[\"']?"
"""A quotation mark, also as it stands in JSON within JSON."""
_HEADER = re.compile(
    rf"(?P<head>(?:\bauthorization{_QUOTE}\s{{0,3}}[:=]\s{{0,3}}{_QUOTE}"
    r"(?:basic|token|apikey|digest|bearer)|\bbearer)\s{1,3})"
    r"(?P<secret>[A-Za-z0-9._~+/=-]{12,2000})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"(?P<head>\b(?:set-)?cookie:\s{0,3})(?P<secret>[^\n\"']{8,2000})", re.IGNORECASE
)
_ASSIGNED = re.compile(
    r"(?P<head>(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|"
    r"private[_-]?key|secret[_-]?key|auth[_-]?key|credential|account[_-]?key)s?"
    rf"{_QUOTE}\s{{0,3}}[:=]{{1,2}}>?\s{{0,3}}{_QUOTE})"
    r"(?P<secret>[^\s\"'`,;<>{}()\[\]\\]{6,500})",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"(?P<head>--(?:password|passwd|token|secret|api-key)[ =][\"']?|"
    r"\blogin\s{1,3}\S{1,100}\s{1,3}password\s{1,3}|"
    r"(?<!\S)(?:-u|--user)[ =]?[\"']?[^\s:\"']{1,100}:|"
    r"[?&](?:sig|signature|x-amz-signature)=)"
    r"(?P<secret>[^\s\"'`,;<>&]{6,500})",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"://[^\s/]{0,300}@|-----BEGIN|bearer|authorization|token|cookie|passw|passphrase|pwd|secret|"
    r"api.?key|access.?key|private.?key|auth.?key|account.?key|credential|signature=|sig=|"
    r"-u[ =]?\S{1,100}:|--user",
    re.IGNORECASE,
)
_PREFIXES = re.compile(
    "|".join(re.escape(n) for n in sorted({r.needs for r in RULES}) if n != "A")
    + "|AKIA|ASIA|ABIA|ACCA"
)
_PLACEHOLDER = re.compile(
    r"^(?:\$|%|<|\.\.\.|x{4,}$|\*+$|REDACTED|your|example|changeme|placeholder|none$|null$|true$|false$|"
    r"os\.|process\.|env\b|self\.|getenv|[a-z_.]+\($)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_.$-]{1,500}|[~.]{0,2}/(?:[A-Za-z0-9_.@-]{1,100}/){0,20}[A-Za-z0-9_.-]{0,40}"
)
"""Names, dotted names and paths: what code puts on the right of an assignment."""
_SHORT_WORD = 3.5
"""Letters to a capital below which a mix of cases is no name made of words."""
_LEAST_ENTROPY = 2.5
"""Bits a character below which a value is a word rather than a secret."""
_SHOWN = 3
_SKIPPED = frozenset(
    {
        "id",
        "sha256",
        "input_sha256",
        "policy_sha256",
        "pointer",
        "entry",
        "digest",
        "schema",
        "path",
    }
)


def mask(text: str) -> str:
    """Return text in which every secret is replaced by its first characters and its kind."""
    if _PREFIXES.search(text):
        for rule in RULES:
            if rule.needs in text:
                text = rule.pattern.sub(partial(_masked, rule.name), text)
    if _TELLING.search(text):
        text = _PRIVATE_KEY.sub(lambda m: f"-----BEGIN {m['what']}-----…[private-key]", text)
        text = _IN_URL.sub(lambda m: f"{m['head']}…[password]@", text)
        text = _COOKIE.sub(lambda m: f"{m['head']}…[cookie]", text)
        text = _HEADER.sub(_header, text)
        text = _FLAG.sub(_given, text)
        text = _ASSIGNED.sub(_assigned, text)
    return text


def masked(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with the secrets of all its strings masked; ids and hashes stay."""
    return {key: value if key in _SKIPPED else _inside(value) for key, value in document.items()}


def _inside(value: object) -> object:
    match value:
        case str():
            return mask(value)
        case Mapping():
            return masked(value)
        case list() | tuple():
            return [_inside(item) for item in value]
        case _:
            return value


def _masked(kind: str, found: re.Match[str]) -> str:
    return f"{found['secret'][:_SHOWN]}…[{kind}]"


def _header(found: re.Match[str]) -> str:
    secret = found["secret"]
    return f"{found['head']}…[credential]" if _is_random(secret) else found[0]


def _given(found: re.Match[str]) -> str:
    """A value that can only be a secret, whatever it looks like."""
    secret = found["secret"]
    if "…[" in secret or _PLACEHOLDER.match(secret):
        return found[0]
    return f"{found['head']}…[secret]"


def _assigned(found: re.Match[str]) -> str:
    secret = found["secret"]
    if "…[" in secret or _PLACEHOLDER.match(secret) or not _is_random(secret):
        return found[0]
    return f"{found['head']}…[secret]"


def _is_random(value: str) -> bool:
    """Return whether a value next to a telling name reads like a secret and not like a word."""
    if _CODE.fullmatch(value) and not _mixes_cases(value):
        return False
    kinds = sum(
        any(test(c) for c in value) for test in (str.islower, str.isupper, str.isdigit)
    ) + any(not c.isalnum() for c in value)
    return kinds >= 2 and _entropy(value) >= _LEAST_ENTROPY  # noqa: PLR2004 -- two kinds of signs


def _mixes_cases(value: str) -> bool:
    """Return whether capitals come oftener than words of a name begin."""
    capitals = sum(map(str.isupper, value))
    letters = sum(map(str.isalpha, value))
    return capitals < letters < capitals * _SHORT_WORD


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
