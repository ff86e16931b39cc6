# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""A live capture: packets arrive while the windows of the plugin are open. Wireshark reads them from a pipe, as it does with
`ssh host dumpcap -w - | wireshark -k -i -`.
"""

import os
import struct
import tempfile
from pathlib import Path

import pytest

import gamewire_tshark
import tables
import wireshark

PACKET = 6  # pcapng's Enhanced Packet Block


def ends_of_packets(data):
    """Of a pcapng file in this machine's byte order: blocks, each with its type and length."""
    ends, at = [], 0
    while at < len(data):
        kind, length = struct.unpack_from("=II", data, at)
        at += length
        if kind == PACKET:
            ends.append(at)
    return ends


class Live:
    """Wireshark, which captures the samples as far as they are written."""

    def __init__(self, screen, samples):
        pipe = Path(tempfile.mkdtemp(dir=screen.folder)) / "pipe"
        os.mkfifo(pipe)
        if gamewire_tshark.is_root():
            for path in (pipe, pipe.parent):
                os.chown(path, gamewire_tshark.NOBODY, gamewire_tshark.NOBODY)
        self.data = samples.read_bytes()
        self.ends = ends_of_packets(self.data)
        self.written = self.ends[0]
        # A capture has begun when the file's header is there. Only a writer that can read as well may write it before there is
        # a reader.
        with open(os.open(pipe, os.O_RDWR), "wb", buffering=0) as beginning:
            beginning.write(self.data[: self.written])
            self.window = wireshark.Wireshark(screen, pipe=pipe)
            self.pipe = open(pipe, "wb")

    def capture(self, count):
        """As many packets in all."""
        end = self.ends[count - 1]
        self.pipe.write(self.data[self.written : end])
        self.pipe.flush()
        self.written = end
        self.window.wait(lambda: self.window.packet_count() == count, f"{count} packets")

    def captured(self):
        """A file with what is captured until now."""
        path = gamewire_tshark.scratch() / "captured.pcapng"
        path.write_bytes(self.data[: self.written])
        return gamewire_tshark.readable(path)

    def stop(self):
        self.pipe.close()
        self.window.stop()


@pytest.fixture
def live(screen, samples):
    """Wireshark must live after the test, and have printed no warning."""
    found = Live(screen, samples)
    yield found
    found.window.check()
    assert found.window.warnings() == []
    found.stop()


def test_statistics_have_what_was_captured_before_they_were_opened(live, samples):
    """Wireshark does not add to them what is captured later. The last packets of the samples are Squirrel's."""
    live.capture(len(live.ends) - 20)
    captured = live.captured()
    for name in tables.TREES:
        tables.check_tree(live.window, name, captured)
    for name in tables.RESPONSE_TIMES:
        tables.check_response_times(live.window, name, captured)
    live.capture(len(live.ends))
    tables.check_tree(live.window, "squirrel", samples)
    tables.check_response_times(live.window, "squirrel", samples)


def test_conversations_and_expert_infos_follow_the_capture(live, samples):
    """Their windows are opened when there is one packet. What comes later is not known then: as in one pass of tshark."""
    window = live.window
    conversations = window.open("Conversations", "Statistics", "Conversations")
    experts = window.open("Expert", "Analyze", "Expert Information")
    live.capture(len(live.ends))
    tables.check_experts(window, experts, tables.printed_experts(gamewire_tshark.run(["-q", "-z", "expert"], samples).stdout))
    window.close(experts)
    tables.check_conversations(window, conversations, samples)
    window.close(conversations)
