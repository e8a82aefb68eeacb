# SPDX-License-Identifier: Apache-2.0
"""The public headers as pages: the prose of a header and of each declaration, then the declaration, with an anchor for each name.
A filter of Doxygen, too: `headers.py HEADER` prints the header with Returns, Out and In as Doxygen's commands, and `headers.py check HEADER...`
names what has no comment, and what a comment describes that is not there."""
import glob
import html
import re
import sys

PAGES = sorted(p for p in glob.glob("include/zlay/*.h*") if not p.endswith("README.md"))
COMMENT = re.compile(r"/\*\*(.*?)\*/", re.S)


def prose(comment):
    """The lines of a comment without its margin."""
    lines = [re.sub(r"^\s*\*? ?", "", line, count=1) for line in comment.strip().split("\n")]
    return "\n".join(line[1:] if line.startswith(" ") else line for line in lines).strip()


def declarations(text):
    """(prose, code) of each comment that Doxygen reads, and what it stands before: up to the next one, or an empty line."""
    found = list(COMMENT.finditer(text))
    for this, after in zip(found, found[1:] + [None]):
        code = text[this.end():after.start() if after else len(text)]
        yield prose(this.group(1)), code.strip("\n").split("\n\n")[0].rstrip()


def names(code):
    """What a declaration declares: functions, a type, macros, values."""
    without = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    found = re.findall(r"\b(zlay_\w+)\s*\((?!\*)", without) or re.findall(r"\}\s*(zlay_\w+);", without) or re.findall(r"^typedef .*?\b(zlay_\w+)(?:;|\)\()", without, re.M)
    values = re.findall(r"\b(ZLAY_\w+)\s*(?:[,=}]|$)", without, re.M) if re.match(r"\s*enum\b", without) else []
    return list(dict.fromkeys(found + re.findall(r"#define (ZLAY_\w+)", without) + values))


def page(path):
    """(title, HTML, sections) of a header; a section is (anchor, title, text)."""
    parts = list(declarations(open(path, encoding="utf-8").read()))
    name = path.removeprefix("include/")
    body, sections = [f"<h1>{name}</h1>"], []
    for number, (text, code) in enumerate(parts):
        here = names(code) if number else []
        for other in here[1:]:
            body.append(f'<a id="{other}"></a>')
        if here:
            body.append(f'<h2 id="{here[0]}"><code>{here[0]}</code> <a class="anchor" href="#{here[0]}">#</a></h2>')
        if here or not number:
            sections.append((here[0] if here else "", here[0] if here else name, " ".join(here) + " " + text))
        body.append(f'<pre class="prose">{html.escape(text)}</pre>')
        if code and number:
            body.append(f"<pre><code>{html.escape(code)}</code></pre>")
    return name, "\n".join(body), sections


# ---- as Doxygen reads it -----------------------------------------------------------

COMMANDS = {"Returns": "@return ", "Out": "@param[out] ", "In": "@param[in] ", "Pure": "@par Pure\n"}


def parameters(label, lines, declared):
    """`name, name  text` of each line that begins with names of the declaration, as one command each; other lines go on.
    A name that Out and In both have is described by Out; what In adds is a paragraph."""
    out = []
    for line in lines:
        found = re.match(r"((?:\*?\w+)(?:, \*?\w+)*)(?:  +|: )(.*)", line)
        given = {n.strip("* ") for n in found.group(1).split(",")} if found else {""}
        if given <= declared:
            declared -= given
            out.append(COMMANDS[label] + ",".join(sorted(given)) + " " + found.group(2))
        else:
            out.append(("" if out else "@par " + label + "\n") + line)
    return out


def arguments(code):
    return set(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\])?\s*[,)]", re.sub(r"/\*.*?\*/", "", code, flags=re.S)))


def blocks(comment):
    """(label, lines) of a comment: its prose without a label, and what stands behind Returns, Out, In and Pure."""
    found = [("", [])]
    for line in prose(comment).split("\n"):
        begins = re.match(r"(Returns|Out|In|Pure)(?:, [A-Z]\w+)?:\s*(.*)", line)
        if begins:
            found.append((begins.group(1), [begins.group(2)]))
        elif line and not line.startswith(" ") and found[-1][0]:
            found.append(("", [line]))
        else:
            found[-1][1].append(line.strip() if found[-1][0] else line)
    return found


def commands(comment, code):
    """A comment with Doxygen's commands in the place of Returns, Out and In; other text is taken word by word."""
    declared, out = arguments(code), []
    for label, lines in blocks(comment):
        out += parameters(label, lines, declared) if label in ("Out", "In") else [COMMANDS.get(label, "") + lines[0]] + lines[1:] if lines else []
    return escaped("\n".join(out))


def escaped(text):
    """What is no command of ours must not be one of Doxygen's; indented lines stand as they are."""
    out, inside = [], False
    for line in text.split("\n") + [""]:
        indented = line.startswith(" ") or (inside and not line)
        if indented != inside:
            out.append("@verbatim" if indented else "@endverbatim")
        inside = indented
        if not inside:
            line = re.sub(r"\.\.(?!\S)", "\u2026", line)
            line = re.sub(r"(?<!\w)@(?!return |param\[|par |file)|^\.|::|[\\<>#&%$]", lambda m: "\\" + m.group(), line)
        out.append(line)
    return "\n".join(out + ["@endverbatim"] * inside).rstrip()


def members(code):
    """Comments behind members and values, which Doxygen reads as theirs, on one line."""
    behind = lambda m: m.group(1) + "/**< " + escaped(" ".join(m.group(2).split())) + " */"
    return re.sub(r"((?:[;,{]|\b[A-Z_0-9]+) *)/\* (.*?)\*/", behind, code, flags=re.S)


TYPES = re.compile(r"(^typedef struct[^;]*?\{.*?^\}[^;]*;|^enum[^;]*\{.*?^\};)", re.S | re.M)


def bare(text):
    """Public functions, types and the like that stand without a comment of their own or of the one above them."""
    for found in re.finditer(r"\n\n((?:ZLAY_API|typedef)\b[^;{]*)", re.sub(r"\*/\n", "", text)):
        if "/**" not in found.group(1):
            yield (names(found.group(1) + ";") or [found.group(1)])[0]


def strangers(text):
    """(function, name) where Out or In describes what is no argument and no member of a public struct."""
    members_of_all = set(re.findall(r"\b(\w+)(?:\[[^\]]*\])?[,;]", "".join(m for p in PAGES for m in TYPES.findall(open(p, encoding="utf-8").read()))))
    for found in COMMENT.finditer(text):
        code = text[found.end():].split("\n\n")[0]
        if "ZLAY_API" not in code or "(" not in code:
            continue
        for label, lines in blocks(found.group(1)):
            for line in lines if label in ("Out", "In") else []:
                described = re.match(r"((?:\*?\w+)(?:, \*?\w+)*)  +\S", line)
                for name in described.group(1).split(", ") if described else []:
                    if name.strip("*") not in arguments(code) | members_of_all:
                        yield (names(code) or ["?"])[0], name


def wrong(path):
    text = open(path, encoding="utf-8").read()
    return [f"{path}: {name} has no comment" for name in bare(text)] + [f"{path}: {name}: its comment describes {what}, which it has not" for name, what in strangers(text)]


def filtered(path):
    text = open(path, encoding="utf-8").read()

    def one(found):
        code = text[found.end():].split("\n\n")[0]
        head = "@file\n" if found.start() < 200 and "SPDX" in text[:found.start()] else ""
        return "/**" + (head + commands(found.group(1), code)).replace("*/", "* /") + "\n*/"
    parts = TYPES.split(COMMENT.sub(one, text))
    text = "".join(members(part) if i % 2 else part for i, part in enumerate(parts))
    # A function right behind another one has that one's comment.
    return re.sub(r"\b(zlay_\w+)(\([^;{]*\);\n)(?=ZLAY_API)", lambda m: f"{m.group(1)}{m.group(2)}/** As {m.group(1)}. */\n", text)


if __name__ == "__main__":
    if sys.argv[1] == "check":
        sys.exit("\n".join(line for path in sys.argv[2:] for line in wrong(path)) or 0)
    print(filtered(sys.argv[1]), end="")
