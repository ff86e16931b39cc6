# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages as rows of a table in ClickHouse or DuckDB: columns with types for what all messages of a kind have, names and values
for the rest. plugin/docs/many-captures.md describes it.
"""

import json
import re
from typing import NamedTuple


class Column(NamedTuple):
    name: str
    clickhouse: str
    duckdb: str


# In this order; `position` is the number of the message in its frame. `from` and `to` are words of SQL.
COLUMNS = (
    Column("capture", "String", "VARCHAR"), Column("frame", "UInt32", "UINTEGER"), Column("position", "UInt32", "UINTEGER"),
    Column("time", "Float64", "DOUBLE"), Column("protocol", "String", "VARCHAR"), Column("kind", "String", "VARCHAR"),
    Column("sender", "String", "VARCHAR"), Column("receiver", "String", "VARCHAR"), Column("source", "String", "VARCHAR"),
    Column("destination", "String", "VARCHAR"), Column("connection", "Nullable(UInt32)", "UINTEGER"),
    Column("delivery", "String", "VARCHAR"), Column("channel", "Nullable(UInt8)", "UTINYINT"),
    Column("bytes", "UInt32", "UINTEGER"), Column("fragments", "UInt32", "UINTEGER"), Column("resent", "UInt8", "UTINYINT"),
    Column("duplicate", "UInt8", "UTINYINT"),
    Column("relayed", "UInt8", "UTINYINT"), Column("node", "String", "VARCHAR"), Column("method", "String", "VARCHAR"),
    Column("method_id", "Nullable(UInt16)", "USMALLINT"), Column("property", "String", "VARCHAR"), Column("type", "String", "VARCHAR"),
    Column("response_time", "Nullable(Float64)", "DOUBLE"), Column("unanswered", "UInt8", "UTINYINT"),
    Column("failed", "UInt8", "UTINYINT"), Column("late", "UInt16", "USMALLINT"), Column("longest_interval", "Nullable(Float64)", "DOUBLE"),
    Column("arguments", "String", "VARCHAR"), Column("notes", "Array(String)", "VARCHAR[]"),
    Column("rest.name", "Array(String)", "VARCHAR[]"), Column("rest.value", "Array(String)", "VARCHAR[]"),
)
TYPES = {column.name: column for column in COLUMNS}
RENAMED = {"from": "sender", "to": "receiver"}
EMPTY = {"String": "", "UInt32": 0, "UInt16": 0, "UInt8": 0, "Array(String)": ()}
KEY = "capture, frame, position"

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def row(capture, position, message):
    """A message as a row: every column is there, null only where it may be."""
    found = {column.name: EMPTY.get(column.clickhouse) for column in COLUMNS}
    names, values = [], []
    found.update(capture=capture, position=position)
    updates = message.get("updates", ())
    late = [update for update in updates if update.get("late")]
    found["late"] = len(late)
    if late:
        found["node"] = max(late, key=lambda update: update.get("interval", 0)).get("node", "")
    found["longest_interval"] = max((update["interval"] for update in updates if "interval" in update), default=None)
    for name, value in message.items():
        column = RENAMED.get(name, name)
        if column == "node" and late:
            continue
        if column == "arguments":
            found[column] = encode(value)
        elif column in TYPES:
            found[column] = int(value) if isinstance(value, bool) else value
        else:
            names.append(name)
            values.append(value if isinstance(value, str) else encode(value))
    found["rest.name"], found["rest.value"] = names, values
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

INSERT INTO messages SELECT * FROM read_json('*.rows', format = 'newline_delimited', columns = {{
{types}
}});
"""


# Pages and messages that the programs wrote beside a capture are none. A capture is marked as loaded only after the servers of the cluster have stored its rows.
LOAD = """find . -name '*.pcap*' ! -name '*.rows' ! -name '*.loaded' ! -name '*.html' ! -name '*.json*' -print0 | xargs -0 -P "$(nproc)" -I '{}' sh -ec '
    test -e "$1.loaded" && exit
    gamewire-messages -q --rows -o "$1.rows" "$1"
    curl -sSf --globoff -X POST -T "$1.rows" "$CLICKHOUSE/?insert_distributed_sync=1&query=INSERT%20INTO%20messages%20FORMAT%20JSONEachRow"
    rm "$1.rows"
    : >"$1.loaded"' sh '{}'
"""


def definition(database):
    """The text of --table: "clickhouse", "clickhouse:CLUSTER" or "duckdb". ValueError if it is another."""
    if database == "duckdb":
        return duckdb()
    found = re.fullmatch(r"clickhouse(?::([\w-]+))?", database)
    if not found:
        raise ValueError(f"--table is clickhouse, clickhouse:CLUSTER or duckdb, not {database}")
    return clickhouse_cluster(found[1]) if found[1] else clickhouse()
