// SPDX-License-Identifier: Apache-2.0
// The search over ZLAY_INDEX (rows of address, page, section, text), and the button for light and dark. No request leaves the page.
(() => {
    const root = document.documentElement, base = document.body.dataset.base;
    const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.getElementById("theme").onclick = () => {
        root.dataset.theme = dark() ? "light" : "dark";
        try { localStorage.setItem("theme", root.dataset.theme); } catch { /* a file without storage */ }
    };

    const input = document.getElementById("search"), results = document.getElementById("results");
    let at = -1;

    // Every word must occur; a section's own name counts most, then its page's, then its text.
    function found(words) {
        const rows = [];
        for (const row of ZLAY_INDEX) {
            const section = row[2].toLowerCase(), page = row[1].toLowerCase();
            let score = 0;
            for (const word of words) {
                const value = section === word ? 100 : section.includes(word) ? 20 : page.includes(word) ? 5 : row[3].includes(word) ? 1 : 0;
                if (!value) { score = 0; break; }
                score += value;
            }
            if (score) rows.push([score, row]);
        }
        return rows.sort((a, b) => b[0] - a[0]).slice(0, 30).map(pair => pair[1]);
    }

    function show() {
        const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        results.textContent = "";
        at = -1;
        results.hidden = !words.length;
        for (const [address, page, section] of words.length ? found(words) : []) {
            const link = results.appendChild(document.createElement("a"));
            link.href = base + address;
            link.textContent = section;
            link.appendChild(document.createElement("small")).textContent = page;
        }
        if (words.length && !results.children.length) results.textContent = "nothing has all of these words";
    }

    input.oninput = show;
    input.onkeydown = event => {
        const links = results.querySelectorAll("a");
        if (event.key === "Escape") { input.value = ""; show(); }
        if (event.key === "Enter" && links.length) location.href = links[Math.max(at, 0)].href;
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        at = Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), links.length - 1);
        links.forEach((link, i) => link.classList.toggle("at", i === at));
    };
    addEventListener("keydown", event => {
        if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
    });
    results.onclick = () => { input.value = ""; show(); };
})();
