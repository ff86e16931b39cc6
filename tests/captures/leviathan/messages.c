// SPDX-FileCopyrightText: The Gamewire authors
// SPDX-License-Identifier: GPL-2.0-or-later

#include "messages.h"

#include <string.h>

enum { REQUEST = 0x28, RESPONSE = 0x12 };
enum { MOST_FIELDS = 8 };
enum { ABSENT = -1 }; /* from a numbering */

enum field_type {
    FIELD_END,
    FIELD_UINT8,
    FIELD_UINT16,
    FIELD_UINT32,
    FIELD_INT32,
    FIELD_UINT64,
    FIELD_BOOL,
    FIELD_STRING,
    FIELD_VECTOR3,
    FIELD_VECTOR4,
    FIELD_BYTES,      /* nested packet that only the application can read */
    FIELD_COMPONENTS, /* nested packet of components */
    FIELD_REST,       /* to the end of the message, without a length */
};

struct field {
    const char *name;
    enum field_type type;
};

struct layout {
    const char *name;
    int message; /* REQUEST or RESPONSE */
    int number;
    int old_number; /* of 2017-04 to 2018-10 */
    struct field fields[MOST_FIELDS + 1];
};

// A table reads better with its own line breaks.
// clang-format off
static const struct layout layouts[MESSAGE_TYPES] = {
    [REQUEST_CONNECT] = {"Connect", REQUEST, 0, 0, {{"CheckValue", FIELD_INT32}}},
    [REQUEST_SECURITY] = {"Security", REQUEST, 1, 1,
                          {{"SecureType", FIELD_INT32},
                           {"PublicKey", FIELD_STRING},
                           {"AdditionalSettings", FIELD_STRING}}},
    [REQUEST_AUTHENTICATE] = {"Authenticate", REQUEST, 2, 2,
                              {{"UserName", FIELD_STRING},
                               {"AuthToken", FIELD_UINT64},
                               {"AuthPasswd", FIELD_STRING}}},
    [REQUEST_IDENTIFICATION] = {"Identification", REQUEST, 3, 3, {{"DDOSBlock", FIELD_STRING}}},
    [REQUEST_SERVERSTATUS] = {"Serverstatus", REQUEST, 4, 4, {{0}}},
    [REQUEST_REMOTE_CONSOLE_OPEN] = {"RemoteConsoleOpen", REQUEST, 5, 5, {{"SessionToken", FIELD_INT32}}},
    [REQUEST_REMOTE_CONSOLE_ACCESS] = {"RemoteConsoleAccess", REQUEST, 6, 6,
                                       {{"SessionToken", FIELD_INT32}}},
    [REQUEST_CLOSE_REMOTE_CONSOLE] = {"CloseRemoteConsole", REQUEST, 7, 7, {{0}}},
    [REQUEST_DO_REMOTE_CONSOLE_OPEN] = {"DoRemoteConsoleOpen", REQUEST, 8, 8, {{"Token", FIELD_INT32}}},
    [REQUEST_JOIN_SERVER] = {"JoinServer", REQUEST, 9, 9, {{"MasterServerToken", FIELD_INT32}}},
    [REQUEST_JOIN_GAME] = {"JoinGame", REQUEST, 10, ABSENT, {{"Options", FIELD_STRING}}},
    [REQUEST_GET_SINGLE_SYNC_VALUE] = {"GetSingleSyncValue", REQUEST, 11, 10,
                                       {{"NameOfValue", FIELD_STRING}}},
    [REQUEST_GET_ALL_SYNC_VALUES] = {"GetAllSyncValues", REQUEST, 12, 11, {{0}}},
    [REQUEST_REQUEST_COMMAND_EXECUTION] = {"RequestCommandExecution", REQUEST, 13, 12,
                                           {{"Command", FIELD_STRING}}},
    [REQUEST_CONNECT_INPUT] = {"ConnectInput", REQUEST, 14, 13, {{"DataForObject", FIELD_BYTES}}},
    [REQUEST_ECHO] = {"Echo", REQUEST, 15, 14, {{0}}},
    [REQUEST_WORLD_CLOCK_SYNC] = {"WorldClockSync", REQUEST, 16, 15,
                                  {{"WorldID", FIELD_INT32},
                                   {"Ticks", FIELD_INT32},
                                   {"EngineMSTweak", FIELD_INT32},
                                   {"Absolute", FIELD_BOOL}}},
    [REQUEST_CUSTOM] = {"Custom", REQUEST, 17, 16,
                        {{"TypeIDNumber", FIELD_INT32}, {"IsRequest", FIELD_BOOL}, {"Data", FIELD_REST}}},
    [REQUEST_ABOVE_CUSTOM] = {"Custom(+1)", REQUEST, 18, 17, {{"Data", FIELD_REST}}},
    [REQUEST_UNKNOWN] = {"unknown", REQUEST, 999, 999, {{"Data", FIELD_REST}}},

    [RESPONSE_CONNECT] = {"Connect", RESPONSE, 0, 0, {{"CheckValue", FIELD_INT32}}},
    [RESPONSE_SECURITY] = {"Security", RESPONSE, 1, 1,
                           {{"SecureType", FIELD_INT32},
                            {"PublicKey", FIELD_STRING},
                            {"EncryptedSymmetricKey", FIELD_STRING}}},
    [RESPONSE_AUTHENTICATE] = {"Authenticate", RESPONSE, 2, 2,
                               {{"UserID", FIELD_INT32}, {"UserToken", FIELD_UINT64}}},
    [RESPONSE_IDENTIFICATION] = {"Identification", RESPONSE, 3, 3,
                                 {{"UserReadableData", FIELD_STRING},
                                  {"GameName", FIELD_STRING},
                                  {"GameVersionString", FIELD_STRING},
                                  {"LeviathanVersionString", FIELD_STRING}}},
    [RESPONSE_KEEPALIVE] = {"Keepalive", RESPONSE, 4, 4, {{0}}},
    [RESPONSE_CLOSE_CONNECTION] = {"CloseConnection", RESPONSE, 5, 5, {{0}}},
    [RESPONSE_REMOTE_CONSOLE_CLOSED] = {"RemoteConsoleClosed", RESPONSE, 6, 6, {{0}}},
    [RESPONSE_REMOTE_CONSOLE_OPENED] = {"RemoteConsoleOpened", RESPONSE, 7, 7, {{0}}},
    [RESPONSE_INVALID_REQUEST] = {"InvalidRequest", RESPONSE, 8, 8,
                                  {{"Invalidness", FIELD_UINT8}, {"AdditionalInfo", FIELD_STRING}}},
    [RESPONSE_SERVER_DISALLOW] = {"ServerDisallow", RESPONSE, 9, 9,
                                  {{"Message", FIELD_STRING}, {"Reason", FIELD_UINT8}}},
    [RESPONSE_SERVER_ALLOW] = {"ServerAllow", RESPONSE, 10, 10,
                               {{"ServerAcceptedWhat", FIELD_UINT8}, {"Message", FIELD_STRING}}},
    [RESPONSE_SERVER_STATUS] = {"ServerStatus", RESPONSE, 11, 11,
                                {{"ServerNameString", FIELD_STRING},
                                 {"Joinable", FIELD_BOOL},
                                 {"JoinRestriction", FIELD_UINT8},
                                 {"ServerStatus", FIELD_UINT8},
                                 {"Players", FIELD_INT32},
                                 {"MaxPlayers", FIELD_INT32},
                                 {"Bots", FIELD_INT32},
                                 {"AdditionalFlags", FIELD_INT32}}},
    [RESPONSE_SYNC_VAL_DATA] = {"SyncValData", RESPONSE, 12, 12, {{0}}},
    [RESPONSE_SYNC_DATA_END] = {"SyncDataEnd", RESPONSE, 13, 13, {{"Succeeded", FIELD_BOOL}}},
    [RESPONSE_SYNC_RESOURCE_DATA] = {"SyncResourceData", RESPONSE, 14, 14,
                                     {{"OurCustomData", FIELD_STRING}}},
    [RESPONSE_CREATE_NETWORKED_INPUT] = {"CreateNetworkedInput", RESPONSE, 15, 15,
                                         {{"OurCustomData", FIELD_BYTES}}},
    [RESPONSE_UPDATE_NETWORKED_INPUT] = {"UpdateNetworkedInput", RESPONSE, 16, 16,
                                         {{"InputID", FIELD_INT32}, {"UpdateData", FIELD_BYTES}}},
    [RESPONSE_DISCONNECT_INPUT] = {"DisconnectInput", RESPONSE, 17, 17,
                                   {{"InputID", FIELD_INT32}, {"OwnerID", FIELD_INT32}}},
    [RESPONSE_START_WORLD_RECEIVE] = {"StartWorldReceive", RESPONSE, 18, ABSENT,
                                      {{"WorldID", FIELD_INT32},
                                       {"WorldType", FIELD_INT32},
                                       {"ExtraOptions", FIELD_STRING}}},
    [RESPONSE_ENTITY_CREATION] = {"EntityCreation", RESPONSE, 19, ABSENT,
                                  {{"WorldID", FIELD_INT32},
                                   {"EntityID", FIELD_INT32},
                                   {"ComponentCount", FIELD_UINT32},
                                   {"InitialComponentData", FIELD_COMPONENTS}}},
    [RESPONSE_ENTITY_UPDATE] = {"EntityUpdate", RESPONSE, 20, 19,
                                {{"WorldID", FIELD_INT32},
                                 {"TickNumber", FIELD_INT32},
                                 {"ReferenceTick", FIELD_INT32},
                                 {"EntityID", FIELD_INT32},
                                 {"UpdateData", FIELD_COMPONENTS}}},
    [RESPONSE_ENTITY_DESTRUCTION] = {"EntityDestruction", RESPONSE, 21, 20,
                                     {{"WorldID", FIELD_INT32}, {"EntityID", FIELD_INT32}}},
    [RESPONSE_ENTITY_LOCAL_CONTROL_STATUS] = {"EntityLocalControlStatus", RESPONSE, 22, ABSENT,
                                              {{"WorldID", FIELD_INT32},
                                               {"EntityID", FIELD_INT32},
                                               {"Enabled", FIELD_BOOL}}},
    [RESPONSE_CACHE_UPDATED] = {"CacheUpdated", RESPONSE, 23, 21, {{0}}},
    [RESPONSE_CACHE_REMOVED] = {"CacheRemoved", RESPONSE, 24, 22, {{"Name", FIELD_STRING}}},
    [RESPONSE_WORLD_FROZEN] = {"WorldFrozen", RESPONSE, 25, 24,
                               {{"WorldID", FIELD_INT32},
                                {"Frozen", FIELD_BOOL},
                                {"TickNumber", FIELD_INT32}}},
    [RESPONSE_SERVER_HEARTBEAT] = {"ServerHeartbeat", RESPONSE, 26, 25, {{0}}},
    [RESPONSE_START_HEARTBEATS] = {"StartHeartbeats", RESPONSE, 27, 26, {{0}}},
    [RESPONSE_NONE] = {"None", RESPONSE, 28, 28, {{0}}},
    [RESPONSE_CUSTOM] = {"Custom", RESPONSE, 29, 27,
                         {{"TypeIDNumber", FIELD_INT32}, {"IsRequest", FIELD_BOOL}, {"Data", FIELD_REST}}},
    [RESPONSE_UNKNOWN] = {"unknown", RESPONSE, 999, 999, {{"Data", FIELD_REST}}},
    [RESPONSE_OLD_ENTITY_CREATION] = {"EntityCreation", RESPONSE, ABSENT, 18,
                                      {{"WorldID", FIELD_INT32}, {"InitialComponentData", FIELD_BYTES}}},
    [RESPONSE_OLD_ENTITY_CONSTRAINT] = {"EntityConstraint", RESPONSE, ABSENT, 23,
                                        {{"WorldID", FIELD_INT32},
                                         {"Create", FIELD_BOOL},
                                         {"ConstraintID", FIELD_INT32},
                                         {"EntityID1", FIELD_INT32},
                                         {"EntityID2", FIELD_INT32},
                                         {"ConstraintType", FIELD_UINT16},
                                         {"ConstraintData", FIELD_BYTES}}},
};

static const struct component_layout {
    const char *name;
    uint16_t number;
    struct field fields[3];
} component_layouts[COMPONENT_TYPES] = {
    [COMPONENT_POSITION] = {"Position", 0, {{"Position", FIELD_VECTOR3}, {"Orientation", FIELD_VECTOR4}}},
    [COMPONENT_RENDER_NODE] = {"RenderNode", 1, {{0}}},
    [COMPONENT_SENDABLE] = {"Sendable", 2, {{0}}},
    [COMPONENT_RECEIVED] = {"Received", 3, {{0}}},
    [COMPONENT_PHYSICS] = {"Physics", 4, {{0}}},
    [COMPONENT_BOX_GEOMETRY] = {"BoxGeometry", 5, {{"Sizes", FIELD_VECTOR3}, {"Material", FIELD_STRING}}},
    [COMPONENT_MODEL] = {"Model", 6, {{0}}},
    [COMPONENT_CAMERA] = {"Camera", 7, {{"FOV", FIELD_UINT16}, {"SoundPerceiver", FIELD_BOOL}}},
    [COMPONENT_ANIMATED] = {"Animated", 8, {{0}}},
    [COMPONENT_UNKNOWN] = {"unknown", 9, {{"Data", FIELD_REST}}},
    [COMPONENT_APPLICATION] = {"Custom(+1)", 10001, {{"Data", FIELD_REST}}},
};
// clang-format on

bool composition_is_sound(const struct composition *composition)
{
    return sfPacket_getDataSize(composition->packet) <= composition->sound_bytes;
}

bool message_is_request(enum message_type type)
{
    return layouts[type].message == REQUEST;
}

const char *message_name(enum message_type type)
{
    return layouts[type].name;
}

/* CSFML leaves out SFML's 64-bit writer, which is big-endian too. */
static void write_uint64(sfPacket *packet, uint64_t number)
{
    sfPacket_writeUint32(packet, (uint32_t)(number >> 32));
    sfPacket_writeUint32(packet, (uint32_t)number);
}

static void write_sized(sfPacket *packet, const void *bytes, size_t size)
{
    sfPacket_writeUint32(packet, (uint32_t)size);
    sfPacket_append(packet, bytes, size);
}

/* CSFML's writer takes a C string; the engine's strings may hold a NUL. */
static void write_string(sfPacket *packet, const struct value *value)
{
    if (strlen(value->text) == value->size)
        sfPacket_writeString(packet, value->text);
    else
        write_sized(packet, value->text, value->size);
}

static void write_vector(sfPacket *packet, const float *vector, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sfPacket_writeFloat(packet, vector[i]);
}

static void write_scalar(sfPacket *packet, enum field_type type, const struct value *value)
{
    switch (type) {
    case FIELD_BOOL: /* SFML's bool is a Uint8; this way a bool of 2 can be sent as well */
    case FIELD_UINT8:
        sfPacket_writeUint8(packet, (uint8_t)value->number);
        break;
    case FIELD_UINT16:
        sfPacket_writeUint16(packet, (uint16_t)value->number);
        break;
    case FIELD_UINT32:
        sfPacket_writeUint32(packet, (uint32_t)value->number);
        break;
    case FIELD_INT32:
        sfPacket_writeInt32(packet, (int32_t)value->number);
        break;
    case FIELD_UINT64:
        write_uint64(packet, value->number);
        break;
    case FIELD_STRING:
        write_string(packet, value);
        break;
    case FIELD_VECTOR3:
        write_vector(packet, value->vector, 3);
        break;
    case FIELD_VECTOR4:
        write_vector(packet, value->vector, 4);
        break;
    case FIELD_REST:
        sfPacket_append(packet, value->text, value->size);
        break;
    default:
        write_sized(packet, value->text, value->size);
        break;
    }
}

static void write_component(sfPacket *packet, const struct component *component)
{
    const struct component_layout *layout = &component_layouts[component->type];

    sfPacket_writeUint16(packet, layout->number);
    for (size_t i = 0; layout->fields[i].name != NULL; i++)
        write_scalar(packet, layout->fields[i].type, &component->values[i]);
}

static void write_components(sfPacket *packet, const struct value *value)
{
    sfPacket *nested = sfPacket_create();

    for (size_t i = 0; i < value->component_count; i++)
        write_component(nested, &value->components[i]);
    write_sized(packet, sfPacket_getData(nested), sfPacket_getDataSize(nested));
    sfPacket_destroy(nested);
}

static void write_value(sfPacket *packet, enum field_type type, const struct value *value)
{
    if (value->components != NULL)
        write_components(packet, value);
    else
        write_scalar(packet, type, value);
}

static void record_vector(struct json *record, const char *name, const float *vector, size_t count)
{
    json_open(record, name, '[');
    for (size_t i = 0; i < count; i++)
        json_float(record, NULL, vector[i]);
    json_close(record, ']');
}

/* A string that is not UTF-8 cannot be in JSON: it is recorded as an object. */
static void record_string(struct json *record, const char *name, const struct value *value)
{
    if (!value->raw) {
        json_text(record, name, value->text, value->size);
        return;
    }
    json_open(record, name, '{');
    json_hex(record, "hex", value->text, value->size);
    json_close(record, '}');
}

static void record_scalar(struct json *record, const struct field *field, const struct value *value)
{
    switch (field->type) {
    case FIELD_BOOL:
        if (value->number <= 1)
            json_bool(record, field->name, value->number == 1);
        else
            json_unsigned(record, field->name, value->number);
        break;
    case FIELD_UINT8:
    case FIELD_UINT16:
    case FIELD_UINT32:
    case FIELD_UINT64:
        json_unsigned(record, field->name, value->number);
        break;
    case FIELD_INT32:
        json_integer(record, field->name, (int32_t)value->number);
        break;
    case FIELD_STRING:
        record_string(record, field->name, value);
        break;
    case FIELD_VECTOR3:
        record_vector(record, field->name, value->vector, 3);
        break;
    case FIELD_VECTOR4:
        record_vector(record, field->name, value->vector, 4);
        break;
    default:
        json_hex(record, field->name, value->text, value->size);
        break;
    }
}

static void record_component(struct json *record, const struct component *component)
{
    const struct component_layout *layout = &component_layouts[component->type];

    json_open(record, NULL, '{');
    json_text(record, "type", layout->name, strlen(layout->name));
    json_unsigned(record, "type_number", layout->number);
    for (size_t i = 0; layout->fields[i].name != NULL; i++)
        record_scalar(record, &layout->fields[i], &component->values[i]);
    json_close(record, '}');
}

static void record_value(struct json *record, const struct field *field, const struct value *value)
{
    if (value->components == NULL) {
        record_scalar(record, field, value);
        return;
    }
    json_open(record, field->name, '[');
    for (size_t i = 0; i < value->component_count; i++)
        record_component(record, &value->components[i]);
    json_close(record, ']');
}

static void write_header(struct composition *to, const struct layout *layout, uint32_t number, uint32_t response_to)
{
    int type_number = to->old_numbering ? layout->old_number : layout->number;
    bool is_response = layout->message == RESPONSE;

    sfPacket_writeUint8(to->packet, (uint8_t)layout->message);
    if (composition_is_sound(to))
        json_text(&to->record, "kind", is_response ? "response" : "request", is_response ? 8 : 7);
    sfPacket_writeUint32(to->packet, number);
    if (composition_is_sound(to))
        json_unsigned(&to->record, "number", number);
    sfPacket_writeUint16(to->packet, (uint16_t)type_number);
    if (composition_is_sound(to)) {
        json_text(&to->record, "type", layout->name, strlen(layout->name));
        json_integer(&to->record, "type_number", type_number);
    }
    if (is_response)
        sfPacket_writeUint32(to->packet, response_to);
    if (is_response && composition_is_sound(to))
        json_unsigned(&to->record, "response_to", response_to);
}

static void write_fields(struct composition *to, const struct field *fields, const struct value *values)
{
    bool listed = composition_is_sound(to);

    if (listed)
        json_open(&to->record, "fields", '{');
    for (size_t i = 0; fields[i].name != NULL; i++) {
        write_value(to->packet, fields[i].type, &values[i]);
        if (composition_is_sound(to))
            record_value(&to->record, &fields[i], &values[i]);
    }
    if (listed)
        json_close(&to->record, '}');
}

void message_write(struct composition *to, const struct message *message, uint32_t number, uint32_t response_to)
{
    const struct layout *layout = &layouts[message->type];
    bool begins = sfPacket_getDataSize(to->packet) < to->sound_bytes;

    if (begins)
        json_open(&to->record, NULL, '{');
    write_header(to, layout, number, response_to);
    write_fields(to, layout->fields, message->values);
    if (begins)
        json_close(&to->record, '}');
}
