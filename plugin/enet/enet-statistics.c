/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "enet-statistics.h"

#include <epan/tap.h>

static int enet_tap = -1;

void enet_count(const enet_datagram *datagram)
{
    tap_queue_packet(enet_tap, datagram->pinfo, datagram);
}

void enet_register_statistics(int protocol _U_)
{
    enet_tap = register_tap("enet");
}
