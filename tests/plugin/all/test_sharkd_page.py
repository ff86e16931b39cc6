# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each request of plugin/docs/sharkd.md, sent to sharkd, has a response that contains the part shown in the page."""

import json
import re

import pytest

import gamewire_tshark as tshark

PAGE = (tshark.SOURCE / "plugin" / "docs" / "sharkd.md").read_text(encoding="utf-8")
CAPTURE = tshark.SOURCE / re.search(r"`(pcaps/[^`]+)`", PAGE).group(1)


def exchanges():
    """(request, response in the page) of each block"""
    for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        request, end = json.JSONDecoder().raw_decode(block)
        answer, _ = json.JSONDecoder().raw_decode(block[end:].lstrip())
        yield request, answer


EXCHANGES = list(exchanges())


@pytest.fixture(scope="module")
def answers():
    requests = [request for request, _ in EXCHANGES]
    requests[0] = {**requests[0], "params": {"file": str(tshark.readable(CAPTURE))}}
    return {answer["id"]: answer for answer in tshark.sharkd_lines(requests)}


def has(whole, part):
    """Members of the part equal those of the whole; items of a list must be in it, in their order."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and has(whole[key], value) for key, value in part.items())
    if isinstance(part, list):
        rest = iter(whole if isinstance(whole, list) else [])
        return all(any(has(each, item) for each in rest) for item in part)
    return whole == (pytest.approx(part) if isinstance(part, float) else part)


def test_filters_find_only_packets_with_the_part():
    whole = {"a": [{"b": 1, "c": 2}, {"b": 3}]}
    assert has(whole, {"a": [{"b": 1}]}) and has(whole, {"a": [{"b": 1}, {"b": 3}]})
    assert not has(whole, {"a": [{"b": 3}, {"b": 1}]}) and not has(whole, {"a": [{"b": 2}]}) and not has(whole, {"d": 1})


def test_the_page_loads_taps_follows_and_lists_frames():
    assert {request["method"] for request, _ in EXCHANGES} >= {"load", "frames", "frame", "tap", "follow"}


@pytest.mark.parametrize("request_, answer", EXCHANGES, ids=[f"{request['id']}-{request['method']}" for request, _ in EXCHANGES])
def test_an_answer_contains_the_members_in_the_page(request_, answer, answers):
    assert request_["id"] == answer["id"]
    assert has(answers[answer["id"]], answer), answers[answer["id"]]


def test_every_tap_that_the_page_names_is_there():
    names = re.findall(r"`((?:stat|srt|conv|endpt):\w+)`", PAGE)
    assert len(names) == 9
    answer = tshark.sharkd([{"method": "load", "params": {"file": str(tshark.readable(CAPTURE))}},
                            *({"method": "tap", "params": {"tap0": name}} for name in names)])[1:]
    assert all("error" not in each and each["result"]["taps"] for each in answer)


def test_findings_that_depend_on_later_packets_are_there():
    capture = tshark.PCAPS / "leviathan" / "old-numbering.pcap"
    answers = tshark.sharkd([{"method": "load", "params": {"file": str(tshark.readable(capture))}},
                             {"method": "frames", "params": {"filter": "leviathan.unanswered"}}])
    assert answers[1]["result"]
