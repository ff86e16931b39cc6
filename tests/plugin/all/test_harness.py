# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison with golden files, which allows for what Wireshark's versions print differently, detects other values."""

import pytest

import gamewire_tshark as tshark


@pytest.fixture
def typed(monkeypatch):
    types = {"t.float": "FT_FLOAT", "t.double": "FT_DOUBLE", "t.bool": "FT_BOOLEAN", "t.int": "FT_INT32"}
    monkeypatch.setattr(tshark, "_types", lambda: types)


@pytest.mark.parametrize("one, other", [
    ({"t.float": "0.1"}, {"t.float": "0.10001"}),
    ({"t.float": "0"}, {"t.float": "0.00001"}),
    ({"t.float": "nan"}, {"t.float": "1"}),
    ({"t.double": "0.3333333"}, {"t.double": "0.33333334"}),
    ({"t.double": "inf"}, {"t.double": "-inf"}),
    ({"t.bool": "True"}, {"t.bool": "0"}),
    ({"t.int": "16777217"}, {"t.int": "16777216"}),
    ({"t.int": "1"}, {"t.int": "1.0"}),
    ({"t.int": "1"}, {}),
    ({"t.int": "1", "t.bool": "1"}, {"t.bool": "1", "t.int": "1"}),
    ({"t.int": ["1", "2"]}, {"t.int": ["1"]}),
    ({"t.int": "1"}, {"t.int": ["1"]}),
    ({"t": {"t.int": "1"}}, {"t": "1"}),
])
def test_another_value_is_a_difference(typed, one, other):
    assert len(tshark.differences(one, other)) == 1
