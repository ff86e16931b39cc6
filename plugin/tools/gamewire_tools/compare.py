# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two reports as one: before and after a change of the game."""

FIGURES = (("messages", "Messages", ""), ("frames", "Frames of the game", ""), ("bytes", "Bytes of these frames", ""),
           ("bytes_per_second", "Bytes a second", "B/s"), ("rtt_median", "Median of the round-trip times of the worst peer", "s"),
           ("rtt_95", "95 % of the round-trip times of the worst peer", "s"), ("rtt_max", "Longest round-trip time", "s"),
           ("response_95", "95 % of the response times of the worst peer", "s"), ("response_max", "Longest response time", "s"))


def rates(data):
    """{method, node: [messages a second, bytes a second]}, of all senders and receivers."""
    found = {}
    seconds = max(data["duration"], 1e-3)
    for row in data["usage"]:
        entry = found.setdefault((row["what"], row["node"]), [0, 0])
        entry[0] += row["messages"] / seconds
        entry[1] += row["bytes"] / seconds
    return found


def usage(before, after):
    """Rows by how much the bytes a second differ."""
    ones, others = rates(before), rates(after)
    rows = [{"what": key[0], "node": key[1],
             "messages_per_second": [round(each.get(key, (0, 0))[0], 3) for each in (ones, others)],
             "bytes_per_second": [round(each.get(key, (0, 0))[1], 3) for each in (ones, others)]} for key in {**ones, **others}]
    return sorted(rows, key=lambda row: -abs(row["bytes_per_second"][1] - row["bytes_per_second"][0]))


def findings(before, after):
    """Those of either capture, with their number in each; those of the second one first, worst first."""
    known = [{each["id"]: each for each in data["findings"]} for data in (before, after)]
    listed = list({**known[1], **known[0]})
    return [{"id": name, "severity": each["severity"], "title": each["title"], "remedy": each["remedy"], "filter": each["filter"],
             "counts": [side[name]["count"] if name in side else 0 for side in known]}
            for name in listed for each in [known[1].get(name) or known[0][name]]]


def data_of(before, after):
    figures = [{"id": name, "title": title, "unit": unit, "values": [before["metrics"][name], after["metrics"][name]]}
               for name, title, unit in FIGURES if before["metrics"][name] or after["metrics"][name]]
    shown = [{name: value for name, value in data.items() if name != "charts"} for data in (before, after)]
    return {"before": shown[0], "after": shown[1], "figures": figures, "compared_usage": usage(before, after),
            "compared_findings": findings(before, after)}
