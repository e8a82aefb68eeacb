// SPDX-License-Identifier: Apache-2.0
// answers.js MODULE ZLAY REQUESTS...: each line of the files REQUESTS, asked of the module and of the program ZLAY, which has no
// engines either. Both answer alike, byte by byte. Speaks TAP.
"use strict";
const { readFileSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
const { zlayOpen } = require("../../playground/zlay.js");

const [program, zlay, ...files] = process.argv.slice(2);
const MOST = 1 << 30; // bytes of answers
const SHOWN = 5; // differences of a file

// A module that traps on every request: room gives 16, answer is `unreachable`.
const TRAPS = Uint8Array.from([
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 9, 2, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f,
  3, 4, 3, 0, 1, 1,
  5, 3, 1, 0, 1,
  7, 40, 4, 6, ...Buffer.from("memory"), 2, 0, 11, ...Buffer.from("_initialize"), 0, 0, 4, ...Buffer.from("room"), 0, 1, 6, ...Buffer.from("answer"), 0, 2,
  10, 13, 3, 2, 0, 0x0b, 4, 0, 0x41, 16, 0x0b, 3, 0, 0, 0x0b]);

async function traps() {
  const answer = await zlayOpen(TRAPS), got = [await answer("{}"), await answer("{}")];
  return got.every((text) => JSON.parse(text).error === "ENOMEM");
}

async function main() {
  const answer = await zlayOpen(readFileSync(program));
  let number = 0, failed = 0;
  console.log(`1..${files.length + 1}`);
  for (const file of files) {
    const lines = [...new Set(readFileSync(file, "utf8").split("\n").filter((line) => line.trim() && !line.includes("\ufffd")))];
    const native = spawnSync(zlay, ["batch"], { input: lines.join("\n") + "\n", maxBuffer: MOST }).stdout.toString().split("\n");
    const start = performance.now(), wrong = [];
    for (const [i, line] of lines.entries()) {
      const got = await answer(line);
      if (got !== native[i]) wrong.push(`# ${line.slice(0, 300)}\n#   here   ${got.slice(0, 300)}\n#   native ${native[i].slice(0, 300)}`);
    }
    const ok = lines.length > 0 && native.length === lines.length + 1 && !wrong.length;
    failed += !ok;
    console.log(`${ok ? "ok" : "not ok"} ${++number} - ${file}: ${lines.length} requests are answered alike, in ${Math.round(performance.now() - start)} ms`);
    if (wrong.length) console.log(`# ${wrong.length} differ\n${wrong.slice(0, SHOWN).join("\n")}`);
  }
  const survives = await traps();
  console.log(`${survives ? "ok" : "not ok"} ${++number} - a request that the module does not survive is answered, and so is the next`);
  return failed || !survives ? 1 : 0;
}

main().then((status) => process.exit(status));
