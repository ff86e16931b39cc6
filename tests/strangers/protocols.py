# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""UDP payloads of other people's protocols, written from their public descriptions.

    KINDS                 name: maker; maker(random, n) is the payload of packet n of a conversation
    OF_OURS               the kinds among them that are ours, and whose
    LOOK_ALIKES           what is left out because its bytes are those of ours, with the reason

Every maker takes what varies from `random` alone, so that a seed makes the same corpus again. Numbers of
packets, ids and clocks count up from small values, as those of a session that has just begun do: a heuristic
is most easily taken in by small numbers.
"""

import internet  # noqa: F401  its kinds come first
from games import photon
from pieces import KINDS, floats, le32, words

__all__ = ["KINDS", "LOOK_ALIKES", "OF_OURS", "floats", "le32", "photon", "words"]

# Kinds that one dissector of the plugin may accept, and the others must not: ENet's commands, but with a peer id that changes
# in each datagram, as no host's does. Today none of them is accepted.
OF_OURS = {"enet": "enet", "enet_without_a_time": "enet"}

LOOK_ALIKES = {
    "u32 3, float": "is a Godot float",
    "u32 4 or 21, u32 length, text filled up to a word": "is a Godot String, or a StringName of Godot 4",
    "u32 5 to 20, floats as many as that type has": "is a vector, rectangle, transform or color of Godot",
    "u32 20 to 38, u32 count, that many floats": "is a packed array of Godot",
}
