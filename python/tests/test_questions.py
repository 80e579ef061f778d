"""Relayouts, candidates, sums, XLA shapes, dumps, pictures, the command."""

import io
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DATA, lines

import tensor_layout
from tensor_layout import (
    Candidates,
    Layout,
    LayoutError,
    Location,
    Machine,
    Sharding,
    XlaShape,
    access,
    einsum,
    read_hlo,
    relayout,
)

COMMAND = [sys.executable, "-m", "tensor_layout"]


def test_relayouts_count_what_transfers_carry(rng):
    texts = ["((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "((12:8), (8:1))", "((12:1), (8_X:1))"]
    for first, second in itertools.product(texts[:3], texts[:3]):
        move = relayout(first, second, "PE=4")
        carried = sum(of.length * len(of.destinations) for of in move.transfers())
        assert sum(move.by_distance.values()) == move.elements * move.copies
        assert carried == sum(move.by_distance.values()) - move.by_distance["in place"]
        assert bool(move) == (carried > 0)
    move = relayout(texts[0], texts[3])
    assert move.into.keys() == {"PE", "X"}
    placed = Layout(texts[0]).on("PE=4"), Layout(texts[1]).on("PE=4")
    assert relayout(*placed).by_distance == relayout(texts[0], texts[1], "PE=4").by_distance


def test_relayouts_print_what_the_command_prints():
    texts = "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"
    said = subprocess.run([*COMMAND, "relayout", *texts], capture_output=True, text=True, check=True)
    move = relayout(*texts)
    assert said.stdout.strip() == str(move).strip()
    assert (move._repr_svg_() or "").startswith("<svg") and "<pre" in move._repr_html_()
    assert any("PE -> Addr" in line for line in move.moves)


def test_steps_need_rates_and_a_type():
    machine = Machine.from_toml('name = "m"\n[levels]\nPE = 4\n[bandwidth]\nPE = 1\n')
    texts = "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"
    assert relayout(*texts, machine).steps is None
    assert relayout(*texts, machine, dtype="f64").steps == 18


def test_an_access_counts_what_the_command_counts():
    texts = "(8,32):(64,1)", "((8_LANE:1), (4_LANE:8, 8:1))"
    said = subprocess.run([*COMMAND, "access", *texts, "--bits", "16"], capture_output=True, text=True, check=True)
    cost = access(*texts, dtype="f16")
    assert said.stdout.strip() == str(cost).strip() and "<pre" in cost._repr_html_()
    assert (cost.vector_bytes, cost.requests, cost.bytes) == (16, 1, 512)
    assert (cost.wavefronts, cost.ideal_wavefronts, cost.conflicts) == (32, 4, 28)
    assert (cost.sectors, cost.lines, cost.distinct_bytes, cost.efficiency) == (16, 8, 512, 1.0)
    assert cost.worst is not None and cost.worst.warp == {} and cost.worst.addresses[:4] == [0, 128, 256, 384]
    (swizzle,) = cost.swizzles()
    assert (swizzle.change, swizzle.extent, swizzle.access.conflicts) == ("S<3,3,3>", 512, 0)
    # The layout returned with a change has the stated cost, and places elements as the change says.
    for best in [swizzle, *cost.paddings()]:
        again = access(best.memory, texts[1], dtype="f16")
        assert again.wavefronts == best.access.wavefronts == 4 and again.sectors == best.access.sectors
    assert best.access.swizzles() == [] == access("32:1", "((32_LANE))", dtype="f32").paddings()


def test_an_access_has_one_type_and_one_shape():
    column = "((32_LANE))"
    assert access("32:32", column, dtype="f32").wavefronts == 32
    assert access("f16[32]{0}", column).bytes == access("32:1", column, dtype="f16").bytes == 64
    for texts, dtype, words in [
        (("32:32", column), None, "name their type"),
        (("f16[32]{0}", column), "f32", "32 bits contradict the 16 bits"),
        (("((32:32))@LM0 / Half", column), "f32", "32 bits contradict the 16 bits"),
        (("16:1", column), "f32", r"shape \[16\]"),
        (("((32_PE))", column), "f32", "level `PE`"),
        (("64:1", "((64_LANE))"), "f32", "a warp of nvidia has 32"),
    ]:
        with pytest.raises(LayoutError, match=words):
            access(*texts, dtype=dtype)


def test_an_access_is_that_of_a_gpu_and_swizzles_are_best_for_its_stores_too():
    operand = "(16,32):(64,1)", "v_mfma_f32_16x16x32_f16:A"
    counts = {}
    for gpu, store in [("gfx942", False), ("gfx942", True), ("gfx950", False)]:
        cost = access(*operand, dtype="f16", gpu=gpu, store=store)
        assert (cost.gpu, cost.store, cost.repeats) == (gpu, store, [1, 1])
        counts[gpu, store] = (cost.wavefronts, cost.ideal_wavefronts)
    assert counts == {("gfx942", False): (32, 8), ("gfx942", True): (64, 8), ("gfx950", False): (16, 4)}
    for gpu, store, words in [("gfx90a", False, "no public measurement"), ("gfx1100", True, "stores of gfx1100")]:
        with pytest.raises(LayoutError, match=words):
            access("32:1", "((32_LANE))", dtype="f32", gpu=gpu, store=store)
    loads = access("(64,64):(64,1)", "SM75_U32x4_LDSM_N:S", dtype="f16")
    assert loads.repeats == [2, 8]
    rows = "((4:16, 4_WARP:4, 4_LANE:8), (8_LANE:1, 8:1))"
    for best in [*loads.swizzles(stored_by=rows), *loads.paddings(stored_by=rows)]:
        assert best.stores is not None and best.stores.store and best.stores.conflicts == best.access.conflicts == 0
        again = access(best.memory, rows, dtype="f16", store=True)
        assert again.wavefronts == best.stores.wavefronts == 64
    assert all(best.stores is None for best in loads.swizzles())


def test_candidates_are_walked_and_counted():
    candidates = Candidates("L2B=2,PE=4", (8, 8), padding_percent=0, tree_order=True)
    walked = list(candidates)
    assert len(walked) == candidates.count() > 10
    assert len({candidate.layout for candidate in walked}) == len(walked)
    for candidate in walked[:50]:
        placement = candidate.placement
        assert placement.layout == candidate.layout and placement.machine == Machine("L2B=2,PE=4")
        assert placement.footprint_words == candidate.footprint_words
    source = Layout("((8:8), (8:1))").on("L2B=2,PE=4")
    assert min(relayout(source, of.placement).into["PE"] for of in walked) == 0
    with pytest.raises(ValueError, match="MAB"):
        Candidates("PE=4", (4,), never={0: "MAB"})
    with pytest.raises(ValueError, match="side"):
        Candidates("PE=4", (4,), sides=["left"])  # type: ignore[list-item]


def test_sums_are_local_and_their_traffic_is_counted():
    local = einsum("bk,kn->bn", "((4_L2B:1), (8_MAB:1))", k="((4_PE:1, 32:1))")
    assert [operand.shape for operand in local.operands] == [(4, 128), (128, 8)]
    traffic = local.traffic("L2B=4,MAB=8,PE=4", scattered=True)
    assert traffic["PE"] == {"partial": 4, "into": 32, "out_of": 96}
    with pytest.raises(ValueError, match="single letters"):
        einsum("k->", "(1:1)", kk="((4:1))")
    with pytest.raises(ValueError, match="`k` is summed over"):
        einsum("bk,kn->bn", "((4_L2B:1), (8_MAB:1))")


def test_shapes_of_dumps_have_sizes_and_advice():
    for text in lines("tpu_shapes.txt"):
        shape = XlaShape(text)
        sizes = shape.sizes
        assert sizes.unpadded_bytes <= sizes.allocated_bytes
        assert str(shape) == text and XlaShape(str(shape)) == shape
        assert shape.layout.shape == shape.shape
    advice = XlaShape("bf16[100,200]{1,0}").advice()
    assert len(advice) > 3 and all(of.allocated_bytes >= 40000 for of in advice)
    with pytest.raises(ValueError, match="not one array"):
        _ = XlaShape("(f32[2], s32[])").dtype
    assert "<pre" in XlaShape("f32[3]")._repr_html_()


def test_shardings_go_from_notation_to_notation():
    sharding = Sharding("P(('x', 'y'), None)", mesh="x=2,y=4")
    assert sharding.to("hlo", rank=2) == "{devices=[8,1]<=[8]}"
    assert sharding.to("sdy", rank=2).endswith('[{"x", "y"}, {}]>')
    again = Sharding(sharding.to("jax", rank=2), mesh="x=2,y=4")
    assert [again.shard((16, 3), n) for n in range(8)] == [sharding.shard((16, 3), n) for n in range(8)]
    by_machine = sharding.layout((16, 3), machine="HOST=2,CHIP=4")
    assert by_machine.locate(15, 2) == Location(HOST=1, CHIP=3, Addr=5)
    with pytest.raises(ValueError):
        Sharding("P('x')")
        Sharding("P('x')").shard((4,), 0)


def test_dumps_are_records():
    path = DATA.parents[1] / "crates/hlo/tests/data/mlp.txt"
    seen: list[int] = []
    records = read_hlo(path, progress=seen.append)
    assert len(records) > 20 and not records.unread
    assert seen[-1] == path.stat().st_size
    with open(path, encoding="utf-8") as text, open(path, "rb") as data:
        assert len(read_hlo(text)) == len(read_hlo(data)) == len(records)
    written = path.read_text(encoding="utf-8").splitlines()
    for record in records:
        assert record.name.lstrip("%") in written[record.line - 1]
        assert record.opcode in written[record.line - 1]
    assert sum(record.is_entry and record.is_root for record in records) == 1
    columns = records.columns()
    assert {len(column) for column in columns.values()} == {len(records)}
    assert records[-1].name == list(records)[-1].name
    with pytest.raises(IndexError):
        records[len(records)]
    assert [[record.name for record in records[at]] for at in (slice(2), slice(-2, None), slice(None, None, -7))] == [
        [record.name for record in list(records)[at]] for at in (slice(2), slice(-2, None), slice(None, None, -7))
    ]
    assert len(read_hlo(path.read_text(encoding="utf-8"))) == len(records)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'nowhere.txt'"):
        read_hlo("nowhere.txt")
    with pytest.raises(LayoutError, match="StableHLO"):
        read_hlo("module @jit_f {\n  func.func public @main() {\n  }\n}\n")
    assert len(read_hlo(io.StringIO(""))) == 0
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(columns)["unpadded_bytes"].sum() > 0


def test_pictures_and_pages_are_those_of_the_command(tmp_path: Path):
    layout = Layout("(10,7)/((3:7, 4_PE), (7:1))")
    for view in ("tensor", "machine"):
        out = tmp_path / f"{view}.svg"
        subprocess.run([*COMMAND, "draw", str(layout), "--view", view, "-o", out], check=True)
        assert layout.draw(view=view).to_svg() == out.read_text(encoding="utf-8")
    layout.on("L2B=2,PE=4").explore().save(tmp_path / "ours.html")
    out = tmp_path / "theirs.html"
    subprocess.run([*COMMAND, "draw", str(layout), "--machine", "L2B=2,PE=4", "-o", out], check=True)
    assert (tmp_path / "ours.html").read_text() == out.read_text()
    picture = layout.draw("((10:7), (7:1))", by="Addr")
    picture.save(tmp_path / "pair.png")
    assert (tmp_path / "pair.png").read_bytes().startswith(b"\x89PNG")
    assert layout._repr_svg_() == layout.draw().to_svg()
    frame = layout.explore(height=99)._repr_html_()
    assert frame.startswith("<iframe") and 'height="99"' in frame
    picture.save(tmp_path / "pair.pdf")
    assert (tmp_path / "pair.pdf").read_bytes().startswith(b"%PDF")
    for refused in (lambda: picture.save(tmp_path / "a.gif"), lambda: layout.draw(view="side")):  # type: ignore[arg-type]
        with pytest.raises(ValueError):
            refused()


BANKED = "S<3,3,3> o 0 o (8,64):(64,1)"
LARGE = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))"


@pytest.mark.parametrize(
    ("text", "options", "keywords"),
    [
        (BANKED, ["--by", "bank", "--bits", "16"], {"by": "bank", "dtype": "f16"}),
        (BANKED, ["--labels", "bank,index", "--bits", "16"], {"labels": ["bank", "index"], "dtype": np.float16}),
        ("f16[8,64]{1,0}", ["--by", "bank"], {"by": "bank"}),
        (LARGE, ["--blocks", "8"], {"blocks": 8}),
        (LARGE, ["--panels", "1"], {"panels": 1}),
        (LARGE, ["--title", "weights"], {"title": "weights"}),
        (LARGE, ["--no-caption"], {"caption": False}),
        (LARGE, ["--background", "dark"], {"background": "dark"}),
        (LARGE, ["--background", "none", "--view", "machine"], {"background": "none", "view": "machine"}),
    ],
)
def test_options_of_a_picture_are_those_of_the_command(tmp_path: Path, text: str, options: list[str], keywords: dict[str, Any]):
    picture = Layout(text).draw(**keywords)
    assert picture.to_svg() != Layout(text).draw().to_svg()
    for end, ours in [("svg", picture.to_svg().encode()), ("pdf", picture.to_pdf())]:
        out = tmp_path / f"theirs.{end}"
        subprocess.run([*COMMAND, "draw", text, *options, "-o", out], check=True)
        assert ours == out.read_bytes()


def test_films_are_those_of_the_command(tmp_path: Path):
    before, after = "((2_PE, 2:2), (2:1))", "((4:1), (2_PE))"
    film = Layout(before).film(after)
    for name in ("film.svg", "film.gif", "film.html"):
        film.save(tmp_path / f"our_{name}")
        subprocess.run([*COMMAND, "draw", before, after, "--view", "film", "-o", tmp_path / name], check=True)
        assert (tmp_path / f"our_{name}").read_bytes() == (tmp_path / name).read_bytes()
    assert film.to_gif() == (tmp_path / "film.gif").read_bytes()
    with pytest.raises(ValueError, match="in .svg, .gif or .html"):
        film.save(tmp_path / "film.png")


def test_notebooks_show_layouts_reports_and_tables():
    layout = Layout("(10,7)/((3:7, 4_PE), (7:1))")
    assert "&" not in layout.report()._repr_html_().replace("&lt;", "").replace("&gt;", "").replace("&quot;", "").replace("&amp;", "")
    assert layout.table()._repr_html_().count("<tr>") == 11
    assert (layout._repr_svg_() or "").startswith("<svg")


def test_the_command_is_in_the_wheel():
    def run(*arguments):
        return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True)

    done = run("locate", "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))", "100,37", "--machine", "mn-core")
    assert (done.returncode, done.stdout.strip()) == (0, "L2B=1,L1B=4,MAB=1,PE=1,Addr=33")
    assert run("same", "((2:1))", "((2:2))").returncode == 1
    refused = run("explain", "((2:1)")
    assert refused.returncode == 2 and "^" in refused.stderr
    assert run().returncode == 2 and run("--help").returncode == 0
    assert run("--version").stdout.startswith("tensor-layout ")
    script = Path(sys.executable).with_name("tensor-layout")
    if script.exists():
        assert subprocess.run([script, "notations"], capture_output=True).returncode == 0


def test_everything_public_says_what_it_is():
    for name in tensor_layout.__all__:
        assert getattr(tensor_layout, name).__doc__, name


def test_the_command_needs_no_numpy():
    code = "import sys, tensor_layout.__main__; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert {"plan", "Empty", "from_jax"} <= set(dir(tensor_layout)) and set(tensor_layout.__all__) <= set(dir(tensor_layout))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tensor_layout.nothing  # noqa: B018
