# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The data of a report: what the page shows and --json prints. plugin/docs/report.md describes the members."""

from . import capture, collect, source, statistics

SERIES = 8  # of a stacked chart; the others are one more
PEERS = 100
GAP = "gap"  # in the values of a line: nothing was there for much longer than between the values before


def chart(title, unit, times, rows, kind):
    """None without values. kind: "stacked" or "lines"."""
    rows = [(name, values) for name, values in rows if any(value for value in values if value != GAP)]
    return {"title": title, "unit": unit, "kind": kind, "times": times,
            "series": [{"name": name, "values": [round(value, 6) if isinstance(value, (int, float)) else value for value in values]}
                       for name, values in rows]} if rows else None


def with_gaps(values):
    """The values of a line, with GAP after a value whose next one is more than three times as far as usual."""
    places = [index for index, value in enumerate(values) if value is not None]
    distances = sorted(after - before for before, after in zip(places, places[1:]))
    usual = distances[len(distances) // 2] if distances else 0
    for before, after in zip(places, places[1:]):
        if after - before > max(3 * usual, 2):
            values[before + 1] = GAP
    return values


def lines(timeline, count):
    """The keys with the largest values."""
    keys = sorted(timeline.keys, key=lambda key: -max(timeline.keys[key].values()))[:count]
    return [(key, with_gaps(timeline.values(timeline.keys[key], empty=None))) for key in keys]


def named(found, rows):
    """Of keys that are a text, or a connection and one or both of its ends: with the names of the peers."""
    for key, values in rows:
        if isinstance(key, str):
            yield key, values
            continue
        *texts, connection = key[:-2] if isinstance(key[0], str) else key[:1]
        ends = [found.peers.name(connection, end) for end in key[len(texts) + 1:]]
        yield " ".join([*texts, " → ".join(ends)]), values


def charts_of(found):
    times = found.clock.times()
    listed = [
        chart("Bytes on the wire, by sender and receiver", "B/s", times, named(found, found.wire.largest(SERIES, True)), "stacked"),
        chart("Bytes of messages, by method, synchronizer or kind", "B/s", times, found.payload.largest(SERIES, True), "stacked"),
        chart("Bytes of messages, by node", "B/s", times, found.nodes.largest(SERIES, True), "stacked")
        if found.protocols.get("godot_mp") else None,
        chart("Messages, by type", "1/s", times, found.kinds.largest(SERIES, True), "stacked"),
        chart("Longest round-trip and response times, by who acknowledged or answered", "s", times,
              named(found, lines(found.delays, SERIES)), "lines"),
        chart("Longest intervals between a synchronizer's updates", "s", times, lines(found.intervals, SERIES), "lines"),
        chart("Longest times in which a game handled a message", "s", times, named(found, lines(found.handlers, SERIES)), "lines"),
        chart("Longest times of recorded messages on their way", "s", times, named(found, lines(found.ways, SERIES)), "lines"),
        chart(f"Losses and retransmissions in each {found.clock.width:g} s", "", times, named(found, found.troubles.largest(SERIES)),
              "stacked"),
    ]
    return [each for each in listed if each]


def data_of(path, reading, found):
    frames, size = statistics.totals(reading.statistics)
    seconds = max(found.clock.duration(), 1e-3)
    return {
        "capture": capture.shown_name(path), "cut_short": reading.is_cut_short, "frames": frames or found.frames, "bytes": size or found.bytes,
        "game_frames": found.frames, "game_bytes": found.bytes, "messages": found.messages, "protocols": found.protocols,
        "start": found.clock.start, "duration": round(found.clock.duration(), 6), "width": found.clock.width,
        "usage": found.usage.table(seconds), "peers": found.peers.table(found.clock.start or 0)[:PEERS],
        "findings": found.listed(reading.findings), "metrics": found.metrics(),
        "counts": found.counts,
        "statistics": [{"title": title, "rows": rows} for title, rows in statistics.trees(reading.statistics).items()
                       if any(protocol.startswith(title.split("/")[0].lower()) for protocol in found.protocols)],
        "charts": charts_of(found),
    }


def read(path, options=(), tshark=None, progress=None, conditions=()):
    """(data, the conditions' results) of a capture."""
    reading = source.Source(path, (*statistics.OPTIONS, *options), tshark, taps=statistics.TAPS, progress=progress,
                            wanted=[name for condition in conditions for name in condition.names()])
    limits = {}
    for condition in conditions:
        if condition.limit is not None:
            limits.setdefault(condition.id, []).append(condition.limit)
    found = collect.Collector(limits, reading.texts)
    for frame in reading:
        found.frame(frame)
        for condition in conditions:
            condition.frame(frame)
    found.end()
    games = found.peers.connections_of_games()
    data = data_of(path, reading, found)
    return data, [text for text in (condition.failure(data["metrics"], games) for condition in conditions) if text]
