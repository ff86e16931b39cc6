/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * Is the whole content valid? Steps through it without describing events.
 */
#include "step.h"

static uint32_t odd_of_text(const uint8_t *bytes, const gw_squirrel_event *event)
{
    bool text = (event->tag == GW_SQUIRREL_STRING || event->tag == GW_SQUIRREL_ERROR) && event->kind == GW_VALUE;
    if (!text || gw_utf8_prefix(bytes + event->payload.offset, event->payload.length) == event->payload.length)
        return 0;
    return GW_SQUIRREL_ODD_UTF8;
}

/* Validates with one reading; `lower_case` is set if the reading mattered. */
static bool validate_as(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                        gw_squirrel_summary *summary, bool *lower_case)
{
    gw_squirrel_reader reader;
    gw_squirrel_event event;
    uint32_t odd = 0, values = 0;
    gw_squirrel_begin(&reader, bytes, length, options);
    bool readable = !reader.fault.code;
    while (readable && gw_squirrel_step(&reader, &event) == GW_NEXT_EVENT) {
        odd |= event.odd | odd_of_text(bytes, &event);
        values += event.kind != GW_CLOSE;
    }
    summary->reading = options->reading;
    summary->odd = odd;
    summary->values = values;
    summary->fault = reader.fault;
    *lower_case = reader.lower_case;
    return !reader.fault.code && !(odd & GW_SQUIRREL_ODD_INVALID);
}

bool gw_squirrel_validate(const uint8_t *bytes, size_t length, const gw_squirrel_options *options,
                          gw_squirrel_summary *summary)
{
    gw_squirrel_options tried = options ? *options : (gw_squirrel_options){ 0 };
    bool undecided = gw_squirrel_is_undecided(tried.reading);
    bool lower_case;
    gw_squirrel_summary first, second;
    if (!summary)
        summary = &first;
    if (undecided)
        tried.reading = gw_squirrel_first_reading(tried.reading);
    if (validate_as(bytes, length, &tried, summary, &lower_case))
        return true;
    if (!undecided || !lower_case)
        return false;
    tried.reading = gw_squirrel_other_reading(tried.reading);
    if (!validate_as(bytes, length, &tried, &second, &lower_case))
        return false;
    *summary = second;
    return true;
}
