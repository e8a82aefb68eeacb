# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: which there are, in which order, under which name each stands in the site, and the anchors and
sections of each.  docs/index.md and the site are made of this."""
import glob
import os
import re

GROUPS = (("First", ["README.md", "docs/start.md", "docs/recipes/README.md"]), ("Recipes", ["docs/recipes/*.md"]), ("Pages", ["docs/*.md"]),
          ("Internals", ["docs/internals/*.md"]), ("Examples", ["examples/README.md"]), ("Project", ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]))


def groups():
    """(group, pages), each page once; pages that README's table names come in its order."""
    order = re.findall(r"\]\((docs/[^)#]*\.md)\)", open("README.md", encoding="utf-8").read().partition("## Documents")[2])
    place = {page: i for i, page in reversed(list(enumerate(order)))}
    seen = set()
    for name, patterns in GROUPS:
        found = sorted({p for pattern in patterns for p in glob.glob(pattern)} - seen, key=lambda p: (patterns.index(p) if p in patterns else place.get(p, len(order)), p))
        seen.update(found)
        yield name, found


def target(page):
    """The HTML file of a page: folders stay, a README is the index of its folder."""
    return re.sub(r"README\.md$", "index.md", page)[:-3] + ".html"


def slug(text, seen):
    """The anchor of a heading, as GitHub makes it; `seen` counts those of the page."""
    name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    number = seen.get(name, 0)
    seen[name] = number + 1
    return f"{name}-{number}" if number else name


def plain(text):
    """A heading without its marks."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("*", "").strip()


def headings(page):
    """(level, text, anchor) of each heading outside of code."""
    seen, code = {}, False
    for line in open(page, encoding="utf-8"):
        code ^= line.startswith("```")
        found = not code and re.match(r"(#{1,4}) (.*)", line)
        if found:
            text = plain(found.group(2))
            yield len(found.group(1)), text, slug(text, seen)


def index():
    """docs/index.md: every page with its sections."""
    lines = ["# Index", "", "Every page with its sections, made from their headings by `make generate`. [glossary.md](glossary.md) explains words; `zlay explain NAME` has rules, forms and operations."]
    for group, pages in groups():
        lines += ["", f"## {group}"]
        for page in pages:
            if page == "docs/index.md":
                continue
            path = os.path.relpath(page, "docs")
            found = list(headings(page))
            sections = ", ".join(f"[{text}]({path}#{anchor})" for level, text, anchor in found if level == 2)
            lines.append(f"- **[{found[0][1]}]({path})**" + (f": {sections}" if sections else ""))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(index(), end="")
