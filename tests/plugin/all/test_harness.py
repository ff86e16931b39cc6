# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions that other tests use: captures are written correctly, and differences and endless runs are detected."""

import pytest

import gamewire_tshark as tshark


def test_a_made_capture_is_well_formed(udp_capture):
    """So that results of tests depend on the dissectors, and not on wrong headers."""
    capture = udp_capture(
        tshark.request(b"\xff\xfe\xfd"),
        tshark.reply(b"\xff\xfe\xfd", time=0.25),
        tshark.request(b"\xff\xfe\xfd\xfc", time=1.5, ipv6=True),
        tshark.request(b"\xff\xfe\xfd\xfc", captured=2),
        (1234, 5678, b""),
    )
    names = ["frame.time_epoch", "frame.len", "frame.cap_len", "udp.srcport", "udp.stream", "udp.length",
             "udp.checksum.status", "ip.checksum.status"]
    checks = {"udp.check_checksum": True, "ip.check_checksum": True}
    whole = tshark.fields(capture, names, prefs=checks)
    shown = ["udp.srcport", "udp.stream", "udp.length", "frame.len", "frame.cap_len"]
    assert [[value for name in shown for value in row[name]] for row in whole] == [
        ["41000", "0", "11", "45", "45"],
        ["41001", "0", "11", "45", "45"],
        ["41000", "1", "12", "66", "66"],
        ["41000", "0", "12", "46", "44"],
        ["1234", "2", "8", "42", "42"],
    ]
    assert [row["udp.checksum.status"] for row in whole] == [["1"], ["1"], ["1"], ["2"], ["1"]]
    assert [row["ip.checksum.status"] for row in whole] == [["1"], ["1"], [], ["1"], ["1"]]
    assert [float(row["frame.time_epoch"][0]) for row in whole] == [0, 0.25, 1.5, 0, 0]


def test_a_run_that_does_not_end_is_killed(udp_capture):
    with pytest.raises(tshark.TsharkError, match="not done after"):
        tshark.run([], udp_capture(tshark.request(b"x")), timeout=0.001)


def test_a_status_other_than_zero_is_an_error():
    with pytest.raises(tshark.TsharkError, match="status"):
        tshark.run(["-o", "no.such.preference:1", "-G", "plugins"])


@pytest.fixture
def typed(monkeypatch):
    types = {"t.float": "FT_FLOAT", "t.double": "FT_DOUBLE", "t.bool": "FT_BOOLEAN", "t.int": "FT_INT32"}
    monkeypatch.setattr(tshark, "_types", lambda: types)


@pytest.mark.parametrize("one, other", [
    ({"t.float": "0.1"}, {"t.float": "0.100000001"}),
    ({"t.float": "1.67772e+07"}, {"t.float": "16777216"}),
    ({"t.double": "0.333333333333333"}, {"t.double": "0.3333333333333333"}),
    ({"t.double": ["nan", "-inf"]}, {"t.double": ["NaN", "-Infinity"]}),
    ({"t.bool": "True"}, {"t.bool": "1"}),
    ({"t": {"t.int": ["1", "2"]}}, {"t": {"t.int": ["1", "2"]}}),
])
def test_versions_may_print_a_value_differently(typed, one, other):
    assert tshark.differences(one, other) == []


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
