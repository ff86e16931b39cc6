/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Findings: what is reported about a message. Each is one row of its protocol's table, from which come the expert info,
 * the words before the line of the Info column, and what users can do about it; plugin/docs/reference/findings.md lists the
 * rows. Expert infos are added by the functions of this file only, so that a message's findings are the same for all that
 * show them.
 */
#ifndef GAMEWIRE_PLUGIN_COMMON_FINDINGS_H
#define GAMEWIRE_PLUGIN_COMMON_FINDINGS_H

#include "common/compat.h"

#include <epan/expert.h>

typedef struct gw_finding {
    expert_field *id;
    const char *filter;  /* such as "enet.analysis.gap" */
    int group;           /* PI_SEQUENCE ... */
    int severity;        /* PI_CHAT, PI_NOTE, PI_WARN or PI_ERROR */
    const char *summary; /* what was found, and what the receiver does about it */
    const char *word;    /* in the Info column, in brackets; NULL: the line says it, or it is no news */
    const char *remedy;  /* what the user can do; NULL: nothing */
} gw_finding;

/* Registers the rows, which must live until Wireshark ends, as expert infos of the module. The description of each
 * expert info's field, which the status bar and `tshark -G fields` show, is: severity, word and remedy: "Warning
 * [Node missing]: Add or spawn the node on all peers before it is used". Earlier rows of one severity are more
 * important. */
void gw_register_findings(expert_module_t *module, const gw_finding *rows, size_t count);

/* Adds a finding to the packet, as expert info of `item`, with the row's summary or with a text of its own. `item`
 * may be NULL. */
void gw_add_finding(packet_info *pinfo, proto_item *item, expert_field *id);
void gw_add_finding_format(packet_info *pinfo, proto_item *item, expert_field *id, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* The same where no item has the bytes. `tree` may be NULL. */
void gw_add_finding_at(proto_tree *tree, packet_info *pinfo, expert_field *id, tvbuff_t *tvb, int start, int length);
void gw_add_finding_at_format(proto_tree *tree, packet_info *pinfo, expert_field *id, tvbuff_t *tvb, int start,
                              int length, const char *format, ...) G_GNUC_PRINTF(7, 8);

/* The number of findings in the packet so far. A message's findings are those from this number, taken before the
 * message, to the number after it: with those of its values and of the messages in it. */
unsigned gw_count_findings(const packet_info *pinfo);

/* The row of one of them, in the order in which they were added. */
const gw_finding *gw_finding_at(const packet_info *pinfo, unsigned index);

/* The words of the two most important findings from number `first` on: "[Node missing] [Late] ", in packet scope;
 * empty if they have none. Findings of one severity are in the order of their table. */
const char *gw_finding_words(const packet_info *pinfo, unsigned first);

/* The line after these words, in packet scope; `line` itself if there are none. */
const char *gw_line_with_words(const packet_info *pinfo, const char *words, const char *line);

#endif
