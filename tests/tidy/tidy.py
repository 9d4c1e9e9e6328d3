#!/usr/bin/env python3
"""Checks what a machine can check of the project's conventions. Takes seconds and needs nothing built.

usage: tidy.py [--advice] [--rule NAME] [PATH...]

  --advice      also what is only advice
  --rule NAME   this rule alone
  PATH          findings below these paths alone

Exceptions are in allowed.txt, each with its reason. tidy_test.py proves of every rule that it can fail.
"""

import argparse
import pathlib
import sys

import code_rules
import include_rules
import text_rules
import tree_rules
from tree import Finding, Tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWED = "tests/tidy/allowed.txt"
RULES = [*include_rules.RULES, *code_rules.RULES, *text_rules.RULES, *tree_rules.RULES]
ADVICE = [*code_rules.ADVICE]


def name_of(rule):
    return rule.__name__.replace("_", "-")


class Allowed:
    """The exceptions: a line is "rule path words : reason", where the words are in the message."""

    def __init__(self, text):
        self.entries = []
        self.errors = []
        self.used = set()
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            place, _, reason = line.partition(" : ")
            parts = place.split(None, 2)
            if len(parts) < 2 or not reason.strip():
                message = 'write "rule path [words] : reason"'
                self.errors.append(Finding("allowed", ALLOWED, number, message))
                continue
            self.entries.append((number, parts[0], parts[1], parts[2].strip() if len(parts) > 2 else ""))

    def covers(self, finding):
        for number, rule, path, words in self.entries:
            if rule == finding.rule and path == finding.path and words in finding.message:
                self.used.add(number)
                return True
        return False

    def unused(self):
        for number, rule, path, _ in self.entries:
            if number not in self.used:
                yield Finding("allowed", ALLOWED, number, f"nothing of {path} breaks {rule} any more; remove the line")


def check(tree, rules):
    """All findings that are not allowed, in order, and exceptions that nothing needs."""
    allowed = Allowed(tree.text_of(ALLOWED))
    found = list(allowed.errors)
    for rule in rules:
        found += [finding for finding in rule(tree) if not allowed.covers(finding)]
    if set(RULES) <= set(rules):
        found += allowed.unused()
    return sorted(set(found), key=lambda finding: (finding.path, finding.line, finding.rule))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--advice", action="store_true")
    parser.add_argument("--rule", choices=[name_of(rule) for rule in [*RULES, *ADVICE]])
    parser.add_argument("paths", nargs="*")
    options = parser.parse_args()

    rules = RULES + (ADVICE if options.advice else [])
    if options.rule:
        rules = [rule for rule in [*RULES, *ADVICE] if name_of(rule) == options.rule]
    tree = Tree.load(ROOT)
    found = check(tree, rules)
    if options.paths:
        found = [finding for finding in found if finding.path.startswith(tuple(options.paths))]
    for finding in found:
        print(finding)
    if found:
        print(f"{len(found)} findings in {len({finding.path for finding in found})} files")
    else:
        print(f"{len(tree.files)} files, {len(rules)} rules: in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
