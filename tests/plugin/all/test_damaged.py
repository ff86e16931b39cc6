# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of a known conversation that the game has damaged are shown with their fault, if no other dissector accepts
them. The messages are those of real captures; the tests cut and change them."""

import functools

import pytest

import gamewire_tshark as tshark
from plugin.enet import datagrams
from plugin.godot.multiplayer import sctp
from plugin.godot.variant.variants import encode

GODOT, MULTIPLAYER = tshark.PCAPS / "godot", tshark.PCAPS / "godot" / "multiplayer"
PORT = tshark.SERVER_PORT
CLIENT = 0x3D5A17C1

SOURCES = {
    "godot": (GODOT / "variant" / "godot-4.6.3-game.pcap", "godot"),
    "godot 3": (GODOT / "variant" / "godot-3.6-game.pcap", "godot"),
    "godot_mp": (MULTIPLAYER / "godot-4.6.3-spawn.pcap", "godot_mp"),
}


@functools.lru_cache(maxsize=None)
def messages(name):
    """The messages of one direction of a real conversation."""
    path, layer = SOURCES[name]
    packets = tshark.layer_bytes(path, [layer], "-Y", f"{layer} && udp.srcport == {port_of(path, layer)}")
    return [bytes.fromhex(message) for packet in packets for message in packet][:40]


def port_of(path, layer):
    """Of the side that sends the most."""
    ports = tshark.run(["-Y", layer, "-T", "fields", "-e", "udp.srcport"], path).stdout.split()
    return max(set(ports), key=ports.count)


# ---- carriers ------------------------------------------------------------------------------------------


class FromClient(bytes):
    """A message in the other direction."""


def datagram_of(message, *more, **options):
    return (tshark.request if isinstance(message, FromClient) else tshark.reply)(*more, **options)


def in_udp(path, payloads, **options):
    return tshark.write_pcap(path, [datagram_of(one, one, n / 50, **options) for n, one in enumerate(payloads)])


def in_enet(path, payloads, **options):
    data = CLIENT.to_bytes(4, "big")
    sent = [tshark.request(datagrams.connect()[:-4] + data), tshark.reply(datagrams.verify(), 0.01)]
    for n, one in enumerate(payloads):
        header = 0x8001 if isinstance(one, FromClient) else 0x8000
        carried = datagrams.datagram(datagrams.reliable(n % 65535 + 2, one), header)
        sent.append(datagram_of(one, carried, 1 + n / 50, **options))
    return tshark.write_pcap(path, sent)


def in_tcp(path, payloads, carry):
    return tshark.write_tcp_connections(path, [[(not isinstance(one, FromClient), carry(one)) for one in payloads]])


def in_websocket(path, payloads):
    def carry(payload):
        length = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + len(payload).to_bytes(2, "big")
        return b"\x82" + length + payload

    return in_tcp(path, payloads, carry)


def in_stream(path, payloads):
    return in_tcp(path, payloads, lambda payload: len(payload).to_bytes(4, "little") + payload)


def in_sctp(path, payloads):
    packets = []
    for n, one in enumerate(payloads):
        hosts = {} if isinstance(one, FromClient) else {"from": 2, "to": 1}
        ports = (40000, PORT) if isinstance(one, FromClient) else (PORT, 40000)
        packet = sctp.packet(ports, 1, sctp.data(1, one, n))
        packets.append(tshark.Udp(sctp.TUNNEL, sctp.TUNNEL, packet, n / 50, hosts))
    return tshark.write_pcap(path, packets)


WEBSOCKET = ("-d", f"tcp.port=={PORT},websocket")

# How the messages are carried, tshark's options, and those with which a user selects the dissector, if there are some.
CARRIERS = {
    "udp": (in_udp, (), "udp.port", ("godot", "godot 3")),
    "enet": (in_enet, (), "enet.port", ("godot", "godot 3", "godot_mp")),
    "websocket": (in_websocket, WEBSOCKET, None, ("godot", "godot 3", "godot_mp")),
    "stream": (in_stream, (), None, ("godot", "godot 3")),
    "sctp": (in_sctp, (), "sctp.ppi", ("godot_mp",)),
}
PAIRS = [(carrier, name) for carrier, (*_, names) in CARRIERS.items() for name in names]
BEFORE = {"enet": 2}  # packets before the messages


def layer_of(carrier, name):
    """The protocol that a message is shown as."""
    return "godot_stream" if carrier in ("websocket", "stream") and name != "godot_mp" else name.split()[0]


def changed(payload, at, byte):
    return payload[:at] + bytes([byte]) + payload[at + 1 :]


def damages(payload):
    return {
        "one byte missing": payload[:-1],
        "four bytes missing": payload[:-4],
        "another first byte": changed(payload, 0, payload[0] ^ 0x40),
        "a further byte": payload + b"\1",
    }


def with_damaged(name):
    """Real messages, the last of them damaged in several ways, and the same messages again."""
    real = messages(name)
    last = max(real[8:], key=real.count) if name == "godot_mp" else max(real[6:], key=len)
    return real, damages(last), real[:8]


def seen_of_each(paths, *args):
    names = ["frame.protocols", "_ws.col.Info", "_ws.expert.message"]
    found = tshark.fields_of_each(paths, names, *args)
    return [[tuple("|".join(row[name]) for name in names) for row in found[path]] for path in paths]


def seen(path, *args):
    return seen_of_each((path,), *args)[0]


@functools.lru_cache(maxsize=None)
def written(carrier):
    """{name: a capture of its messages with this carrier}"""
    write, _, _, names = CARRIERS[carrier]
    return {name: write(tshark.scratch() / f"damaged-{carrier}-{name}.pcap", [*real, *damaged.values(), *after])
            for name, (real, damaged, after) in ((name, with_damaged(name)) for name in names)}


@functools.lru_cache(maxsize=None)
def shown_in(carrier, *args):
    """{name: the packets} of all captures with this carrier."""
    captures = written(carrier)
    return dict(zip(captures, seen_of_each(tuple(captures.values()), *CARRIERS[carrier][1], *args)))


def shown(carrier, name, *args):
    real, damaged, _ = with_damaged(name)
    rows = shown_in(carrier, *args)[name][BEFORE.get(carrier, 0) :]
    return dict(zip(damaged, rows[len(real) : len(real) + len(damaged)])), rows[len(real) + len(damaged) :]


@pytest.mark.parametrize("carrier, name", PAIRS)
def test_a_damaged_message_is_shown_with_its_fault(carrier, name):
    found, _ = shown(carrier, name)
    for damage, (protocols, _, experts) in found.items():
        assert protocols.split(":")[-1] == layer_of(carrier, name), damage
        assert experts, damage


@pytest.mark.parametrize("carrier, name", [pair for pair in PAIRS if CARRIERS[pair[0]][2]])
def test_a_damaged_message_is_shown_as_if_a_user_had_selected_the_dissector(carrier, name):
    table = CARRIERS[carrier][2]
    value = 53 if table == "sctp.ppi" else PORT
    selected, _ = shown(carrier, name, "-d", f"{table}=={value},{name.split()[0]}")
    assert shown(carrier, name)[0] == selected


@pytest.mark.parametrize("carrier, name", PAIRS)
def test_two_passes_show_what_one_shows(carrier, name):
    one, two = shown(carrier, name), shown(carrier, name, "-2")
    assert one[0] == two[0]
    assert [protocols for protocols, *_ in one[1]] == [protocols for protocols, *_ in two[1]]


@pytest.mark.parametrize("carrier, name", PAIRS)
def test_messages_after_damaged_ones_are_shown_as_before(carrier, name):
    _, after = shown(carrier, name)
    assert {protocols.split(":")[-1] for protocols, *_ in after} == {layer_of(carrier, name)}


def test_the_fault_has_its_offset_and_what_the_engine_does():
    found, _ = shown("udp", "godot")
    size = len(max(messages("godot")[6:], key=len))
    assert found["four bytes missing"][2].endswith("the engine rejects the packet")
    assert f"at offset {size - 8}: 4 bytes missing" in found["four bytes missing"][2]
    assert found["another first byte"][2].startswith("A Variant type that this generation does not have")


def test_a_length_before_a_variant_is_shown(tmp_path):
    real = messages("godot")
    paths = tuple(in_udp(tmp_path / f"{order}.pcap", [*real, len(real[6]).to_bytes(4, order) + real[6]])
                  for order in ("little", "big"))
    for rows in seen_of_each(paths):
        protocols, _, experts = rows[-1]
        assert protocols.endswith("udp:godot") and experts


# The first four words of an encoded dictionary: its type, one pair, the type of the key, and the length of the key.
PLAYER = encode({"a": {"name": "Bo", "position": [1.5, 2.5], "hp": 100}})
ALIKE = {"three zeros after it": (changed(changed(PLAYER, 12, 0xFF), 16, 0xFF), True),
         "two zeros after it": (changed(changed(PLAYER, 12, 0xFF), 15, 1), False)}


@pytest.mark.parametrize("name", ALIKE)
def test_a_damaged_message_has_24_bits_of_equal_bytes(name, tmp_path):
    """A zero is one bit, a byte below 32 four: three words before the wrong byte are 21 bits, and the zeros after it one each."""
    damaged, is_alike = ALIKE[name]
    last = seen(in_udp(tmp_path / "bits.pcap", [PLAYER, damaged]))[-1]
    assert ("godot" in last[0].split(":")) == is_alike


def test_payloads_of_many_lengths_in_turn_do_not_displace_each_other(tmp_path):
    """After another first byte, 28 bits are equal to those of a text with the same length, and 20 to those of others."""
    lengths = range(40, 64, 4)
    texts = [[letter * length, 7] for letter in "bcdefghi" for length in lengths]
    damaged = changed(encode(["y" * lengths[1], 7]), 0, 0x44)
    path = in_udp(tmp_path / "lengths.pcap", [*map(encode, texts), damaged])
    for passes in ((), ("-2",)):
        assert [protocols.split(":")[-1] for protocols, *_ in seen(path, *passes)][1:] == ["godot"] * len(texts)


def test_the_columns_are_the_same_without_a_tree(tmp_path):
    real, damaged, after = with_damaged("godot")
    path = in_udp(tmp_path / "tree.pcap", [*real, *damaged.values(), *after])
    lines = ["-o", 'gui.column.format:"P","%p","I","%i"']
    for passes in ((), ("-2",)):
        without = tshark.run([*lines, *passes], path).stdout
        assert "malformed" in without
        assert without == tshark.run([*lines, *passes, "-Y", "godot || frame"], path).stdout


@pytest.mark.parametrize("carrier, write", [("udp", in_udp), ("enet", in_enet)])
def test_what_only_the_capture_cut_is_not_malformed(carrier, write, tmp_path):
    real, damaged, _ = with_damaged("godot")
    cut = [damaged["one byte missing"], damaged["four bytes missing"]]
    paths = tuple(write(tmp_path / f"{captured}.pcap", [*real, *cut], captured=captured + 8 * (carrier == "enet"))
                  for captured in (12, 30, 60))
    for rows in tshark.fields_of_each(paths, ["_ws.expert.severity", "_ws.expert.message"], "-2").values():
        assert len(rows) > len(real)
        for row in rows[-len(cut) :]:
            assert not any("rejects" in text for text in row["_ws.expert.message"])


def test_messages_before_the_conversation_is_known_are_left_alone(tmp_path):
    damaged = damages(messages("godot")[6])
    for passes in ((), ("-2",)):
        path = in_udp(tmp_path / "before.pcap", [*damaged.values(), *messages("godot")])
        assert all(row[0].endswith("udp:data") for row in seen(path, *passes)[: len(damaged)])


def test_the_other_direction_is_not_compared(tmp_path):
    packets = [tshark.reply(payload, n / 50) for n, payload in enumerate(messages("godot"))]
    packets += [tshark.request(payload, 9) for payload in damages(messages("godot")[6]).values()]
    rows = seen(tshark.write_pcap(tmp_path / "other.pcap", packets))
    assert all(row[0].endswith("udp:data") for row in rows[len(messages("godot")) :])


# ---- other dissectors ----------------------------------------------------------------------------------

LUA = """
local other = Proto("other_game", "Other Game")
local function dissect(buffer, pinfo, tree)
    if buffer(0, 1):uint() ~= 0x5b and buffer(0, 1):uint() ~= 0x46 then return false end
    pinfo.cols.protocol = "Other"
    tree:add(other, buffer())
    return true
end
function other.dissector(buffer, pinfo, tree) return dissect(buffer, pinfo, tree) and buffer:len() or 0 end
for _, list in ipairs({"udp", "enet", "ws"}) do
    other:register_heuristic(list, dissect)
end
"""


@functools.lru_cache(maxsize=None)
def with_other_heuristic(*args):
    """{carrier: the last two packets of a capture}"""
    script = tshark.scratch() / "other.lua"
    script.write_text(LUA, encoding="utf-8")
    real, damaged, _ = with_damaged("godot")
    payloads = [*real, damaged["another first byte"], damaged["one byte missing"]]
    paths = {carrier: CARRIERS[carrier][0](tshark.scratch() / f"other-{carrier}.pcap", payloads)
             for carrier in ("udp", "enet", "websocket")}
    found = seen_of_each(tuple(paths.values()), *WEBSOCKET, *args, "-X", f"lua_script:{tshark.readable(script)}")
    return {carrier: rows[-2:] for carrier, rows in zip(paths, found)}


@pytest.mark.parametrize("carrier", ["udp", "enet", "websocket"])
@pytest.mark.parametrize("passes", [(), ("-2",)], ids=["one_pass", "two_passes"])
def test_another_heuristic_has_precedence(carrier, passes):
    for first in ((), ("-o", "udp.try_heuristic_first:TRUE")):
        other, ours = with_other_heuristic(*passes, *first)[carrier]
        assert other[0].endswith("other_game") and "godot" not in other[0]
        assert ours[0].split(":")[-1] == layer_of(carrier, "godot")
