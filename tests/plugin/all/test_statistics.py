# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""All statistics: in tshark and sharkd, bytes as totals and as averages; and those of Godot's Variants."""

import re
from collections import Counter

import pytest

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variant.variants import words
from plugin.godot.multiplayer.samples import DECODE_AS, connected

GAME = tshark.PCAPS / "godot" / "variant" / "godot-4.6.3-game.pcap"
SAMPLES = {
    "enet": "enet/every-command",
    "godot": "godot/multiplayer/godot-4.6.3-spawn",
    "leviathan": "leviathan/session",
    "squirrel": "squirrel/session",
}
RESPONSE_TIMES = ("enet", "leviathan", "squirrel")

# For each tree: groups with averages, and for each the group of its rows' bytes. The bytes of Godot's messages include
# headers: see test_bytes.py.
MEASURED = {
    "enet": {"Messages by channel": "Bytes of messages by channel"},
    "godot": {
        "Values by type": "Bytes of values by type",
        'Documents by "cmd"': 'Bytes of documents by "cmd"',
    },
    "leviathan": {"Request lengths": "Bytes of requests", "Response lengths": "Bytes of responses"},
    "squirrel": {
        "Frames": "Bytes by frame",
        "Commands": "Bytes by command",
        "Functions called": "Bytes by function called",
        "Values read": "Bytes by value read",
        "Values set": "Bytes by value set",
    },
}


def sample(name):
    return tshark.PCAPS / f"{SAMPLES[name]}.pcap"


def tree(name, capture, **options):
    """{group: {row, or None for the group itself: its numbers}}, without the levels below rows"""
    rows, group = {}, None
    for line in tshark.run(["-q", "-z", f"{name},tree"], capture, **options).stdout.splitlines():
        label, *numbers = re.split(r"\s{2,}", line.strip())
        if numbers and re.fullmatch(r"\d+", numbers[0]) and not line.startswith("  "):
            if not line.startswith(" "):
                group = label
            rows.setdefault(group, {})[label if line.startswith(" ") else None] = numbers
    return rows


def count_of(rows):
    return {label: int(numbers[0]) for label, numbers in rows.items() if label}


# ---- all families --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_bytes_are_there_as_totals_and_as_averages(name):
    captures = [sample(name)] + ([GAME] if name == "godot" else [])
    checked = 0
    for found in (tree(name, capture) for capture in captures):
        for counts, totals in MEASURED[name].items():
            for row, (count, average, least, most, *_) in found.get(counts, {}).items():
                if not row or int(count) == 0:
                    continue
                total = int(found[totals][row][0])
                assert float(average) * int(count) == pytest.approx(total, abs=0.006 * int(count)), (counts, row)
                assert int(least) * int(count) <= total <= int(most) * int(count)
                checked += 1
    assert checked > 1


@pytest.mark.parametrize("name", SAMPLES)
def test_a_group_is_the_sum_of_its_rows(name):
    found = tree(name, sample(name))
    bytes_again = {"Bytes": ["After decompression"]}
    for group, rows in found.items():
        parts = [count for row, count in count_of(rows).items() if row not in bytes_again.get(group, [])]
        assert int(rows[None][0]) == sum(parts), group


@pytest.mark.parametrize("capture", SAMPLES.values())
@pytest.mark.parametrize("name", SAMPLES)
def test_no_group_is_empty(name, capture):
    found = tree(name, tshark.PCAPS / f"{capture}.pcap")
    assert found or capture != SAMPLES[name]
    assert [group for group, rows in found.items() if int(rows[None][0]) == 0 or len(rows) < 2] == []


def sharkd_tap(capture, tap):
    answers = tshark.sharkd([
        {"method": "load", "params": {"file": str(tshark.readable(capture))}},
        {"method": "tap", "params": {"tap0": tap}},
    ])
    return answers[1]["result"]["taps"][0]


@pytest.mark.parametrize("name", SAMPLES)
def test_sharkd_has_the_tree(name):
    expected = {group: int(rows[None][0]) for group, rows in tree(name, sample(name)).items()}
    found = sharkd_tap(sample(name), f"stat:{name}")
    assert {row["name"]: row["count"] for row in found["stats"]} == expected


@pytest.mark.parametrize("name", RESPONSE_TIMES)
def test_sharkd_has_the_response_times(name):
    printed = tshark.run(["-q", "-z", f"{name},srt"], sample(name)).stdout
    expected = {row: int(calls) for row, calls in re.findall(r"^ +\d+ +(\S.*?) +(\d+)(?: +[\d.]+){4}", printed, re.MULTILINE)}
    rows = sharkd_tap(sample(name), f"srt:{name}")["tables"][0]["r"]
    assert expected and {row["n"]: row["num"] for row in rows} == expected


def test_sharkd_has_enet_s_conversations_endpoints_and_streams():
    assert sharkd_tap(sample("enet"), "conv:ENet")["convs"]
    assert sharkd_tap(sample("enet"), "endpt:ENet")["hosts"]
    answers = tshark.sharkd([
        {"method": "load", "params": {"file": str(tshark.readable(sample("enet")))}},
        {"method": "follow", "params": {"follow": "ENet", "filter": "enet.connection == 0"}},
    ])
    assert answers[1]["result"]["payloads"]


# ---- Godot's Variants ----------------------------------------------------------------------------------


def documents():
    """(the sender's text, payload) of each packet of the game."""
    records = gamewire_records.read("godot/variant", GAME.stem)
    return [(record["text"], packet.payload) for record, packet in zip(records, tshark.read_pcap(GAME), strict=True)]


def value_of(text, key):
    found = re.search(rf'^"{key}": ("?\w+"?)', text, re.MULTILINE)
    return found.group(1) if found else "without this key"


def test_documents_are_counted_by_their_value_at_cmd():
    found = tree("godot", GAME)
    counts, sizes = Counter(), Counter()
    for text, payload in documents():
        counts[value_of(text, "cmd")] += 1
        sizes[value_of(text, "cmd")] += len(payload)
    assert len(counts) > 5
    assert count_of(found['Documents by "cmd"']) == counts
    assert count_of(found['Bytes of documents by "cmd"']) == sizes


def test_their_rate_is_in_packets_a_millisecond():
    """0.28 ms from the first packet to the last."""
    count, *_, rate, _percent, _burst, _start = tree("godot", GAME)['Documents by "cmd"']['"move"']
    times = [float(packet["frame.time_relative"][0]) for packet in tshark.fields(GAME, ["frame.time_relative"])]
    assert float(rate) == pytest.approx(int(count) / (1000 * max(times)), rel=0.01)


def test_another_key_is_chosen_by_preference():
    found = tree("godot", GAME, prefs={"godot.statistics_key": "tick"})
    counts = Counter(value_of(text, "tick") for text, _ in documents())
    assert count_of(found['Documents by "tick"']) == counts
    assert set(counts) == {"1201", "1202", "without this key"}


def test_a_long_key_is_cut_at_a_character():
    key = 40 * "é"
    groups = [group for group in tree("godot", GAME, prefs={"godot.statistics_key": key}) if group.startswith("Documents")]
    assert len(groups) == 1 and groups[0].startswith('Documents by "éé') and groups[0].endswith('é…"')


def test_a_long_method_is_cut_at_a_character(udp_capture):
    """A call of Godot 3, from the server to all peers on the path with id 6."""
    call = words(1, 0) + b"\0" + words(6) + (150 * "é").encode() + b"\0\0"
    path = udp_capture(*connected((True, call)))
    printed = tshark.run(["-q", "-z", "godot,tree", *DECODE_AS], path, prefs={"godot_mp.generation": "3"}).stdout
    assert re.search("^ é+…", printed, re.MULTILINE)


def test_a_key_of_an_inner_dictionary_is_not_counted():
    found = tree("godot", GAME, prefs={"godot.statistics_key": "hp"})
    assert list(count_of(found['Documents by "hp"'])) == ["without this key"]


def test_without_a_key_there_are_types_only():
    assert not [group for group in tree("godot", GAME, prefs={"godot.statistics_key": ""}) if "Documents" in group]


def test_values_are_counted_by_type():
    """Keys are values too, and are counted by type."""
    packets = tshark.fields(GAME, ["godot.type", "godot.key"], "-2")
    counts = Counter(kind for packet in packets for kind in packet["godot.type"])
    assert count_of(tree("godot", GAME)["Values by type"]) == counts


def test_the_bytes_of_values_are_those_of_the_payloads():
    assert int(tree("godot", GAME)["Bytes of values by type"][None][0]) == sum(len(payload) for _, payload in documents())


def test_variants_in_a_stream_are_counted_too():
    capture = tshark.PCAPS / "godot/stream" / "godot-4.6.3-stream.pcap"
    found = tree("godot", capture)
    infos = "".join(tshark.info_column(capture, "-Y", "godot"))
    assert count_of(found['Documents by "cmd"'])['"join"'] == infos.count('"cmd": "join"') > 0


def test_every_frame_of_the_capture_is_counted():
    lengths = [int(packet["frame.len"][0]) for packet in tshark.fields(GAME, ["frame.len"])]
    payloads = sum(len(payload) for _, payload in documents())
    assert count_of(tree("godot", GAME)["Bytes of the capture"]) == {"Variants": payloads, "Headers": sum(lengths) - payloads}


def test_a_message_that_is_sent_again_is_counted_once():
    capture = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-node-added.pcap"
    packets = tshark.fields(capture, ["godot_mp", "enet.analysis.resend_number"], "-Y", "godot_mp")
    counts = {again: sum(len(packet["godot_mp"]) for packet in packets if bool(packet["enet.analysis.resend_number"]) == again)
              for again in (False, True)}
    assert int(tree("godot", capture)["Messages"][None][0]) == counts[False] and counts[True]
