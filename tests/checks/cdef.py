#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""zlay.cdef as cffi reads it, against the C compiler and ctypes: every size, every offset, every
enumerator, and calls through both.  Speaks TAP.  Usage: cdef.py BUILD CC"""
import ctypes
import os
import subprocess
import sys
import tempfile

import cffi

build, cc = sys.argv[1], sys.argv[2]
ffi = cffi.FFI()
with open(os.path.join(build, "zlay.cdef")) as f:
    text = f.read()
ffi.cdef(text)
typedefs, _, _ = ffi.list_types()
structs = [t for t in typedefs if ffi.typeof(t).kind == "struct" and ffi.typeof(t).fields]
failed = []


def test(number, name, fault):
    print(f"{'not ok' if fault else 'ok'} {number} - {name}")
    for line in fault or []:
        print("#", line)
    failed.extend(fault or [])


def lines(eol, member):
    """What both sides print: the size of each struct and the place of each field."""
    out = []
    for t in structs:
        out.append(eol(t, None))
        out += [member(t, name) for name, _ in ffi.typeof(t).fields]
    return out


def seen_by_c():
    code = lines(lambda t, _: f'printf("{t} %zu\\n", sizeof({t}));',
                 lambda t, f: f'printf("{t}.{f} %zu %zu\\n", offsetof({t}, {f}), sizeof((({t} *)0)->{f}));')
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "a.c"), os.path.join(folder, "a")
        includes = "".join(f"#include <zlay/{h}>\n" for h in sorted(os.listdir("include/zlay")) if h.endswith(".h"))
        with open(source, "w") as f:
            f.write(includes + "#include <stdio.h>\nint main(void)\n{\n" + "\n".join(code) + "\nreturn 0;\n}\n")
        subprocess.run([*cc.split(), "-std=c11", "-Iinclude", "-o", program, source], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()


def seen_by_cffi():
    size = {t: dict(ffi.typeof(t).fields) for t in structs}
    return lines(lambda t, _: f"{t} {ffi.sizeof(t)}",
                 lambda t, f: f"{t}.{f} {size[t][f].offset} {ffi.sizeof(size[t][f].type)}")


def as_ctypes(t):
    scalars = {1: ctypes.c_uint8, 2: ctypes.c_uint16, 4: ctypes.c_uint32, 8: ctypes.c_uint64}
    if t.kind == "array":
        return as_ctypes(t.item) * t.length
    if t.kind in ("pointer", "function"):
        return ctypes.c_void_p
    if t.kind == "struct":
        return type(t.cname, (ctypes.Structure,), {"_fields_": [(n, as_ctypes(f.type)) for n, f in t.fields]})
    return ctypes.c_float if t.cname == "float" else ctypes.c_double if t.cname == "double" else scalars[ffi.sizeof(t)]


def seen_by_ctypes():
    made = {t: as_ctypes(ffi.typeof(t)) for t in structs}
    return lines(lambda t, _: f"{t} {ctypes.sizeof(made[t])}",
                 lambda t, f: f"{t}.{f} {getattr(made[t], f).offset} {getattr(made[t], f).size}")


def differences(a, b):
    return [f"{x} | {y}" for x, y in zip(a, b) if x != y] + ([] if len(a) == len(b) else ["another number of lines"])


def hardware_structs_have_no_holes():
    bad = []
    for t in ("zlay_tensormap", "zlay_smemdesc", "zlay_mma", "zlay_verdict", "zlay_reason", "zlay_copy"):
        used = sum(ffi.sizeof(f.type) for _, f in ffi.typeof(t).fields)
        if used != ffi.sizeof(t):
            bad.append(f"{t}: {used} of {ffi.sizeof(t)} bytes are fields")
    sizes = {"zlay_tensormap": 240, "zlay_verdict": 32, "zlay_reason": 64, "zlay_smemdesc": 40, "zlay_mma": 112}
    return bad + [f"{t} has {ffi.sizeof(t)} bytes" for t, n in sizes.items() if ffi.sizeof(t) != n]


def call_by_cffi():
    lib = ffi.dlopen(os.path.join(build, "libzlay.so"))
    target, verdict = ffi.new("zlay_target **"), ffi.new("zlay_verdict *")
    if lib.zlay_target_find(target, b"sm_90a", 6):
        return ["sm_90a was not found"]
    tmap = ffi.new("zlay_tensormap *", {"extent": [4100, 64], "stride": [8200], "box": [64, 64], "step": [1, 1],
                                        "rank": 2, "type": lib.ZLAY_TYPE_BF16})
    reasons = ffi.new("zlay_reason[4]")
    status = lib.zlay_tensormap_check(verdict, reasons, 4, target[0], tmap)
    found = (status, verdict.answer, verdict.broken, reasons[0].value, reasons[0].lo, reasons[0].fix_value)
    return [] if found == (0, 0, 1, 8200, 16, 8208) else [f"tensormap_check answers {found}"]


def call_by_ctypes():
    lib = ctypes.CDLL(os.path.join(build, "libzlay.so"))
    lib.zlay_version.restype = ctypes.c_char_p
    ctx, layout = ctypes.c_void_p(), ctypes.c_void_p()
    value = ctypes.c_int64()
    assert lib.zlay_ctx_new(ctypes.byref(ctx), None, None) == 0
    assert lib.zlay_layout_parse(ctx, ctypes.byref(layout), b"(4,(2,2)):(2,(1,8))", ctypes.c_size_t(19)) == 0
    lib.zlay_layout_eval(ctypes.byref(value), ctypes.c_size_t(1), layout, ctypes.c_uint64(6))
    lib.zlay_layout_free(layout)
    lib.zlay_ctx_free(ctx)
    return [] if value.value == 5 and lib.zlay_version().count(b".") == 2 else [f"index 6 has the value {value.value}"]


print("1..6")
c = seen_by_c()
test(1, f"cffi sees the {len(structs)} structs as C does", differences(c, seen_by_cffi()) if len(structs) > 10 else ["few structs"])
test(2, "ctypes sees them as C does", differences(c, seen_by_ctypes()))
test(3, "hardware-shaped structs have no holes and their stated sizes", hardware_structs_have_no_holes())
test(4, "a call through cffi", call_by_cffi())
test(5, "a call through ctypes", call_by_ctypes())
test(6, "no attribute and no macro is left in it", [l for l in text.splitlines() if "__" in l or l.startswith("#")])
sys.exit(1 if failed else 0)
