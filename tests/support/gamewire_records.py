# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The senders' records of the captures: pcaps/<folder>/records, one JSON object per line (pcaps/README.md).

    read("enet", "lossy.relay")      the objects of pcaps/enet/records/lossy.relay.jsonl, or of that file compressed
    exists("enet", "lossy.relay")    True if there is such a file
"""

import gzip
import json
from pathlib import Path

PCAPS = Path(__file__).resolve().parents[2] / "pcaps"


def _plain(folder, name):
    return PCAPS / folder / "records" / f"{name}.jsonl"


def _compressed(folder, name):
    return PCAPS / folder / "records" / f"{name}.jsonl.gz"


def exists(folder, name):
    return _plain(folder, name).exists() or _compressed(folder, name).exists()


def read(folder, name):
    plain = _plain(folder, name)
    path, opened = (plain, open) if plain.exists() else (_compressed(folder, name), gzip.open)
    with opened(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
