# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What uses the bandwidth: messages and bytes by method, property, synchronizer or kind, by node, and by sender and receiver."""

from .figures import OTHER, Timeline

ROWS = 200  # of the table; the others are one more
MOST = 20000
NO_NODE = "(unknown path)"
REPEATED = "(received before: sent again, or doubled by the network)"


class Scripts:
    """Nodes with the same methods: their numbers mean the same. Known from the checksums of the paths."""

    def __init__(self):
        self.nodes = {}  # node: the first node with the same methods
        self.first = {}  # checksum of methods: that node

    def message(self, message):
        if message["kind"] == "path" and "checksum" in message and "node" in message and len(self.nodes) < MOST:
            self.nodes[message["node"]] = self.first.setdefault(message["checksum"], message["node"])

    def of(self, node):
        return self.nodes.get(node)


def name_of(message):
    """ "hit()", "set hp" or "method 5()"."""
    if message["kind"] == "set":
        return f"set {message.get('property', 'unknown')}"
    if "method" in message:
        return message["method"] + "()"
    return f"method {message['method_id']}()" if "method_id" in message else "unknown()"


def method_of(message, scripts):
    """As in the statistics: numbers by script, which is known from a node with the same methods: "method 5() on Main/Hero"."""
    script = scripts.of(message.get("node")) if "method_id" in message and "method" not in message else None
    return f"{name_of(message)} on {script}" if script else name_of(message)


def kind_of(message):
    """The name of a message that is no call and no update."""
    if message["protocol"] == "leviathan":
        return f"{message['kind']} {message.get('type', 'unknown')}"
    return f"ENet {message['kind']}" if message["protocol"] == "enet" else message["kind"]


def receiver_of(message):
    """For whom a message is. The server relays it: one more row has what the server sends on."""
    return f"{message['to']}, by the server" if message.get("relayed") and "relay_of" not in message else message["to"]


# What ENet sends for the connection itself.
CONNECTING = ("connect", "verify_connect", "disconnect")


class Usage:
    def __init__(self, clock):
        self.amounts = Timeline(clock, lambda one, other: (one[0] + other[0], one[1] + other[1]))  # messages and bytes

    def add(self, what, node, message, size, count=1):
        self.amounts.add((what, node, message["from"], receiver_of(message)), message["time"], (count, size))

    def table(self, seconds):
        """Rows by bytes, with the amounts of each stretch of the charts' time axis that has any: its index, messages and bytes."""
        totals = {key: sum(size for _, size in bins.values()) for key, bins in self.amounts.keys.items()}
        everything = sum(totals.values()) or 1
        ordered = sorted(totals, key=lambda key: (key == OTHER, -totals[key]))
        rows = [self._row([key], everything, seconds) for key in ordered[:ROWS]]
        return rows + ([self._row(ordered[ROWS:], everything, seconds)] if ordered[ROWS:] else [])

    def _row(self, keys, everything, seconds):
        what, node, sender, receiver = keys[0] if len(keys) == 1 and keys[0] != OTHER else (OTHER, "", "", "")
        bins = {}
        for key in keys:
            for index, (count, size) in self.amounts.keys[key].items():
                entry = bins.setdefault(index, [index, 0, 0])
                entry[1] += count
                entry[2] += size
        count, size = sum(entry[1] for entry in bins.values()), sum(entry[2] for entry in bins.values())
        return {"what": what, "node": node, "from": sender, "to": receiver, "messages": count, "per_second": round(count / seconds, 3),
                "bytes": size, "bytes_per_message": round(size / count, 1) if count else None, "share": round(size / everything, 4),
                "stretches": [bins[index] for index in sorted(bins)]}
