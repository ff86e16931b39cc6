# SPDX-FileCopyrightText: The Gamewire authors
# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics trees and response times in their windows: the rows are those of tshark."""

import pytest

import tables


@pytest.mark.parametrize("name", tables.TREES)
def test_a_statistics_tree_has_the_rows_of_tshark(window, samples, name):
    tables.check_tree(window, name, samples)


def test_the_table_of_connections_has_the_rows_of_tshark(window, samples):
    tables.check_connections(window, samples)


@pytest.mark.parametrize("name", tables.RESPONSE_TIMES)
def test_response_times_have_the_rows_of_tshark(window, samples, name):
    tables.check_response_times(window, name, samples)
