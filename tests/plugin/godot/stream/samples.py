# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Streams of Variants: the captures with what the engines logged, and streams that raise expert infos. The tests of
the debugger use them too."""

import functools
import struct

import gamewire_records
import gamewire_tshark as tshark
from plugin.godot.variant.variants import encode, engine_text, same_beginning, same_members, same_text, words


def generation(capture):
    return int(capture.split("-")[1].split(".")[0])


def path_of(capture):
    return tshark.PCAPS / ("godot/debugger" if "debugger" in capture or "editor" in capture else "godot/stream") / f"{capture}.pcap"


@functools.lru_cache(maxsize=None)
def log(capture):
    return gamewire_records.read(path_of(capture).parent.relative_to(tshark.PCAPS), f"{capture}.calls")


def same_value(ours, engine, of):
    printed = engine_text(engine)
    if "{" in ours:
        return same_members(ours, printed)
    return same_beginning(ours[:-1], printed, of) if ours.endswith("…") else same_text(ours, printed, of)


# ---- made by hand --------------------------------------------------------------------------------------------------

PORT = tshark.SERVER_PORT

STREAM = ("-d", f"tcp.port=={PORT},godot_stream")
# Nothing is waited for: what is not whole is shown as it is.
ALONE = ("-o", "tcp.desegment_tcp_streams:FALSE")

# What has items below it, and no value.
GROUPS = {f"godot_debugger.{name}" for name in (
    "output", "problem", "stack_frame", "stack_variable", "tree_node", "object", "properties", "object_property",
    "server", "function_times", "functions", "monitors", "resource")}


def registered(protocol):
    """The expert infos of a protocol: in Wireshark's list they are fields without a type."""
    return [field.filter for field in tshark.registered_fields()
            if field.parent == protocol and field.type == "FT_NONE" and field.filter not in GROUPS]


def framed(payload, order="little"):
    return len(payload).to_bytes(4, order) + payload


def raised(capture, protocol, *args):
    """What each segment raises, without the protocol's name."""
    packets = tshark.fields(capture, registered(protocol), *args)
    return [{name.removeprefix(protocol + ".") for name, values in packet.items() if values} for packet in packets]


# ---- what raises an expert info ------------------------------------------------------------------------------------

DOCUMENT = encode({"cmd": "join", "name": "Ann", "id": 7})
STREAMS = {
    "value.unusual": framed(DOCUMENT) + framed(words(1, 7)),
    "trailing.unusual": framed(DOCUMENT) + framed(DOCUMENT + b"more"),
    "other.unknown": framed(DOCUMENT) + b"no length" + framed(DOCUMENT),
    "cut_short": framed(DOCUMENT) + framed(DOCUMENT)[:20],
}


# ---- where nothing can follow --------------------------------------------------------------------------------------

UPPER_PDU, DISSECTOR_NAME = 252, 12  # LINKTYPE_WIRESHARK_UPPER_PDU, a tag of it


def write_named(path, *calls):
    """Writes a capture whose packets are given to a dissector by name, without TCP: (name, data). Returns the path."""
    packets = [struct.pack(">HH", DISSECTOR_NAME, len(name)) + name.encode() + bytes(4) + data for name, data in calls]
    records = (struct.pack("<4I", time, 0, len(packet), len(packet)) + packet for time, packet in enumerate(packets))
    path.write_bytes(struct.pack("<IHH4I", tshark.PCAP_MAGIC, 2, 4, 0, 0, 262144, UPPER_PDU) + b"".join(records))
    return path


ENDS = {
    "length.truncated": framed(DOCUMENT) + b"\2\0",
    "value.truncated": framed(DOCUMENT) + framed(DOCUMENT)[:20],
    "message.truncated": framed(DOCUMENT) + b"no length at all",
}
