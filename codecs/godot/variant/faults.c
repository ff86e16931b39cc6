/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: MIT
 *
 * The texts of faults and oddities.
 */
#include <gamewire/godot.h>

/* On the first of these, each decoder of the engine returns an error: get_var() gives null (observed), a call is
 * dropped. */
/* decode_variant() of Godot 2.1 reads the type, the device and what this type has. */
#define NOT_READ "Godot 2 does not read this length"
#define REFUSED  "the engine rejects the packet"

static const gw_fault_row faults[GW_GODOT_FAULTS] = {
    [GW_GODOT_FAULT_NONE] = { GW_FAULT_NONE, "No fault", NULL },
    [GW_GODOT_FAULT_HEADER_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends where a value's type should be", REFUSED },
    [GW_GODOT_FAULT_BODY_TRUNCATED] = { GW_FAULT_TRUNCATED, "The data ends inside a value", REFUSED },
    [GW_GODOT_FAULT_TEXT_TRUNCATED] = { GW_FAULT_TRUNCATED, "A text is longer than the rest of the data", REFUSED },
    [GW_GODOT_FAULT_PADDING_TRUNCATED] = { GW_FAULT_TRUNCATED, "The padding to four bytes is missing", REFUSED },
    [GW_GODOT_FAULT_ELEMENTS_TRUNCATED] = { GW_FAULT_TRUNCATED,
                                            "More elements are declared than the rest of the data can hold", REFUSED },
    [GW_GODOT_FAULT_TYPE_UNKNOWN] = { GW_FAULT_MALFORMED, "A Variant type that this generation does not have",
                                      REFUSED },
    [GW_GODOT_FAULT_ELEMENT_TYPE_UNKNOWN] = { GW_FAULT_MALFORMED,
                                              "A container is declared to hold a type that does not exist", REFUSED },
    [GW_GODOT_FAULT_INPUT_EVENT_INVALID] = { GW_FAULT_MALFORMED, "An input event is declared shorter than its own head",
                                             NOT_READ },
    [GW_GODOT_FAULT_TOO_DEEP] = { GW_FAULT_LIMIT, "Nested deeper than this reader supports", NULL },
    [GW_GODOT_FAULT_TOO_LONG] = { GW_FAULT_LIMIT, "The input is 2 GiB or longer", NULL },
};

/* By bit. */
static const char *const oddities[GW_GODOT_ODDS] = {
    "Header bits are set that no engine writes; they are ignored",
    "A flag is set that this type does not have; it is ignored",
    "A bool is neither 0 nor 1; it reads as true",
    "The text is not valid UTF-8; the engine rejects the packet",
    "The text holds a NUL; the engine cuts it there",
    "The padding is not zero; it is ignored",
    "The padding holds stale bytes of the sender's buffer, as Godot before 4.6.3 leaves them",
    "The padding of the byte array is missing; the engine accepts this",
    "64 bits are used where 32 are enough, as Godot 3.0 does for every int",
    "The shared bit is set, which only Godot 2 uses; it is ignored",
    "More members are declared than the rest of the data can hold",
    "A string of a string array does not end in NUL",
    "A NodePath has flags other than absolute and property",
    "A NodePath is in the format that only Godot 2 reads",
    "Nested deeper than the 1024 levels that Godot 3.6 and 4 decode",
    "A typed null object is sent as a header alone, which the engine cannot read back",
    "The dictionary had this key before; the engine keeps the last of them",
    "An element is not of the type that its array is declared to hold; the engine leaves it out",
    "An object with its properties: decoding it can run code, and the engine rejects it unless objects are allowed",
    "The header is that of a value in big-endian order; Variants are little-endian, and the engine reads null",
    ("The object has a script, which a receiver that allows objects runs; send its values instead, and leave "
     "allow_object_decoding off"),
};

const gw_fault_table gw_godot_faults = { faults, GW_GODOT_FAULTS, oddities, GW_GODOT_ODDS };
