# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the packs: Lua dissectors of addons of games, in plugin/packs."""
