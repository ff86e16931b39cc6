/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Follow Stream, for protocols on UDP or TCP whose streams have numbers.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FOLLOW_H
#define GAMEWIRE_PLUGIN_COMMON_FOLLOW_H

#include "common/compat.h"

#include <epan/follow.h>

typedef struct gw_follow {
    follow_conv_filter_func find; /* the stream of a packet, and its filter */
    follow_index_filter_func filter;
    uint32_t (*count)(void); /* number of streams in the file */
} gw_follow;

/* The data queued for `tap` are tvbs: the content of the streams. */
void gw_register_follow(int protocol, const char *tap, const gw_follow *follow);

#endif
