/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "preferences.h"

#include <epan/range.h>

#define TABLE     "tcp.port"
#define MOST_PORT 65535
#define LISTS     2

static struct {
    range_t *wanted;  /* the preference */
    range_t *applied; /* what the table has */
    dissector_handle_t handle;
} lists[LISTS];
static unsigned list_count;

static void apply_list(unsigned number)
{
    range_t *wanted = range_copy(wmem_epan_scope(), lists[number].wanted);
    if (lists[number].applied) {
        dissector_delete_uint_range(TABLE, lists[number].applied, lists[number].handle);
        wmem_free(wmem_epan_scope(), lists[number].applied);
    }
    lists[number].applied = wanted;
    dissector_add_uint_range(TABLE, wanted, lists[number].handle);
}

void godot_preferences_apply(void)
{
    for (unsigned i = 0; i < list_count; i++)
        if (!lists[i].applied || !ranges_are_equal(lists[i].applied, lists[i].wanted))
            apply_list(i);
}

module_t *godot_preferences_register(int proto_godot)
{
    return prefs_register_protocol(proto_godot, godot_preferences_apply);
}

module_t *godot_preferences(void)
{
    return prefs_find_module("godot");
}

void godot_preferences_add_ports(const char *name, const char *title, const char *description, const char *ports,
                                 dissector_handle_t handle)
{
    DISSECTOR_ASSERT(list_count < LISTS);
    lists[list_count].handle = handle;
    range_convert_str(wmem_epan_scope(), &lists[list_count].wanted, ports, MOST_PORT);
    prefs_register_range_preference(godot_preferences(), name, title, description, &lists[list_count].wanted,
                                    MOST_PORT);
    list_count++;
}
