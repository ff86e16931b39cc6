#!/usr/bin/python3
# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""send.py for the scene of VC:MP's own messages, whose capture is not in pcaps/squirrel."""

import sys

import send
from scene_messages import messages

send.SCENES = {"vcmp-0.4.7.1": messages}
send.main(sys.argv[1:])
