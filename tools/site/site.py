#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/site/site.py FOLDER: the documentation as a site of plain files that needs no network: pages from the Markdown, the public
headers, the files that pages name, a search, light and dark, a style for paper.  Ends with 1 where a link leads nowhere."""
import html
import json
import os
import posixpath
import re
import shutil
import sys
from html.parser import HTMLParser

try:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
except ImportError:
    print("site: the Python package markdown-it-py is not here (Debian: python3-markdown-it)")
    sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import headers
import pages

HERE = os.path.dirname(os.path.abspath(__file__))
SHELL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><link rel="stylesheet" href="{base}style.css">
<script>try {{ const theme = localStorage.getItem("theme"); if (theme) document.documentElement.dataset.theme = theme; }} catch {{}}</script></head>
<body data-base="{base}"><header><a class="home" href="{base}index.html">zlay</a>
<input id="search" type="search" placeholder="Search: press /" aria-label="Search"><button id="theme">light / dark</button></header>
<div id="results" hidden></div><div class="columns"><nav>{nav}</nav><main>
{body}
</main></div><script src="{base}search-index.js"></script><script src="{base}site.js"></script></body></html>
"""


def anchor_link(name):
    token = Token("html_inline", "", 0)
    token.content = f' <a class="anchor" href="#{name}" aria-label="link to this section">#</a>'
    return token


class Site:
    def __init__(self, folder):
        self.folder, self.search, self.lost = folder, [], []
        self.menu = [(group, [(pages.target(p), next(pages.headings(p))[1]) for p in found]) for group, found in pages.groups()]
        self.menu.append(("Headers", [(self.header(p), p.removeprefix("include/")) for p in headers.PAGES]))
        self.files = {}  # files of the repository that pages name, by their page
        self.markdown = MarkdownIt("commonmark").enable("table")

    @staticmethod
    def header(path):
        return path + ".html"

    def nav(self, base, address):
        parts = []
        for group, entries in self.menu:
            links = "".join(f'<a href="{base}{to}"{" class=here" if to == address else ""}>{html.escape(title)}</a>' for to, title in entries)
            shown = " open" if group != "Headers" or any(to == address for to, _ in entries) else ""
            parts.append(f"<details{shown}><summary>{group}</summary>{links}</details>")
        return "".join(parts)

    def write(self, address, title, body):
        base = "../" * address.count("/")
        path = os.path.join(self.folder, address)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(SHELL.format(title=html.escape(f"{title} - zlay" if title != "zlay" else title), base=base, nav=self.nav(base, address), body=body))

    def link(self, page, href):
        """Where a link of a page leads in the site; None: to nothing that the site has."""
        if re.match(r"[a-z]+:", href) or href.startswith("#"):
            return href
        path, _, anchor = href.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        anchor = "#" + anchor if anchor else ""
        if path.endswith(".md") and os.path.exists(path):
            to = pages.target(path)
        elif path in headers.PAGES:
            to = self.header(path)
        elif os.path.isfile(path):
            to = self.files.setdefault(path, f"files/{path}.html")
        else:
            return None
        return posixpath.relpath(to, posixpath.dirname(pages.target(page)) or ".") + anchor

    def page(self, path):
        """A page of Markdown: anchors at its headings, links into the site, a row of the index for each section."""
        tokens = self.markdown.parse(open(path, encoding="utf-8").read())
        anchors = pages.headings(path)
        address, title = pages.target(path), ""
        row = [address, "", "", ""]
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                _, text, anchor = next(anchors)
                title = title or text
                token.attrSet("id", anchor)
                row = [address + ("#" + anchor if text != title else ""), title, text, ""]
                self.search.append(row)
            elif token.type == "heading_close":
                tokens[i - 1].children.append(anchor_link(anchor))
            elif token.type in ("inline", "fence", "code_block"):
                row[3] += " " + token.content
                for child in token.children or []:
                    if child.type == "link_open":
                        self.relink(path, child)
        body = self.markdown.renderer.render(tokens, self.markdown.options, {})
        body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        self.write(address, title, body)

    def relink(self, page, token):
        to = self.link(page, token.attrGet("href"))
        if to:
            token.attrSet("href", to)
        elif os.path.isdir(posixpath.join(posixpath.dirname(page), token.attrGet("href"))):
            token.attrs.pop("href")
        else:
            self.lost.append(f"{page}: {token.attrGet('href')}")

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for _, found in pages.groups():
            for path in found:
                self.page(path)
        for path in headers.PAGES:
            title, body, sections = headers.page(path)
            self.write(self.header(path), title, body)
            self.search += [[self.header(path) + ("#" + anchor if anchor else ""), title, name, text] for anchor, name, text in sections]
        for path, address in sorted(self.files.items()):
            self.write(address, path, f"<h1>{path}</h1><pre><code>{html.escape(open(path, encoding='utf-8').read())}</code></pre>")
        for name in ("style.css", "site.js"):
            shutil.copy(os.path.join(HERE, name), self.folder)
        rows = [row[:3] + [" ".join(dict.fromkeys(row[3].lower().split()))] for row in self.search]
        with open(os.path.join(self.folder, "search-index.js"), "w", encoding="utf-8") as out:
            out.write("const ZLAY_INDEX = " + json.dumps(rows, ensure_ascii=False, separators=(",", ":")) + ";\n")


# ---- do the links lead somewhere? ----------------------------------------------------

class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.hrefs = set(), set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name in ("href", "src") and not re.match(r"[a-z]+:", value):
                self.hrefs.add(value)


def dead(folder):
    """Links of the written files that lead to no file, or to no anchor of one."""
    read = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), folder)
            read[path] = Links()
            if name.endswith(".html"):
                read[path].feed(open(os.path.join(at, name), encoding="utf-8").read())
    for path, links in sorted(read.items()):
        for href in sorted(links.hrefs):
            to, _, anchor = href.partition("#")
            to = posixpath.normpath(posixpath.join(posixpath.dirname(path), to)) if to else path
            if to not in read or (anchor and anchor not in read[to].ids):
                yield f"{path}: {href}"


def main(folder):
    site = Site(folder)
    site.build()
    lost = site.lost + list(dead(folder))
    for line in lost:
        print(line)
    count = sum(len(names) for _, _, names in os.walk(folder))
    print(f"{folder}: {count} files, {len(site.search)} sections, {len(lost)} links lead nowhere")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
