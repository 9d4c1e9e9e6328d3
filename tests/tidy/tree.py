"""The tree as the checks see it: files with their lines, C++ sources also without comments and strings."""

import bisect
import dataclasses
import functools
import pathlib
import re
import subprocess

GENERATED = re.compile(r"Made by tools/gen_\w+\.py")

# Comments, raw strings, strings, characters. A quote behind a digit or letter separates digits.
_NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)


@dataclasses.dataclass(frozen=True)
class Finding:
    rule: str
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message} [{self.rule}]"


def _blank(text, keep_ends):
    """Spaces in place of the text, so that positions and lines stay."""
    ends = (text[0], text[-1]) if keep_ends and len(text) > 1 else (" ", " ")
    inside = re.sub(r"[^\n]", " ", text[1:-1])
    return ends[0] + inside + ends[1]


@dataclasses.dataclass(frozen=True)
class Comment:
    position: int
    text: str


@dataclasses.dataclass(frozen=True)
class Include:
    line: int
    name: str
    quoted: bool


class SourceFile:
    def __init__(self, path, text):
        self.path = path
        self.text = text

    @property
    def name(self):
        return self.path.rsplit("/", 1)[-1]

    @property
    def is_header(self):
        return self.path.endswith(".h")

    @property
    def is_cpp(self):
        return self.path.endswith((".h", ".cc"))

    @property
    def is_test(self):
        """A test or what only tests include."""
        in_tests = self.path.startswith(("tests/", "bench/"))
        return in_tests or re.search(r"_tests?(_\w+)?\.(cc|h)$|/(test_|sim_)\w+\.h$", self.path) is not None

    @property
    def module(self):
        """The folder below src/, or None for a file elsewhere."""
        parts = self.path.split("/")
        return parts[1] if parts[0] == "src" and len(parts) > 2 else None

    @functools.cached_property
    def is_generated(self):
        return GENERATED.search(self.text[:300]) is not None

    @functools.cached_property
    def lines(self):
        return self.text.split("\n")

    @functools.cached_property
    def _line_starts(self):
        starts = [0]
        for found in re.finditer("\n", self.text):
            starts.append(found.end())
        return starts

    def line_of(self, position):
        return bisect.bisect_right(self._line_starts, position)

    @functools.cached_property
    def _split(self):
        comments = []

        def replace(found):
            piece = found.group(0)
            is_comment = piece.startswith("/")
            if is_comment:
                comments.append(Comment(found.start(), piece))
            return _blank(piece, keep_ends=not is_comment)

        return _NO_CODE.sub(replace, self.text), comments

    @property
    def code(self):
        """The text with comments and the insides of strings blanked."""
        return self._split[0]

    @property
    def comments(self):
        return self._split[1]

    @functools.cached_property
    def includes(self):
        found = []
        for number, line in enumerate(self.lines, 1):
            matched = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if matched:
                found.append(Include(number, matched.group(2), matched.group(1) == '"'))
        return found


class Tree:
    """All files that are in the repository or about to be. `root` is None for a tree made by a test."""

    def __init__(self, files, root=None):
        self.files = {file.path: file for file in files}
        self.root = root

    @classmethod
    def of_texts(cls, texts):
        return cls([SourceFile(path, text) for path, text in texts.items()])

    @classmethod
    def load(cls, root):
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root, capture_output=True, check=True,
        ).stdout.decode()
        files = []
        for path in sorted(set(listed.split("\0")) - {""}):
            on_disk = pathlib.Path(root, path)
            if not on_disk.is_file():
                continue
            content = on_disk.read_bytes()
            if b"\0" in content[:8000]:
                continue
            files.append(SourceFile(path, content.decode("utf-8", errors="replace")))
        return cls(files, pathlib.Path(root))

    def cpp(self):
        return [file for file in self.files.values() if file.is_cpp]

    def headers(self):
        return [file for file in self.files.values() if file.is_header]

    def text_of(self, path):
        file = self.files.get(path)
        return file.text if file else ""

    def resolve(self, include):
        """The file that a quoted include names, rooted at src/."""
        return self.files.get("src/" + include.name)


def matching(code, position, pair):
    """Position behind the bracket that closes the one at `position`."""
    opening, closing = pair
    depth = 0
    for at in range(position, len(code)):
        if code[at] == opening:
            depth += 1
        elif code[at] == closing:
            depth -= 1
            if depth == 0:
                return at + 1
    return len(code)


def split_arguments(text):
    """Splits at commas outside of any brackets."""
    parts, depth, begin = [], 0, 0
    for at, char in enumerate(text):
        if char in "(<[{":
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts if part.strip()]


@dataclasses.dataclass(frozen=True)
class Function:
    head: str
    begin: int  # of the head
    body: int  # the opening brace
    end: int  # behind the closing brace


_SCOPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(namespace|class|struct|enum|union|extern)\b", re.DOTALL)


def functions(file):
    """Functions with a body, outermost only. Approximate: it reads formatted code, not all of C++."""
    code = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda found: re.sub(r"[^\n]", " ", found.group(0)), file.code)
    found = []
    begin = 0  # of what may become a head
    for mark in _marks(code):
        at = mark.start()
        if at < begin:
            continue
        if mark.group() in ";}":
            begin = at + 1
            continue
        head = code[begin:at]
        words = re.sub(r"\b(public|private|protected)\s*:", " ", head).strip()
        if _SCOPE.match(words) and not words.endswith(")"):
            begin = at + 1  # look inside
            continue
        if code[at - 1] not in " \n" or words.endswith(("=", ",", "return")):
            begin_after = matching(code, at, "{}")
            if code[at - 1] not in " \n":
                # A braced initialiser: perhaps of a member, and the body is still to come.
                head_begin = begin
                found_body = _body_behind(code, begin_after)
                if ")" in head and found_body is not None:
                    end = matching(code, found_body, "{}")
                    found.append(_function(code, head_begin, found_body, end))
                    begin = end
                    continue
            begin = begin_after
            continue
        end = matching(code, at, "{}")
        if ")" in head:
            found.append(_function(code, begin, at, end))
        begin = end
    return found


def _marks(code):
    return re.finditer(r"[;{}]", code)


def _body_behind(code, at):
    """The body of a constructor whose member initialisers go on at `at`."""
    while True:
        mark = re.compile(r"[;{]").search(code, at)
        if mark is None or mark.group() == ";":
            return None
        if code[mark.start() - 1] in " \n" and not code[at : mark.start()].rstrip().endswith(("=", ",")):
            return mark.start()
        at = matching(code, mark.start(), "{}")


def _function(code, begin, body, end):
    head = code[begin:body]
    begin += len(head) - len(head.lstrip())
    return Function(head.strip(), begin, body, end)
