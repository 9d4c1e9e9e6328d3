#!/usr/bin/env python3
"""Proves of every rule of tidy.py that it finds what it forbids and leaves alone what it allows."""

import pathlib
import tempfile
import unittest

import samples
import tidy
import tree_rules
from tree import SourceFile, Tree, functions

BY_NAME = {tidy.name_of(rule): rule for rule in [*tidy.RULES, *tidy.ADVICE]}


def findings(name, texts):
    return list(BY_NAME[name](Tree.of_texts({**samples.TABLES, **texts})))


class Rules(unittest.TestCase):
    def test_every_rule_has_samples(self):
        with_samples = set(samples.BAD) | {"stale-files"}
        self.assertEqual(set(BY_NAME), with_samples)
        self.assertEqual(set(BY_NAME), set(samples.GOOD) | {"stale-files"})

    def test_bad_samples_are_found(self):
        for name, trees in samples.BAD.items():
            for texts in trees:
                with self.subTest(rule=name, texts=texts):
                    found = findings(name, texts)
                    self.assertTrue(found)
                    self.assertTrue(all(finding.rule == name for finding in found))

    def test_good_samples_pass(self):
        for name, trees in samples.GOOD.items():
            for texts in trees:
                with self.subTest(rule=name, texts=texts):
                    self.assertEqual([str(finding) for finding in findings(name, texts)], [])

    def test_a_finding_has_its_line(self):
        found = findings("banned-names", {"src/base/a.cc": "/* two\nlines */\n\nstd::mutex m;\n"})
        self.assertEqual([finding.line for finding in found], [4])

    def test_a_stale_file_is_found(self):
        # The rule runs the generators of a tree on disk; one that says no is a finding.
        with tempfile.TemporaryDirectory() as folder:
            tools = pathlib.Path(folder, "tools")
            tools.mkdir()
            for name, code in {"gen_good.py": 0, "gen_stale.py": 1}.items():
                (tools / name).write_text(f'import sys\nprint("a.h is stale")\nsys.exit({code})\n')
            files = [SourceFile(f"tools/{path.name}", path.read_text()) for path in sorted(tools.iterdir())]
            found = list(tree_rules.stale_files(Tree(files, folder)))
        self.assertEqual([(it.path, it.message) for it in found], [("tools/gen_stale.py", "a.h is stale")])


class Exceptions(unittest.TestCase):
    BAD = {"src/base/a.cc": "std::mutex m;\nstd::thread t;\n"}

    def check(self, allowed):
        tree = Tree.of_texts({**self.BAD, tidy.ALLOWED: allowed})
        rules = [rule for rule in tidy.RULES if tidy.name_of(rule) == "banned-names"]
        return [finding.message for finding in tidy.check(tree, rules)]

    def test_an_exception_covers_its_rule_path_and_words(self):
        self.assertEqual(len(self.check("")), 2)
        self.assertEqual(self.check("banned-names src/base/a.cc : it must\n"), [])
        self.assertEqual(len(self.check("banned-names src/base/a.cc 'std::mutex' : it must\n")), 1)
        self.assertEqual(len(self.check("banned-names src/base/b.cc : it must\n")), 2)
        self.assertEqual(len(self.check("columns src/base/a.cc : it must\n")), 2)

    def test_an_exception_needs_a_reason(self):
        self.assertIn('write "rule path [words] : reason"', self.check("banned-names src/base/a.cc\n"))

    def test_an_exception_that_nothing_needs_is_found(self):
        tree = Tree.of_texts({"src/base/a.cc": "int a;\n", tidy.ALLOWED: "columns src/base/a.cc : long\n"})
        found = [finding for finding in tidy.check(tree, tidy.RULES) if finding.rule == "allowed"]
        self.assertEqual([finding.line for finding in found], [1])


class Functions(unittest.TestCase):
    def heads(self, text):
        return [" ".join(function.head.split()) for function in functions(SourceFile("src/base/a.cc", text))]

    def test_reads_formatted_code(self):
        text = """\
#include "base/a.h"
#define TWO_LINES(a) \\
  do { f(a); } while (false)

namespace n {
namespace {

constexpr int kNumbers[] = {1, 2};
const std::map<int, int> kMap{{1, 2}};
struct Point {
  int x = 0;
  int y{0};
  int sum() const { return x + y; }
};
enum class Kind : uint8_t { kA, kB };

template <typename T>
  requires std::is_integral_v<T>
T twice(T value) {
  auto f = [](T a) { return a; };
  for (int i = 0; i < 2; ++i) {
    f(value);
  }
  return value;
}

}  // namespace

A::A(int a, std::string b)
    : a_(a), b_{std::move(b)}, c_(std::make_unique<C>(C{1, 2})) {
  g();
}
A::~A() = default;
bool operator==(const A& a, const A& b) { return a.x == b.x && b.y == ' '; }

}  // namespace n
"""
        self.assertEqual(
            [head.split("(")[0].split()[-1] for head in self.heads(text)], ["sum", "twice", "A::A", "operator=="]
        )

    def test_comments_and_strings_are_no_code(self):
        text = 'f("{ // \\" }"); // }\nauto r = R"x(a " { )x"; char c = \'{\'; int i = 1\'000; /* { */\n'
        file = SourceFile("a.cc", text)
        self.assertNotIn("{", file.code)
        self.assertIn("1'000", file.code)
        self.assertEqual(len(file.code), len(file.text))
        self.assertEqual([comment.text for comment in file.comments], ["// }", "/* { */"])


if __name__ == "__main__":
    unittest.main()
