# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each expert info is raised by one packet, with no other, and its text and item are correct."""

import re

import pytest

import gamewire_tshark as tshark
from plugin.leviathan import decoding as leviathan
from plugin.leviathan.decoding import ECHO, KEEPALIVE, NONE, ack_only, hello, normal, request, response, string, u32
from plugin.leviathan.samples import PACKETS, creation, with_request

MALFORMED = str(0x07000000)  # the group PI_MALFORMED


def raised(item):
    """(name, text) of each expert info below."""
    found = []
    for expert in item.all("_ws.expert"):
        for child in expert.items:
            if child.name.startswith("leviathan."):
                found.append((child.name.removeprefix("leviathan."), child.label))
    return found


def decode_all(path, *args):
    """With the port given: a heuristic must not accept most of these packets."""
    return leviathan.decode(path, "-d", f"udp.port=={tshark.SERVER_PORT},leviathan", *args)


@pytest.fixture(scope="module")
def decoded(tmp_path_factory):
    """All packets in one capture, each in a separate conversation."""
    packets = [
        tshark.Udp(20000 + n, tshark.SERVER_PORT, payload, n / 1000) for n, (payload, _) in enumerate(PACKETS.values())
    ]
    path = tshark.write_pcap(tmp_path_factory.mktemp("experts") / "experts.pcap", packets)
    return dict(zip(PACKETS, decode_all(path)))


@pytest.mark.parametrize("name", PACKETS)
def test_packet_raises_this_expert_info(decoded, name):
    found = dict(raised(decoded[name]))
    assert name in found
    assert PACKETS[name][1] in found[name]
    # Some types in these packets are not supported by the engine's reader.
    assert set(found) - {name, "message.type.unsupported"} == set()


@pytest.mark.parametrize("name", PACKETS)
def test_no_byte_is_outside_every_field(decoded, name):
    item = decoded[name]
    covered = set()
    for child in leviathan_leaves(item):
        covered.update(range(child.pos, child.pos + child.size))
    assert covered >= set(range(item.pos, item.pos + item.size))


def leviathan_leaves(item):
    for child in item.items:
        if child.name not in ("leviathan.message", "leviathan.component", "leviathan.ignored_block"):
            yield child
        yield from leviathan_leaves(child)


def test_sequence_expert_infos(udp_capture):
    """Expert infos that need several packets; test_analysis.py tests them in detail."""
    answer = normal(1002, response(2, NONE, 99))
    path = udp_capture(
        tshark.request(hello()),
        tshark.request(normal(1004, request(3, ECHO)), 0.1),
        tshark.request(normal(1003, request(2, ECHO)), 0.2),
        tshark.request(normal(1005, request(3, ECHO)), 0.3),
        tshark.request(normal(1005, request(3, ECHO)), 0.4),
        tshark.reply(hello(acks=[1004, 1009]), 0.5),
        tshark.reply(answer, 0.6),
        tshark.reply(normal(1003, response(3, KEEPALIVE), acks=[1004]), 1.5),
        tshark.reply(normal(1004, response(3, KEEPALIVE, 1), acks=[1004]), 1.6),
    )
    found = {name for item in leviathan.decode(path, "-2") for name, _ in raised(item)}
    assert found == {
        f"analysis.{name}"
        for name in (
            "retransmission",
            "duplicate",
            "number_reused",
            "out_of_order",
            "lost",
            "shows_loss",
            "ack.unseen",
            "request.unseen",
        )
    }


def test_packet_cut_by_the_capture_is_not_called_malformed(udp_capture):
    whole = with_request(2, string("player") + bytes(8) + string("secret"))
    path = udp_capture(tshark.request(whole), *(tshark.request(whole, n, captured=n) for n in range(18, len(whole))))
    for item in leviathan.decode(path)[1:]:
        names = [name for name, _ in raised(item) if not name.startswith("analysis.")]
        assert names == ["cut_short"]
    assert all("[" not in info.replace("[Duplicate] ", "") for info in tshark.info_column(path))


def test_packet_that_is_too_short_even_uncut_is_malformed(udp_capture):
    payload = with_request(10, u32(90) + b"abcdef")
    path = udp_capture(tshark.request(payload, captured=len(payload) - 2))
    assert [name for name, _ in raised(decode_all(path)[0])] == ["string.truncated"]


def test_expert_infos_can_be_filtered_without_a_field_of_the_protocol():
    """In this case only the protocol's item is added, and the expert infos are on it."""
    path = leviathan.capture("malformed")
    found = {"_ws.expert": set(), "_ws.malformed": set()}
    for frame, item in enumerate(leviathan.decode(path, prefs=leviathan.PORTS), 1):
        groups = {child.show for expert in item.all("_ws.expert") for child in expert.all("_ws.expert.group")}
        found["_ws.expert"] |= {frame} if groups else set()
        found["_ws.malformed"] |= {frame} if MALFORMED in groups else set()
    assert all(found.values())
    for name, frames in found.items():
        args = ["-Y", name, "-T", "fields", "-e", "frame.number"]
        shown = tshark.run(args, path, prefs=leviathan.PORTS).stdout
        assert {int(frame) for frame in shown.split()} == frames


def test_every_expert_info_has_its_packet():
    """All registered expert infos are those above; payload.unread needs several packets (all/test_unread.py)."""
    source = (tshark.SOURCE / "plugin" / "leviathan" / "fields.c").read_text()
    named = set(re.findall(r'"leviathan\.([\w.]+)", PI_', source))
    assert {name for name in named if not name.startswith("analysis.")} == set(PACKETS) | {"cut_short", "payload.unread"}
    assert sum(name.startswith("analysis.") for name in named) == 8


def test_display_is_bounded_and_covers_all_bytes(udp_capture):
    """1,000 components and 64 blocks as separate items, the rest as bytes."""
    components = creation(1500, b"\0\x01" * 1500)
    blocks = normal(2, request(1, ECHO)) + ack_only(1) * 100
    path = udp_capture(tshark.request(components), tshark.Udp(1, tshark.SERVER_PORT, blocks))
    first, second = decode_all(path)
    assert len(first.all("leviathan.component")) == 1000
    assert [item.size for item in first.all("leviathan.not_shown")] == [2 * 500]
    assert len(second.all("leviathan.ignored_block")) == 64
    assert [item.size for item in second.all("leviathan.not_shown")] == [7 * 36]
    args = ("-d", f"udp.port=={tshark.SERVER_PORT},leviathan")
    assert tshark.info_column(path, *args)[1] == "2  Request Echo #1, 100 ignored ack blocks"
    assert [name for name, _ in raised(second)] == ["ignored_acks.unusual"]
