/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a picture as a page of HTML with its SVG: what the pointer is on is said in a line, a click
 * picks the boxes of one key, and a slider goes through the steps of time. */
#include "show/svg.h"

static const char head[] = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta "
                           "name=\"color-scheme\" content=\"light dark\">\n<title>";

static const char style[] =
    "</title>\n<style>\nbody{font:14px "
    "sans-serif;margin:1em}\n#say{min-height:1.4em;font-family:monospace}\n"
    ".b{cursor:pointer}\n.picked "
    "rect{stroke-width:3;stroke:currentColor}\n.faint{opacity:.25}\n.later{visibility:hidden}\n"
    "#time{display:none}\n</style>\n<p id=\"say\">Point at a box; click one to pick all of its "
    "kind.</p>\n"
    "<p id=\"time\"><label>step <input type=\"range\" id=\"step\" min=\"0\"> <output "
    "id=\"at\"></output></label></p>\n";

static const char script[] =
    "<script>\n"
    "const boxes = [...document.querySelectorAll('.b')], say = document.getElementById('say');\n"
    "const step = document.getElementById('step'), at = document.getElementById('at');\n"
    "let picked = null;\n"
    "for (const box of boxes) {\n"
    "  const tip = box.querySelector('title'), label = box.querySelector('text');\n"
    "  box.onmouseenter = () => say.textContent = (tip || label || say).textContent;\n"
    "  box.onclick = () => pick(picked === box.dataset.key ? null : box.dataset.key ?? null);\n"
    "}\n"
    "function pick(key) {\n"
    "  picked = key;\n"
    "  for (const box of boxes) {\n"
    "    box.classList.toggle('picked', key !== null && box.dataset.key === key);\n"
    "    box.classList.toggle('faint', key !== null && box.dataset.key !== key);\n"
    "  }\n"
    "}\n"
    "const steps = boxes.map(box => +(box.dataset.step ?? -1)), last = Math.max(-1, ...steps);\n"
    "function show() {\n"
    "  at.textContent = step.value;\n"
    "  boxes.forEach((box, i) => box.classList.toggle('later', steps[i] > +step.value));\n"
    "}\n"
    "if (last >= 0) {\n"
    "  document.getElementById('time').style.display = 'block';\n"
    "  step.max = step.value = last;\n"
    "  step.oninput = show;\n"
    "  show();\n"
    "}\n"
    "</script>\n</html>\n";

void zl_picture_as_html(zl_text *out, const void *value)
{
    const zlay_picture *p = value;
    zl_puts(out, head);
    zl_put_escaped(out, zlay_picture_title(p));
    zl_puts(out, style);
    zl_picture_as_svg(out, p);
    zl_puts(out, script);
}
