/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The dissector of conversations that may be of one of the plugin's protocols.
 */
#include "common/candidates.h"

#include <epan/exceptions.h>

#include "common/conversation.h"
#include "common/kept_memory.h"
#include "common/keys.h"

/* Protocols over UDP: see recognition.h. */
#define MOST_HEURISTICS 8

typedef struct candidate_heuristic {
    const char *name;
    dissector_handle_t handle;
} candidate_heuristic;

/* Of a conversation of epan. */
typedef struct candidate_conversation {
    uint32_t frame; /* the first one */
} candidate_conversation;

static candidate_heuristic heuristics[MOST_HEURISTICS];
static unsigned heuristic_count;
static dissector_handle_t candidates_handle;
/* The heuristics are being asked. */
static bool is_asking;
/* The current file has such conversations. */
static bool any;

/* ---- the dissector ------------------------------------------------------------------------------------- */

static const candidate_conversation *find_candidates(const conversation_t *conversation)
{
    return (const candidate_conversation *)conversation_get_proto_data(conversation, GW_KEY_CANDIDATES);
}

/* A handle that was set for all frames, or from an earlier frame on. */
static dissector_handle_t find_other(conversation_t *conversation, uint32_t frame)
{
    dissector_handle_t handle = conversation_get_dissector(conversation, frame);
    if (handle != candidates_handle)
        return handle;
    return conversation_get_dissector(conversation, find_candidates(conversation)->frame - 1);
}

dissector_handle_t gw_candidates_find_other(packet_info *pinfo)
{
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    return conversation ? find_other(conversation, pinfo->num) : NULL;
}

/* False if the user disabled the heuristic. That of a protocol is not called if the protocol is disabled. */
static bool is_enabled(const candidate_heuristic *heuristic)
{
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(heuristic->name);
    return entry && entry->enabled;
}

static int ask(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    int length = 0;
    for (unsigned i = 0; !length && i < heuristic_count; i++)
        if (is_enabled(&heuristics[i]))
            length = call_dissector_only(heuristics[i].handle, tvb, pinfo, tree, data);
    return length;
}

static int dissect_candidate(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    volatile int length = 0;
    is_asking = true;
    TRY
    {
        length = ask(tvb, pinfo, tree, data);
    }
    FINALLY
    {
        is_asking = false;
    }
    ENDTRY;
    dissector_handle_t other = length ? NULL : gw_candidates_find_other(pinfo);
    return other ? call_dissector_only(other, tvb, pinfo, tree, data) : length;
}

/* On the first pass, a heuristic adds up evidence: once for each packet. Those that have not been asked are asked in the
 * frame in which the conversation became one of candidates. */
bool gw_candidates_were_asked(packet_info *pinfo)
{
    if (!any || is_asking || !gw_is_first_pass(pinfo))
        return false;
    conversation_t *conversation = find_conversation_pinfo(pinfo, 0);
    const candidate_conversation *kept = conversation ? find_candidates(conversation) : NULL;
    return kept && kept->frame < pinfo->num &&
           conversation_get_dissector(conversation, pinfo->num) == candidates_handle;
}

/* ---- keeping ------------------------------------------------------------------------------------------- */

void gw_candidates_keep(packet_info *pinfo, uint32_t frame)
{
    conversation_t *conversation = find_or_create_conversation(pinfo);
    candidate_conversation *kept = conversation_get_proto_data(conversation, GW_KEY_CANDIDATES);
    if (pinfo->ptype != PT_UDP || !candidates_handle || (kept && kept->frame <= frame))
        return;
    if (!kept) {
        kept = gw_alloc_kept(sizeof *kept);
        conversation_add_proto_data(conversation, GW_KEY_CANDIDATES, kept);
    }
    any = true;
    kept->frame = frame;
    conversation_set_dissector_from_frame_number(conversation, frame, candidates_handle);
}

/* True: to be called for the next file too. */
static ws_bool forget_any(wmem_allocator_t *scope _U_, wmem_cb_event_t event, void *data _U_)
{
    any = false;
    return event == WMEM_CB_FREE_EVENT;
}

void gw_candidates_register(const char *heuristic, dissector_t dissector, int protocol)
{
    if (!candidates_handle) {
        candidates_handle = create_dissector_handle_with_name_and_description(
            dissect_candidate, -1, NULL, "Conversation that may be of Gamewire's protocols");
        wmem_register_callback(wmem_file_scope(), forget_any, NULL);
    }
    heuristics[heuristic_count++] = (candidate_heuristic){ heuristic, create_dissector_handle(dissector, protocol) };
}
