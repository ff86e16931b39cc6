# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later

import pytest

import gamewire_tshark


@pytest.fixture(scope="session", autouse=True)
def plugin_loaded():
    """Without the plugin most packets are plain UDP, and a test that expects nothing would pass."""
    if not gamewire_tshark.plugin_is_loaded():
        pytest.exit("tshark did not load gamewire.so", returncode=1)


@pytest.fixture
def udp_capture(tmp_path):
    """A function that writes datagrams to a capture and returns its path."""
    return lambda *packets: gamewire_tshark.write_pcap(tmp_path / "test.pcap", packets)
