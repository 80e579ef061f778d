"""Headers of arrays, checked against NumPy: the command reads them as NumPy does, or rejects them."""

import io
import struct
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

ARRAY = np.arange(6, dtype="<u4").reshape(2, 3) * 0x01020304


def file(header: bytes, version: tuple[int, int] = (1, 0)) -> bytes:
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(header)) + header + ARRAY.tobytes()


def read_by_numpy(content: bytes) -> np.ndarray | None:
    stream = io.BytesIO(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.lib.format.read_array(stream)
    except (ValueError, TypeError, MemoryError, OverflowError, SyntaxError, EOFError):
        return None
    return None if stream.read() else array


#: Packs every array of a folder; the command handles Ctrl-C itself, so it runs in a separate process.
PACK = """
import pathlib, sys
from tensor_layout._native import command
for source in sorted(pathlib.Path(sys.argv[1]).glob("*.npy")):
    out = str(source.with_suffix(".image"))
    command(["tensor-layout", "pack", str(source), "((2:3), (3:1))", "-o", out], ["tensor-layout"])
    print("--", file=sys.stderr, flush=True)
"""


def read_by_command(folder: Path, contents: list[bytes]) -> tuple[list[np.ndarray | None], list[str]]:
    """Packed by a layout in C order, an array is its own image; returned with the message for each."""
    for at, content in enumerate(contents):
        (folder / f"{at:05}.npy").write_bytes(content)
    run = [sys.executable, "-c", PACK, str(folder)]
    said = subprocess.run(run, capture_output=True, text=True, check=True).stderr
    images = [folder / f"{at:05}.image" for at in range(len(contents))]
    return [np.load(image) if image.exists() else None for image in images], said.split("--\n")


def same(ours: np.ndarray, numpys: np.ndarray | None) -> bool:
    if numpys is None or ours.dtype != numpys.dtype or numpys.shape != (2, 3):
        return False
    return bool((ours.reshape(2, 3) == numpys).all())


PLAIN = b"{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }"


def test_headers_are_read_as_numpy_reads_them(tmp_path):
    headers = (
        PLAIN,
        PLAIN.replace(b"'", b'"'),
        b"{'descr':'>u4','fortran_order':True,'shape':(2,3),'fortran_order':False,'descr':'<u4'}\n",
        b"\t{'shape'\n:( 2,3 ,) , 'fortran_order' :False,\t'descr':'<u4'} \n \n",
    )
    arrays, said = read_by_command(tmp_path, [file(header) for header in headers])
    for header, array, why in zip(headers, arrays, said, strict=False):
        assert array is not None, (header, why)
        assert same(array, read_by_numpy(file(header))), header


def test_what_is_not_a_plain_array_is_refused_by_name(tmp_path):
    fortran = io.BytesIO()
    np.save(fortran, np.asfortranarray(ARRAY))
    cases = (
        (fortran.getvalue(), "Fortran order"),
        (file(b"{'descr':'<u4','fortran_order':False,'shape':(2,3),'fortran_order':True}"), "Fortran"),
        (file(PLAIN[:-1]), "expected a key"),
        (file(b"{'descr':'<u4','fortran_order':False,'shape':(2, 3)e }"), "expected `,` or `}`"),
        (file(PLAIN, (1, 102)), "version 1.102"),
    )
    arrays, said = read_by_command(tmp_path, [content for content, _ in cases])
    for (_, refusal), array, why in zip(cases, arrays, said, strict=False):
        assert array is None and refusal in why


def test_headers_with_a_byte_changed_are_read_as_numpy_reads_them_or_refused(tmp_path):
    content = file(PLAIN + b"  \n")
    changed = []
    for at in range(len(content) - ARRAY.nbytes):
        before, byte, after = content[:at], content[at : at + 1], content[at + 1 :]
        others = [bytes([other]) for other in b"\0\t\n \"#'(),-.0134:<>LTu{}\xff"]
        changed += [before + other + after for other in [b"", byte * 2, *others]]
    arrays, _ = read_by_command(tmp_path, changed)
    read = [(ours, found) for ours, found in zip(arrays, changed, strict=True) if ours is not None]
    assert len(read) > 50
    for ours, found in read:
        assert same(ours, read_by_numpy(found)), found
