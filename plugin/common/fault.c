/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shows the bytes that were not read, with an expert info unless they were only cut by the capture.
 */
#include "common/fault.h"

bool gw_is_cut_by_capture(tvbuff_t *tvb)
{
    return tvb_captured_length(tvb) < tvb_reported_length(tvb);
}

bool gw_is_incomplete(const packet_info *pinfo, tvbuff_t *tvb)
{
    return gw_is_cut_by_capture(tvb) || pinfo->fragmented;
}

static bool is_capture_cut(tvbuff_t *tvb, const gw_fault *fault)
{
    uint64_t wire = tvb_reported_length(tvb);
    uint64_t captured = tvb_captured_length(tvb);
    return fault->fault_class == GW_FAULT_TRUNCATED && captured < wire && fault->needed <= wire - captured;
}

bool gw_fault_is_cut(const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault)
{
    return is_capture_cut(tvb, fault) || (pinfo->fragmented && fault->fault_class == GW_FAULT_TRUNCATED);
}

static proto_item *add_undecoded(proto_tree *tree, tvbuff_t *tvb, uint32_t offset, int hf)
{
    uint32_t length = tvb_captured_length(tvb);
    uint32_t from = MIN(offset, length);
    if (from == length)
        return NULL;
    return proto_tree_add_item(tree, hf, tvb, (int)from, (int)(length - from), ENC_NA);
}

static char *describe(packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault, const gw_fault_report *report, bool cut)
{
    const char *consequence = report->consequence ? report->consequence : "";
    const char *separator = report->consequence ? "; " : "";
    const char *plural = fault->needed == 1 ? "" : "s";

    if (is_capture_cut(tvb, fault))
        return wmem_strdup_printf(pinfo->pool, "Cut short by the capture at offset %u: %" PRIu64 " more byte%s needed",
                                  fault->offset, fault->needed, plural);
    /* pinfo->fragmented, which TCP sets for a segment too, if reassembly is switched off in its preferences. */
    if (cut)
        return wmem_strdup_printf(pinfo->pool, "The rest, from offset %u, is in another %s", fault->offset,
                                  pinfo->ptype == PT_TCP ? "segment" : "IP fragment");
    if (fault->fault_class == GW_FAULT_TRUNCATED)
        return wmem_strdup_printf(pinfo->pool, "%s at offset %u: %" PRIu64 " byte%s missing%s%s", report->what,
                                  fault->offset, fault->needed, plural, separator, consequence);
    return wmem_strdup_printf(pinfo->pool, "%s at offset %u%s%s", report->what, fault->offset, separator, consequence);
}

void gw_add_fault_report(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                         const gw_fault_report *report)
{
    bool cut = gw_fault_is_cut(pinfo, tvb, fault);
    expert_field *expert = cut ? report->cut_short : report->expert;
    proto_item *item = add_undecoded(tree, tvb, fault->offset, report->hf_undecoded);
    char *text = describe(pinfo, tvb, fault, report, cut);

    if (item)
        expert_add_info_format(pinfo, item, expert, "%s", text);
    else
        proto_tree_add_expert_format(tree, pinfo, expert, tvb, (int)MIN(fault->offset, tvb_captured_length(tvb)), 0,
                                     "%s", text);
}
