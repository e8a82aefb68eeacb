// SPDX-License-Identifier: Apache-2.0
// The module of playground/entry.c in JavaScript: a request, a text, in; its answer, a text, out.

// What the C library asks of its host. It has no files here: writing and seeking are refused as on
// a closed descriptor. The clock seeds the hash of the JSON library.
const EBADF = 8;
function host(memory) {
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

// A function that answers requests, of the bytes of the module. A request that the module cannot
// survive (its stack or its memory ends) is answered by an error, and the next by a fresh instance.
async function zlayOpen(bytes) {
  const module = await WebAssembly.compile(bytes);
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

if (typeof module !== "undefined") module.exports = { zlayOpen };
