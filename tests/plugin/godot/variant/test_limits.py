# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""With and without a tree, with one and two passes, several files in one process; and hostile documents."""

import json
import shutil
import subprocess

import pytest

import gamewire_tshark as tshark
from plugin.godot.variant.samples import FAULTS, ODDITIES, OTHERS, after_a_seven
from plugin.godot.variant.variants import WIDE, encode, floats, text, words

AS_GODOT = ["-d", f"udp.port=={tshark.SERVER_PORT},godot"]
CAPTURE = tshark.PCAPS / "godot" / "variant" / "godot-3.2.3.pcap"


# ---- with and without a tree ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def troubles(tmp_path_factory):
    """All samples that raise an expert info, on one port and of all generations; also truncated by the capture."""
    payloads = [after_a_seven(*row[:2]) for row in (ODDITIES | FAULTS).values()]
    payloads += [row[1] for row in OTHERS.values()] + [words(11) + floats(*range(6))]
    packets = [tshark.Udp(41100 + n, tshark.SERVER_PORT, payload) for n, payload in enumerate(payloads)]
    packets += [packet._replace(options={"captured": len(packet.payload) // 2}) for packet in packets]
    return tshark.write_pcap(tmp_path_factory.mktemp("troubles") / "troubles.pcap", packets)


@pytest.mark.parametrize("passes", [[], ["-2"]], ids=["one pass", "two passes"])
def test_expert_infos_are_the_same_without_a_tree(troubles, passes):
    without = tshark.run([*AS_GODOT, *passes, "-q", "-z", "expert"], troubles).stdout
    with_tree = tshark.run([*AS_GODOT, *passes, "-q", "-V", "-z", "expert"], troubles).stdout
    assert "Errors (" in without and "Warns (" in without and "Chats (" in without
    assert with_tree[with_tree.index("\nErrors (") :] == without[without.index("\nErrors (") :]


COLUMNS = ["-o", 'gui.column.format:"Protocol","%p","Info","%i"']


def summary_lines(capture, *args):
    return tshark.run([*COLUMNS, *AS_GODOT, *args], capture).stdout.splitlines()


@pytest.mark.parametrize("passes", [[], ["-2"]], ids=["one pass", "two passes"])
def test_columns_are_the_same_without_a_tree(troubles, passes):
    capture, _ = tshark.together((troubles, CAPTURE))
    with_tree = set(summary_lines(capture, *passes, "-P", "-V"))
    lines = summary_lines(capture, *passes)
    assert [line for line in lines if line not in with_tree] == []
    infos = tshark.info_column(capture, *AS_GODOT, *passes)
    assert [line.split(maxsplit=1)[1:] for line in lines] == [[info] for info in infos]


def test_statistics_without_a_tree_run():
    counted = tshark.run(["-q", "-z", "io,stat,0,godot,godot.int"], CAPTURE).stdout
    last_row = counted.splitlines()[-2].replace("|", " ").split()
    # Frames that are recognized on the first pass, and those of them with an int.
    rows = tshark.fields(CAPTURE, ["godot.generation", "godot.int"])
    frames = [sum(bool(row[name]) for row in rows) for name in ("godot.generation", "godot.int")]
    assert frames[0] > frames[1] > 0
    assert [int(last_row[-4]), int(last_row[-2])] == frames


# ---- consecutive files ------------------------------------------------------------------------------

PROOF_OF_3 = encode({"cmd": "move", "hp": 0.5, "items": ["sword", "bow"], "ok": True}, 3)
SIX_FLOATS = words(11) + floats(1, 2, 3, 4, 5, 6)  # 20 bits each: the fourth is recognized
VECTOR3 = words(9) + floats(1.5, -2, 30.25)  # 14 bits: the fifth does


def sharkd(*requests):
    """The answers of one sharkd process, in their order."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, "method": method, **({"params": params} if params else {})})
             for n, (method, params) in enumerate(requests, 1)]
    privileges = []
    if tshark.is_root():
        privileges = ["setpriv", "--reuid", str(tshark.NOBODY), "--regid", str(tshark.NOBODY), "--clear-groups"]
    done = subprocess.run([*privileges, "sharkd", "-"], env=tshark.environment(), input="\n".join(lines) + "\n",
                          capture_output=True, timeout=tshark.TIMEOUT, check=True, text=True, cwd=tshark.scratch())
    return [json.loads(line)["result"] for line in done.stdout.splitlines() if line.startswith("{")]


@pytest.mark.skipif(not shutil.which("sharkd"), reason="sharkd is not installed")
def test_a_file_does_not_affect_the_next_one(tmp_path):
    """The same ports in each: the evidence and the generation of the first file are not used for the second."""
    contents = [[PROOF_OF_3], [words(11) + floats(n, 2, 3, 4, 5, 6) for n in range(4, 0, -1)], [VECTOR3] * 4, [VECTOR3]]
    requests = []
    for number, payloads in enumerate(contents):
        file = tshark.write_pcap(tmp_path / f"{number}.pcap", [tshark.request(payload) for payload in payloads])
        requests += [("load", {"file": str(tshark.readable(file))}), ("frames", None)]
    answers = sharkd(*requests, ("bye", None))
    infos = [[frame["c"][-1] for frame in answer] for answer in answers[1::2][: len(contents)]]
    assert infos[0] == ['Dictionary {"cmd": "move", "hp": 0.5, "items": [ "sword", "bow" ], "ok": true}']
    assert infos[1][-1] == "Transform2D(1, 2, 3, 4, 5, 6)"
    assert [info for info in infos[2] + infos[3] if "Vector3" in info] == []


# ---- hostile documents ------------------------------------------------------------------------------

LARGEST = 65507  # of a datagram's payload

HOSTILE = {
    "arrays in arrays": words(28, 1) * 8000 + words(28, 0),
    "typed arrays in typed arrays": words(28 | WIDE, 28, 1) * 5000 + words(28 | WIDE, 2, 0),
    "dictionaries in dictionaries": (words(27, 1) + words(0)) * 5000 + words(0),
    "dictionaries as keys of dictionaries": words(27, 1) * 5000 + words(0) * 5001,
    "objects in objects": (words(24) + text("N") + words(1) + text("")) * 3000 + words(0),
    "long keys, deep": (words(27, 1) + encode("k" * 180)) * 320 + words(0),
    "a deep key before many values":
        words(27, 1) + words(28, 1) * 2000 + words(28, 0) + words(28, 5000) + words(0) * 5000,
    "nils": words(28, 16000) + words(0) * 16000,
    "empty arrays": words(28, 8000) + words(28, 0) * 8000,
    "entries of nils": words(27, 8000) + words(0) * 16000,
    "properties of no name": words(24) + text("Node") + words(8000) + words(0, 0) * 8000,
    "bools of neither value": words(28, 8000) + words(1, 7) * 8000,
    "empty strings": words(34, 8000) + words(1, 0) * 8000,
    "strings without NUL": words(34, 8000) + (words(1) + b"x\0\0\0") * 8000,
    "empty names": words(22, 0x80000000 | 8000, 8000, 1) + words(0) * 16000,
    "vectors": words(35, 8000) + floats(1, 2) * 8000,
    "bytes": words(29, 65000) + b"\xff" * 65000,
    "a count of all ones": words(27, 0xFFFFFFFF) + words(0) * 16000,
}

EVERYTHING = {"godot.show_headers": True, "godot.show_values": True, "godot.packed_elements": 4294967295}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    assert [name for name, payload in HOSTILE.items() if len(payload) > LARGEST] == []
    packets = [tshark.request(payload) for payload in HOSTILE.values()]
    return tshark.write_pcap(tmp_path_factory.mktemp("hostile") / "hostile.pcap", packets)


@pytest.mark.parametrize("prefs", [{}, EVERYTHING], ids=["", "everything shown"])
@pytest.mark.parametrize("args", [["-V"], ["-T", "json"], ["-T", "pdml"], ["-2"], ["-q", "-z", "expert"]], ids=" ".join)
def test_documents_of_any_size_are_dissected(hostile, args, prefs):
    """A bug, too many items, or an invalid memory access would make tshark fail; an endless loop, the timeout."""
    output = tshark.run([*AS_GODOT, *args], hostile, prefs={"godot.generation": 4, **prefs}).stdout
    assert output.strip()


def test_hostile_documents_are_read_up_to_their_fault(hostile):
    names = ["godot.count", "godot.engine.too_deep", "godot.tree.too_deep", "godot.bool.unusual", "godot.undecoded",
             "godot.not_shown", "godot.header.truncated"]
    # One name per run: fields that are added only if they are referenced count toward the limit of the tree.
    found = {name: {} for name in HOSTILE}
    for name in names:
        packets = tshark.fields(hostile, [name], *AS_GODOT, prefs={"godot.generation": 4})
        for document, packet in zip(HOSTILE, packets, strict=True):
            found[document] |= packet
    faulty = [name for name, packet in found.items() if packet["godot.header.truncated"]]
    assert faulty == ["a count of all ones"]
    assert [name for name, packet in found.items() if packet["godot.undecoded"] or packet["godot.not_shown"]] == []
    deep = [name for name, packet in found.items() if packet["godot.tree.too_deep"]]
    assert deep == list(HOSTILE)[:7]
    assert len(found["arrays in arrays"]["godot.count"]) == 8001
    # At most ten expert infos of one kind are added.
    assert len(found["arrays in arrays"]["godot.engine.too_deep"]) == 10
    assert len(found["bools of neither value"]["godot.bool.unusual"]) == 10
