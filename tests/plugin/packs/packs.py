# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the packs share: loading a pack, its captures, and damaged payloads."""

import functools
import gzip
import json
import random
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import gamewire_tshark as tshark

PACKS = tshark.SOURCE / "plugin" / "packs"
HERE = Path(__file__).parent


@functools.lru_cache(maxsize=None)
def has_lua():
    done = subprocess.run(["tshark", "-v"], capture_output=True, text=True, check=False)
    return "with Lua" in " ".join(done.stdout.split())


needs_lua = pytest.mark.skipif(not has_lua(), reason="tshark has no Lua")


def pack(name, path=None):
    """The options that load a pack."""
    return ("-X", f"lua_script:{tshark.readable(path or PACKS / f'{name}.lua')}")


@functools.lru_cache(maxsize=None)
def capture(name):
    path = tshark.scratch() / "home" / f"{name}.pcap"
    path.write_bytes(gzip.decompress((HERE / f"{name}.pcap.gz").read_bytes()))
    path.chmod(0o644)
    return path


def record(name):
    """The record of a capture: what its game printed, an object for each line."""
    text = gzip.decompress((HERE / f"{name}.jsonl.gz").read_bytes()).decode()
    return [json.loads(line) for line in text.splitlines()]


def layers(path, protocol, *options):
    """The trees of a protocol: (frame number, element of PDML) of each."""
    found = []
    for packet in ElementTree.fromstring(tshark.run(["-T", "pdml", *options], path).stdout).iter("packet"):
        frame = int(packet.find("proto[@name='geninfo']/field[@name='num']").get("show"))
        found += [(frame, layer) for layer in packet.iter("proto") if layer.get("name") == protocol]
    return found


def check_failing(tmp_path, name, path, *options, functions=("dissect",)):
    """A pack whose functions raise an error says so once, and leaves the bytes as they are without it."""
    script = tmp_path / f"{name}.lua"
    text = (PACKS / f"{name}.lua").read_text(encoding="utf-8")
    for function in functions:
        start = f"local function {function}(buffer, pinfo, tree)\n"
        assert text.count(start) == 1
        text = text.replace(start, start + "    error('broken')\n")
    script.write_text(text, encoding="utf-8")
    done = tshark.run(["-V", *options, *pack(name, script)], path, check=False)
    assert len(re.findall(rf"The pack {name} .* has an error and is not used from frame \d+ on", done.stderr)) == 1
    is_same_output = done.stdout == tshark.run(["-V", *options], path).stdout
    assert is_same_output


def damaged(payload, seed, mutations=40):
    """Each beginning of a payload, and some copies with changed, removed or inserted bytes."""
    choice = random.Random(seed)
    found = [payload[:length] for length in range(len(payload))]
    for _ in range(mutations):
        copy = bytearray(payload)
        for _ in range(choice.randint(1, 3)):
            place = choice.randrange(len(copy))
            action = choice.randrange(3)
            if action == 0:
                copy[place] = choice.choice([0, 1, 0x7F, 0x80, 0xFF, choice.randrange(256)])
            elif action == 1 and len(copy) > 1:
                del copy[place]
            else:
                copy.insert(place, choice.choice([0, 0x80, 0xFF]))
        found.append(bytes(copy))
    return found
