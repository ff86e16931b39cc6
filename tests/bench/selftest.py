# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tries the bench without timing anything: selftest.py PATH_OF_BENCH_CODEC"""

import hashlib
import struct
import sys
import tempfile
import unittest
from pathlib import Path

import documents
import frames
import section_capture
import section_codec
import section_heuristic
import section_packets
import sessions
import table
from table import Goal, Line

# Of the first 100 documents, length words included: two generators that were written apart agree on these.
CORPORA = {
    ("godot", "2001"): "0fa5af0355f089596abaf989b01b006dfe4476f79f4c32018971d3c13483a255",
    ("cbor", "2001"): "36e1aa13df2b8ff9f9b676c595c223c8fbbc244cc936375e6c46a602143b25fd",
    ("msgpack", "2001"): "d98623ead98cb1ef32b768866224bfc69104224ac5041da03206240d64c87d7f",
    ("godot", "mixed"): "462b29bfa8e3285d0e96db0495957d866a60e7b867a9476849d5967ae451269c",
    ("cbor", "mixed"): "c8f72e12053f84483fd413c2afce2abff67f5e28545c8196460e380b04fbb604",
    ("msgpack", "mixed"): "a5cd98708777b6a77fc1fba10a92647378d904903425168fab03fe6d6e529e82",
}


class Documents(unittest.TestCase):
    def test_every_run_makes_the_same_documents(self):
        with tempfile.TemporaryDirectory() as folder:
            for (form, shape), expected in CORPORA.items():
                path = Path(folder) / "corpus"
                documents.write_corpus(path, documents.payloads(form, shape, 100))
                self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), expected, (form, shape))

    def test_shapes_have_the_nodes_that_they_are_named_after(self):
        for shape, nodes in documents.NODES.items():
            self.assertEqual(documents.count_nodes(documents.documents(shape, 1)[0]), nodes)

    def test_a_value_is_spelled_as_each_format_says(self):
        value = {"a": [1, -2, 1.5, True]}
        self.assertEqual(
            documents.godot(value).hex(" ", 4),
            "12000000 01000000 04000000 01000000 61000000 13000000 04000000 "
            "02000000 01000000 02000000 feffffff 03000000 0000c03f 01000000 01000000",
        )
        self.assertEqual(documents.cbor(value).hex(), "a1616184" + "01" + "21" + "fa3fc00000" + "f5")
        self.assertEqual(documents.msgpack(value).hex(), "81a16194" + "01" + "fe" + "ca3fc00000" + "c3")
        self.assertEqual(
            documents.squirrel(value).hex(),
            "5401000000" + "73000161" + "4104000000" + "770100" + "77feff" + "660000c03f" + "6201",
        )


class Datagrams(unittest.TestCase):
    def test_random_datagrams_have_the_compression_bit_or_not(self):
        for compressed in (True, False):
            datagrams = section_heuristic.random_datagrams(100, compressed)
            self.assertEqual(len(datagrams), 100)
            bits = {datagram[0] & section_heuristic.ENET_COMPRESSED for datagram in datagrams}
            self.assertEqual(bits, {0, section_heuristic.ENET_COMPRESSED} if compressed else {0})


class Sessions(unittest.TestCase):
    def test_a_game_of_godot_has_the_sizes_that_its_goal_is_for(self):
        packets = sessions.first(2600, sessions.GodotGame().packets())
        self.assertAlmostEqual(sum(len(packet.payload) + frames.UDP_PAYLOAD_AT for packet in packets) / 2600, 91, delta=1)

    def test_stock_packets_have_the_order_the_directions_and_almost_the_sizes_of_the_game(self):
        for game in section_packets.GAMES:
            packets = sessions.first(500, game.packets())
            for name, peer in game.peers.items():
                others = list(peer.packets(packets))
                self.assertEqual([packet[:2] for packet in others], [packet[:2] for packet in packets], name)
                more = sum(len(other.payload) - len(packet.payload) for other, packet in zip(others, packets))
                self.assertLess(abs(more) / 500, 3, name)

    def test_a_recorded_session_goes_on_with_the_numbers_that_follow(self):
        """In a repetition a side's reliable commands are those after the last one's, each once."""
        packets = sessions.first(1500, sessions.netfox())
        for side in (sessions.CLIENT, sessions.SERVER):
            sequences = [
                struct.unpack_from(">H", packet.payload, field.at)[0]
                for packet in packets
                if packet.from_client == side
                for field in sessions.fields(packet)
                if field.key == (side, sessions.PEER_CHANNEL) and field.is_sent
            ]
            self.assertEqual(sorted(set(sequences)), list(range(1, max(sequences) + 1)))

    def test_each_kind_of_capture_is_as_large_as_wanted(self):
        for kind in section_capture.KINDS:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "capture"
                written = kind.write(path, 1_000_000)
                self.assertAlmostEqual(path.stat().st_size, 1_000_000, delta=260_000, msg=kind.name)
                self.assertEqual(len(frames.read_capture(path)), written.packets, kind.name)


class Captures(unittest.TestCase):
    def test_a_payload_is_passed_on_unchanged(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "capture"
            frames.write_capture(path, [b"one", b"another"])
            self.assertEqual(
                [frames.udp_payload(frame) for frame in frames.read_capture(path)], [b"one", b"another"]
            )

    def test_each_copy_of_a_session_is_a_conversation(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "capture"
            frames.write_capture(path, [b"one"])
            frames.write_sessions(path, frames.read_capture(path), 3)
            copies = frames.read_capture(path)
            hosts = {frame[frames.IP_ADDRESSES_AT : frames.IP_ADDRESSES_AT + 4] for frame in copies}
            self.assertEqual(len(hosts), 3)
            self.assertEqual({frames.udp_payload(frame) for frame in copies}, {b"one"})


class Codecs(unittest.TestCase):
    program = ""

    def test_all_libraries_read_and_write_the_same_documents(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            section_codec.write_corpora(folder, {"mixed": 50, "2001": 2}, copies=10)
            for shape in section_codec.SHAPES:
                times = section_codec.run_jobs(self.program, folder, shape, 1, section_codec.GODOT_JOBS)
                self.assertEqual(set(times), set(section_codec.GODOT_JOBS))
            section_codec.run_jobs(self.program, folder, "session", 1, section_codec.SESSION_JOBS)

    def test_there_is_no_recursion_and_the_test_detects_recursion(self):
        self.assertIn("even", section_codec.reachable({"even": {"odd"}, "odd": {"even"}}, "even"))
        self.assertNotIn("leaf", section_codec.reachable({"root": {"leaf"}}, "leaf"))


class Table(unittest.TestCase):
    def result(self, goal, ours, peer):
        return Line("", "", ours, goal, "peer", peer).cells()[5]

    def test_results_show_whether_goals_are_met(self):
        self.assertEqual(self.result(Goal("ratio", 0.5), [5.0], [10.0]), "met")
        self.assertEqual(self.result(Goal("ratio", 0.5), [6.0], [10.0]), "missed by 20 %")
        self.assertEqual(self.result(Goal("faster", 10), [1.0], [8.0]), "missed by 25 %")
        self.assertEqual(self.result(Goal("value", 1.6), [1.602], []), "missed by 0.1 %")
        self.assertEqual(self.result(Goal("excess", 60), [600.0], [500.0]), "missed by 40")
        self.assertEqual(self.result(Goal("value", 8), [8.0], []), "met")

    def test_a_withdrawn_goal_is_shown_and_not_missed(self):
        line = Line("ours", "ns", [9.0], Goal("ratio", 0.8, "it does less"), "peer", [10.0])
        self.assertEqual(line.cells()[5], "missed by 12 %; withdrawn: it does less")
        self.assertFalse(line.missed)
        self.assertEqual(table.summary([("codec", [line])]), "0 of 0 goals met")
        self.assertIn("| ours: 0.90 | withdrawn: it does less |", table.as_page([("codec", [line])]))

    def test_rounds_with_different_results_are_marked(self):
        self.assertEqual(
            self.result(Goal("ratio", 1), [1.0, 1.0, 3.0], [2.0, 2.0, 2.0]), "met (rounds differ)"
        )


if __name__ == "__main__":
    Codecs.program = sys.argv.pop(1)
    unittest.main()
