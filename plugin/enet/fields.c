/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields by role of the event, then parts of bytes, then calculated fields.
 */
#include "internal.h"

#include "common/display/json_message.h"
#include "common/items.h"
#include "common/registration.h"

int proto_enet = -1;
enet_fields enet_hf;
int enet_header_hf[GW_ENET_FORMATS][ENET_HEADER_BITS];
enet_subtrees enet_ett = { -1, -1, -1, -1, -1, -1, -1 };
enet_experts enet_ei;

const fragment_items enet_fragment_items = {
    &enet_ett.fragment,        &enet_ett.fragments,
    &enet_hf.fragments,        &enet_hf.fragment,
    &enet_hf.overlap,          &enet_hf.overlap_conflict,
    &enet_hf.multiple_tails,   &enet_hf.fragment_too_long,
    &enet_hf.fragment_error,   &enet_hf.fragment_count,
    &enet_hf.reassembled_in,   &enet_hf.reassembled_length,
    &enet_hf.reassembled_data, "Fragments",
};

const gw_fault_display enet_faults = {
    .hf_undecoded = &enet_hf.undecoded,
    .experts = enet_ei.faults,
    .cut_short = &enet_ei.cut_short,
    .table = &gw_enet_faults,
};

/* ---- names of values ------------------------------------------------------------------------------------ */

/* From the codec's tables, at registration: the names that Info prints. */
static value_string commands[GW_ENET_COMMANDS + 1];

const value_string enet_compressions[] = {
    { ENET_AUTOMATIC, "Unknown" },
    { ENET_NOT_COMPRESSED, "None" },
    { ENET_RANGE_CODER, "Range coder" },
    { ENET_FASTLZ, "FastLZ" },
    { ENET_ZLIB, "zlib" },
    { ENET_ZSTANDARD, "Zstandard" },
    { 0, NULL },
};

static value_string formats[GW_ENET_FORMATS + 1];

/* Formats a label: four hexadecimal digits. */
static void format_hex16(char *label, uint32_t number)
{
    snprintf(label, ITEM_LABEL_LENGTH, "0x%04x", number);
}

/* Formats a label: eight hexadecimal digits. */
static void format_hex32(char *label, uint32_t number)
{
    snprintf(label, ITEM_LABEL_LENGTH, "0x%08x", number);
}

/* Formats a label: a bandwidth, of which 0 is no limit. */
static void format_bandwidth(char *label, uint32_t bytes)
{
    if (bytes)
        snprintf(label, ITEM_LABEL_LENGTH, "%u bytes/s", bytes);
    else
        g_strlcpy(label, "unlimited", ITEM_LABEL_LENGTH);
}

/* Formats a label: sixteen hexadecimal digits. */
static void format_hex64(char *label, uint64_t number)
{
    snprintf(label, ITEM_LABEL_LENGTH, "0x%016" PRIx64, number);
}

/* ---- fields --------------------------------------------------------------------------------------------- */

/* Bits of the header: the masks are those of ENet 1.3, and replaced for the other formats. */
static hf_register_info header_bits[] = {
    { &enet_hf.peer,
      { "Peer", "enet.peer", FT_UINT16, BASE_DEC, NULL, GW_ENET_PEER_MASK,
        "Number of the receiver's peer, an index into its table; 4095 while the connection is being established",
        HFILL } },
    { &enet_hf.session,
      { "Session", "enet.session", FT_UINT16, BASE_DEC, NULL, GW_ENET_SESSION_MASK,
        "Session number of the connection (0 to 3), which changes each time the peer's place in the table is used "
        "again",
        HFILL } },
    { &enet_hf.compressed,
      { "Compressed", "enet.compressed", FT_BOOLEAN, 16, NULL, GW_ENET_COMPRESSED_BIT,
        "True if the commands after the header are compressed", HFILL } },
    { &enet_hf.sent_time_present,
      { "Sent time follows", "enet.sent_time.present", FT_BOOLEAN, 16, NULL, GW_ENET_SENT_TIME_BIT,
        "True if the sent time follows the header", HFILL } },
};

static hf_register_info header_fields[] = {
    { &enet_hf.wire[GW_ENET_ROLE_WORD],
      { "Header", "enet.header", FT_UINT16, BASE_CUSTOM, CF_FUNC(format_hex16), 0,
        "First two bytes of the datagram: two flags, the session and the peer", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_SENT_TIME],
      { "Sent time", "enet.sent_time", FT_UINT16, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_ms), 0,
        "Time at which the datagram was sent: the low 16 bits of the sender's clock, in milliseconds", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_CHECKSUM],
      { "Checksum", "enet.checksum", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_hex32), 0,
        "CRC-32 of the header, the connect ID and the commands before compression", HFILL } },
    { &enet_hf.checksum_64,
      { "Checksum", "enet.checksum_64", FT_UINT64, BASE_CUSTOM, CF_FUNC(format_hex64), 0,
        "Checksum of eight bytes; in ENet-CSharp, CRC-64 of the header, the connect ID and the commands", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_SESSION_ID],
      { "Session ID", "enet.session_id", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_hex32), 0,
        "Random number of the connection in ENet 1.2, the same in CONNECT and in each datagram", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_PEER_HIGH],
      { "Peer, high bits", "enet.peer.high", FT_UINT8, BASE_DEC, NULL, 0,
        "Bits 11 to 15 of the peer number, in zpl-c's format for more peers", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_EXTENDED],
      { "Extended flags", "enet.extended", FT_UINT16, BASE_CUSTOM, CF_FUNC(format_hex16), 0, "Further flags of enet6",
        HFILL } },
    { &enet_hf.encrypted,
      { "Encrypted", "enet.encrypted", FT_BOOLEAN, 16, NULL, 0x0010, "True if the bytes after the header are encrypted",
        HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_PORT_KEY],
      { "Port key", "enet.port.key", FT_UINT16, BASE_CUSTOM, CF_FUNC(format_hex16), 0,
        "Random number with which the port is masked, in Growtopia's format", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_MASKED_PORT],
      { "Masked port", "enet.port.masked", FT_UINT16, BASE_CUSTOM, CF_FUNC(format_hex16), 0,
        "Port that the datagram is sent to, masked with the port key (exclusive or of both)", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_NONCE],
      { "Nonce", "enet.nonce", FT_UINT16, BASE_CUSTOM, CF_FUNC(format_hex16), 0,
        "Random number that differs from that of the datagram before", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_ENCRYPTED],
      { "Encrypted commands", "enet.encrypted.data", FT_BYTES, BASE_NONE, NULL, 0, "Commands of the datagram as sent",
        HFILL } },
    { &enet_hf.checksum_status,
      { "Checksum status", "enet.checksum.status", FT_UINT8, BASE_NONE, NULL, 0,
        "Result of comparing the checksum with the one computed from the datagram", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_COMPRESSED],
      { "Compressed commands", "enet.compressed.data", FT_BYTES, BASE_NONE, NULL, 0,
        "Commands of the datagram as sent, before decompression", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_PADDING],
      { "Padding", "enet.padding", FT_BYTES, BASE_NONE, NULL, 0,
        "Zero bytes that bring the input of FastLZ up to its minimum of 16 bytes", HFILL } },
    { &enet_hf.not_shown,
      { "Further commands, not shown", "enet.not_shown", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the commands that follow after the tree has reached its limit, or from the first message on that is "
        "not dissected because the frame has too many",
        HFILL } },
    { &enet_hf.undecoded,
      { "Undecoded bytes", "enet.undecoded", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes from the place where decoding stopped to the end of the datagram", HFILL } },
};

static hf_register_info command_fields[] = {
    { &enet_hf.wire[GW_ENET_ROLE_COMMAND], { "Command", "enet.entry", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_TYPE],
      { "Type", "enet.type", FT_UINT8, BASE_DEC, NULL, 0, "Number of the command (low 4 bits) and its flags", HFILL } },
    { &enet_hf.command,
      { "Command", "enet.command", FT_UINT8, BASE_DEC, VALS(commands), GW_ENET_NUMBER_MASK,
        "Number of the command, which defines the format of what follows", HFILL } },
    { &enet_hf.acknowledge,
      { "Acknowledgement requested", "enet.flags.acknowledge", FT_BOOLEAN, 8, NULL, GW_ENET_ACKNOWLEDGE_FLAG,
        "True if the sender requests an acknowledgement of this command", HFILL } },
    { &enet_hf.unsequenced,
      { "Unsequenced", "enet.flags.unsequenced", FT_BOOLEAN, 8, NULL, GW_ENET_UNSEQUENCED_FLAG,
        "True if the command is delivered without regard to the order of others", HFILL } },
    { &enet_hf.unused,
      { "Unused", "enet.flags.unused", FT_UINT8, BASE_DEC, NULL, GW_ENET_UNUSED_FLAGS,
        "Two bits of the command's type that ENet does not define", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_CHANNEL],
      { "Channel", "enet.channel", FT_UINT8, BASE_DEC, NULL, 0,
        "Channel of the command; 255 for commands about the connection", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_SEQUENCE],
      { "Sequence number", "enet.sequence", FT_UINT16, BASE_DEC, NULL, 0,
        "Reliable sequence number; for other commands, that of the last reliable command", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_ACKED_SEQUENCE],
      { "Acknowledged sequence number", "enet.ack.sequence", FT_UINT16, BASE_DEC, NULL, 0,
        "Reliable sequence number of the command that is acknowledged", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_ACKED_SENT_TIME],
      { "Acknowledged sent time", "enet.ack.sent_time", FT_UINT16, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_ms), 0,
        "Sent time of the datagram that held the acknowledged command, in milliseconds", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_OUTGOING_PEER],
      { "Outgoing peer", "enet.connect.outgoing_peer", FT_UINT16, BASE_DEC, NULL, 0,
        "Index in the sender's table of peers, which datagrams sent back to it must carry", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_INCOMING_SESSION],
      { "Incoming session", "enet.connect.incoming_session", FT_UINT8, BASE_DEC, NULL, 0,
        "Session number proposed for the datagrams that the sender receives; 255 in a first CONNECT", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_OUTGOING_SESSION],
      { "Outgoing session", "enet.connect.outgoing_session", FT_UINT8, BASE_DEC, NULL, 0,
        "Session number proposed for the datagrams that the sender sends; 255 in a first CONNECT", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_MTU],
      { "MTU", "enet.connect.mtu", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Largest datagram that the sender accepts, in bytes (576 to 4096)", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_WINDOW],
      { "Window size", "enet.connect.window", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Maximum number of bytes of reliable messages that may be unacknowledged at a time (4096 to 65536)", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_CHANNEL_COUNT],
      { "Channels", "enet.connect.channels", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of channels of the connection (1 to 255)", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_INCOMING_BANDWIDTH],
      { "Incoming bandwidth", "enet.bandwidth.incoming", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_bandwidth), 0,
        "Limit of what the sender receives, in bytes per second; 0 is unlimited", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_OUTGOING_BANDWIDTH],
      { "Outgoing bandwidth", "enet.bandwidth.outgoing", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_bandwidth), 0,
        "Limit of what the sender sends, in bytes per second; 0 is unlimited", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_THROTTLE_INTERVAL],
      { "Throttle interval", "enet.throttle.interval", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_ms), 0,
        "Time between two adjustments of the throttle, in milliseconds", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_THROTTLE_ACCELERATION],
      { "Throttle acceleration", "enet.throttle.acceleration", FT_UINT32, BASE_DEC, NULL, 0,
        "Amount by which the throttle rises when round trips become faster, out of 32", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_THROTTLE_DECELERATION],
      { "Throttle deceleration", "enet.throttle.deceleration", FT_UINT32, BASE_DEC, NULL, 0,
        "Amount by which the throttle falls when round trips become slower, out of 32", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_CONNECT_ID],
      { "Connect ID", "enet.connect.id", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_hex32), 0,
        "Random number of the connection, the same in CONNECT and VERIFY_CONNECT", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_DATA],
      { "Data", "enet.data", FT_UINT32, BASE_DEC, NULL, 0,
        "Number that the application passes with CONNECT or DISCONNECT", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_UNRELIABLE_SEQUENCE],
      { "Unreliable sequence number", "enet.unreliable_sequence", FT_UINT16, BASE_DEC, NULL, 0,
        "Number of the unreliable message, which begins again at 1 after each reliable command of the channel",
        HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_GROUP],
      { "Unsequenced group", "enet.group", FT_UINT16, BASE_DEC, NULL, 0,
        "Number of the unsequenced message, by which the receiver detects duplicates", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_START_SEQUENCE],
      { "Start sequence number", "enet.fragment.start", FT_UINT16, BASE_DEC, NULL, 0,
        "Sequence number of the first fragment of the message", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_LENGTH],
      { "Length", "enet.length", FT_UINT16, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Length of the payload in bytes", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_FRAGMENT_COUNT],
      { "Fragment count", "enet.fragment.count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of fragments of the whole message", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_FRAGMENT_NUMBER],
      { "Fragment number", "enet.fragment.number", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of this fragment in the message, counted from 0", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_TOTAL_LENGTH],
      { "Total length", "enet.fragment.total_length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Length of the whole message in bytes", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_FRAGMENT_OFFSET],
      { "Fragment offset", "enet.fragment.offset", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Position of this fragment in the message, in bytes", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_UNUSED],
      { "Unused", "enet.connect.unused", FT_UINT8, BASE_DEC, NULL, 0,
        "Byte after the outgoing peer, which League of Legends does not use", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_UNUSED_END],
      { "Unused", "enet.connect.unused_end", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes at the end, which League of Legends does not use", HFILL } },
    { &enet_hf.wire[GW_ENET_ROLE_PAYLOAD],
      { "Payload", "enet.payload", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the application's message, or of a fragment of it", HFILL } },
};

static hf_register_info generated_fields[] = {
    { &enet_hf.connection,
      { "Connection", "enet.connection", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection in this capture, counted from 0", HFILL } },
    { &enet_hf.continued,
      { "Continues connection", "enet.connection.continued", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the connection whose peer ID, session, clock and numbers these datagrams have, from another address",
        HFILL } },
    { &enet_hf.format,
      { "Format", "enet.format", FT_UINT8, BASE_DEC, VALS(formats), 0,
        "Version or fork of ENet in whose format the datagram is, if that is not ENet 1.3", HFILL } },
    { &enet_hf.compression,
      { "Compression", "enet.compression", FT_UINT8, BASE_DEC, VALS(enet_compressions), 0,
        "Method that decompresses the commands without an error", HFILL } },
    { &enet_hf.decompressed_length,
      { "Decompressed length", "enet.compression.length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes),
        0, "Length of the commands after decompression, in bytes", HFILL } },
    { &enet_hf.percent,
      { "Compressed to percent", "enet.compression.percent", FT_UINT32, BASE_DEC, NULL, 0,
        "Length of the compressed commands in percent of the decompressed length", HFILL } },
    { &enet_hf.connect_id,
      { "Connect ID in the checksum", "enet.checksum.connect_id", FT_UINT32, BASE_CUSTOM, CF_FUNC(format_hex32), 0,
        "Connect ID with which the checksum was verified, known from CONNECT or VERIFY_CONNECT or derived from two "
        "checksums",
        HFILL } },
    { &enet_hf.acks_frame,
      { "Acknowledges frame", "enet.analysis.acks_frame", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The command that is acknowledged was sent in this frame", HFILL } },
    { &enet_hf.acked_in,
      { "Acknowledged in", "enet.analysis.acked_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The acknowledgement of this command is in this frame", HFILL } },
    { &enet_hf.ack_rtt,
      { "Round-trip time", "enet.analysis.ack_rtt", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the transmission that is acknowledged, which the sent time identifies, to its acknowledgement",
        HFILL } },
    { &enet_hf.first_send,
      { "First sent in", "enet.analysis.first_send", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_PREV), 0,
        "The command was sent for the first time in this frame", HFILL } },
    { &enet_hf.resend_time,
      { "Time since first sent", "enet.analysis.resend_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the first transmission of the command to this one", HFILL } },
    { &enet_hf.resend_number,
      { "Retransmission number", "enet.analysis.resend_number", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of retransmissions of the command so far, with this one", HFILL } },
    { &enet_hf.resent_in,
      { "Sent again in", "enet.analysis.resent_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RETRANS_NEXT), 0,
        "The command was sent again in this frame", HFILL } },
    { &enet_hf.missing,
      { "Reliable commands not captured before this one", "enet.analysis.missing", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of reliable commands of the channel before this one that are not in the capture", HFILL } },
    { &enet_hf.lost,
      { "Messages missing before this one", "enet.analysis.lost", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of unreliable or unsequenced messages before this one that were lost or dropped by the sender's "
        "throttle",
        HFILL } },
    { &enet_hf.message_length,
      { "Message length", "enet.message.length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Bytes of the application's message; of a message in fragments: of all of it, where it is decoded", HFILL } },
    { &enet_hf.in_flight,
      { "Bytes in flight", "enet.analysis.bytes_in_flight", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes),
        0, "Bytes of this side's reliable messages that are not acknowledged yet", HFILL } },
    { &enet_hf.silence,
      { "Time since this side's last datagram", "enet.analysis.silence_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the previous datagram of this side of the connection to this one", HFILL } },
    { &enet_hf.duplicate_of,
      { "Copy of frame", "enet.analysis.duplicate_of", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_DUP_ACK), 0,
        "The datagram of this frame has the same bytes", HFILL } },
    { &enet_hf.used_in,
      { "Number used before in", "enet.analysis.used_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0,
        "A command with the same number and other bytes is in this frame", HFILL } },
    { &enet_hf.response_to,
      { "Connect in", "enet.connect.response_to", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
        "The CONNECT that this VERIFY_CONNECT answers is in this frame", HFILL } },
    { &enet_hf.response_in,
      { "Verify connect in", "enet.connect.response_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0,
        "The VERIFY_CONNECT that answers this CONNECT is in this frame", HFILL } },
    { &enet_hf.response_time,
      { "Time since Connect", "enet.connect.response_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the CONNECT to the VERIFY_CONNECT that answers it", HFILL } },
    { &enet_hf.begun_in,
      { "Connect in", "enet.connect.begun_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0,
        "The CONNECT of the connection that this acknowledgement completes is in this frame", HFILL } },
    { &enet_hf.handshake_time,
      { "Handshake time", "enet.connect.handshake_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time from the CONNECT to the acknowledgement of the VERIFY_CONNECT", HFILL } },
    { &enet_hf.established_in,
      { "Established in", "enet.connect.established_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_ACK), 0,
        "The acknowledgement that completes this connection is in this frame", HFILL } },
    { &enet_hf.disconnected_in,
      { "Disconnected in", "enet.connect.disconnected_in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0,
        "The DISCONNECT that ends this connection is in this frame", HFILL } },
    { &enet_hf.end,
      { "How the connection ended", "enet.analysis.end", FT_UINT8, BASE_DEC, VALS(enet_ends), 0,
        "How the connection ended, at its CONNECT and at its last datagram; known on the second pass", HFILL } },
    { &enet_hf.blocked_time,
      { "Blocked for", "enet.analysis.blocked_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time before this datagram in which this side sent nothing, although commands arrived that it had to "
        "acknowledge",
        HFILL } },
    { &enet_hf.unacked,
      { "Not acknowledged before this one", "enet.analysis.unacked", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of reliable messages and fragments of this side that were not acknowledged", HFILL } },
    { &enet_hf.message_limit,
      { "Longest message in one datagram", "enet.message.limit", FT_UINT32, BASE_DEC | BASE_UNIT_STRING,
        UNS(&gw_unit_bytes), 0, "ENet sends longer messages of this connection in fragments, because of its MTU",
        HFILL } },
    { &enet_hf.json, GW_JSON_FIELD("enet.json") },
};

static hf_register_info reassembly_fields[] = {
    { &enet_hf.fragments,
      { "Message fragments", "enet.reassembly.fragments", FT_NONE, BASE_NONE, NULL, 0, NULL, HFILL } },
    { &enet_hf.fragment,
      { "Message fragment", "enet.reassembly.fragment", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0,
        "A fragment of the message is in this frame", HFILL } },
    { &enet_hf.overlap,
      { "Fragment overlap", "enet.reassembly.overlap", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the fragment covers bytes of another fragment", HFILL } },
    { &enet_hf.overlap_conflict,
      { "Fragment overlap with other data", "enet.reassembly.overlap.conflict", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if overlapping fragments hold different bytes", HFILL } },
    { &enet_hf.multiple_tails,
      { "Several last fragments", "enet.reassembly.multiple_tails", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if several fragments are the last of the message", HFILL } },
    { &enet_hf.fragment_too_long,
      { "Fragment too long", "enet.reassembly.too_long", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "True if the fragment reaches beyond the end of the message", HFILL } },
    { &enet_hf.fragment_error,
      { "Reassembly error", "enet.reassembly.error", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0,
        "Reassembly failed because of the fragment in this frame", HFILL } },
    { &enet_hf.fragment_count,
      { "Reassembled fragments", "enet.reassembly.count", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of fragments from which the message was reassembled", HFILL } },
    { &enet_hf.reassembled_in,
      { "Reassembled in", "enet.reassembly.in", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_NONE), 0,
        "The whole message is decoded in this frame", HFILL } },
    { &enet_hf.reassembled_length,
      { "Reassembled length", "enet.reassembly.length", FT_UINT32, BASE_DEC | BASE_UNIT_STRING, UNS(&gw_unit_bytes), 0,
        "Length of the reassembled message in bytes", HFILL } },
    { &enet_hf.reassembled_data,
      { "Reassembled message", "enet.reassembly.data", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes of the message after reassembly", HFILL } },
};

/* ---- expert infos --------------------------------------------------------------------------------------- */

static const gw_expert_row faults[] = {
    { GW_ENET_FAULT_HEADER_TRUNCATED, "enet.header.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_ENET_FAULT_COMMAND_TRUNCATED, "enet.command.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_ENET_FAULT_PAYLOAD_TRUNCATED, "enet.payload.truncated", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_ENET_FAULT_COMMAND_UNKNOWN, "enet.command.unknown", PI_MALFORMED, PI_ERROR, NULL, NULL },
    { GW_ENET_FAULT_TOO_LONG, "enet.input.too_long", PI_UNDECODED, PI_WARN, NULL, NULL },
};

static const gw_expert_row oddities[] = {
    { GW_ENET_ODD_NO_COMMANDS, "enet.command.missing", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_DATAGRAM_LENGTH, "enet.datagram.too_long", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_COMMAND_COUNT, "enet.command_count.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_FLAGS, "enet.flags.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_CHANNEL, "enet.channel.invalid", PI_PROTOCOL, PI_WARN, "Message on channel 255", NULL },
    { GW_ENET_ODD_NO_SENT_TIME, "enet.sent_time.missing", PI_PROTOCOL, PI_WARN, "No sent time", NULL },
    { GW_ENET_ODD_NO_PEER, "enet.peer.missing", PI_PROTOCOL, PI_WARN, "No peer id", NULL },
    { GW_ENET_ODD_CONNECTED, "enet.connect.peer.invalid", PI_PROTOCOL, PI_WARN, "CONNECT to a peer", NULL },
    { GW_ENET_ODD_ACKED_SEQUENCE, "enet.ack.sequence.differs", PI_PROTOCOL, PI_CHAT, NULL, NULL },
    { GW_ENET_ODD_UNSEQUENCED, "enet.sequence.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_OUTGOING_PEER, "enet.connect.outgoing_peer.invalid", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_SESSION, "enet.connect.session.invalid", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_MTU, "enet.connect.mtu.invalid", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_WINDOW, "enet.connect.window.invalid", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_CHANNEL_COUNT, "enet.connect.channels.invalid", PI_PROTOCOL, PI_WARN, "Invalid channel count", NULL },
    { GW_ENET_ODD_FRAGMENT_COUNT, "enet.fragment.count.invalid", PI_PROTOCOL, PI_WARN, "Invalid fragment count", NULL },
    { GW_ENET_ODD_FRAGMENT_NUMBER, "enet.fragment.number.invalid", PI_PROTOCOL, PI_WARN, "Invalid fragment number",
      NULL },
    { GW_ENET_ODD_TOTAL_LENGTH, "enet.fragment.total_length.too_long", PI_PROTOCOL, PI_WARN, "Invalid total length",
      NULL },
    { GW_ENET_ODD_TOTAL_TOO_SHORT, "enet.fragment.total_length.too_short", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_FRAGMENT_OFFSET, "enet.fragment.offset.invalid", PI_PROTOCOL, PI_WARN, "Invalid fragment offset",
      NULL },
    { GW_ENET_ODD_FRAGMENT_END, "enet.fragment.end.invalid", PI_PROTOCOL, PI_WARN, "Invalid fragment end", NULL },
    { GW_ENET_ODD_FRAGMENT_EMPTY, "enet.fragment.empty", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_FRAGMENT_SEQUENCE, "enet.fragment.sequence.invalid", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_CONNECTION_CHANNEL, "enet.channel.unusual", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_PADDING, "enet.padding.not_zero", PI_PROTOCOL, PI_NOTE, NULL, NULL },
    { GW_ENET_ODD_MASKED_PORT, "enet.port.masked.invalid", PI_PROTOCOL, PI_WARN, "Wrong masked port", NULL },
};

/* In the order of enet_flag. */
static const gw_finding findings[] = {
    { &enet_ei.flags[0], "enet.analysis.retransmission", PI_SEQUENCE, PI_NOTE, "Retransmission", "Retransmission",
      "It delays all later reliable messages of its channel: use separate channels for independent messages, and "
      "unreliable ones for values that the next message replaces" },
    { &enet_ei.flags[1], "enet.analysis.spurious_retransmission", PI_SEQUENCE, PI_NOTE,
      "Spurious retransmission: the command had already been acknowledged", "Spurious retransmission",
      "In a capture at the sender, the acknowledgement had come and was read too late: ENet looks for timeouts before "
      "it reads its socket. Let the game's loop poll more often, and move loading off it. Elsewhere, or if all "
      "acknowledgements of the receiver are slow (enet.analysis.ack_rtt), the receiver polls rarely" },
    { &enet_ei.flags[2], "enet.analysis.duplicate", PI_SEQUENCE, PI_NOTE,
      "Duplicate: a command with this number and these bytes was captured before", "Duplicate",
      "None is needed: ENet drops it. If every packet is there twice, capture on one interface only" },
    { &enet_ei.flags[3], "enet.analysis.out_of_order", PI_SEQUENCE, PI_NOTE, "Out of order", "Out of order", NULL },
    { &enet_ei.flags[4], "enet.analysis.gap", PI_SEQUENCE, PI_WARN, "Previous reliable command not captured",
      "Previous command not captured",
      "If the command comes later, the network lost or delayed it. If it never does, the capture lost packets: use a "
      "larger buffer (dumpcap -B)" },
    { &enet_ei.flags[5], "enet.analysis.lost_messages", PI_SEQUENCE, PI_NOTE,
      "Unreliable messages missing: lost, or dropped by the sender's throttle", "Lost before",
      "They are not sent again: interpolate between updates, and send state in place of events" },
    { &enet_ei.flags[6], "enet.analysis.duplicate_ack", PI_SEQUENCE, PI_NOTE,
      "Duplicate acknowledgement of one transmission", "Duplicate ack", NULL },
    { &enet_ei.flags[7], "enet.analysis.ack.unseen", PI_SEQUENCE, PI_WARN,
      "Acknowledges a command that was not captured", "Ack of unseen command",
      "The capture lost packets or began late: begin it before the connection, and use a larger buffer (dumpcap -B)" },
    { &enet_ei.flags[8], "enet.analysis.window_full", PI_SEQUENCE, PI_WARN,
      "Window full: another message of this length has to wait", "Window full",
      "Send less at a time, or spread large messages over several frames" },
    { &enet_ei.flags[9], "enet.analysis.throttle_changed", PI_SEQUENCE, PI_CHAT, "The throttle's parameters change",
      NULL, NULL },
    { &enet_ei.flags[10], "enet.analysis.bandwidth_changed", PI_SEQUENCE, PI_CHAT, "The bandwidth limits change", NULL,
      NULL },
    { &enet_ei.flags[11], "enet.analysis.too_far_ahead", PI_SEQUENCE, PI_WARN,
      "The sequence number is 7 or more windows of 4096 numbers ahead; ENet drops the message", "Too far ahead",
      "Send fewer messages on a channel before the earlier ones are acknowledged" },
    { &enet_ei.flags[12], "enet.analysis.channel.invalid", PI_PROTOCOL, PI_WARN,
      "The connection has fewer channels; ENet stops here and drops the rest of the datagram", "No such channel",
      "Create the hosts, and connect, with as many channels as the game uses" },
    { &enet_ei.flags[13], "enet.analysis.number_reused", PI_SEQUENCE, PI_WARN, "Number used before with other bytes",
      "Number used before",
      "Look for a second program that sends from this address, or a library that numbers commands in another way than "
      "ENet" },
    { &enet_ei.cut_short, "enet.cut_short", PI_UNDECODED, PI_NOTE, "Cut short by the capture", NULL, NULL },
    { &enet_ei.bad_checksum, "enet.checksum.bad", PI_CHECKSUM, PI_ERROR, "Bad checksum; ENet drops the datagram",
      "Bad checksum",
      "Use the same checksum on both hosts. If they do, something on the way changes data: compare captures of both "
      "ends" },
    { &enet_ei.not_decompressed, "enet.compression.unknown", PI_UNDECODED, PI_WARN,
      "The commands do not decompress with any mode that is enabled", "Not decompressed",
      "Choose the mode that the game uses in the preferences of ENet; a compressor of the game's own cannot be "
      "decoded" },
    { &enet_ei.compression_differs, "enet.compression.differs", PI_SEQUENCE, PI_WARN,
      "The client's datagrams are not compressed, and the reply is: without this compression, the client cannot read "
      "it",
      "Compression differs",
      "Use the same compression on both ends, such as ENetConnection.compress() with the same mode" },
    { &enet_ei.no_reply, "enet.reply.missing", PI_SEQUENCE, PI_NOTE,
      "No reply to a compressed CONNECT: a host without this compression drops it. Godot compresses by default in "
      "3.4 to 3.6 only",
      "No reply", "Use the same compression on both ends" },
    { &enet_ei.stale, "enet.analysis.stale", PI_PROTOCOL, PI_WARN,
      "Another peer ID or session: ENet drops the datagram, unless it is of a connection whose beginning was not "
      "captured",
      "Stale",
      "After a new connection, a few are normal. If it goes on, the sender uses a connection that the receiver has "
      "ended: connect again" },
    { &enet_ei.continued, "enet.analysis.address_changed", PI_SEQUENCE, PI_WARN,
      "Continues a connection from another address or port", "Address changed",
      "If the client's network changed, it must connect again: ENet does not continue a connection from another "
      "address" },
    { &enet_ei.silence, "enet.analysis.silence", PI_SEQUENCE, PI_NOTE,
      "No datagram from this side for longer than ENet's minimum timeout; hosts send pings every 0.5 s",
      "Silent before",
      "The process was blocked or suspended, or the network was interrupted: move loading and long computations off "
      "the main loop" },
    { &enet_ei.repeated, "enet.analysis.command_repeated", PI_SEQUENCE, PI_NOTE,
      "Command about the connection sent again: it was not acknowledged so far", "Repeated",
      "If it goes on, enet.analysis.end says how the connection ended" },
    { &enet_ei.never_acked, "enet.analysis.ack.missing", PI_SEQUENCE, PI_WARN, "Never acknowledged",
      "Never acknowledged", "The message may not have arrived: enet.analysis.end says how the connection ended" },
    { &enet_ei.drops, "enet.disconnect.drops", PI_SEQUENCE, PI_WARN,
      "Reliable messages before this Disconnect were not acknowledged: it drops them", "Dropped",
      "Disconnect with enet_peer_disconnect_later(), in Godot ENetPacketPeer.peer_disconnect_later(), which waits for "
      "the "
      "acknowledgements" },
    { &enet_ei.rejected, "enet.analysis.rejected", PI_SEQUENCE, PI_WARN,
      "Not acknowledged, although the receiver gets datagrams of this side", "Rejected",
      "ENet accepts no more messages while maximumWaitingData bytes wait for the program: take messages out of it in "
      "each "
      "frame" },
    { &enet_ei.full, "enet.connect.full", PI_SEQUENCE, PI_WARN,
      "No reply to this CONNECT, although the server sends datagrams to others: it has no free peer, or as many of "
      "this "
      "address as it allows (duplicatePeers), unless a firewall drops this",
      "Server full", "Allow more clients: max_clients of create_server(), or the peer count of enet_host_create()" },
    { &enet_ei.refused, "enet.connect.refused", PI_SEQUENCE, PI_WARN, "The server has forgotten this client", "Refused",
      "In Godot, refuse_new_connections drops a client without notice: let the client know before, or accept it and "
      "disconnect it with a reason" },
    { &enet_ei.silent, "enet.analysis.silent", PI_SEQUENCE, PI_WARN,
      "Last datagram of this side, while the other one goes on", "Silent",
      "The program crashed, was killed or hangs, or its network failed: see its log of this time" },
    { &enet_ei.unheard, "enet.analysis.unheard", PI_SEQUENCE, PI_WARN,
      "Last datagram of this side, whose datagrams do not arrive at the other one", "Not heard",
      "Look for a firewall or NAT that drops this direction" },
    { &enet_ei.blocked, "enet.analysis.blocked", PI_SEQUENCE, PI_WARN,
      "This side was blocked: it sent nothing, while commands waited for it", "Blocked",
      "Move loading and long computations of this program off its main thread. A breakpoint and a suspended computer "
      "look "
      "the same" },
    { &enet_ei.port_closed, "enet.port.closed", PI_SEQUENCE, PI_WARN, "No program has this port open", "Port closed",
      "Start the program, or see its log of the time before this packet: ENet sends again until its timeout" },
    { &enet_ei.ip_fragments, "enet.datagram.fragmented", PI_SEQUENCE, PI_NOTE,
      "IP fragmented this datagram: all of it is lost if one of its fragments is", "IP fragments",
      "Lower the mtu of the ENet hosts, which is 1392 bytes by default, or send less in a message" },
    { &enet_ei.nonce, "enet.nonce.repeated", PI_PROTOCOL, PI_WARN,
      "The nonce is that of the datagram before; the server drops the datagram", "Nonce repeated",
      "The sender must use a new nonce for each datagram" },
    { &enet_ei.other_version, "enet.version.unsupported", PI_UNDECODED, PI_WARN,
      "Format of another version, which is not compatible with ENet 1.3: not decoded", "Not ENet 1.3",
      "Choose the dissector of that version with Decode As, if there is one" },
};

/* Registers the bits of the header: those of ENet 1.3 by name, then the same fields with the masks of each other
 * format. Where a mask is 0, the format has no such bits: their field in enet_header_hf stays 0. */
static void register_header_bits(void)
{
    proto_register_field_array(proto_enet, header_bits, array_length(header_bits));
    const int fields[ENET_HEADER_BITS] = { enet_hf.peer, enet_hf.session, enet_hf.compressed,
                                           enet_hf.sent_time_present };
    memcpy(enet_header_hf[GW_ENET_1_3], fields, sizeof fields);
    for (int i = GW_ENET_1_3 + 1; i < GW_ENET_FORMATS; i++) {
        const gw_enet_format *format = &gw_enet_formats[i];
        const uint16_t masks[] = { format->peer_mask, format->session_mask, format->compressed_bit,
                                   format->sent_time_bit };
        for (size_t bit = 0; bit < ENET_HEADER_BITS; bit++) {
            if (!masks[bit])
                continue;
            const header_field_info *same = &header_bits[bit].hfinfo;
            hf_register_info *field = wmem_new(wmem_epan_scope(), hf_register_info);
            *field = (hf_register_info){ &enet_header_hf[i][bit],
                                         { same->name, same->abbrev, same->type, same->display, NULL, masks[bit],
                                           same->blurb, HFILL } };
            proto_register_field_array(proto_enet, field, 1);
        }
    }
}

/* The remedy of faults and oddities. */
static const char remedy[] =
    "ENet does not send this: look at the sender's own code, or for a device on the way that changes data";

/* Registers all fields, subtrees and expert infos, after the names of values that are in other tables were copied from
 * them. */
void enet_register_fields(void)
{
    static int *const subtrees[] = { &enet_ett.protocol, &enet_ett.header,    &enet_ett.extended, &enet_ett.command,
                                     &enet_ett.flags,    &enet_ett.fragments, &enet_ett.fragment };
    const gw_protocol_tables tables = {
        .fields = { { GW_ROWS(header_fields) },
                    { GW_ROWS(command_fields) },
                    { GW_ROWS(generated_fields) },
                    { GW_ROWS(reassembly_fields) } },
        .subtrees = { GW_ROWS(subtrees) },
        .oddities = { enet_ei.odd, GW_ROWS(oddities), remedy },
        .faults = { enet_ei.faults, GW_ROWS(faults), remedy },
        .codec = &gw_enet_faults,
        .findings = { GW_ROWS(findings) },
    };
    /* Names of values that are in other tables. */
    size_t count = 0;
    for (uint32_t number = 0; number < GW_ENET_COMMANDS; number++) {
        const gw_enet_command_type *type = gw_enet_command_of((uint8_t)number);
        if (type)
            commands[count++] = (value_string){ number, type->name };
    }
    for (uint32_t i = 0; i < GW_ENET_FORMATS; i++)
        formats[i] = (value_string){ i, gw_enet_formats[i].name };
    /* libwireshark's own texts: on Windows, the address of a variable of another library is not a constant. */
    for (size_t i = 0; i < array_length(header_fields); i++)
        if (header_fields[i].p_id == &enet_hf.checksum_status)
            header_fields[i].hfinfo.strings = VALS(proto_checksum_vals);
    register_header_bits();
    gw_register_protocol(proto_enet, &tables);
}
