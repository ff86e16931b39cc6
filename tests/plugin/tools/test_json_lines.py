# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""-z gamewire,messages and -z gamewire,frames: what they print is what the fields and expert infos have, in all captures."""

import functools
import json
import re
from collections import Counter

import pytest

import gamewire_tshark as tshark

MESSAGES = [f"{protocol}.json" for protocol in tshark.PROTOCOLS]
NAMED = " || ".join(MESSAGES)
VALUES = ["enet.command", "enet.analysis.ack_rtt", "godot_mp.rpc.path", "leviathan.rtt", "squirrel.token", "tcp.len", "udp.srcport",
          "frame.protocols", "tcp.analysis.retransmission"]
ENDS = ["ip.src", "ip.dst", "tcp.srcport", "tcp.dstport", "udp.dstport"]  # beside those in VALUES
CALLS = tshark.PCAPS / "godot/multiplayer" / "godot-3.6-calls.pcap"


def printed(capture, statistic):
    return tshark.run(["-2", "-q", "-z", statistic], capture).stdout.splitlines()


@pytest.fixture(scope="module", params=tshark.capture_folders(), name="capture")
def _capture(request):
    """All captures of a folder. The tests of one folder follow each other, so that its decoding is kept for them only."""
    return tshark.captures_of(request.param)


@functools.lru_cache(maxsize=1)
def frames_of(capture):
    """(frames, described findings, texts of enumerations), each frame with its messages."""
    frames, findings, texts, messages = [], {}, {}, []
    for line in printed(capture, f"gamewire,frames,{' '.join(VALUES)}"):
        row = json.loads(line)
        if "finding" in row:
            findings[row["finding"]] = row
        elif "field" in row:
            texts[row["field"]] = row["texts"]
        elif next(iter(row)) == "time":
            messages.append(row)
        else:
            frames.append({**row, "messages": messages})
            messages = []
    return frames, findings, texts


@functools.lru_cache(maxsize=None)
def registered_findings():
    """{filter: (severity, title, the rest)} of those of severity Note and above."""
    rows = [(field.filter, field.blurb.split(" ")[0].rstrip(":"), field.name, field.blurb) for field in tshark.registered_fields()]
    return {name: (word, title, text) for name, word, title, text in rows if word in ("Note", "Warning", "Error")}


@functools.lru_cache(maxsize=1)
def packets_of(capture):
    """The fields of each frame with which the tests compare."""
    names = ["frame.number", "frame.len", *ENDS, *MESSAGES, *VALUES, *registered_findings()]
    return tshark.fields(capture, names, "-2", "-Y", f"frame || {NAMED}")


def test_the_lines_of_the_statistic_are_the_fields_of_the_messages(capture):
    expected = [line for packet in packets_of(capture) for name in MESSAGES for line in packet[name]]
    assert printed(capture, "gamewire,messages") == expected


def test_frames_have_their_messages_and_the_values_of_fields(capture):
    frames, _, _ = frames_of(capture)
    for packet, frame in zip(packets_of(capture), frames, strict=True):
        assert [frame["frame"], frame["length"]] == [int(packet[name][0]) for name in ("frame.number", "frame.len")]
        assert frame["messages"] == [json.loads(line) for name in MESSAGES for line in packet[name]]
        assert {name: frame["fields"].get(name, []) for name in VALUES[:-1]} == {name: packet[name] for name in VALUES[:-1]}
        assert len(frame["fields"].get(VALUES[-1], ())) == len(packet[VALUES[-1]])
        assert frame["protocols"] == [name for name in packet["frame.protocols"][0].split(":") if name in tshark.PROTOCOLS]
        assert all(message["time"] == frame["time"] for message in frame["messages"])


def test_a_frame_has_its_ends_if_no_message_has_them(capture):
    for packet, frame in zip(packets_of(capture), frames_of(capture)[0], strict=True):
        assert ("source" in frame) is ("destination" in frame) is (not frame["messages"])
        hosts, ports = packet["ip.src"] + packet["ip.dst"], [packet[f"{kind}.srcport"] + packet[f"{kind}.dstport"] for kind in ("tcp", "udp")]
        # Not where one packet is in another one, as in a tunnel.
        if not frame["messages"] and len(hosts) == 2 and sorted(map(len, ports)) == [0, 2] and "sctp" not in packet["frame.protocols"][0]:
            assert [frame["source"], frame["destination"]] == [f"{host}:{port}" for host, port in zip(hosts, ports[0] or ports[1])]


def test_findings_of_frames_are_their_expert_infos(capture):
    names = registered_findings()
    frames, described, _ = frames_of(capture)
    for packet, frame in zip(packets_of(capture), frames, strict=True):
        assert Counter(frame["findings"]) == Counter({name: len(packet[name]) for name in names if packet[name]}), packet["frame.number"]
    assert set(described) == {name for frame in frames for name in frame["findings"]}
    for name, row in described.items():
        word = f" [{row['word']}]" if "word" in row else ""
        remedy = f": {row['remedy']}" if "remedy" in row else ""
        assert (row["severity"], row["title"], f"{row['severity']}{word}{remedy}") == registered_findings()[name]


def test_a_name_may_be_that_of_a_protocol_and_of_several_values():
    """The dissectors of IPv4 and of IPv6 register a field ip.version each."""
    names = ["frame", "ip.addr", "udp.port", "ip.version"]
    packets = tshark.fields(CALLS, names[1:], "-2", "-Y", "frame.number < 9")
    lines = [json.loads(line) for line in printed(CALLS, f"gamewire,frames,{' '.join(names)},frame.number < 9")]
    found = [line["fields"] for line in lines if next(iter(line)) == "frame"]
    assert [{name: row[name] for name in names[1:]} for row in found] == packets and all(len(row["frame"]) == 1 for row in found)


def test_the_name_of_a_field_may_be_long(tmp_path):
    """Wireshark's longest has 132 characters; these are of a dissector in Lua."""
    if "with Lua" not in tshark.run(["--version"]).stdout:
        pytest.skip("this tshark has no Lua")
    names = [f"lengths.{'n' * length}" for length in (1, 114, 115, 116, 117, 300)]
    script = tmp_path / "lengths.lua"
    fields = "\n".join(f'lengths.fields.f{index} = ProtoField.uint32("{name}", "{index}")' for index, name in enumerate(names))
    added = "\n".join(f"    tree:add(lengths.fields.f{index}, {index})" for index in range(len(names)))
    script.write_text(f"""local lengths = Proto("lengths", "Lengths")
{fields}
function lengths.dissector(buffer, pinfo, tree)
{added}
end
register_postdissector(lengths)
""", encoding="utf-8")
    statistic = f"gamewire,frames,{' '.join(names)},frame.number == 1"
    lines = tshark.run(["-q", "-X", f"lua_script:{tshark.readable(script)}", "-z", statistic], CALLS).stdout.splitlines()
    frame, = (json.loads(line) for line in lines if line.startswith('{"frame":'))
    assert frame["fields"] == {name: [str(index)] for index, name in enumerate(names)}


def test_an_enumeration_has_its_texts():
    _, _, texts = frames_of(tshark.captures_of("enet"))
    values = tshark.run(["-G", "values"]).stdout.splitlines()
    expected = {int(number, 0): text for _, name, number, text in (line.split("\t") for line in values if line.startswith("V\tenet.command\t"))}
    assert {int(number): text for number, text in texts["enet.command"].items()} == expected and len(expected) > 5


@pytest.mark.parametrize("statistic, first", [("gamewire,messages", "time"), ("gamewire,frames,", "frame"),
                                              ("gamewire,frames,enet.command", "frame")])
def test_a_filter_chooses_frames(statistic, first):
    lines = [json.loads(line) for line in printed(CALLS, f"{statistic},enet.connection == 1 && godot_mp")]
    of_frames = {row["frame"] for row in lines if next(iter(row)) == first}
    assert of_frames == {int(packet["frame.number"][0])
                         for packet in tshark.fields(CALLS, ["frame.number"], "-2", "-Y", "enet.connection == 1 && godot_mp")}


@pytest.mark.parametrize("statistic", ["gamewire,messages,enet.nothing", "gamewire,frames,enet.nothing", "gamewire,frames,enet.command,=="])
def test_a_wrong_filter_and_an_unknown_field_are_reported(statistic):
    done = tshark.run(["-2", "-q", "-z", statistic], CALLS, check=False)
    assert done.stdout == "" and f"-z {statistic}" in done.stderr


def test_a_datagram_that_an_icmp_error_quotes_has_no_message():
    quoting = [frame for frame in frames_of(tshark.captures_of("enet"))[0] if ":icmp:" in frame["fields"]["frame.protocols"][0]]
    assert quoting and not any(frame["messages"] for frame in quoting)


def test_the_pages_frame_is_one_of_a_capture():
    page = (tshark.SOURCE / "plugin" / "docs" / "messages.md").read_text(encoding="utf-8")
    (example,) = re.findall(r'^(\{"frame":.*)$', page, re.MULTILINE)
    assert example in printed(CALLS, "gamewire,frames,enet.command enet.analysis.ack_rtt,enet")
