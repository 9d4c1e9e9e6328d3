"""Rules of texts: lengths of lines and files, words, to-dos, headers that explain themselves, links."""

import posixpath
import re

from tree import Finding

COLUMNS_MAX = 100  # of C++
SCRIPT_COLUMNS_MAX = 120  # of everything else that is read as code
FILE_LINES_MAX = 800
CODE = (".h", ".cc", ".py", ".sh", ".java", ".cmake", ".txt")
TABLES = ("tests/golden/vectors/",)

# The project speaks of itself alone: not of who made it, where, or with what.
FOREIGN_WORDS = [
    ("a number of a tracker", r"(?<![\w&/#-])#\d{1,6}\b(?![\w-])|\b[Ii]ssues? #?\d+|\bGH-\d+|\b[Tt]icket #?\d+"),
    ("who works on it", r"\b(?:this|my|our|last|previous|earlier|another|next) (?:chat|conversation|session)\b"
     r"|\b(?:sub-?|coding |AI )[Aa]gents?\b|\b(?:the|an|another|other) agents?\b(?! string)"
     r"|\b(?:another|other|fellow) helpers?\b|\bhelpers? (?:who|wrote|has|have|was|were|reported)\b"),
    ("a place of one machine", r"(?<![\w.$}])/(?:work|home|root|Users|workspace)/\w|(?<![\w.$}])/mnt/\w"),
    ("a package registry", r"\bpypi\.org\b|\bpythonhosted\.org\b|\brepo1?\.maven\.(?:org|apache\.org)\b|\bnpmjs\.\w+"
     r"|\bcrates\.io\b|\bdeb\.debian\.org\b|\bproxy\.golang\.org\b|\bdocker\.io\b|\bregistry\.[\w.-]+\.\w+"),
]


def _is_code(file):
    return file.path.endswith(CODE) or file.name in ("Makefile", "CMakeLists.txt")


def columns(tree):
    for file in tree.files.values():
        if not _is_code(file) or file.is_generated or file.path.startswith(TABLES):
            continue
        most = COLUMNS_MAX if file.is_cpp else SCRIPT_COLUMNS_MAX
        for number, line in enumerate(file.lines, 1):
            if len(line) > most and not re.search(r"https?://\S{60,}", line):
                yield Finding("columns", file.path, number, f"{len(line)} columns; at most {most}")


def file_length(tree):
    for file in tree.files.values():
        count = file.text.count("\n")
        if _is_code(file) and not file.is_generated and count > FILE_LINES_MAX:
            message = f"{count} lines; at most {FILE_LINES_MAX}: split it"
            yield Finding("file-length", file.path, 1, message)


def white_space(tree):
    for file in tree.files.values():
        if file.path.startswith(TABLES):
            continue
        for number, line in enumerate(file.lines, 1):
            if line != line.rstrip() and not file.path.endswith((".md", ".tsv")):
                yield Finding("white-space", file.path, number, "space at the end of the line")
            if "\t" in line and file.is_cpp:
                yield Finding("white-space", file.path, number, "a tab")
        if file.text and not file.text.endswith("\n"):
            yield Finding("white-space", file.path, len(file.lines), "no new line at the end")


def foreign_words(tree):
    for file in tree.files.values():
        if file.path.startswith((*TABLES, "tests/tidy/")):
            continue
        for what, pattern in FOREIGN_WORDS:
            for found in re.finditer(pattern, file.text):
                message = f"'{found.group(0)}' speaks of {what}"
                yield Finding("foreign-words", file.path, file.line_of(found.start()), message)


def todos(tree):
    """A TODO says what is lost without it."""
    for file in tree.files.values():
        if not _is_code(file) or file.path.startswith("tests/tidy/"):
            continue
        for found in re.finditer(r"\b(TODO|FIXME|XXX|HACK)\b([^\n]*(?:\n[ \t]*(?://|#)(?!.*TODO)[^\n]*)*)", file.text):
            if found.group(1) != "TODO" or "without it" not in found.group(2):
                message = 'write "TODO: what to do; without it ..." with what is lost'
                yield Finding("todos", file.path, file.line_of(found.start()), message)


_CODE_IN_COMMENT = re.compile(
    r"//\s?(?:if|for|while|return|auto|const|std::|[a-z_]+\(.*\);|\w+ \w+ =).*[;{]\s*$"
)


def commented_code(tree):
    """Code that is commented out; examples in headers are indented by three spaces."""
    for file in tree.cpp():
        if file.is_generated:
            continue
        for comment in file.comments:
            if _CODE_IN_COMMENT.match(comment.text):
                message = "code that is commented out; delete it"
                yield Finding("commented-code", file.path, file.line_of(comment.position), message)


def header_comments(tree):
    """A header begins with what it is and promises, and says which threads may use it."""
    for file in tree.headers():
        if file.is_generated or file.module is None:
            continue
        comments = "\n".join(comment.text for comment in file.comments)
        if "Thread rule:" not in comments:
            yield Finding("header-comments", file.path, 1, 'no comment with "Thread rule:"')


def links(tree):
    """Links between documents, and the paths that they name, lead somewhere."""
    known = set(tree.files)
    for path in tree.files:
        parent = posixpath.dirname(path)
        while parent and parent not in known:
            known.add(parent)
            parent = posixpath.dirname(parent)
    for file in tree.files.values():
        if not file.path.endswith(".md"):
            continue
        targets = []
        for found in re.finditer(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", file.text):
            if not re.match(r"\w+:", found.group(1)):
                targets.append((found, posixpath.join(posixpath.dirname(file.path), found.group(1))))
        for found in re.finditer(r"`((?:src|tests|tools|docs|bench|cmake)/[\w./-]*\w/?)`", file.text):
            if "NAME" not in found.group(1):  # stands for any name
                targets.append((found, found.group(1)))
        for found, target in targets:
            if posixpath.normpath(target) not in known:
                message = f"{found.group(1)} does not exist"
                yield Finding("links", file.path, file.line_of(found.start()), message)


RULES = [
    columns,
    file_length,
    white_space,
    foreign_words,
    todos,
    commented_code,
    header_comments,
    links,
]
