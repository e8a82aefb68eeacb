# SPDX-License-Identifier: Apache-2.0
"""Examples of docstrings and of docs/python.md say what is so."""
import doctest
import importlib
import os
import pkgutil
import unittest

import zlay

ROOT = os.environ.get("ZLAY_ROOT", ".")


def load_tests(loader, tests, pattern):
    for module in pkgutil.walk_packages(zlay.__path__, "zlay."):
        if not module.name.endswith("_zlay_ffi"):
            tests.addTests(doctest.DocTestSuite(importlib.import_module(module.name), test_finder=doctest.DocTestFinder(exclude_empty=True)))
    tests.addTests(doctest.DocTestSuite(zlay))
    tests.addTests(doctest.DocFileSuite(os.path.abspath(os.path.join(ROOT, "docs/python.md")), module_relative=False, encoding="utf-8",
                                        optionflags=doctest.ELLIPSIS))
    return tests


class Names(unittest.TestCase):
    def test_all_that_is_listed_is_there(self):
        for name in zlay.__all__:
            self.assertTrue(getattr(zlay, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
