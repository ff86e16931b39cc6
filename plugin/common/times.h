/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Times in 8 bytes, for what is kept of many packets: nanoseconds, of a time since 1970 or between two packets.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_TIMES_H
#define GAMEWIRE_PLUGIN_COMMON_TIMES_H

#include "common/compat.h"

#define GW_NANOSECONDS INT64_C(1000000000) /* in a second */

/* Times that are more than 285 years from 1970 are not real. */
#define GW_MOST_SECONDS INT64_C(9000000000)

static inline int64_t gw_nanoseconds(const nstime_t *time)
{
    int64_t seconds = CLAMP((int64_t)time->secs, -GW_MOST_SECONDS, GW_MOST_SECONDS);
    return seconds * GW_NANOSECONDS + time->nsecs;
}

/* Both parts have the sign of the whole, as after nstime_delta(). */
static inline nstime_t gw_time_of(int64_t nanoseconds)
{
    return (nstime_t){ (time_t)(nanoseconds / GW_NANOSECONDS), (int)(nanoseconds % GW_NANOSECONDS) };
}

#endif
