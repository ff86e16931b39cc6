/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * A datagram as one line: its commands, with the numbers that tell one from another.
 */
#include "tables.h"

/* Prints a number after its name, such as " seq=". */
static void print_number(gw_text *text, const char *name, uint32_t number)
{
    gw_text_string(text, name);
    gw_text_unsigned(text, number);
}

/* True if commands of this type have a field of this role. */
static bool has_field(const gw_enet_command_type *type, uint8_t role)
{
    const gw_enet_field *field = type->fields;
    while (field->role && field->role != role)
        field++;
    return field->role;
}

/* Prints the pair of numbers that identifies an unreliable message: the reliable one and, after a period, `number`. */
static void print_unreliable(gw_text *text, const uint32_t *values, uint32_t number)
{
    print_number(text, " seq=", values[GW_ENET_ROLE_SEQUENCE]);
    gw_text_char(text, '.');
    gw_text_unsigned(text, number);
}

/* Prints the channel, number and length of a message or, if it is a fragment, also its part of the message, from 1
 * on. */
static void print_message(gw_text *text, const gw_enet_command *command, const gw_enet_command_type *type)
{
    const uint32_t *values = command->values;
    print_number(text, " ch=", values[GW_ENET_ROLE_CHANNEL]);
    switch (command->number) {
    case GW_ENET_SEND_UNRELIABLE:
        print_unreliable(text, values, values[GW_ENET_ROLE_UNRELIABLE_SEQUENCE]);
        break;
    case GW_ENET_SEND_UNRELIABLE_FRAGMENT:
        print_unreliable(text, values, values[GW_ENET_ROLE_START_SEQUENCE]);
        break;
    case GW_ENET_SEND_UNSEQUENCED:
        print_number(text, " group=", values[GW_ENET_ROLE_GROUP]);
        break;
    default:
        print_number(text, " seq=", values[GW_ENET_ROLE_SEQUENCE]);
        break;
    }
    /* Only the types of fragments have this size and a payload. */
    if (type->size == GW_ENET_FRAGMENT_SIZE) {
        gw_text_string(text, " part=");
        gw_text_unsigned(text, (uint64_t)values[GW_ENET_ROLE_FRAGMENT_NUMBER] + 1);
        gw_text_char(text, '/');
        gw_text_unsigned(text, values[GW_ENET_ROLE_FRAGMENT_COUNT]);
    }
    print_number(text, " len=", values[GW_ENET_ROLE_LENGTH]);
}

/* Prints the type's name and the numbers that tell commands of the type apart. A command that the caller made, as for
 * the writer, may have no type: it is then that of its number. */
void gw_enet_print_command(gw_text *text, const gw_enet_command *command)
{
    const gw_enet_command_type *type = command->type ? command->type : gw_enet_command_of(command->number);
    const uint32_t *values = command->values;
    gw_text_string(text, type->name);
    if (type->has_payload) {
        print_message(text, command, type);
        return;
    }
    switch (command->number) {
    case GW_ENET_ACKNOWLEDGE:
        print_number(text, " ch=", values[GW_ENET_ROLE_CHANNEL]);
        print_number(text, " seq=", values[GW_ENET_ROLE_ACKED_SEQUENCE]);
        break;
    case GW_ENET_CONNECT:
    case GW_ENET_VERIFY_CONNECT:
        print_number(text, " peer=", values[GW_ENET_ROLE_OUTGOING_PEER]);
        print_number(text, " channels=", values[GW_ENET_ROLE_CHANNEL_COUNT]);
        print_number(text, " mtu=", values[GW_ENET_ROLE_MTU]);
        if (has_field(type, GW_ENET_ROLE_CONNECT_ID)) {
            gw_text_string(text, " id=0x");
            gw_text_hex(text, values[GW_ENET_ROLE_CONNECT_ID], 8);
        }
        if (has_field(type, GW_ENET_ROLE_DATA))
            print_number(text, " data=", values[GW_ENET_ROLE_DATA]);
        break;
    case GW_ENET_DISCONNECT:
        print_number(text, " data=", values[GW_ENET_ROLE_DATA]);
        break;
    case GW_ENET_BANDWIDTH_LIMIT:
        print_number(text, " in=", values[GW_ENET_ROLE_INCOMING_BANDWIDTH]);
        print_number(text, " out=", values[GW_ENET_ROLE_OUTGOING_BANDWIDTH]);
        break;
    case GW_ENET_THROTTLE_CONFIGURE:
        print_number(text, " interval=", values[GW_ENET_ROLE_THROTTLE_INTERVAL]);
        print_number(text, " acceleration=", values[GW_ENET_ROLE_THROTTLE_ACCELERATION]);
        print_number(text, " deceleration=", values[GW_ENET_ROLE_THROTTLE_DECELERATION]);
        break;
    default:
        print_number(text, " seq=", values[GW_ENET_ROLE_SEQUENCE]);
        break;
    }
}

/* Prints the commands of the datagram, separated by commas, or that they are compressed or encrypted; then the fault at
 * which reading ended. A command that the input ends in is not printed: only its fault is. */
void gw_enet_print(gw_text *text, const uint8_t *bytes, size_t length, const gw_enet_options *options)
{
    gw_enet_reader reader;
    gw_enet_event event;
    gw_next next;
    gw_enet_init(&reader, bytes, length, options);
    while ((next = gw_enet_next(&reader, &event)) == GW_NEXT_EVENT) {
        if (event.role == GW_ENET_ROLE_COMMAND && !event.is_cut) {
            gw_text_string(text, event.index ? ", " : "");
            gw_enet_print_command(text, &event.command);
        } else if (event.role == GW_ENET_ROLE_COMPRESSED || event.role == GW_ENET_ROLE_ENCRYPTED) {
            gw_text_string(text, event.role == GW_ENET_ROLE_COMPRESSED ? "Compressed" : "Encrypted");
            print_number(text, " len=", event.payload.length);
        }
    }
    if (next != GW_NEXT_FAULT)
        return;
    gw_text_string(text, text->length ? " [" : "[");
    gw_text_string(text, gw_fault_text(&gw_enet_faults, reader.fault.code));
    gw_text_char(text, ']');
}
