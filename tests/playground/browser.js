// SPDX-License-Identifier: Apache-2.0
// A headless Chromium, driven by its DevTools protocol over a pipe: no package of Node is needed.
"use strict";
const { spawn } = require("node:child_process");
const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const LONGEST = 30000; // milliseconds that a call may take

class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "zlay-page-"));
    this.process = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
      `--user-data-dir=${this.profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.calls = new Map();
    this.events = [];
    this.next = 1;
    let text = "";
    this.process.stdio[4].on("data", (data) => {
      const lines = (text + data.toString()).split("\0");
      text = lines.pop();
      lines.forEach((line) => this.receive(JSON.parse(line)));
    });
  }

  receive(message) {
    const call = this.calls.get(message.id);
    if (!call) return this.events.push(message);
    this.calls.delete(message.id);
    clearTimeout(call.timer);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }

  send(method, params = {}) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), LONGEST);
      this.calls.set(id, { resolve, reject, timer });
      this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
    });
  }

  // Opens a page of `width` x `height` pixels, in the colours "light" or "dark".
  async open(url, width = 1100, height = 900, colours = "light") {
    if (!this.session) {
      const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
      this.session = sessionId;
      for (const domain of ["Page", "Runtime", "Network", "Log"]) await this.send(`${domain}.enable`);
    }
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: colours }] });
    await this.send("Page.navigate", { url });
  }

  // The value of an expression in the page; it waits for a promise.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until an expression is true; returns the milliseconds.
  async until(expression) {
    const start = Date.now();
    while (!(await this.evaluate(expression).catch(() => false))) {
      if (Date.now() - start > LONGEST) throw new Error(`never: ${expression}`);
      await new Promise((wake) => setTimeout(wake, 5));
    }
    return Date.now() - start;
  }

  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  // What the page asked of a network, but for itself; and what its console said of errors.
  requests() {
    return this.events.filter((e) => e.method === "Network.requestWillBeSent").map((e) => e.params.request.url)
      .filter((url) => /^(https?|wss?):/.test(url));
  }

  complaints() {
    return this.events.filter((e) => e.method === "Runtime.exceptionThrown" || (e.method === "Log.entryAdded" && e.params.entry.level === "error"))
      .map((e) => e.params.entry?.text ?? e.params.exceptionDetails.exception?.description ?? e.params.exceptionDetails.text);
  }

  async close() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.session = undefined;
    this.send("Browser.close").catch(() => {});
    await Promise.race([ended, new Promise((wake) => setTimeout(wake, 3000))]);
    this.process.kill("SIGKILL");
    for (const call of this.calls.values()) clearTimeout(call.timer);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

module.exports = { Browser };
