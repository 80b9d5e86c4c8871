"""Tools by name: what family a tool belongs to, and which argument says what a call is about."""

import re
from collections.abc import Mapping
from enum import StrEnum

from compactctl.classify.results.names import names


class Family(StrEnum):
    """What a tool does, whatever its vendor calls it."""

    SHELL = "shell"
    POLL = "poll"
    """Reads on from a process that an earlier call started."""
    READ = "read"
    SEARCH = "search"
    EDIT = "edit"
    WEB = "web"
    TASK = "task"
    """Another agent does the work."""
    PLAN = "plan"
    """Todo lists and plans."""
    ASK = "ask"
    """Asks the human."""
    OTHER = "other"


_NAMES: Mapping[Family, str] = {
    Family.SHELL: "bash shell exec_command local_shell shell_command run_shell_command "
    "execute_bash "
    "terminal run_terminal_cmd run_terminal_command run_command execute_command run_in_terminal "
    "exec container.exec powershell developer__shell cmd run_bash bash_tool execute_code "
    "run_python python code_interpreter jupyter ipython execute_ipython_cell runcommand "
    "execute terminal_execute sandbox_exec shell_call local_shell_call unified_exec user_shell",
    Family.POLL: "write_stdin bashoutput taskoutput read_process get_terminal_output agentoutput "
    "command_status killshell kill_bash killbash taskstop read_terminal bash_output "
    "get_command_or_subagent_output wait send_input",
    Family.READ: "read read_file readfile view view_file open_file cat open notebookread ls "
    "list_directory list_dir listdir list_files read_many_files readmanyfiles read_text_file "
    "view_image get_file_contents file_read goto scroll_up scroll_down read_mcp_resource "
    "list_mcp_resources readmcpresource read_notebook fs_read list",
    Family.SEARCH: "grep glob search search_files find_files codebase_search grep_search "
    "file_search "
    "search_file_content ripgrep search_dir search_file find_file search_code toolsearch "
    "tool_search find list_code_definition_names semantic_search list_code_usages rg",
    Family.EDIT: "edit write multiedit apply_patch str_replace_editor str_replace_based_edit_tool "
    "create_file write_file replace edit_file notebookedit str_replace create insert "
    "search_replace write_to_file apply_diff replace_in_file delete_file file_editor "
    "replace_file_content multi_replace_file_content insert_edit_into_file "
    "replace_string_in_file insert_content patch edit_notebook_file fs_write append_file "
    "file_write editfile writefile strreplace delete move_file rename_file",
    Family.WEB: "webfetch websearch web_search web_fetch search_web fetch fetch_url browser "
    "open_url "
    "tavily_search tavily_extract google_web_search google_search brave_web_search read_url "
    "read_url_content browser_navigate browse http_request web_search_call duckduckgo_search "
    "fetch_webpage exa_search firecrawl_scrape visit_page scrape url_fetch click find_on_page",
    Family.TASK: "task agent spawn_agent wait_agent close_agent dispatch_agent delegate new_task "
    "subagent run_agent send_message delegate_to_agent task_agent runsubagent sendmessage",
    Family.PLAN: "todowrite todo_write todoread update_plan write_todos taskcreate taskupdate "
    "tasklist taskget manage_todo_list todo plan task_tracker exitplanmode enterplanmode "
    "update_todo_list set_plan think exit_plan_mode enter_plan_mode set_todos",
    Family.ASK: "askuserquestion ask_user ask_followup_question request_user_input ask_question "
    "ask_human clarify",
}
_FAMILY = {name: family for family, text in _NAMES.items() for name in text.split()}

_SUBJECTS: Mapping[Family, tuple[str, ...]] = {
    Family.SHELL: ("command", "cmd", "commands", "script", "code", "input", "CommandLine", "args"),
    Family.POLL: ("chars", "session_id", "bash_id", "task_id", "shell_id", "id", "CommandId"),
    Family.READ: (
        "file_path",
        "path",
        "filePath",
        "absolute_path",
        "AbsolutePath",
        "target_file",
        "notebook_path",
        "file",
        "filename",
        "uri",
        "paths",
        "dir_path",
        "directory",
    ),
    Family.SEARCH: ("pattern", "query", "regex", "search_term", "Query", "search", "name", "path"),
    Family.EDIT: (
        "file_path",
        "path",
        "filePath",
        "absolute_path",
        "TargetFile",
        "target_file",
        "notebook_path",
        "file",
        "filename",
        "input",
        "patch",
    ),
    Family.WEB: ("url", "query", "urls", "q", "uri", "prompt", "search_term", "Url", "queries"),
    Family.TASK: ("description", "name", "agent", "message", "prompt", "task", "target", "id"),
    Family.PLAN: ("explanation", "subject", "taskId", "title", "plan", "todos"),
    Family.ASK: ("question", "questions", "prompt"),
    Family.OTHER: ("skill", "query", "title", "name", "path", "url", "id", "command", "text"),
}
"""Arguments that say what a call is about, the most telling first."""

_MCP = re.compile(r"mcp__(?P<server>.+?)__(?P<verb>.+)", re.DOTALL)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VERBS: Mapping[str, Family] = {
    "read": Family.READ,
    "view": Family.READ,
    "open": Family.READ,
    "cat": Family.READ,
    "search": Family.SEARCH,
    "grep": Family.SEARCH,
    "find": Family.SEARCH,
    "glob": Family.SEARCH,
    "write": Family.EDIT,
    "edit": Family.EDIT,
    "patch": Family.EDIT,
    "replace": Family.EDIT,
    "shell": Family.SHELL,
    "bash": Family.SHELL,
    "terminal": Family.SHELL,
    "fetch": Family.WEB,
    "browse": Family.WEB,
    "browser": Family.WEB,
    "navigate": Family.WEB,
    "scrape": Family.WEB,
    "crawl": Family.WEB,
    "http": Family.WEB,
}
_FILE_WORDS = frozenset({"file", "files", "text", "code", "notebook", "dir", "directory"})
_WEB_WORDS = frozenset({"web", "url", "page", "google", "bing", "internet", "tavily", "brave"})
_WEB_SERVERS = names(
    "fetch puppeteer playwright browser brave tavily exa firecrawl perplexity chrome"
)


def family_of(tool: str | None, arguments: Mapping[str, object]) -> Family:
    """
    Return the family of a tool by its name, by the words in it, else by its arguments.

    A tool of an MCP server (``mcp__server__verb``) whose verb says nothing of files, shells or
    the web is ``OTHER``: what it does is known to its server only.
    """
    name = (tool or "").strip()
    mcp = _MCP.fullmatch(name)
    known = _FAMILY.get((mcp["verb"] if mcp else name).lower())
    if known in {Family.EDIT, Family.READ} and mcp and not _names_file(arguments):
        known = None
    if known is Family.SEARCH and mcp:
        known = None
    if known is not None:
        return known
    words = [w.lower() for w in _WORD.findall(mcp["verb"] if mcp else name)]
    if mcp and _WEB_SERVERS & set(re.split(r"[-_]", mcp["server"].lower())):
        return Family.WEB
    return _by_words(words, arguments, strict=mcp is not None)


def _by_words(words: list[str], arguments: Mapping[str, object], *, strict: bool) -> Family:
    if _WEB_WORDS & set(words):
        return Family.WEB
    for word in words:
        family = _VERBS.get(word)
        if family in {Family.READ, Family.EDIT, Family.SEARCH} and strict:
            if _FILE_WORDS & set(words) or _names_file(arguments):
                return family
        elif family is not None:
            return family
    if not strict and any(isinstance(arguments.get(key), str) for key in ("command", "cmd")):
        return Family.SHELL
    return Family.OTHER


def _names_file(arguments: Mapping[str, object]) -> bool:
    return any(key in arguments for key in ("file_path", "path", "filePath", "paths", "file"))


def subject_of(family: Family, arguments: Mapping[str, object], text: str) -> str:
    """
    Return the key argument of a call in full: command, path, query, URL.

    ``text`` is the call as the model sees it (name, newline, arguments); it is the subject's
    source where the arguments are not named (free-form input).
    """
    named = (arguments.get(key) for key in _SUBJECTS[family])
    for value in (*named, *arguments.values()):
        if (plain := _plain(value)) is not None:
            return plain
    if arguments:
        return ""
    return text.partition("\n")[2].strip()


_SCRIPT_COMMAND = re.compile(
    r"tools\.(?:exec_command|shell|local_shell)\(\s*\{[^{}]*?\"?cmd\"?\s*:\s*"
    r"(?P<text>\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"
)
_SCRIPT_PATCH = re.compile(r"tools\.apply_patch\(")


def script_calls(text: str) -> tuple[Family, str] | None:
    """
    Return what a script calls on behalf of the model, with the first command that it runs.

    Some clients give the model one tool that takes JavaScript, which calls the others as
    ``tools.name(...)``. ``None`` where the text is no such script.
    """
    if "tools." not in text:
        return None
    if _SCRIPT_PATCH.search(text):
        return Family.EDIT, text
    found = _SCRIPT_COMMAND.search(text)
    if found is None:
        return None
    body = found["text"][1:-1]
    return Family.SHELL, re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), body)


def _plain(value: object) -> str | None:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(v, str) for v in value):
        return _argv(value)
    return None


def _argv(words: list[str]) -> str:
    """Return one line for an argument vector; the script of ``sh -c`` stays as it is."""
    if len(words) > 2 and words[1].startswith("-") and "c" in words[1]:  # noqa: PLR2004 -- sh -c
        return " ".join(words[2:])
    return " ".join(words)


_ESCAPED_PATCH_FILE = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (?P<path>[^\n\\\"]+)")
_MAX_PATHS = 40


def edited_paths(family: Family, arguments: Mapping[str, object], text: str) -> tuple[str, ...]:
    """Return the files that an edit call names, in order, each once."""
    if family is not Family.EDIT:
        return ()
    for key in _SUBJECTS[Family.EDIT][:8]:
        if isinstance(value := arguments.get(key), str) and value and "\n" not in value:
            return (value,)
    found = [m["path"].strip() for m in _ESCAPED_PATCH_FILE.finditer(text)]
    return tuple(dict.fromkeys(found))[:_MAX_PATHS]
