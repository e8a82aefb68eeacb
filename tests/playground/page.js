// SPDX-License-Identifier: Apache-2.0
// page.js PAGE ZLAY [PICTURE]: the page in a headless Chromium, opened as a file: what is typed is answered as the program ZLAY
// answers, links carry the state, nothing is asked of a network. PICTURE receives a screenshot. Speaks TAP.
"use strict";
const { statSync, writeFileSync } = require("node:fs");
const { execFileSync } = require("node:child_process");
const { resolve } = require("node:path");
const { Browser } = require("./browser.js");

const [page, zlay, picture] = process.argv.slice(2);
const ADDRESS = `file://${resolve(page)}`;
const BYTES_MOST = 2e6, FIRST_MOST = 1000, OPENED = 3; // the machine may be busy with something else

const MAP = { mode: "tiled", type: "bf16", rank: 2, address: 0, extent: [4096, 4096], stride: [8192], box: [64, 300], step: [1, 1],
  interleave: "none", swizzle: "128B", l2: "none", oob: "none" };
const LAYOUT = "Sw<3,2,3> o 0 o (16,32):(32,1)";

// Long work: 60 million values of two layouts are compared.
const SLOW = { op: "layout.equal", a: "{ [i] -> [i mod 7 + floor(i/3)] : 0 <= i < 60000000 }",
  b: "{ [i] -> [floor(i/3) + i - 7*floor(i/7)] : 0 <= i < 60000000 }", limits: { points: 67108864, work: 17179869184, memory: 1073741824 } };

function native(request) {
  return JSON.parse(execFileSync(zlay, ["batch"], { input: JSON.stringify(request) + "\n" }).toString());
}

let number = 0, failed = 0;
function check(what, holds, shown) {
  failed += !holds;
  console.log(`${holds ? "ok" : "not ok"} ${++number} - ${what}${holds ? "" : `\n# ${JSON.stringify(shown)}`}`);
}

async function main() {
  const browser = new Browser("chromium");
  const text = (id) => browser.evaluate(`document.getElementById("${id}").innerText`);
  const has = (selector) => browser.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
  const answered = () => browser.evaluate("document.body.dataset.answered");
  const after = async (act) => {
    const was = await answered();
    await act();
    await browser.until(`document.body.dataset.answered > ${was}`);
  };
  const open = async (fragment, ...how) => {
    await browser.open("about:blank");
    await browser.open(ADDRESS + fragment, ...how);
    await browser.until("document.body?.dataset.answered && document.readyState === 'complete'");
  };
  // As a person does: the box is emptied, and keys are sent.
  const type = async (value) => {
    await browser.evaluate('document.getElementById("input").select()');
    await after(() => browser.send("Input.insertText", { text: value }));
  };
  const click = (selector, label) => after(() => browser.evaluate(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].find((b) => b.textContent === ${JSON.stringify(label)}).click()`));

  try {
    const size = statSync(page).size;
    check(`the page has ${size} bytes, fewer than ${BYTES_MOST}`, size < BYTES_MOST, size);
    const opened = [];
    for (let i = 0; i < OPENED; i++) {
      await open("");
      opened.push(await browser.evaluate("Math.round(Number(document.body.dataset.first))"));
    }
    const first = Math.min(...opened);
    check(`the first answer is there after ${opened.join(", ")} ms, at best in less than ${FIRST_MOST}`, first > 0 && first < FIRST_MOST, opened);

    await type(LAYOUT);
    check("a layout has its picture", await has("#picture svg rect") === 512, await has("#picture svg rect"));
    check("a layout has its verdict", /injective\s+yes\s+bijective\s+yes/.test(await text("verdict")), await text("verdict"));
    const code = native({ op: "emit", what: "layout", name: "at", layout: LAYOUT, language: "cuda" }).ok.text;
    check("a layout has its code", (await browser.evaluate('document.querySelector("#code pre").textContent')) === code, await text("code"));
    await after(() => browser.evaluate('{ const s = document.getElementById("language"); s.value = "ptx"; s.dispatchEvent(new Event("input")); }'));
    const ptx = native({ op: "emit", what: "layout", name: "at", layout: LAYOUT, language: "ptx" }).ok.text;
    check("its code is that of the chosen language", (await browser.evaluate('document.querySelector("#code pre").textContent')) === ptx, await text("code"));
    const link = await browser.evaluate("location.hash");

    await type("(4,8):(2,1)");
    check("a witness: two indices of one value", /injective\s+no: indices 1 and 8/.test(await text("verdict")), await text("verdict"));
    await type("(4,8");
    check("an error is said", /EINVAL/.test(await text("verdict")), await text("verdict"));
    await type("<img src=x onerror=alert(1)>");
    check("a text is never an element of the page", await has("img") === 0 && /EINVAL/.test(await text("verdict")), await text("verdict"));
    await type("Sw<3,4,3>");
    check("a swizzle has its picture", await has("#picture svg rect") === 64, await has("#picture svg rect"));

    await type(JSON.stringify(MAP));
    check("a map that is not legal says which rule it breaks", /legal\s+no[^]*TMAP_BOX/.test(await text("verdict")), await text("verdict"));
    check("the picture of its box", await has("#picture svg rect") === 128, await has("#picture svg rect"));
    await click("#repair button", "use it");
    const { ok } = native({ op: "tensormap.check", target: "sm_90a", map: MAP });
    const used = JSON.parse(await browser.evaluate('document.getElementById("input").value'));
    check("its repair is the program's, and legal", JSON.stringify(used) === JSON.stringify(ok.repaired[0]) && /legal\s+yes/.test(await text("verdict")), used);
    check("the code of a legal map", /cuTensorMapEncodeTiled|\.b64/.test(await text("code")), await text("code"));

    await click("#examples button", "pipe");
    check("a pipe that is correct, and its proof", /every trip count\s+yes/.test(await text("verdict")) && /proof ring/.test(await text("picture")), await text("verdict"));
    check("its kernel", /\.visible \.entry kernel/.test(await text("code")), await text("code"));
    await click("#examples button", "pipe without its fence");
    const unfenced = await text("verdict");
    await click("#repair button", "use it");
    check("a pipe that lacks a fence gets it, and is correct", /every trip count\s+no/.test(unfenced) && /every trip count\s+yes/.test(await text("verdict")) &&
      /^fence mbarrier_init$/m.test(await browser.evaluate('document.getElementById("input").value')), unfenced);
    await click("#examples button", "pipe with a fault");
    check("a pipe that is not, with the run that breaks it", /every trip count\s+no/.test(await text("verdict")) && /overrun at line/.test(await text("picture")), await text("picture"));
    check("the run has a column for each role", await has(".run th") === 2, await has(".run th"));
    await type('{"op": "layout.compose", "a": "(6,2):(8,2)", "b": "(4,3):(3,1)"}');
    check("any request of zlay batch", JSON.stringify(JSON.parse(await browser.evaluate('document.querySelector("#verdict pre").textContent'))) ===
      '{"ok":"((2,2),3):((24,2),8)"}', await text("verdict"));

    await browser.evaluate(`{ const i = document.getElementById("input"); i.value = ${JSON.stringify(JSON.stringify(SLOW))}; i.dispatchEvent(new Event("input")); }`);
    await new Promise((wake) => setTimeout(wake, 300));
    const waits = (await text("took")) === "…", start = Date.now();
    await type("(4,8):(8,1)");
    check("what is typed ends what still runs", waits && Date.now() - start < FIRST_MOST && /injective\s+yes/.test(await text("verdict")), await text("took"));

    await open(link);
    check("a link carries the state", await browser.evaluate('document.getElementById("input").value') === LAYOUT &&
      await browser.evaluate('document.querySelector("#code pre").textContent') === ptx, link);
    const light = await browser.evaluate("getComputedStyle(document.body).backgroundColor");
    await open(link, 1100, 900, "dark");
    const dark = await browser.evaluate("getComputedStyle(document.body).backgroundColor");
    check("light or dark, as the reader's system is", light !== dark, [light, dark]);
    await open(`#${new URLSearchParams({ text: JSON.stringify(MAP) })}`, 1100, 820);
    if (picture) writeFileSync(picture, await browser.screenshot());
    check("nothing is asked of a network", browser.requests().length === 0, browser.requests());
    check("the console has no complaint", browser.complaints().length === 0, browser.complaints());
  } catch (error) {
    check("the page can be driven", false, error.stack);
  }
  await browser.close();
  console.log(`1..${number}`);
  return failed ? 1 : 0;
}

main().then((status) => process.exit(status));
