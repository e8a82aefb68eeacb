#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/gen-python.py PROGRAM FOLDER: zlay/ops, zlay/check.py and zlay/synth.py of the Python package, from the rows of operations
as `zlay batch` answers {"op": "zlay"}: a module a name before the dot, a function an operation, an argument a field."""
import json
import os
import keyword
import re
import subprocess
import sys
import textwrap

TYPES = {"integer": "Number", "word": "Number", "switch": "Number", "boolean": "bool", "text": "str", "texts": "Sequence[str]",
         "list": "Sequence[Value]", "layout": "LayoutLike", "value": "Value", "integers": "Integers", "matrix": "Matrix",
         "sizes": "Sequence[Sequence[Number]]", "object": "Mapping[str, Value]", "objects": "Sequence[Mapping[str, Value]]",
         "map": "MapLike", "pipe": "PipeLike"}
#: What an operation answers: the function that asks, its type.
ANSWERS = {"layout": ("_layout", "Layout"), "F2 object": ("_f2", "F2"), "integer": ("_call", "int"), "bytes": ("_call", "int")}
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""{about}"""
'''


def answer(op):
    if op["ok"].startswith(("check", "answer, broken")):
        return "_asked", "Verdict"
    return ANSWERS.get(op["ok"], ("_call", "Any"))


def wrapped(text, indent, first=""):
    return textwrap.fill(text, 116, initial_indent=indent + first, subsequent_indent=indent, break_long_words=False)


def argument(name):
    return name + "_" * keyword.iskeyword(name)


def arguments(parts, before, behind):
    """Arguments on lines of 116 columns, none of them torn."""
    whole = [part.replace(" ", "~") for part in parts]
    text = textwrap.fill(" " * before + ", ".join(whole) + "~" * behind, 116, subsequent_indent=" " * 8, break_long_words=False)
    return text[before:-behind].replace("~", " ")


def function(name, op):
    """An operation as a function: what it needs, then by name what it may have."""
    may = [*op["optional"]]
    types = dict(op["types"])
    if name.startswith("layout.") and "facts" not in types:
        may, types["facts"] = [*may, "facts"], "texts"
    may, types["limits"] = [*may, "limits"], "counts"
    kind = lambda field: TYPES.get(types[field], "Mapping[str, int]")
    parts = [f"{argument(f)}: {kind(f)}" for f in op["fields"]] + ["*"]
    parts += [f"{argument(f)}: Optional[{kind(f)}] = None" for f in may]
    ask, returns = answer(op)
    passed = ", ".join([f'"{name}"'] + [f"{f}={argument(f)}" for f in op["fields"] + may])
    last = argument(name.rsplit(".", 1)[-1])
    text = op["text"].replace("\\", "\\\\")
    doc = wrapped(text + '"""', "    ", '"""')
    head = arguments(parts, len(f"def {last}("), len(f") -> {returns}:"))
    body = textwrap.fill(passed, 100, subsequent_indent=" " * 8, break_long_words=False)
    result = f"{ask}({body})" if returns != "int" else f"int({ask}({body}))"
    return f"def {last}({head}) -> {returns}:\n{doc}\n    return {result}\n"


def module(about, functions, exported):
    text = "\n" + "\n\n".join(functions)
    typing = [w for w in ("Any", "Mapping", "Optional", "Sequence") if w + "[" in text or (w == "Any" and "-> Any" in text)]
    lines = [f"from typing import {', '.join(typing)}", ""]
    has = lambda word: re.search(rf"\b{word}\b", re.sub(r'""".*?"""', "", text, flags=re.S))
    json_names = [w for w in ("Integers", "Matrix", "Number", "Value") if has(w)] + ["call as _call"] * ("_call(" in text)
    for place, words in ((".._json", json_names), ("..f2", ["F2"] * ("-> F2" in text)),
                         ("..layout", [w for w in ("Layout", "LayoutLike") if f"-> {w}:" in text or f": {w}" in text or f"[{w}]" in text]),
                         ("..pipe", ["PipeLike"] * ("PipeLike" in text)), ("..tensormap", ["MapLike"] * ("MapLike" in text)),
                         ("..verdict", ["Verdict", "asked as _asked"] * ("_asked(" in text)),
                         ("._answers", [f"{w} as _{w}" for w in ("f2", "layout") if f"_{w}(" in text])):
        if words:
            lines.append(f"from {place} import {', '.join(words)}")
    names = ", ".join(f'"{n}"' for n in exported)
    lines += ["", textwrap.fill(f"__all__ = [{names}]", 116, subsequent_indent=" " * 11), "", ""]
    return HEAD.format(about=about) + "from __future__ import annotations\n\n" + "\n".join(lines) + text


def aliases(about, which):
    """A module of operations that are elsewhere, under the names before their dots."""
    lines = [f"from .ops.{name.split('.')[0]} import {name.split('.')[1]} as {name.split('.')[0]}" for name in which]
    names = ", ".join(f'"{n.split(".")[0]}"' for n in which)
    return (HEAD.format(about=about) + "from __future__ import annotations\n\n" + "\n".join(lines) + "\n\n"
            + textwrap.fill(f"__all__ = [{names}]", 116, subsequent_indent=" " * 11) + "\n")


def files(ops):
    rooms = {}
    for name in sorted(ops):
        rooms.setdefault(name.split(".")[0] if "." in name else "", []).append(name)
    for room, names in rooms.items():
        functions = [function(name, ops[name]) for name in names]
        exported = [argument(name.rsplit(".", 1)[-1]) for name in names]
        if room:
            yield f"ops/{room}.py", module(f"Operations `{room}.*` of docs/batch.md.", functions, exported)
        else:
            about = "Every operation of docs/batch.md, by name: `zlay.ops.layout.compose(a, b)`. Those without a dot stand here."
            yield "ops/_plain.py", module(about, functions, exported)
    inner = sorted(r for r in rooms if r)
    alone = sorted(argument(n) for n in rooms[""])
    listed = ", ".join(f'"{n}"' for n in sorted(inner + alone))
    yield "ops/__init__.py", (
        HEAD.format(about="Every operation of docs/batch.md, by name: `zlay.ops.layout.compose(a, b)`.\n\n"
                          "A function returns what the operation answers as `ok`: a Layout, an F2, a Verdict, or values of JSON; all\n"
                          "else is an exception.\n")
        + "from __future__ import annotations\n\n"
        + "\n".join(textwrap.wrap("from . import " + ", ".join(inner), 112)).replace("\n", " \\\n    ")
        + f"\nfrom ._plain import {', '.join(alone)}\n\n"
        + textwrap.fill(f"__all__ = [{listed}]", 116, subsequent_indent=" " * 11) + "\n")
    checks = [n for n in sorted(ops) if n.endswith((".check", ".verify")) and answer(ops[n])[0] == "_asked"]
    yield "check.py", aliases("Checks by their subject: yes or depends is returned as a Verdict, no is raised as Refused.", checks)
    yield "synth.py", aliases("Syntheses by what they make; the answers are those of docs/batch.md.",
                              [n for n in sorted(ops) if n.endswith(".synth")])


program, folder = sys.argv[1:]
told = subprocess.run([program, "batch"], input='{"op":"zlay"}', capture_output=True, text=True, check=True).stdout
made = dict(files(json.loads(told)["ok"]["ops"]))
os.makedirs(os.path.join(folder, "ops"), exist_ok=True)
for path, text in made.items():
    with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
        f.write(text)
for left in set(os.listdir(os.path.join(folder, "ops"))) - {os.path.basename(p) for p in made if p.startswith("ops/")} - {"_answers.py"}:
    if left.endswith(".py"):
        os.remove(os.path.join(folder, "ops", left))
