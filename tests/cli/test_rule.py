"""``rule``: the pages of the rules, and that the documented page is the printed one."""

from cli.commands import ROOT, Folder

from compactctl.audit.rules import RULES


def test_the_documented_page_is_what_is_printed(command: Folder) -> None:
    ended = command.process("rule", "--all", "--format", "markdown")

    assert ended.code == 0
    assert ended.out == (ROOT / "docs" / "rules.md").read_text("utf-8")


def test_one_rule_by_code_or_name(command: Folder) -> None:
    by_code, by_name = command("rule", "cc101"), command("rule", "constraint-lost")

    assert by_code.out == by_name.out
    assert by_code.out.startswith("CC101 constraint-lost (error, high confidence)\n")


def test_all_are_listed_in_the_order_of_their_codes(command: Folder) -> None:
    listed = [line.split()[0] for line in command("rule").out.splitlines()]

    assert listed == [rule.code for rule in RULES]
    assert listed == sorted(set(listed))


def test_a_rule_that_there_is_not(command: Folder) -> None:
    ended = command("rule", "CC999")

    assert (ended.code, ended.out) == (2, "")
    assert "there is no rule 'CC999'" in ended.err


def test_pages_say_all_that_a_reader_needs() -> None:
    for rule in RULES:
        for part in ("Why it matters:", "How to fix:", "Limits:", "Source:"):
            assert f"\n{part} " in rule.documentation, f"{rule.code}: {part}"
        assert rule.summary.endswith("."), rule.code
