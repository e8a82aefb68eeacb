// SPDX-License-Identifier: Apache-2.0
// The page: what is in its box is recognised, becomes requests of docs/batch.md, and their answers
// become a picture, a verdict, a repair and code. The state is the fragment of the address.

// ---- what the box holds ---------------------------------------------------------------

// "layout", "swizzle", "tensormap", "pipe" or "request", with what the requests need of the text.
function recognise(text) {
  const plain = text.replace(/^\s*#.*$/gm, "").trim();
  if (/^pipe\b/.test(plain)) return { kind: "pipe", pipe: text };
  const swizzle = /^Sw<\s*(\d+)\s*,\s*\d+\s*,\s*(\d+)\s*>$/.exec(plain);
  if (swizzle) return { kind: "swizzle", layout: swizzleLayout(+swizzle[1], +swizzle[2]) };
  let value = null;
  try { value = JSON.parse(plain); } catch { /* a layout, whose text is none of JSON */ }
  if (value === null || typeof value !== "object") return { kind: "layout", layout: plain };
  if ("op" in value) return { kind: "request", request: value };
  if ("box" in value) return { kind: "tensormap", map: value };
  return { kind: "layout", layout: value };
}

// A swizzle alone, in units of the elements that it leaves together: 2^bits rows of 2^shift units.
function swizzleLayout(bits, shift) {
  return `Sw<${bits},0,${shift}> o 0 o (${2 ** bits},${2 ** shift}):(${2 ** shift},1)`;
}

// ---- pieces of the page ---------------------------------------------------------------

const byId = (id) => document.getElementById(id);

// An element with its attributes and children, of which texts stay texts.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const heading = (text) => make("h2", {}, text);
const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function word(value) {
  const text = value === true ? "yes" : value === false ? "no" : shown(value);
  return make("span", { class: text }, text);
}

function table(rows) {
  const lines = rows.filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => make("tr", {}, make("th", {}, name), make("td", {}, value instanceof Node ? value : shown(value))));
  return make("table", {}, ...lines);
}

// What an answer says that is not "ok": none, undecided or an error.
function refusal(answer) {
  for (const name of ["none", "undecided"]) if (name in answer) return make("p", { class: name }, `${name}: ${answer[name]}`);
  return make("p", { class: "error" }, `${answer.error}: ${answer.message}`);
}

// The picture's text is the library's own; it becomes elements only as an image without scripts.
function picture(answer) {
  if (!("ok" in answer)) return refusal(answer);
  const svg = new DOMParser().parseFromString(answer.ok.text, "image/svg+xml").documentElement;
  return svg.nodeName === "svg" && !svg.querySelector("script") ? document.importNode(svg, true) : make("pre", {}, answer.ok.text);
}

function codeOf(answer) {
  return "ok" in answer ? make("pre", {}, answer.ok.text) : refusal(answer);
}

// A text that a button puts into the box.
function offer(text, title) {
  const button = make("button", { type: "button" }, "use it");
  button.addEventListener("click", () => setInput(text));
  return [make("p", {}, title, " ", button), make("pre", { class: "offer" }, text)];
}

// ---- layouts --------------------------------------------------------------------------

const DRAWN_MOST = 4096; // elements of a picture

async function showLayout(ask, layout, language, unit) {
  const parsed = await ask({ op: "layout.parse", layout });
  if (!("ok" in parsed)) return { verdict: [heading("Layout"), refusal(parsed)] };
  const { size, box, cosize, kind } = parsed.ok;
  const [injective, bijective, fewest, normal, code] = await Promise.all([
    ask({ op: "layout.is_injective", layout }), ask({ op: "layout.is_bijective", layout }), ask({ op: "layout.coalesce", layout }),
    ask({ op: "swizzle.normal", layout }), ask({ op: "emit", what: "layout", name: "at", layout, language })]);
  const draws = size > 0 && size <= DRAWN_MOST;
  const drawn = draws ? await ask({ op: "show.layout", layout, form: "svg" }) : null;
  return {
    verdict: [heading("Layout"), table([
      ["reads as", parsed.ok.text], ["kind", kind], ["points", size || null], ["box", size ? box : null], ["span of values", cosize],
      ["injective", decided(injective)], ["bijective", decided(bijective)],
      ["fewest modes", fewest.ok], ["swizzle of tensor copies", normal.ok?.hardware]])],
    picture: [heading("Picture"), unit, drawn ? picture(drawn)
      : make("p", { class: "soft" }, size ? `more than ${DRAWN_MOST} points: not drawn` : "extents with names: not drawn")],
    code: [heading("Code"), codeOf(code)],
  };
}

// A decision with its witness or its guard.
function decided(answer) {
  if (!("ok" in answer)) return refusal(answer);
  const { answer: verdict, witness, missed, guard } = answer.ok;
  const why = guard ? `where ${guard}` : witness ? `indices ${witness.join(" and ")} have one value` : missed !== undefined ? `missed: ${shown(missed)}` : "";
  return make("span", {}, word(verdict), why && `: ${why}`);
}

// ---- tensor maps ----------------------------------------------------------------------

function reasonLine(row) {
  const where = row.field ? `${row.field}[${row.index}] is ${shown(row.value)}. ` : "";
  const at = row.at ? `line ${row.at}${row.other ? ` against line ${row.other}` : ""}: ` : "";
  const fix = row.fix ? ` Repair: ${row.fix.text}.` : "";
  return make("li", {}, make("code", {}, row.rule), ` ${at}${where}${row.text}. `, make("span", { class: "soft" }, `(${row.by}: ${row.source})`), fix);
}

function reasons(title, rows) {
  return rows?.length ? make("div", {}, title, make("ul", {}, ...rows.map(reasonLine))) : null;
}

const UNIT = 16; // bytes that every swizzle of a map leaves together
const ROWS = 16;
const XORED = { none: 0, "32B": 1, "64B": 2, "128B": 3, 0: 0, 1: 1, 2: 2, 3: 3 };

// The box in shared memory, each square 16 bytes: a row of the swizzle's width at a time.
function boxLayout(map) {
  const bits = XORED[map.swizzle ?? "none"], rows = Math.min(ROWS, map.box?.[1] ?? 1);
  if (!bits || !(rows > 0)) return null;
  const units = 2 ** bits, shift = 3;
  return `Sw<${bits},0,${shift}> o 0 o (${rows},${units}):(${units},1)`;
}

async function showTensormap(ask, map, target, language) {
  const check = await ask({ op: "tensormap.check", target, map });
  if (!("ok" in check)) return { verdict: [heading("Tensor map"), refusal(check)] };
  const { answer, basis, broken, noted, guard, driver, repaired } = check.ok;
  const legal = answer === "no" && repaired.length ? repaired[0] : map;
  const layout = boxLayout(legal);
  const [code, drawn] = await Promise.all([
    ask({ op: "emit", what: "tensormap", name: "map", target, map: legal, language }),
    layout ? ask({ op: "show.layout", layout, form: "svg" }) : null]);
  return {
    verdict: [heading("Tensor map"), table([["legal", word(answer)], ["rests on", basis], ["the driver", driver], ["where", guard]]),
      reasons("Broken:", broken), reasons("Noted:", noted)],
    repair: answer === "no" ? [heading("Repair"), ...(repaired.length
      ? offer(JSON.stringify(repaired[0]), `Keeps ${check.ok.keeps}${check.ok.split > 1 ? `, in ${check.ok.split} copies` : ""}.`)
      : [make("p", {}, "no repair is known")])] : [],
    picture: drawn ? [heading("Picture"), make("p", { class: "soft" }, `The first rows of the box${legal === map ? "" : ", repaired,"} in shared memory: each square is ${UNIT} bytes, its number is its place.`), picture(drawn)] : [],
    code: [heading(legal === map ? "Code" : "Code of the repaired map"), codeOf(code)],
  };
}

// ---- pipes ----------------------------------------------------------------------------

// A run as a table: a column a role, a row a step, then the fault. A step is `ROLE line N NAMES`.
function runTable(run, pipe) {
  const source = pipe.split("\n");
  const steps = [], others = [];
  for (const line of run.trim().split("\n")) {
    const step = /^(\S+) line (\d+)(.*)$/.exec(line);
    if (step) steps.push({ role: step[1], line: +step[2], names: step[3].trim() });
    else others.push({ text: line, after: steps.length });
  }
  const named = [...pipe.matchAll(/^\s*role\s+(\S+)/gm)].map((match) => match[1]);
  const roles = [...new Set([...named, ...steps.map((step) => step.role)])];
  const wide = (text, name) => make("tr", { class: name }, make("td", { colspan: String(roles.length || 1) }, text));
  const rows = [];
  steps.forEach((step, i) => {
    rows.push(...others.filter((o) => o.after === i).map((o) => wide(o.text, "")));
    const text = `${step.line}: ${(source[step.line - 1] ?? "").replace(/#.*/, "").trim()}  ${step.names}`;
    rows.push(make("tr", {}, ...roles.map((role) => make("td", { class: "where" }, role === step.role ? text : ""))));
  });
  rows.push(...others.filter((o) => o.after === steps.length).map((o) => wide(o.text, "fault")));
  return make("table", { class: "run" }, make("tr", {}, ...roles.map((role) => make("th", {}, role))), ...rows);
}

async function showPipe(ask, pipe, target, language) {
  const answer = await ask({ op: "pipe.verify", pipe, proof: true });
  if (!("ok" in answer)) return { verdict: [heading("Pipe"), refusal(answer)] };
  const { answer: verdict, broken, run, proof } = answer.ok;
  const [fences, code] = await Promise.all([
    verdict === "no" ? ask({ op: "pipe.fences", pipe }) : null,
    verdict === "yes" ? ask({ op: "emit", what: "pipe", name: "kernel", pipe, target, language }) : null]);
  const mended = fences?.ok?.fences.length ? offer(fences.ok.pipe, `With ${fences.ok.fences.length} fence(s) it is correct.`) : fences ? [refusal(fences)] : [];
  return {
    verdict: [heading("Pipe"), table([["correct for every trip count", word(verdict)]]), reasons("Broken:", broken)],
    repair: mended.length ? [heading("Repair"), ...mended] : [],
    picture: run ? [heading("The run that breaks it"), runTable(run, pipe)] : proof ? [heading("Proof"), make("pre", {}, proof)] : [],
    code: code ? [heading("Code"), codeOf(code)] : [],
  };
}

// ---- all of it ------------------------------------------------------------------------

async function answersOf(ask, text, target, language) {
  const what = recognise(text);
  if (!text.trim()) return {};
  if (what.kind === "pipe") return showPipe(ask, what.pipe, target, language);
  if (what.kind === "tensormap") return showTensormap(ask, what.map, target, language);
  if (what.kind === "request") return { verdict: [heading("Answer"), make("pre", {}, JSON.stringify(await ask(what.request), null, 1))] };
  const unit = what.kind === "swizzle" ? make("p", { class: "soft" }, "Each square is a unit of elements that the swizzle leaves together.") : null;
  return showLayout(ask, what.layout, language, unit);
}

const EXAMPLES = {
  layout: "((2,4),(4,2)):((16,1),(4,32))",
  swizzled: "Sw<2,0,3> o 0 o (8,8):(8,1)",
  swizzle: "Sw<3,4,3>",
  "not injective": "(4,8):(2,1)",
  names: "(M,K):(ld,1)",
  "tensor map": '{"mode": "tiled", "type": "bf16", "rank": 2, "address": 0, "extent": [4096, 4096], "stride": [8192], "box": [64, 300],\n "step": [1, 1], "interleave": "none", "swizzle": "128B", "l2": "none", "oob": "none"}',
  pipe: RING,
  "pipe without its fence": RING.replace("fence mbarrier_init\n", ""),
  "pipe with a fault": RING.replace("    wait empty", "    # wait empty"),
};

function setInput(text) {
  byId("input").value = text;
  changed();
}

function readState() {
  const state = new URLSearchParams(location.hash.slice(1));
  byId("input").value = state.get("text") ?? EXAMPLES.swizzled;
  for (const id of ["target", "language"]) if (state.has(id)) byId(id).value = state.get(id);
}

function writeState() {
  const state = new URLSearchParams({ text: byId("input").value, target: byId("target").value, language: byId("language").value });
  history.replaceState(null, "", `#${state}`);
}

let zlay = null, asked = 0;

// Answers what the box holds; what was asked before and still runs is ended.
async function update() {
  zlay.stop();
  const mine = ++asked, start = performance.now();
  const input = byId("input"), text = input.value;
  input.rows = Math.min(30, Math.max(2, text.split("\n").length));
  byId("took").textContent = "…";
  const parts = await answersOf((request) => zlay.ask(request), text, byId("target").value, byId("language").value);
  if (mine !== asked) return;
  for (const id of ["verdict", "repair", "picture", "code"]) byId(id).replaceChildren(...(parts[id] ?? []).filter(Boolean));
  byId("took").textContent = `answered in ${Math.round(performance.now() - start)} ms`;
  document.body.dataset.first ??= String(performance.now()); // since the page was opened: the tests read both
  document.body.dataset.answered = String(mine);
}

function changed() {
  writeState();
  update();
}

async function moduleBytes() {
  const packed = Uint8Array.from(atob(MODULE), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function begin() {
  zlay = new ZlayPage(await WebAssembly.compile(await moduleBytes()));
  const { targets, version } = (await zlay.ask({ op: "zlay" })).ok;
  byId("target").append(...targets.map((name) => new Option(name, name, name === "sm_90a", name === "sm_90a")));
  byId("language").append(...["cuda", "hip", "ptx"].map((name) => new Option(name)));
  document.querySelector("h1").title = `zlay ${version}`;
  for (const [name, text] of Object.entries(EXAMPLES)) {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => setInput(text));
    byId("examples").append(button);
  }
  for (const id of ["input", "target", "language"]) byId(id).addEventListener("input", changed);
  addEventListener("hashchange", () => { readState(); update(); });
  readState();
  await update();
}

begin().catch((error) => byId("verdict").replaceChildren(make("p", { class: "error" }, `this browser cannot run the page: ${error.message}`)));
