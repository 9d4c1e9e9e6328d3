"""Rules of C++ code: lengths, banned names, coroutines, messages."""

import re

from tree import Finding, functions, matching, split_arguments

FUNCTION_LINES_MAX = 70

# Name, pattern, what to use instead, and where it is at home.
BANNED_NAMES = [
    ("lock", r"\bstd::(?:recursive_|shared_|timed_)?mutex\b|\bstd::condition_variable\w*",
     "let one shard own the state and post to it", ("src/io/",)),
    ("thread", r"\bstd::(?:jthread|async|thread)\b(?!::hardware_concurrency)",
     "Shard::spawn, or Pool for what blocks", ("src/io/",)),
    ("clock", r"\b(?:system_clock|steady_clock|high_resolution_clock)::now\b|\bgettimeofday\s*\(|\bclock_gettime\s*\("
     r"|(?<![\w:.>])time\s*\(\s*(?:nullptr|NULL|0)\s*\)",
     "Env::clock", ("src/io/",)),
    ("sleep", r"\bthis_thread::sleep_\w+|(?<!\w)::sleep\s*\(|\busleep\s*\(", "sleep_for(clock, ...)", ("src/io/",)),
    ("random", r"\bstd::random_device\b|(?<![\w:.>])s?rand\s*\(", "Env::random", ("src/io/",)),
    ("generator", r"\bstd::mt19937\w*|\bstd::minstd_rand0?\b", "Random of io/random.h", ("src/io/",)),
    ("file", r"(?<![\w>)])::(?:open|openat|creat)\s*\(|(?<![\w:.>])f?open\s*\(\s*[\w.]*path|\bstd::fopen\b"
     r"|\bstd::[io]?fstream\b|\bstd::filesystem\b", "Env::disk", ("src/io/",)),
    ("socket", r"(?<![\w>)])::(?:socket|connect|bind|accept|listen)\s*\(", "Env::network", ("src/io/",)),
    ("new", r"(?<![\w.])new\s+(?:\(|[\w:]+)|\boperator new\b", "std::make_unique", ()),
    ("delete", r"\bdelete\b\s*(?:\[\s*\]\s*)?(?:\w+|[(*])|\boperator delete\b", "std::unique_ptr", ()),
    ("throw", r"(?<![\w.])throw\b", "return make_error(...)", ()),
    ("assert", r"(?<![\w.])assert\s*\(", "CHECK", ()),
    ("cout", r"\bstd::c(?:out|err|log)\b", "LOG_INFO, or std::printf in cli", ()),
    ("strtol", r"\bstd::sto(?:i|l|ll|ul|ull|f|d|ld)\b|\b(?:strto\w+|ato[ifl]+)\s*\(",
     "parse_integer or parse_number, which return a Result", ()),
    ("bind", r"\bstd::bind\s*\(", "a lambda", ()),
]
# Tests may read files of the tree, use threads against what is made for any thread, and a generator
# with a fixed seed.
FREE_IN_TESTS = {"file", "thread", "generator", "throw", "strtol"}


def function_length(tree):
    for file in tree.cpp():
        if file.is_generated:
            continue
        for function in functions(file):
            first, last = file.line_of(function.begin), file.line_of(function.end - 1)
            if last - first + 1 > FUNCTION_LINES_MAX:
                message = f"{last - first + 1} lines in one function; at most {FUNCTION_LINES_MAX}"
                yield Finding("function-length", file.path, first, message)


def banned_names(tree):
    for file in tree.cpp():
        for name, pattern, remedy, homes in BANNED_NAMES:
            if file.path.startswith(homes) if homes else False:
                continue
            if file.is_test and name in FREE_IN_TESTS:
                continue
            for found in re.finditer(pattern, file.code):
                text = " ".join(found.group(0).split())
                message = f"'{text}': use {remedy}"
                yield Finding("banned-names", file.path, file.line_of(found.start()), message)


def using_namespace(tree):
    for file in tree.headers():
        for found in re.finditer(r"\busing\s+namespace\b", file.code):
            message = "a header opens no namespace for those who include it"
            yield Finding("using-namespace", file.path, file.line_of(found.start()), message)


# --- coroutines

# What outlives every task by its place in the program: the seams, the loops, and the objects of a server.
LONG_LIVED = {
    "Env", "Clock", "Network", "Disk", "Random", "Pool", "Shard", "MetaStore", "Catalog", "ReplicaManager",
    "Coordinator", "coordinator::Coordinator", "SimWorld", "SimNode", "Stream", "Listener",
}


def _task_functions(file):
    """Declarations and definitions that return a Task: name, parameters, position."""
    for found in re.finditer(r"\b(?:io::|lakestream::)?Task\s*<", file.code):
        before = file.code[max(0, found.start() - 80) : found.start()]
        if re.search(r"[<,(]\s*$|\busing\b[^;]*$|\breturn\s*$", before):
            continue  # an argument, a parameter, an alias
        after = matching(file.code, found.end() - 1, "<>")
        matched = re.compile(r"\s+((?:\w+(?:<[^<>;()]*>)?::)*\w+)\s*\(").match(file.code, after)
        if matched is None:
            continue
        end = matching(file.code, matched.end() - 1, "()")
        yield matched.group(1), file.code[matched.end() : end - 1], found.start()


def _is_view(parameter):
    words = re.sub(r"\[\[.*?\]\]", "", parameter)
    if re.search(r"\bstd::(?:basic_)?string_view\b|\bstd::span\s*<", words) and "std::vector<" not in words:
        return True
    kind = re.match(r"(const\s+)?([\w:]+(?:<.*>)?)\s*(&&?)(?!&)", words)
    if kind is None:
        return False
    return kind.group(2) not in LONG_LIVED


def task_parameters(tree):
    """A coroutine owns what it uses: what a reference or a view shows may be gone when it goes on."""
    for file in tree.cpp():
        for name, parameters, position in _task_functions(file):
            for parameter in split_arguments(parameters):
                if _is_view(parameter):
                    message = f"{name}: parameter '{' '.join(parameter.split())}' of a Task; pass it by value"
                    yield Finding("task-parameters", file.path, file.line_of(position), message)


def _operand_end(code, at):
    """Where the expression behind a co_await ends: at its semicolon, or the bracket that is around it."""
    depth = 0
    for end in range(at, len(code)):
        if code[end] in "([{":
            depth += 1
        elif code[end] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and code[end] == ";"):
            return end
    return len(code)


def braces_in_await(tree):
    """GCC 12 destroys a lambda and an aggregate twice that are written inside a co_await expression."""
    for file in tree.cpp():
        for found in re.finditer(r"\bco_await\b", file.code):
            if "{" in file.code[found.end() : _operand_end(file.code, found.end())]:
                message = "braces inside a co_await expression; give what they make a name in a statement before"
                yield Finding("braces-in-await", file.path, file.line_of(found.start()), message)


_LAMBDA = re.compile(r"(?<![\w\])])\[([^\[\]]*)\]\s*(?:<[^<>]*>\s*)?(\(|\{)")


def _lambda_body(code, found):
    at = found.end() - 1
    if found.group(2) == "(":
        at = matching(code, at, "()")
        brace = re.compile(r"[^;{}]*?\{").match(code, at)
        if brace is None:
            return None
        at = brace.end() - 1
    return at, matching(code, at, "{}")


def capturing_coroutines(tree):
    """The captures of a lambda die with it, at the first suspension of its coroutine."""
    for file in tree.cpp():
        bodies = []
        for found in _LAMBDA.finditer(file.code):
            body = _lambda_body(file.code, found)
            if body is not None and not file.code[found.start() : found.start() + 2] == "[[":
                bodies.append((found, *body))
        for found, begin, end in bodies:
            if not found.group(1).strip():
                continue
            own = list(file.code[begin:end])
            for _, inner_begin, inner_end in bodies:
                if begin < inner_begin and inner_end <= end:
                    own[inner_begin - begin : inner_end - begin] = " " * (inner_end - inner_begin)
            if re.search(r"\bco_(?:await|return|yield)\b", "".join(own)):
                message = f"a coroutine in a lambda that captures [{found.group(1).strip()}]; make it a function"
                yield Finding("capturing-coroutines", file.path, file.line_of(found.start()), message)


def statement_expressions(tree):
    for file in tree.cpp():
        for found in re.finditer(r"\(\s*\{", file.code):
            inside = file.code[found.start() : matching(file.code, found.start(), "()")]
            if re.match(r"\(\s*\{[^;]*;", inside) and "co_await" in inside:
                message = "co_await inside a statement expression; GCC 12 can not compile it"
                yield Finding("statement-expressions", file.path, file.line_of(found.start()), message)


# --- messages

def error_texts(tree):
    """Messages begin in lower case and end without a full stop, so that contexts can be put before them."""
    literal = r'((?:"(?:\\.|[^"\\])*"\s*)+)'
    pattern = re.compile(r"\bmake_error\(\s*(?:[\w:]*ErrorCode::)?\w+,\s*(?:fmt::format\()?" + literal)
    for file in tree.cpp():
        if file.is_test:
            continue
        for found in pattern.finditer(file.text):
            text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', found.group(1)))
            line = file.line_of(found.start())
            if text.endswith("."):
                yield Finding("error-texts", file.path, line, f"'{text}' ends with a full stop")
            if re.match(r"[A-Z][a-z]+ [a-z]", text) or re.match(r"[Ff]ailed to\b", text):
                message = f"'{text}': say thing, value, rule, remedy, in lower case"
                yield Finding("error-texts", file.path, line, message)


def test_comments(tree):
    """A test says in its first line what it proves."""
    for file in tree.cpp():
        if not file.name.endswith("_test.cc"):
            continue
        for function in functions(file):
            if not re.match(r"(?:TYPED_)?TEST(?:_[FP])?\s*\(", function.head):
                continue
            body = file.text[function.body + 1 : function.end]
            above = file.lines[file.line_of(function.begin) - 2].strip()
            if not body.lstrip().startswith("//") and not above.startswith("//"):
                message = f"{' '.join(function.head.split())} does not say what it proves"
                yield Finding("test-comments", file.path, file.line_of(function.begin), message)


RULES = [
    function_length,
    banned_names,
    using_namespace,
    task_parameters,
    braces_in_await,
    capturing_coroutines,
    statement_expressions,
    error_texts,
]
ADVICE = [test_comments]
