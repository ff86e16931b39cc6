# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree of a message: the call first, one row for each peer and each value, and what is generated below the item that it explains."""

import re

import pytest

import gamewire_tshark as tshark
from plugin.enet.datagrams import datagram, reliable
from plugin.godot.multiplayer.captures import CALLS, every_call, logged, path_of
from plugin.godot.multiplayer.samples import DECODE_AS, connected, tables

FOLDER = tshark.PCAPS / "godot/multiplayer"
PEER_ROWS = ("From", "To", "Source peer", "Target peer", "Caller", "Callee")


def trees(path, *options):
    """Each message as its rows: (depth, text)."""
    text = tshark.verbose(path, "-O", "godot_mp", "-2", *options)
    for block in re.findall(r"^Godot Multiplayer, .*\n((?: .*\n)*)", text, re.MULTILINE):
        yield [((len(row) - len(row.lstrip())) // 4, row.strip()) for row in block.splitlines()]


def names(rows, depth):
    return [text.strip("[]").split(":")[0] for at, text in rows if at == depth]


@every_call
def test_the_first_row_of_a_call_is_the_call_as_the_script_has_it(capture):
    made = {f"{line['path']}.{line['method']}" for line in logged(capture, "call")}
    found = set()
    for rows in trees(path_of(capture), *tables(), "-Y", "godot_mp.rpc.method"):
        if not rows[0][1].startswith("Command: REMOTE_CALL"): # another message of the frame
            continue
        shown = re.fullmatch(r"Command: REMOTE_CALL (\S.*?\.\w+)\((.*)", rows[0][1])
        assert shown[1] in made
        found.add(shown[1])
        values = [text.split(": ", 1)[1] for at, text in rows if at == 1 and re.match(r"Argument \d+: ", text)]
        if len(shown[2]) < 80 and values: # short enough to be there in full
            assert shown[2] == ", ".join(values) + ")"
        assert rows[1][0] == 2 and rows[1][1].startswith("Command byte: ")
    assert found


@every_call
def test_sender_receiver_and_each_argument_are_one_row(capture):
    for rows in trees(path_of(capture), "-Y", "godot_mp.rpc.method || godot_mp.rpc.method_id"):
        assert [name for name in names(rows, 1) if name in PEER_ROWS] == ["From", "To"]
        counts = [int(text.split(": ")[1]) for at, text in rows if text.startswith("Argument count: ")]
        assert len([name for name in names(rows, 1) if re.fullmatch(r"Argument \d+", name)]) == sum(counts)
        assert not [text for _, text in rows if text.startswith(("[Argument: ", "[Caller: ", "[Callee: "))]


def test_a_value_that_is_not_shown_again_has_its_field():
    path = FOLDER / "godot-3.6-calls.pcap"
    fields = ["godot_mp.rpc.argument", "godot_mp.rpc.caller", "godot_mp.rpc.callee"]
    found = tshark.fields(path, fields, "-2", "-Y", "frame.number == 40")
    assert found == [dict(zip(fields, (["65536"], ["1"], ["1920640050"])))]


def test_a_set_is_the_first_row_as_the_script_has_it():
    rows = list(trees(FOLDER / "godot-3.6-calls.pcap", "-Y", "frame.number == 104"))
    assert rows[0][0] == (1, "Command: REMOTE_SET Main/Units/Hero.hp = 42")


def test_a_relayed_call_has_the_rows_of_any_call_and_those_of_the_relay():
    """Frames 157 and 160 of the capture: the client's message, and the server's with the same content."""
    for rows, link in zip(trees(FOLDER / "godot-4.6.3-calls.pcap", "-Y", "frame.number in {157, 160}"),
                          ("[Relayed in: 160]", "[Relay of: 157]")):
        assert rows[0] == (1, 'Command: REMOTE_CALL Main/World/Level 1/Room/Door.method 5("through the server")')
        assert names(rows, 1) == ["Command", "From", "To", "Relay", "Path offset", "Method id", "Argument count", "Argument 0", "Path",
                                  "Length", "Form", "Stream index"]
        at = rows.index((1, "Relay"))
        assert rows[at + 1][1] == "Command byte: 7 (0x07)" and rows[at + 4] == (2, link)


@pytest.mark.parametrize("peer, shown", [("1", "Anna (server)"), ("0", "Anna (client {})")])
def test_name_role_and_id_of_a_peer_are_one_row(peer, shown):
    path = FOLDER / "godot-3.6-calls.pcap"
    client = "1920640050"
    options = ("-o", f'uat:godot_peer_names:"{client if peer == "0" else peer}","Anna"')
    rows = next(iter(trees(path, *options, "-Y", "frame.number == 40")))
    label = "To" if peer == "0" else "From"
    assert (1, f"[{label}: {shown.format(client)}]") in rows
    found = tshark.fields(path, ["godot_mp.from", "godot_mp.to"], *options, "-2", "-Y", "frame.number == 40")
    assert found[0][f"godot_mp.{label.lower()}"] == ["Anna"]


def test_a_property_is_one_row_with_its_name():
    """The name is also a field, below it, which says that it is not proven."""
    rows = [rows for rows in trees(FOLDER / "godot-4.6.3-spawn.pcap", *tables(), "-Y", "godot_mp.sync.value")]
    named = [row for one in rows for row in one if row[1].endswith("(by path, not proven)]")]
    assert len(named) > 100 and {depth for depth, _ in named} == {3}
    for one in rows:
        for index, (depth, text) in enumerate(one):
            if text.endswith("(by path, not proven)]"):
                name = re.fullmatch(r"\[Property: (.*) \(by path, not proven\)\]", text)[1]
                above = [row for at, row in one[:index] if at == depth - 1][-1]
                assert above.startswith(f"{name}: ")
    assert not [text for one in rows for _, text in one if text.startswith("[Value: ")]


def test_the_call_of_a_message_that_cannot_be_read_to_its_end_ends_with_an_ellipsis(udp_capture):
    path = udp_capture(*connected((True, bytes.fromhex("00 06 05 02 0205"))))
    rows = list(trees(path, *DECODE_AS))[-1]
    assert rows[0] == (1, "Command: REMOTE_CALL #6.method 5(5\u2026")


def test_a_message_about_a_peer_begins_with_its_kind():
    rows = next(iter(trees(FOLDER / "godot-3.6-calls.pcap", "-Y", "frame.number == 14")))
    assert names(rows, 1)[:4] == ["Peer message", "Peer", "From", "To"]


def test_lengths_have_units_and_a_confirmation_is_a_response():
    path = FOLDER / "godot-4.6.3-calls.pcap"
    defined, confirmed = trees(path, "-Y", "frame.number in {3, 5}")
    assert (1, "[Length: 43 bytes]") in defined and (2, "[Response in: 5]") in defined
    # 4.6 shows milliseconds.
    assert (2, "[Request in: 3]") in confirmed and [row for row in confirmed if re.match(r"\[Response time: [08]\.[08]", row[1])]
    assert tshark.fields(path, ["godot_mp.length"], "-Y", "frame.number == 3") == [{"godot_mp.length": ["43"]}]
