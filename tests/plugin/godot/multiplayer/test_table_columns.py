# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of the tables of names without their last column, as they were written before it was added, or are by hand."""

import gamewire_tshark as tshark
from plugin.godot.multiplayer.samples import SCRIPT, tables

SPAWN = tshark.PCAPS / "godot/multiplayer" / "godot-4.6.3-spawn.pcap"
NAMES = ["godot_mp.rpc.method", "godot_mp.value.name", "_ws.col.Info"]


def shown(options):
    return tshark.verbose(SPAWN, "-2", "-O", "godot_mp", *options)


def without_last_column(option):
    return option.rsplit(',"', 1)[0] if option.startswith("uat:") else option


def test_rows_without_the_last_column_are_accepted():
    whole = tables()
    short = [without_last_column(option) for option in whole]
    assert len(short) > 10 and sum(one != other for one, other in zip(short, whole)) == len(short) / 2
    # The types decide only where two scenes have as many properties, which is not so in this capture.
    assert shown(short) == shown(whole) != shown([])


def test_a_row_with_fewer_columns_is_an_error():
    done = tshark.run(["-o", 'uat:godot_rpc_properties:"sync","res://a.tscn"'], SPAWN, check=False)
    assert done.returncode != 0 and "godot_rpc_properties" in done.stderr
