# SPDX-License-Identifier: Apache-2.0
"""Pictures: boxes, texts and files are those of `zlay show`; every operation show.* is reached by its name."""
import os
import re
import subprocess
import tempfile
import unittest

import zlay

PROGRAM = os.environ.get("ZLAY_PROGRAM", os.path.join(os.environ.get("ZLAY_ROOT", "."), "build/zlay"))
HOLDERS = "((2,2),(2,2)):((8,1),(4,2))"


def told(*arguments):
    return subprocess.run([PROGRAM, "show", *arguments], capture_output=True, text=True, check=True).stdout


class Pictures(unittest.TestCase):
    def test_every_form_is_the_commands(self):
        for text, fields in (("(4,8):(8,1)", {}), ("Sw<2,0,3> o 0 o (8,8):(8,1)", {}), ("(2,3,2):(3,1,6)", {}),
                             (HOLDERS, {"labels": "holders", "rows": 4, "columns": 4})):
            p = zlay.Layout(text).show(**fields)
            more = [f"{name}={value}" for name, value in fields.items()]
            for form in ("svg", "html"):
                self.assertEqual(getattr(p, form), told("layout", text, *more, f"form={form}"))
            self.assertEqual(p.text, told("layout", text, *more, "width=80", "colour=false"))
            self.assertEqual(p.lines(width=30), told("layout", text, *more, "width=30", "colour=false"))
            self.assertEqual((str(p), p._repr_svg_(), p.title), (p.text, p.svg, str(zlay.Layout(text))))

    def test_boxes_have_the_values(self):
        a = zlay.Layout("(2,3,2):(3,1,6)")
        p = zlay.show(a)
        self.assertEqual([(panel.kind, panel.rows, panel.columns) for panel in p.panels], [("cells", ("0", "1"), ("0", "1", "2"))] * 2)
        for k, panel in enumerate(p.panels):
            self.assertEqual(len(panel.boxes), 6)
            for box in panel.boxes:
                self.assertEqual((box.label, box.shade), (str(a(box.row, box.column, k)), a(box.row, box.column, k) % 16))
        self.assertIn("12 boxes", repr(p))

    def test_holders(self):
        tv = zlay.Layout(HOLDERS)
        boxes = tv.show(labels="holders", rows=4, columns=4).panels[0].boxes
        at = {box.row + 4 * box.column: box for box in boxes}
        for thread in range(4):
            for value in range(4):
                box = at[tv(thread, value)]
                self.assertEqual((box.label, box.key, box.marked), (f"T{thread}V{value}", thread, False))
        several = zlay.Layout("(8,2):(1,1)").show(labels="holders", rows=3, columns=3)
        self.assertEqual(sum(box.marked for box in several.panels[0].boxes), 7)

    def test_every_view_is_reached_by_its_name(self):
        views = [name for name in zlay.ops.zlay()["ops"] if name.startswith("show.")]
        self.assertIn("show.layout", views)
        for view in views:
            with self.assertRaises(zlay.Error) as missing:
                zlay.show(view.split(".")[1])
            self.assertRegex(missing.exception.message, "(is|are) missing")
        self.assertEqual(zlay.show("show.layout", layout="(2,2):(2,1)").text, zlay.show("layout", layout=zlay.Layout("(2,2):(2,1)")).text)
        with self.assertRaisesRegex(zlay.Error, "show.nothing"):
            zlay.show("nothing")
        with self.assertRaisesRegex(zlay.Error, "no view shows a list"):
            zlay.show([1])

    def test_what_a_notebook_shows(self):
        self.assertTrue(zlay.Layout("(4,8):(8,1)")._repr_svg_().startswith("<svg"))
        self.assertTrue(zlay.F2({"a": [1, 2]}, {"b": 4})._repr_svg_().startswith("<svg"))
        self.assertEqual([zlay.Layout(text)._repr_svg_() for text in ("(128,128):(128,1)", "(M,8):(8,1)")], [None, None])
        self.assertGreater(len(zlay.Layout("(128,128):(128,1)").show().svg), 1 << 20)

    def test_objects_that_other_views_show(self):
        """Each names its view and fields; whether the view is there is its own matter."""
        m = zlay.TensorMap("bf16", 1 << 20, (4096, 512), (8192,), (64, 128), swizzle="128B")
        view, fields = m._view_()
        self.assertEqual((view, zlay.ops.tensormap.unpack(fields["target"], fields["words"])["map"]["box"]), ("tensormap", [64, 128]))
        plan = zlay.plan("sm_90a", 256, 256, 64)
        self.assertEqual((plan._view_()[0], str(plan._view_()[1]["pipe"])), ("pipe", str(plan.pipe)))
        for of in (m, plan, plan.pipe):
            svg = of._repr_svg_()
            self.assertTrue(svg is None or svg.startswith("<svg"))

    def test_a_file_has_the_form_of_its_ending(self):
        p = zlay.Layout("(2,2):(2,1)").show()
        with tempfile.TemporaryDirectory() as folder:
            for ending, text in ((".svg", p.svg), (".html", p.html), (".txt", p.text), (".SVG", p.svg)):
                path = os.path.join(folder, "picture" + ending)
                p.save(path)
                with open(path, encoding="utf-8") as f:
                    self.assertEqual(f.read(), text)
            with self.assertRaisesRegex(zlay.Error, r"not '\.png'"):
                p.save(os.path.join(folder, "picture.png"))
            self.assertFalse(os.path.exists(os.path.join(folder, "picture.png")))

    def test_a_rule_is_explained(self):
        self.assertTrue(re.match("TMAP_STRIDE_16: each stride", zlay.explain("TMAP_STRIDE_16")))
        with self.assertRaises(zlay.Error):
            zlay.explain("TMAP_STRIDE_17")


if __name__ == "__main__":
    unittest.main()
