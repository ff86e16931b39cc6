# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages as rows of a table in ClickHouse or DuckDB: columns with types for what all messages of a kind have, names and values
for the rest. plugin/docs/many-captures.md describes it.
"""

import json
import os
import re
import shlex
from pathlib import Path
from typing import NamedTuple

from .usage import Scripts


class Column(NamedTuple):
    name: str
    clickhouse: str
    duckdb: str


# In this order; `position` is the number of the message in its frame, and `part` that of a synchronizer's update in the message. `from`
# and `to` are words of SQL.
COLUMNS = (
    Column("capture", "String", "VARCHAR"), Column("frame", "UInt32", "UINTEGER"), Column("position", "UInt32", "UINTEGER"),
    Column("part", "UInt32", "UINTEGER"),
    Column("time", "Float64", "DOUBLE"), Column("protocol", "String", "VARCHAR"), Column("kind", "String", "VARCHAR"),
    Column("sender", "String", "VARCHAR"), Column("receiver", "String", "VARCHAR"), Column("source", "String", "VARCHAR"),
    Column("destination", "String", "VARCHAR"), Column("connection", "Nullable(UInt32)", "UINTEGER"),
    Column("delivery", "String", "VARCHAR"), Column("channel", "Nullable(UInt8)", "UTINYINT"),
    Column("bytes", "UInt32", "UINTEGER"), Column("fragments", "UInt32", "UINTEGER"), Column("resent", "UInt8", "UTINYINT"),
    Column("duplicate", "UInt8", "UTINYINT"),
    Column("relayed", "UInt8", "UTINYINT"), Column("node", "String", "VARCHAR"), Column("method", "String", "VARCHAR"),
    Column("method_id", "Nullable(UInt16)", "USMALLINT"), Column("script", "String", "VARCHAR"), Column("property", "String", "VARCHAR"), Column("type", "String", "VARCHAR"),
    Column("response_time", "Nullable(Float64)", "DOUBLE"), Column("unanswered", "UInt8", "UTINYINT"),
    Column("failed", "UInt8", "UTINYINT"), Column("late", "UInt8", "UTINYINT"), Column("update_interval", "Nullable(Float64)", "DOUBLE"),
    Column("indexes", "Nullable(UInt64)", "UBIGINT"),
    Column("arguments", "String", "VARCHAR"), Column("notes", "Array(String)", "VARCHAR[]"),
    Column("rest.name", "Array(String)", "VARCHAR[]"), Column("rest.value", "Array(String)", "VARCHAR[]"),
)
TYPES = {column.name: column for column in COLUMNS}
RENAMED = {"from": "sender", "to": "receiver", "interval": "update_interval"}
EMPTY = {"String": "", "UInt32": 0, "UInt16": 0, "UInt8": 0, "Array(String)": ()}
KEY = "capture, frame, position, part"

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def name_of(path):
    """Of a capture, its path as it was given: captures in several folders may have the same name."""
    return os.fsencode(Path(path)).decode("utf-8", "replace")


class Rows:
    """The rows of a capture's messages."""

    def __init__(self, path):
        self.capture = name_of(path)
        self.scripts = Scripts()

    def of(self, position, message):
        """A row; of a synchronization one for each update, the first of which has the bytes of the header, too."""
        self.scripts.message(message)
        updates = message.get("updates", ())
        left = (message.get("bytes") or 0) - sum(update.get("bytes") or 0 for update in updates)
        rest = {name: value for name, value in message.items() if name != "updates"}
        if not updates:
            yield self._row(position, 0, rest)
        for part, update in enumerate(updates):
            size = (update.get("bytes") or 0) + (max(left, 0) if part == 0 else 0)
            yield self._row(position, part, {**rest, **update, "bytes": size})

    def _row(self, position, part, message):
        """Every column is there, null only where it may be."""
        found = {column.name: EMPTY.get(column.clickhouse) for column in COLUMNS}
        names, values = [], []
        for name, value in message.items():
            column = RENAMED.get(name, name)
            if column == "arguments":
                found[column] = encode(value)
            elif column in TYPES:
                found[column] = int(value) if isinstance(value, bool) else value
            else:
                names.append(name)
                values.append(value if isinstance(value, str) else encode(value))
        if "method_id" in message and "method" not in message:
            found["script"] = self.scripts.of(message.get("node")) or ""
        found.update({"capture": self.capture, "position": position, "part": part, "rest.name": names, "rest.value": values})
        return found


# ---- definitions -----------------------------------------------------------------------------------------


def clickhouse_columns():
    return ",\n".join(f"    `{column.name}` {column.clickhouse}" for column in COLUMNS)


def clickhouse():
    return f"""CREATE TABLE IF NOT EXISTS messages
(
{clickhouse_columns()}
)
ENGINE = ReplacingMergeTree
ORDER BY ({KEY});
"""


def clickhouse_cluster(cluster):
    """One table on each shard, and the one that has all of them. A capture is on one shard."""
    local = clickhouse().replace("IF NOT EXISTS messages\n", "IF NOT EXISTS messages_shard\n")
    return f"""{local}
CREATE TABLE IF NOT EXISTS messages AS messages_shard
ENGINE = Distributed({cluster}, currentDatabase(), messages_shard, cityHash64(capture));
"""


def duckdb():
    columns = ",\n".join(f'    "{column.name}" {column.duckdb}' for column in COLUMNS)
    types = ",\n".join(f"    '{column.name}': '{column.duckdb}'" for column in COLUMNS)
    return f"""CREATE TABLE IF NOT EXISTS messages
(
{columns}
);

INSERT INTO messages SELECT * FROM read_json('**/*.rows', format = 'newline_delimited', columns = {{
{types}
}});
"""


SUFFIXES = ("pcap", "pcapng", "pcap.gz", "pcapng.gz", "pcap.zst", "pcapng.zst")
# A capture is marked as loaded only after the servers of the cluster have stored its rows.
LOAD = """find . -type f \\( {names} \\) -print0 | xargs -0 -P "$(nproc)" -I '{{}}' sh -ec '
    capture="$1"
    shift
    test -e "$capture.loaded" && exit
    gamewire-messages -q --rows -o "$capture.rows" "$capture" "$@"
    curl -sSf --globoff -X POST -T "$capture.rows" "$CLICKHOUSE/?insert_distributed_sync=1&query=INSERT%20INTO%20messages%20FORMAT%20JSONEachRow"
    rm "$capture.rows"
    : >"$capture.loaded"' sh '{{}}'{options}
"""


def load_command(options):
    """`options`: those of tshark."""
    return LOAD.format(names=" -o ".join(f"-name '*.{suffix}'" for suffix in SUFFIXES), options="".join(f" {shlex.quote(option)}" for option in ("--", *options))
                       if options else "")


def definition(database):
    """The text of --table: "clickhouse", "clickhouse:CLUSTER" or "duckdb". ValueError if it is another."""
    if database == "duckdb":
        return duckdb()
    found = re.fullmatch(r"clickhouse(?::([\w-]+))?", database)
    if not found:
        raise ValueError(f"--table is clickhouse, clickhouse:CLUSTER or duckdb, not {database}")
    return clickhouse_cluster(found[1]) if found[1] else clickhouse()
