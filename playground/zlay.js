// SPDX-License-Identifier: Apache-2.0
// The module of playground/entry.c in JavaScript: a request, a text, in; its answer, a text, out.
// For Node, and for a page, whose worker runs it.

// What the C library asks of its host. It has no files here: writing and seeking are refused as on
// a closed descriptor. The clock seeds the hash of the JSON library.
function host(memory) {
  const EBADF = 8;
  return {
    clock_time_get(clock, precision, at) {
      new DataView(memory().buffer).setBigUint64(at, BigInt(Date.now()) * 1000000n, true);
      return 0;
    },
    fd_close: () => EBADF,
    fd_seek: () => EBADF,
    fd_write: () => EBADF,
  };
}

// A function that answers requests, of the module or its bytes. A request that the module cannot
// survive (its stack or its memory ends) is answered by an error, and the next by a fresh instance.
async function zlayOpen(source) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  let exports = null;
  async function start() {
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: host(() => exports.memory),
    });
    exports = instance.exports;
    exports._initialize();
  }
  function call(request) {
    const line = new TextEncoder().encode(request);
    const to = exports.room(line.length);
    if (!to) return null;
    new Uint8Array(exports.memory.buffer, to, line.length).set(line);
    const at = exports.answer(line.length);
    if (!at) return null;
    const memory = new Uint8Array(exports.memory.buffer);
    return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
  }
  await start();
  return async function answer(request) {
    try {
      const text = call(request);
      if (text !== null) return text;
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    }
    await start();
    return '{"error":"ENOMEM","message":"the request needs more memory than this page has"}';
  };
}

// What a worker of the page runs: the first message is the module, each other one [number, request].
function zlayWorker() {
  let answer = null;
  onmessage = async ({ data }) => {
    if (!answer) answer = zlayOpen(data);
    else postMessage([data[0], await (await answer)(data[1])]);
  };
}

// The module in a worker, so that a long answer does not hold the page; `stop` ends what still runs.
class ZlayPage {
  constructor(module) {
    this.module = module;
    this.url = URL.createObjectURL(new Blob([`${host}\n${zlayOpen}\n(${zlayWorker})();`], { type: "text/javascript" }));
    this.waiting = new Map();
    this.next = 0;
    this.start();
  }

  start() {
    this.worker = new Worker(this.url);
    this.worker.onmessage = ({ data: [number, answer] }) => {
      const take = this.waiting.get(number);
      this.waiting.delete(number);
      take?.(JSON.parse(answer));
    };
    this.worker.postMessage(this.module);
  }

  ask(request) {
    const number = this.next++;
    this.worker.postMessage([number, JSON.stringify(request)]);
    return new Promise((take) => this.waiting.set(number, take));
  }

  // Requests that wait are never answered.
  stop() {
    if (!this.waiting.size) return;
    this.worker.terminate();
    this.waiting.clear();
    this.start();
  }
}

if (typeof module !== "undefined") module.exports = { zlayOpen };
