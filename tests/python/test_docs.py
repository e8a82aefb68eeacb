# SPDX-License-Identifier: Apache-2.0
"""Examples of docstrings and of docs/python.md say what is so."""
import doctest
import importlib
import os
import pkgutil
import re
import unittest

import zlay

ROOT = os.environ.get("ZLAY_ROOT", ".")


def load_tests(loader, tests, pattern):
    for module in pkgutil.walk_packages(zlay.__path__, "zlay."):
        if not module.name.endswith("_zlay_ffi"):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name), test_finder=doctest.DocTestFinder(exclude_empty=True)))
    tests.addTests(doctest.DocTestSuite(zlay))
    tests.addTest(doctest.DocTestCase(page("docs/python.md"), optionflags=doctest.ELLIPSIS))
    return tests


def page(path):
    """The examples of a page; the ends of its blocks are no output."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        text = re.sub("^```.*$", "", f.read(), flags=re.M)
    return doctest.DocTestParser().get_doctest(text, {}, path, path, 0)


class Names(unittest.TestCase):
    def test_all_that_is_listed_is_there(self):
        for name in zlay.__all__:
            self.assertTrue(getattr(zlay, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
