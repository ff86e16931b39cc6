# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of the plugin's dissectors accept the packets of a capture.

    taken(capture, *options)    for each packet, the set of the plugin's protocols in it
    shown(capture, names)       for each packet, what it has of some fields and protocols
    lists_of_ours()             the heuristic lists in which the plugin's dissectors are
    alone()                     options with which the plugin's heuristics are called before all others
"""

import gamewire_tshark as tshark


CUT = "[…] "  # since 4.4 at the beginning of a text that was cut


def shown(capture, names, *options, **more):
    """For each packet, the text of each field, or a check mark for a protocol, as a column of the packet list; the texts are without
    blanks. With -T fields it would take twice the time: that makes a visible tree."""
    columns = ",".join(f'"{name}","%Cus:{name}:1:U"' for name in names)
    lines = tshark.run(["-o", f"gui.column.format:{columns}", *options], capture, **more).stdout.splitlines()
    return [dict(zip(names, line.replace(CUT, "").split(" "), strict=True)) for line in lines]


def taken(capture, *options, **more):
    return [{name for name, text in packet.items() if text} for packet in shown(capture, tshark.PROTOCOLS, *options, **more)]


def lists_of_ours():
    listed = (line.split("\t") for line in tshark.run(["-G", "heuristic-decodes"]).stdout.splitlines())
    return {columns[0] for columns in listed if columns[1] in tshark.PROTOCOLS}


def other_heuristics():
    """Every heuristic on UDP except the plugin's: an accepting one would be called first."""
    listed = [line.split("\t") for line in tshark.run(["-G", "heuristic-decodes"]).stdout.splitlines()]
    return [columns[1] for columns in listed if columns[0] == "udp" and columns[1] not in tshark.PROTOCOLS]


def alone():
    """Options with which the plugin's heuristics are called for every packet, before ports and other heuristics."""
    names = tshark.run(["-G", "heuristic-decodes"]).stdout.splitlines()
    assert any(line.split("\t")[1] in tshark.PROTOCOLS for line in names)
    disabled = [part for name in other_heuristics() for part in ("--disable-protocol", name)]
    return ["-o", "udp.try_heuristic_first:TRUE", *disabled]
