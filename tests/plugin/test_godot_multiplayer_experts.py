# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info of Godot's multiplayer has messages that raise it: what one is by itself, and what it is after others."""

import struct

import pytest

import gamewire_tshark as tshark
from enet_datagrams import connect, datagram, reliable, verify
from godot_variants import encode

GODOT_3 = {"godot.multiplayer.generation": "3"}
GODOT_4 = {"godot.multiplayer.generation": "4"}
DECODE_AS = ("-d", f"udp.port=={tshark.SERVER_PORT},enet", "-d", f"enet.port=={tshark.SERVER_PORT},godot.multiplayer")

CHECKSUM = b"d41d8cd98f00b204e9800998ecf8427e".hex() + "00"
UNKNOWN = "godot.multiplayer.path.unknown"  # what a call on a path id that no packet defines has as well
BY_NAME = "godot.multiplayer.path.by_name"
UNASKED = "godot.multiplayer.path.confirmation_unasked"
NO_SPAWNER = "godot.spawn.spawner_unknown"


# Message: its expert infos, without "godot.multiplayer.".
MESSAGES_OF_4 = {
    "05 0300": {"field_truncated"},
    "01" + CHECKSUM + "06000000 4d61": {"text_truncated"},
    "01 6434": {"checksum_truncated"},
    "04 00 01000000 03000000 00000000 05000000 6162": {"name_truncated", NO_SPAWNER},
    "04 00 01000000 03000000 02000000 02000000 04000000 05": {"ids_truncated", NO_SPAWNER},
    "00 06 05 01 04000000 05000000 6162": {"value_truncated", UNKNOWN},
    "00 06 05 02 0205": {"values_missing", UNKNOWN},
    "06 0100 04000000 05000000 0201": {"update_truncated", "godot.sync.never_spawned"},
    "00 06 05 01 3f000000": {"value_invalid", UNKNOWN},
    "00 06 05 01" + 200 * "1c000000 01000000" + "00000000": {"value_too_deep", UNKNOWN},
    "20 03000080 05 00": {"offset_invalid", BY_NAME},
    "30 06": {"id_size_unknown"},
    "07 04": {"system_unknown"},
    5 * "07 03 02000000" + "03 61": {"relay_too_deep", "system_relayed"},
    "08 06 05 00": {"flags_unknown", UNKNOWN},
    "02 01 4d61696eff00": {"text_invalid", "old_confirmation", UNASKED},
    "90 0600 05": {"number_wide", UNKNOWN},
    "05 03000000 00": {"trailing_bytes", "godot.spawn.never_spawned"},
    "01 58" + CHECKSUM[2:] + "06000000 4d00": {"checksum_invalid"},
    "02 02 06000000": {"confirmation_invalid", UNASKED},
    "00 06 05 01 c1": {"bool_invalid", UNKNOWN},
    "00 06 05 01 18000000": {"null_object", UNKNOWN},
    "04 00 01000000 03000000 00000000 01000000 61": {"name_invalid", NO_SPAWNER},
    "16 04000000 0700000000000000 02000000 0209": {"indexes_differ", "godot.sync.never_spawned"},
    "07 01 00000000": {"peer_invalid"},
    "06 0100 04000000 60050000" + 688 * "0201": {"too_large", "godot.sync.never_spawned"},
    "07 03 02000000 07 00": {"system_relayed"},
    "04 ff 01000000 03000000 00000000 02000000 6100 03000000 020c": {"custom_size_differs", NO_SPAWNER},
    "02 01 4d61696e00": {"old_confirmation", UNASKED},
    "a0 06000080 05 4d61696e00": {BY_NAME},
    "80 06 05": {UNKNOWN},
    "06 0100 06000080 02000000 0202": {UNKNOWN},
}
MESSAGES_OF_3 = {
    "01000000 00000000 05": {"command_unknown"},
    "02000000 01000000": {"head_unknown"},
    "01000000 00000000 00 06000000 6800 01": {"values_missing", UNKNOWN},
    "00000000 00000000 04 61": {"peer_invalid"},
}


def full(names):
    return {name if name.startswith("godot.") else f"godot.multiplayer.{name}" for name in names}


@pytest.fixture(scope="module")
def registered():
    """All expert infos: fields of no type, which are no values' own."""
    values = {"godot.sync.update", "godot.multiplayer.packet"}
    return [field.filter for field in tshark.registered_fields() if field.parent == "godot.multiplayer"
            and field.type == "FT_NONE" and field.filter not in values]


def experts(path, datagrams, registered, prefs, *args):
    tshark.write_pcap(path, datagrams)
    packets = tshark.fields(path, registered, *DECODE_AS, *args, prefs=prefs)
    return [{name for name, values in packet.items() if values} for packet in packets]


# hit("a text in plain sight", 12) on Main: leaves no doubt that it is Godot 3's.
SOUND_OF_3 = (struct.pack("<iiBI", 77, 1, 0, 0x80000000 | 50) + b"hit\0\x02" + encode("a text in plain sight", 3)
              + encode(12, 3) + b"Main\0").hex()


@pytest.mark.parametrize("messages, prefs, sound", [(MESSAGES_OF_3, GODOT_3, SOUND_OF_3), (MESSAGES_OF_4, GODOT_4, "03 61")])
def test_each_broken_rule_has_its_expert_info(messages, prefs, sound, tmp_path, registered):
    """Each message in a conversation of its own, so that only its own rule is broken; a sound one comes before it."""
    packets = [tshark.Udp(20000 + index, tshark.SERVER_PORT, datagram(reliable(1 + (each != sound), bytes.fromhex(each))))
               for index, message in enumerate(messages) for each in (sound, message)]
    found = experts(tmp_path / "odd.pcap", packets, registered, prefs)
    assert all(of_sound <= {BY_NAME} for of_sound in found[::2])
    for message, of_message in zip(messages, found[1::2]):
        assert of_message == full(messages[message]), message


# Raw bytes in either generation: peer 77 * 256 + 3 sends them to peer 1 in Godot 3, all after the 3 in Godot 4.
RAW = struct.pack("<iiB", 77 * 256 + 3, 1, 4) + b"raw bytes"


@pytest.mark.parametrize("prefs, data, channels", [(GODOT_3, RAW[9:], 255), (GODOT_4, RAW[1:], 3)])
def test_the_preference_says_whose_messages_these_are(prefs, data, channels, udp_capture):
    """Also when the connection has as many channels as the other generation asks for."""
    path = udp_capture(tshark.request(connect(channels=channels)), tshark.request(datagram(reliable(2, RAW)), 1))
    names = ["godot.multiplayer.generation", "godot.multiplayer.data"]
    found = tshark.fields(path, names, *DECODE_AS, prefs=prefs)[1]
    assert found["godot.multiplayer.generation"] == [prefs["godot.multiplayer.generation"]]
    assert bytes.fromhex(found["godot.multiplayer.data"][0].replace(":", "")) == data


def test_a_fault_is_in_the_tree_and_in_the_list_of_packets(udp_capture):
    messages = "00 06 05 01 020c", "00 06 05 02 020c"
    path = udp_capture(*(tshark.request(datagram(reliable(1 + index, bytes.fromhex(message)), sent_time=index))
                         for index, message in enumerate(messages)))
    assert tshark.info_column(path, *DECODE_AS, prefs=GODOT_4) == [
        "RPC method 5(12) on #6", "RPC method 5(12 [There are fewer arguments than declared]"]
    shown = tshark.verbose(path, *DECODE_AS, prefs=GODOT_4)
    assert "There are fewer arguments than declared at offset 6: 1 byte missing" in shown


# ---- after other messages ------------------------------------------------------------------------


def client(message):
    return False, message


def server(message):
    return True, message


def define(number, name, checksum=CHECKSUM):
    return "01" + checksum + struct.pack("<I", number).hex() + name.encode().hex() + "00"


DEFINE = define(6, "Main")
SPAWN = "04 00 06000000 03000000 01000000 02000000 04000000 6100"
# What the peers say before, and last; the expert infos of that, on the second pass.
CONVERSATIONS = {
    "defined and confirmed": ([client(DEFINE), server("02 01 06000000"), client("80 06 05")], set()),
    "not confirmed yet": ([client(DEFINE), client("80 06 05")], {"path.unconfirmed"}),
    "redefined": ([client(DEFINE), client(define(6, "Other"))], {"path.redefined"}),
    "defined again as it was": ([client(DEFINE), client(DEFINE)], set()),
    "other methods": ([client(DEFINE), server("02 00 06000000")], {"path.methods_differ"}),
    "another path confirmed": ([client(DEFINE), server("02 01 07000000")], {"path.confirmation_unasked"}),
    "spawned": ([server(DEFINE), server(SPAWN)], set()),
    "spawned again": ([server(DEFINE), server(SPAWN), server(SPAWN)], {"godot.spawn.again"}),
    "spawned again after it was despawned": ([server(DEFINE), server(SPAWN), server("05 03000000"), server(SPAWN)], set()),
    "despawned before": ([server(DEFINE), server("05 03000000"), server(SPAWN)], set()),
    "synchronised": ([server(DEFINE), server(SPAWN), server("06 0500 04000000 02000000 0201")], set()),
    "a sync that others overtook": ([server(DEFINE), server(SPAWN), server("06 0500 04000000 02000000 0201"),
                                     server("06 0400 04000000 02000000 0201")], {"godot.sync.late"}),
    "synchronised, but by another id": ([server(DEFINE), server(SPAWN), server("06 0500 05000000 02000000 0201")],
                                        {"godot.sync.never_spawned"}),
}


def read_conversation(path, messages, registered, *args):
    packets = []
    for index, (from_server, message) in enumerate(messages):
        send = tshark.reply if from_server else tshark.request
        packets.append(send(datagram(reliable(index + 1, bytes.fromhex(message)), sent_time=index), index))
    return experts(path, packets, registered, GODOT_4, *args)


def test_every_expert_info_is_raised_here(registered):
    """But for what no datagram holds, and what needs more than these messages: names of methods, clients, cut
    captures."""
    raised = full(set().union(*MESSAGES_OF_3.values(), *MESSAGES_OF_4.values(), {"path.defined_later"},
                              *(expected for _, expected in CONVERSATIONS.values())))
    elsewhere = {"input_too_long", "empty", "cut_short", "tree_limit", "godot.rpc.method_unknown",
                 "godot.spawn.by_client"}
    assert set(registered) - raised == full(elsewhere)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_what_a_message_is_after_others(name, tmp_path, registered):
    messages, expected = CONVERSATIONS[name]
    found = read_conversation(tmp_path / "conversation.pcap", messages, registered, "-2")
    assert found[-1] == full(expected)


def test_a_path_that_is_defined_only_later(tmp_path, registered):
    """Of a call and of a sync; known on the second pass."""
    messages = [client("80 06 05"), client("06 0100 06000080 02000000 0202"), client(DEFINE)]
    found = read_conversation(tmp_path / "later.pcap", messages, registered, "-2")
    assert found == [full({"path.defined_later"}), full({"path.defined_later"}), set()]
    first = read_conversation(tmp_path / "later.pcap", messages, registered)
    assert first == [{UNKNOWN}, {UNKNOWN}, set()]


# ---- before the connection was recognised ---------------------------------------------------------


def call_of_3(source, target, path_id):
    return (struct.pack("<iiBI", source, target, 0, path_id) + b"hit\0\x02" + encode("a text in plain sight", 3)
            + encode(12, 3)).hex()


def test_paths_are_learned_from_messages_that_were_no_proof(tmp_path):
    """Godot 3; each side numbers its paths by itself, and those that it defines confirm none of the other's."""
    of_client, of_server = "4d000000 01000000 02 06000000 4d00", "01000000 4d000000 02 06000000 4f00"
    messages = [server(of_server), client(of_client), server(call_of_3(1, 77, 6)), client(call_of_3(77, 1, 6))]
    packets = [tshark.request(connect(channels=3)), tshark.reply(verify(), 0.1)]
    for index, (from_server, message) in enumerate(messages, 2):
        send, header = (tshark.reply, 0x8000) if from_server else (tshark.request, 0x8001)
        packets.append(send(datagram(reliable(index, bytes.fromhex(message)), header, 100 + index), index))
    path = tshark.write_pcap(tmp_path / "quiet.pcap", packets)
    names = ["godot.multiplayer.generation", "godot.rpc.path", "godot.multiplayer.path.unconfirmed"]
    found = [[bool(packet[names[0]]), packet[names[1]], bool(packet[names[2]])] for packet in tshark.fields(path, names)[2:]]
    assert found == [[False, [], False], [False, [], False], [True, ["O"], True], [True, ["M"], True]]
