# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""What gamewire-messages and gamewire-report share. Python's standard library only."""
