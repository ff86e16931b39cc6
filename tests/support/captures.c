/* SPDX-FileCopyrightText: The Gamewire authors
 * SPDX-License-Identifier: GPL-2.0-or-later
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

/* The length of the IP header when UDP follows it, else 0. */
static uint32_t ip_header(const uint8_t *bytes, uint32_t length)
{
    if (length >= 20 && bytes[0] >> 4 == 4 && bytes[9] == PROTOCOL_UDP)
        return (bytes[0] & 15u) * 4u;
    if (length >= IPV6_HEADER && bytes[0] >> 4 == 6 && bytes[6] == PROTOCOL_UDP)
        return IPV6_HEADER;
    return 0;
}

static int find_payload(capture_payload *payload, const uint8_t *bytes, uint32_t length, uint32_t link)
{
    if (length <= link)
        return 0;
    uint32_t ip = ip_header(bytes + link, length - link);
    uint32_t head = link + ip + UDP_HEADER;
    if (!ip || length < head)
        return 0;
    payload->bytes = bytes + head;
    payload->length = (uint32_t)(bytes[head - 4] << 8 | bytes[head - 3]) - UDP_HEADER;
    return payload->length <= length - head;
}

static unsigned visit_file(const char *file, capture_visitor *visit, void *context)
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
        if (find_payload(&payload, bytes, header->caplen, (uint32_t)link)) {
            visit(&payload, context);
            visited++;
        }
    }
    pcap_close(capture);
    return visited;
}

unsigned visit_captures(const char *pattern, capture_visitor *visit, void *context)
{
    char path[4096];
    glob_t found;
    unsigned visited = 0;
    snprintf(path, sizeof path, "%s/%s", GAMEWIRE_PCAPS, pattern);
    if (glob(path, 0, NULL, &found))
        fail_msg("no capture is called %s", path);
    for (size_t i = 0; i < found.gl_pathc; i++)
        visited += visit_file(found.gl_pathv[i], visit, context);
    globfree(&found);
    return visited;
}
