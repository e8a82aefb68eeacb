# SPDX-License-Identifier: Apache-2.0
"""Every operation of `zlay batch` is a function, with its fields; answers are those of the program."""
import glob
import inspect
import json
import keyword
import os
import re
import subprocess
import unittest
import unittest.mock

import zlay

ROOT = os.environ.get("ZLAY_ROOT", ".")
PROGRAM = os.environ.get("ZLAY_PROGRAM", os.path.join(ROOT, "build/zlay"))


def function(op):
    """The function of an operation."""
    of = zlay.ops
    for part in op.split("."):
        of = getattr(of, part + "_" * keyword.iskeyword(part))
    return of


def functions():
    """Every function of zlay.ops by its operation's name."""
    for room in zlay.ops.__all__:
        of = getattr(zlay.ops, room)
        if inspect.ismodule(of):
            yield from ((f"{room}.{name.rstrip('_')}", getattr(of, name)) for name in of.__all__)
        else:
            yield room, of


def told():
    """Operations as the program's help lists them: name, fields that are needed, fields that may be there."""
    help_ = subprocess.run([PROGRAM, "batch", "--help"], capture_output=True, text=True, check=True).stdout
    for name, fields in re.findall(r"^  ([a-z0-9_.]+)  (.*?): .*\n      ", help_[help_.index("operations of"):], re.M):
        needed, _, may = fields.partition("[")
        yield name, needed.split(), may.rstrip("]").split()


class Lists(unittest.TestCase):
    def test_every_operation_is_a_function_with_its_fields(self):
        found, listed = dict(functions()), list(told())
        self.assertGreater(len(listed), 130)
        self.assertEqual(sorted(found), sorted(name for name, _, _ in listed))
        for name, needed, may in listed:
            parameters = inspect.signature(found[name]).parameters.values()
            by_place = [p.name.rstrip("_") for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
            by_name = {p.name.rstrip("_") for p in parameters if p.kind is p.KEYWORD_ONLY}
            self.assertEqual(by_place, needed, name)
            self.assertEqual(by_name - {"facts", "limits"}, set(may) - {"facts"}, name)
            self.assertTrue(inspect.getdoc(found[name]), name)

    def test_every_field_is_sent_under_its_name(self):
        for name, of in functions():
            names = list(inspect.signature(of).parameters)
            sent = []

            def record(op, /, **fields):
                sent.append((op, fields))
                return 0

            asks = [ask for ask in ("_call", "_asked", "_layout", "_f2") if ask in of.__globals__]
            with unittest.mock.patch.dict(of.__globals__, {ask: record for ask in asks}):
                of(**{n: f"the {n}" for n in names})
            self.assertEqual(sent, [(name, {n.rstrip("_"): f"the {n}" for n in names})])

    def test_checks_and_syntheses(self):
        for of, ending in ((zlay.check, (".check", ".verify")), (zlay.synth, ".synth")):
            wanted = {name.split(".")[0] for name, _ in functions() if name.endswith(ending)} - {"body", "region", "tiling", "tuning"}
            self.assertEqual(set(of.__all__), wanted)

    def test_the_versions_are_one(self):
        self.assertEqual(zlay.__version__, zlay.ops.zlay()["version"])


def _number(x):
    return isinstance(x, (int, str)) and not isinstance(x, bool)


def _list(of):
    return lambda x: isinstance(x, list) and all(map(of, x))


#: What a value of each type is.
TYPES = {"integer": _number, "word": _number, "switch": lambda x: isinstance(x, bool) or _number(x), "boolean": lambda x: isinstance(x, bool),
         "text": lambda x: isinstance(x, str), "texts": _list(lambda x: isinstance(x, str)), "layout": lambda x: isinstance(x, (str, dict)),
         "pipe": lambda x: isinstance(x, str), "map": lambda x: isinstance(x, dict), "integers": _list(_number),
         "matrix": _list(_list(_number)), "sizes": _list(lambda x: isinstance(x[0], str) and _number(x[1])), "object": lambda x: isinstance(x, dict),
         "objects": _list(lambda x: isinstance(x, dict)), "list": lambda x: isinstance(x, list), "value": lambda x: True}


class Answers(unittest.TestCase):
    def requests(self):
        """Whole requests of the documents and of the fuzzer's corpus."""
        for path in sorted(glob.glob(os.path.join(ROOT, "tests/fuzz/corpus/json/*"))):
            with open(path, "rb") as f:
                yield from f.read().decode(errors="replace").splitlines()
        for path in sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))):
            with open(path, encoding="utf-8") as f:
                yield from re.findall(r'(?:^    |`)(\{"op": ?"[a-z0-9_]+\.[a-z0-9_]+"[^`\n]*\})(?:`|$)', f.read(), re.M)

    def whole(self):
        """Those that are one object, have the fields that they need, and no number or null in the place of all."""
        known, asked = dict(functions()), []
        for line in self.requests():
            try:
                request = json.loads(line)
            except ValueError:
                continue
            if not isinstance(request, dict) or request.get("op") not in known or "id" in request or None in request.values():
                continue
            needed = [p.name for p in inspect.signature(known[request["op"]]).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
            if set(needed) <= set(request) and set(request) - {"op"} <= set(inspect.signature(known[request["op"]]).parameters):
                asked.append(request)
        return asked

    def test_answers_are_those_of_the_program(self):
        asked = self.whole()
        lines = "".join(json.dumps(request) + "\n" for request in asked)
        answers = subprocess.run([PROGRAM, "batch"], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertGreater(len(asked), 90)
        for request, line in zip(asked, answers):
            self.assertEqual(self.mine(request), self.theirs(request["op"], json.loads(line)), request)
        self.assertGreater(len({request["op"] for request in asked}), 45)

    def test_fields_have_the_types_that_are_told(self):
        """Each value of a request that is carried out is of its field's type, and an object in its place is refused where it is none."""
        ops, seen_types, lines = zlay.ops.zlay()["ops"], {}, []
        for request in self.whole():
            types = ops[request["op"]]["types"]
            if self.mine(request)[0] != "ok":
                continue
            for field in set(request) & set(types):
                self.assertTrue(TYPES[types[field]](request[field]), (request, field, types[field]))
                if types[field] not in ("value", "object", "map", "layout"):
                    seen_types.setdefault(types[field], set()).add(request["op"])
                    lines.append((field, json.dumps({**request, field: {"no": "such"}})))
        self.assertGreaterEqual(len(seen_types), 10, seen_types)
        answers = subprocess.run([PROGRAM, "batch"], input="\n".join(line for _, line in lines), capture_output=True, text=True, check=True).stdout
        for (field, line), answer in zip(lines, answers.splitlines()):
            self.assertEqual(json.loads(answer).get("error"), "EINVAL", (field, line))

    @staticmethod
    def mine(request):
        op = request.pop("op")
        try:
            return "ok", seen(function(op)(**request))
        except zlay.Refused as e:
            return "ok", e.verdict.raw
        except zlay.Error as e:
            return e.status, e.message
        finally:
            request["op"] = op

    @staticmethod
    def theirs(op, answer):
        for key, status in (("none", "NONE"), ("undecided", "UNDECIDED")):
            if key in answer:
                return status, answer[key]
        if "error" in answer:
            return answer["error"], answer["message"]
        value = answer["ok"]
        returns = inspect.signature(function(op)).return_annotation
        return "ok", seen(zlay.F2.of(value) if returns == "F2" else zlay.Layout(value) if returns == "Layout" else value)


def seen(value):
    """An answer as the JSON that it came from."""
    return str(value) if isinstance(value, zlay.Layout) else value.raw if isinstance(value, zlay.Verdict) else value


class Requests(unittest.TestCase):
    def test_objects_become_fields(self):
        import numpy

        a = zlay.Layout("(4,8):(8,1)")
        self.assertEqual(zlay.ops.layout.eval(a, numpy.array([1, 2])), [8, 16])
        self.assertEqual(zlay.ops.layout.eval(a, (numpy.int64(1), (3, 5))), [8, 29])
        with self.assertRaises(TypeError):
            zlay.call("layout.eval", layout=a, at=[object()])

    def test_large_integers(self):
        self.assertEqual(zlay.ops.zmat.det([[(1 << 62) + 1]]), (1 << 62) + 1)

    def test_errors_have_status_and_message(self):
        for op, fields, status, message in (("layout.eval", {}, "EINVAL", "fields 'layout', 'at' are missing"), ("no.such", {}, "ENOTSUP", "no.such"),
                                            ("layout.parse", {"layout": "8:"}, "EINVAL", "byte")):
            with self.assertRaises(zlay.Error) as e:
                zlay.call(op, **fields)
            self.assertEqual(e.exception.status, status)
            self.assertIn(message, e.exception.message)

    def test_limits(self):
        text = "{ [i] -> [i + floor(i/3)] : 0 <= i < 3000 }"
        with self.assertRaises(zlay.Error):
            with zlay.limits(pointz=1):
                pass
        with zlay.limits(nesting=4):
            with self.assertRaises(zlay.Error) as e:
                zlay.Layout("((((((8))))))")
            self.assertEqual(e.exception.status, "ELIMIT")
        self.assertEqual(zlay.Layout("((((((8))))))").size, 8)
        self.assertTrue(zlay.ops.layout.is_injective(text, limits={"points": 10000})["answer"])

    def test_a_long_answer(self):
        self.assertGreater(len(json.dumps(zlay.ops.zlay())), 1 << 15)


if __name__ == "__main__":
    unittest.main()
