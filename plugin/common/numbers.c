/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The units of fields.
 */
#include "common/numbers.h"

const unit_name_string gw_unit_bytes = { " byte", " bytes" };
const unit_name_string gw_unit_ms = { " ms", NULL };
