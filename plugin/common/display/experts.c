/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Adds expert infos for the faults and oddities of a codec, with a limit for each, and the bytes that were not read.
 */
#include "common/display/experts.h"

#include "common/conversation.h"
#include "common/findings.h"

#define QUOTED " (quoted by an ICMP error)"

/* Adds an expert info to `item` for each bit in `odd`, the oddities of the item at `offset`; but at most
 * GW_EXPERTS_OF_A_KIND for a bit in one packet, and the last of them says that more are not listed. `fields` has the
 * expert info of each bit, from bit 0, and `counts` the number of them that were added to this packet so far. */
void gw_add_odd_experts(packet_info *pinfo, proto_item *item, expert_field *fields, const gw_fault_table *table,
                        uint8_t counts[32], uint32_t odd, uint32_t offset)
{
    for (unsigned bit = 0; odd; bit++, odd >>= 1) {
        if (!(odd & 1U) || counts[bit] == GW_EXPERTS_OF_A_KIND)
            continue;
        bool last = ++counts[bit] == GW_EXPERTS_OF_A_KIND;
        gw_add_finding_format(pinfo, item, &fields[bit], "%s (offset %u)%s", gw_odd_text(table, UINT32_C(1) << bit),
                              offset, last ? "; more of these in this packet are not listed" : "");
    }
}

/* Adds the item of a message of `protocol`, and marks it if an ICMP error quotes the message. */
proto_item *gw_add_protocol(proto_tree *parent, const packet_info *pinfo, int protocol, tvbuff_t *tvb, uint32_t offset,
                            int length)
{
    proto_item *item = proto_tree_add_item(parent, protocol, tvb, (int)offset, length, ENC_NA);
    if (gw_is_quoted(pinfo))
        proto_item_append_text(item, QUOTED);
    return item;
}

/* Appends ", ", the words and the line to the label of a message's item; of the line only what the label has room for,
 * without a part of a character. */
void gw_append_line(proto_item *item, const packet_info *pinfo, int protocol, const char *words, const char *line)
{
    /* `before`: bytes of the label before the line. `room`: bytes of the line that the label can hold. */
    size_t before = strlen(proto_get_protocol_long_name(find_protocol_by_id(protocol))) + strlen(", ") + strlen(words);
    size_t length = strlen(line);
    if (gw_is_quoted(pinfo))
        before += strlen(QUOTED);
    size_t room = ITEM_LABEL_LENGTH - 1 - MIN(before, ITEM_LABEL_LENGTH - 1);
    if (length > room) {
        /* The first byte of a character that the end of the label would cut. */
        while (room && ((uint8_t)line[room] & 0xc0) == 0x80)
            room--;
        length = room;
    }
    proto_item_append_text(item, ", %s%.*s", words, (int)length, line);
}

/* ---- faults -------------------------------------------------------------------------------------------- */

/* True if fewer bytes were captured than sent, because of the snapshot length. */
bool gw_is_cut_by_capture(tvbuff_t *tvb)
{
    return tvb_captured_length(tvb) < tvb_reported_length(tvb);
}

/* True if the rest of the payload was not captured, or is in another fragment. */
bool gw_is_incomplete(const packet_info *pinfo, tvbuff_t *tvb)
{
    return gw_is_cut_by_capture(tvb) || pinfo->fragmented;
}

/* True if the bytes that the fault misses are among those that were sent but not captured. */
static bool is_capture_cut(tvbuff_t *tvb, const gw_fault *fault)
{
    uint64_t wire = tvb_reported_length(tvb);
    uint64_t captured = tvb_captured_length(tvb);
    return fault->fault_class == GW_FAULT_TRUNCATED && captured < wire && fault->needed <= wire - captured;
}

/* True if the sender's payload is not at fault: it is truncated, and its rest was not captured or is in another
 * fragment. */
bool gw_fault_is_cut(const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault)
{
    return is_capture_cut(tvb, fault) || (pinfo->fragmented && fault->fault_class == GW_FAULT_TRUNCATED);
}

/* Appends the fault in brackets to the line of a packet, unless the packet was only cut. */
void gw_add_fault_to_line(gw_text *line, const packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault,
                          const gw_fault_table *table)
{
    if (fault->fault_class == GW_FAULT_NONE || gw_fault_is_cut(pinfo, tvb, fault))
        return;
    bool needs_space = line->length && line->buffer[line->length - 1] != ' ';
    gw_text_string(line, needs_space ? " [" : "[");
    gw_text_string(line, gw_fault_text(table, fault->code));
    gw_text_char(line, ']');
}

/* The text of a fault's expert info. `sentence`: the fault; `consequence`: the reaction of the receiver, or NULL. A
 * packet that was only cut gets another sentence and no consequence. */
static char *describe(packet_info *pinfo, tvbuff_t *tvb, const gw_fault *fault, const char *sentence,
                      const char *consequence)
{
    const char *separator = consequence ? "; " : "";
    uint64_t cut_off = tvb_reported_length(tvb) - tvb_captured_length(tvb);
    /* `cut_off`: bytes that were sent but not captured. If the fault needs more than those, `missing` is the number of
     * bytes that were not sent; else it is the number that the fault needs. */
    uint64_t missing = fault->needed > cut_off ? fault->needed - cut_off : fault->needed;
    const char *plural = missing == 1 ? "" : "s";

    if (is_capture_cut(tvb, fault))
        return wmem_strdup_printf(pinfo->pool, "Cut short by the capture at offset %u: %" PRIu64 " more byte%s needed",
                                  fault->offset, missing, plural);
    /* pinfo->fragmented, which TCP sets for a segment too, if reassembly is switched off in its preferences. */
    if (gw_fault_is_cut(pinfo, tvb, fault))
        return wmem_strdup_printf(pinfo->pool, "The rest, from offset %u, is in another %s", fault->offset,
                                  pinfo->ptype == PT_TCP ? "segment" : "IP fragment");
    if (fault->fault_class == GW_FAULT_TRUNCATED)
        return wmem_strdup_printf(pinfo->pool, "%s at offset %u: %" PRIu64 " byte%s missing%s%s", sentence,
                                  fault->offset, missing, plural, separator, consequence ? consequence : "");
    return wmem_strdup_printf(pinfo->pool, "%s at offset %u%s%s", sentence, fault->offset, separator,
                              consequence ? consequence : "");
}

/* Adds the bytes from the fault's offset on as undecoded, with the expert info of the fault, which begins with
 * `sentence`; if the packet was only cut (by the capture, or the rest is in another fragment), with the expert info for
 * that. */
void gw_add_fault_text(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                       const gw_fault_display *display, const char *sentence)
{
    bool cut = gw_fault_is_cut(pinfo, tvb, fault);
    expert_field *expert = cut ? display->cut_short : &display->experts[fault->code];
    uint32_t length = tvb_captured_length(tvb), from = MIN(fault->offset, length);
    proto_item *item = NULL;
    /* The item has the captured bytes from the fault on; if there are none, the expert info has no bytes. */
    if (from < length)
        item = proto_tree_add_item(tree, *display->hf_undecoded, tvb, (int)from, (int)(length - from), ENC_NA);
    char *text = describe(pinfo, tvb, fault, sentence, gw_fault_consequence(display->table, fault->code));

    if (item)
        gw_add_finding_format(pinfo, item, expert, "%s", text);
    else
        gw_add_finding_at_format(tree, pinfo, expert, tvb, (int)from, 0, "%s", text);
}

/* Adds the bytes from the fault's offset on as undecoded, with the codec's sentence for the fault; if the packet was
 * only cut, with the expert info for that. */
void gw_add_fault(packet_info *pinfo, proto_tree *tree, tvbuff_t *tvb, const gw_fault *fault,
                  const gw_fault_display *display)
{
    gw_add_fault_text(pinfo, tree, tvb, fault, display, gw_fault_text(display->table, fault->code));
}
