/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finds the UDP payloads and TCP segments in the packets that libpcap reads.
 */
#define _DEFAULT_SOURCE /* libpcap's header uses u_int */

#include "captures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
#include <glob.h>
#include <pcap/pcap.h>

#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define UDP_HEADER   8
#define IPV6_HEADER  40

/* Bytes before the IP header, by link type; -1: one that we do not read. */
static int link_header(int link_type)
{
    switch (link_type) {
    case DLT_EN10MB:
        return 14;
    case DLT_LINUX_SLL:
        return 16;
    case DLT_LINUX_SLL2:
        return 20;
    case DLT_NULL:
    case DLT_LOOP:
        return 4;
    case DLT_RAW:
        return 0;
    default:
        return -1;
    }
}

/* The length of the IP header when the protocol follows it, else 0. */
static uint32_t ip_header(const uint8_t *bytes, uint32_t length, uint8_t protocol)
{
    if (length >= 20 && bytes[0] >> 4 == 4 && bytes[9] == protocol)
        return (bytes[0] & 15u) * 4u;
    if (length >= IPV6_HEADER && bytes[0] >> 4 == 6 && bytes[6] == protocol)
        return IPV6_HEADER;
    return 0;
}

static void set_ports(capture_payload *payload, const uint8_t *ports)
{
    payload->source = (uint16_t)(ports[0] << 8 | ports[1]);
    payload->target = (uint16_t)(ports[2] << 8 | ports[3]);
}

typedef int payload_finder(capture_payload *payload, const uint8_t *bytes, uint32_t length, uint32_t link);

static int find_payload(capture_payload *payload, const uint8_t *bytes, uint32_t length, uint32_t link)
{
    if (length <= link)
        return 0;
    uint32_t ip = ip_header(bytes + link, length - link, PROTOCOL_UDP);
    uint32_t head = link + ip + UDP_HEADER;
    if (!ip || length < head)
        return 0;
    set_ports(payload, bytes + link + ip);
    payload->bytes = bytes + head;
    payload->length = (uint32_t)(bytes[head - 4] << 8 | bytes[head - 3]) - UDP_HEADER;
    return payload->length <= length - head;
}

/* Segments are whole, and of IPv4: what Ethernet adds to short ones is no part of them. */
static int find_segment(capture_payload *payload, const uint8_t *bytes, uint32_t length, uint32_t link)
{
    uint32_t ip = length <= link ? 0 : ip_header(bytes + link, length - link, PROTOCOL_TCP);
    if (!ip || bytes[link] >> 4 != 4 || length < link + ip + 20)
        return 0;
    uint32_t end = link + (uint32_t)(bytes[link + 2] << 8 | bytes[link + 3]);
    uint32_t head = link + ip + (bytes[link + ip + 12] >> 4) * 4u;
    set_ports(payload, bytes + link + ip);
    payload->bytes = bytes + head;
    payload->length = end - head;
    return end <= length && head < end;
}

static unsigned visit_file(const char *file, payload_finder *find, capture_visitor *visit, void *context)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const uint8_t *bytes;
    unsigned visited = 0;
    capture_payload payload = { .file = file };
    pcap_t *capture = pcap_open_offline(file, error);
    if (!capture)
        fail_msg("%s: %s", file, error);
    int link = link_header(pcap_datalink(capture));
    if (link < 0)
        fail_msg("%s: link type %d is not one we read", file, pcap_datalink(capture));
    while (pcap_next_ex(capture, &header, &bytes) == 1) {
        payload.packet++;
        if (find(&payload, bytes, header->caplen, (uint32_t)link)) {
            visit(&payload, context);
            visited++;
        }
    }
    pcap_close(capture);
    return visited;
}

static unsigned visit_all(const char *pattern, payload_finder *find, capture_visitor *visit, void *context)
{
    char path[4096];
    glob_t found;
    unsigned visited = 0;
    snprintf(path, sizeof path, "%s/%s", GAMEWIRE_PCAPS, pattern);
    if (glob(path, 0, NULL, &found))
        fail_msg("no capture is called %s", path);
    for (size_t i = 0; i < found.gl_pathc; i++)
        visited += visit_file(found.gl_pathv[i], find, visit, context);
    globfree(&found);
    return visited;
}

unsigned visit_captures(const char *pattern, capture_visitor *visit, void *context)
{
    return visit_all(pattern, find_payload, visit, context);
}

unsigned visit_segments(const char *pattern, capture_visitor *visit, void *context)
{
    return visit_all(pattern, find_segment, visit, context);
}
