# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A node whose RPC methods differ between two peers ("RPC checksum failed"): its calls are marked, and no others."""

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import CONVERSATIONS, DECODE_AS, DEFINE, client, server, tables
from plugin.enet.datagrams import datagram, reliable

CAPTURE = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-mismatch.pcap"
DIFFERS, FRAME = "godot_mp.rpc.methods.differs", "godot_mp.rpc.differs_in"
NAMES = ["frame.number", "godot_mp.rpc.caller", "godot_mp.rpc.path", "godot_mp.rpc.method", "godot_mp.rpc.argument", FRAME, DIFFERS]
IS_CALL = "godot_mp.rpc.method_id"




def calls(*args):
    return tshark.fields(CAPTURE, NAMES, *tables(), "-Y", IS_CALL, *args)


def test_calls_that_reach_another_method_or_no_method_are_marked():
    """The script's log: the calls, and the executed methods."""
    log = gamewire_records.read("godot/multiplayer", "godot-4.6.3-mismatch.calls")
    ids = {str(line["id"]): line["process"] for line in log if line["event"] == "peer"}
    received = [(str(line["source"]), line["path"], line["method"], line["arguments"])
                for line in log if line["event"] == "received"]
    found = calls("-2")
    assert len(found) == len([line for line in log if line["event"] == "call"])
    for packet in found:
        source, path, method = (packet[f"godot_mp.rpc.{name}"][0] for name in ("caller", "path", "method"))
        carried_out = (source, path, method, packet["godot_mp.rpc.argument"]) in received
        assert bool(packet[DIFFERS]) != carried_out, (ids[source], packet)
    assert len([packet for packet in found if packet[DIFFERS]]) == 6


def test_a_marked_call_has_a_link_to_the_confirmation():
    refusals = tshark.fields(CAPTURE, ["frame.number"], "-Y", "godot_mp.path.methods.differs")
    frames = {packet["frame.number"][0] for packet in refusals}
    assert len(frames) == 2
    assert {frame for packet in calls("-2") for frame in packet[FRAME]} == frames


def test_on_the_first_pass_a_call_is_marked_from_the_confirmation_on():
    for packet in calls():
        later = [frame for frame in packet[FRAME] if int(frame) > int(packet["frame.number"][0])]
        assert later == [] and bool(packet[FRAME]) == bool(packet[DIFFERS])
    assert len([packet for packet in calls() if packet[DIFFERS]]) == 4


# ---- conversations made by hand ------------------------------------------------------------------------------------

REFUSED, CONFIRMED = "02 00 06000000", "02 01 06000000"
CALL, CALL_BY_PATH = "80 06 05", "a0 06000080 05 4d61696e00"


def marked(path, messages):
    packets = []
    for index, (from_server, message) in enumerate(messages):
        side = tshark.reply if from_server else tshark.request
        packets.append(side(datagram(reliable(index + 1, bytes.fromhex(message)), sent_time=index), index))
    tshark.write_pcap(path, packets)
    found = tshark.fields(path, ["frame.number", DIFFERS], *DECODE_AS, "-2", "-Y", "godot_mp", prefs={"godot_mp.generation": "4"})
    return [int(packet["frame.number"][0]) for packet in found if packet[DIFFERS]]


def test_calls_by_id_and_by_path_are_marked(tmp_path):
    messages = [client(DEFINE), client(CALL_BY_PATH), server(REFUSED), client(CALL), client(CALL_BY_PATH)]
    assert marked(tmp_path / "calls.pcap", messages) == [2, 4, 5]


def test_calls_of_the_other_side_are_not_marked(tmp_path):
    """The definition of the other side may be of a node with the same methods."""
    messages = [client(DEFINE), server(DEFINE), server(REFUSED), client(CONFIRMED), server(CALL), client(CALL)]
    assert marked(tmp_path / "sides.pcap", messages) == [6]


def test_with_equal_methods_no_call_is_marked(tmp_path):
    assert marked(tmp_path / "same.pcap", CONVERSATIONS["defined and confirmed"][0]) == []
