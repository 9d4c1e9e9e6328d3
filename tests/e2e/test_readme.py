"""What README.md shows works as it stands there; tests/readme does the same in a clean clone, with what is built."""

import sys

import pytest

from server import BINARY, ROOT

sys.path.append(str(ROOT / "tests/readme"))
import readme  # noqa: E402


def test_the_commands_and_programs_of_the_readme(request, tmp_path):
    if request.config.getoption("--server"):
        pytest.skip("starts a server of its own")
    readme.follow((ROOT / "README.md").read_text(), readme.Newcomer(ROOT, tmp_path, BINARY))


@pytest.mark.parametrize("text, told", [
    ("a\n```sh\ntrue\n\nls /no/such \\\n  -l\n```", "README.md:5: `ls /no/such   -l` ended with 2"),
    ("```console\n$ echo a 17 b\na 18   b\n$ echo a\nb\n```", "README.md:4: 'b' is shown, and not printed"),
    ("```console\n$ printf 'a\\nb'\nb\na\n```", "README.md:2: 'a' is shown, and not printed"),
    ("```sh\nexport A=b\nexport A=c$A\ntest $A = b # Ctrl-C\n```", "README.md:4: `test $A = b # Ctrl-C` ended with 1"),
    ("```text\nmake no-such-target\n```", "README.md:2: there is no target 'no-such-target'"),
    ("```\nls\n```", "line 1: a block of kind ''"),
    ("```sh\nls", "line 1: a block that does not end"),
    ("```python\nprint(1)\nexit(3)\n```", "ended with 3"),
    ("```python\nimport os\nos.abort()\n```", "README.md:2: the program does not come to its end"),
    ("```python\n1\n```", "README.md:2: the program prints nothing"),
    ("```python\nimport atexit, os\natexit.register(os.abort)\nprint(1)\n```", "README.md starts no server"),
    ("no block", "README.md starts no server"),
])  # fmt: skip
def test_what_does_not_work_is_told_with_its_line(tmp_path, text, told):
    with pytest.raises(readme.Failure) as failure:
        readme.follow(text, readme.Newcomer(tmp_path, tmp_path, BINARY))
    assert told in str(failure.value)
