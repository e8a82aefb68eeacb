#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/playground.py MODULE PIPE: prints the page of playground/ as one file that needs no other. The module is inside,
packed and in base64, and so is the text of the pipe that it shows first; the page may run the script inside it, and no other."""
import base64
import gzip
import hashlib
import json
import os
import sys

FOLDER = os.path.join(os.path.dirname(__file__), "..", "playground")


def text_of(path):
    with open(os.path.join(FOLDER, path), encoding="utf-8") as file:
        return file.read()


def example(path):
    """The text of a pipe with two stages, without what its file says of itself."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file.read().replace("$", "2").split("\n") if not line.startswith("#")]
    return "\n".join(lines)


def page(module, pipe):
    with open(module, "rb") as file:
        packed = base64.b64encode(gzip.compress(file.read(), 9, mtime=0)).decode()
    constants = f"const MODULE = {json.dumps(packed)};\nconst RING = {json.dumps(example(pipe))};\n"
    script = "\n" + text_of("zlay.js") + constants + text_of("page.js") + "\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    head, tail = text_of("page.html").split("\n@JS@\n")
    head = head.replace("@CSS@", text_of("page.css").strip()).replace("@HASH@", f"sha256-{digest}")
    return head + script + tail


if __name__ == "__main__":
    sys.stdout.write(page(*sys.argv[1:]))
