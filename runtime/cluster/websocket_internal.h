/*
 * websocket_internal.h - what the files of the stream share.
 *
 * websocket.c            the connection: reads, writes, pings, and the end
 * websocket_handshake.c  the request for a WebSocket, and the answer to it
 * websocket_frame.c      frames
 */
#ifndef TRAINC_RUNTIME_CLUSTER_WEBSOCKET_INTERNAL_H
#define TRAINC_RUNTIME_CLUSTER_WEBSOCKET_INTERNAL_H

#include "runtime/cluster/websocket.h"
#include "runtime/cluster/websocket_frame.h"
#include "runtime/cluster/transport_internal.h"

enum { HANDSHAKE_LARGEST = 64 << 10 };

/* The request for a WebSocket, and what has arrived of the answer. */
struct handshake {
	struct transport_exchange *line;
	struct str target;              /* path and query, percent-encoded */
	const char *const *protocols;
	char key[32];                   /* the value of Sec-WebSocket-Key */
	struct buf text;                /* what has arrived of the head, and then of the body of a refusal */
	bool head;                      /* the head is complete */
	int64_t length;                 /* length of the body; -1: unknown */
	/* the members below describe the head */
	bool upgrade, connection, accepted;
	const char *protocol;           /* the chosen subprotocol; NULL: none of ours */
};

enum handshake_step {
	HANDSHAKE_MORE,                 /* more bytes must arrive */
	HANDSHAKE_OPEN,                 /* the server has accepted the stream */
	HANDSHAKE_REFUSED,              /* the answer is complete, and is another one */
};

/* Appends the request. */
void handshake_put(struct handshake *h, struct buf *out);
/*
 * Reads BYTES, or the end of the connection if they are empty. USED: the number of bytes that belong to the answer; the
 * rest is the beginning of the first frame.
 */
enum handshake_step handshake_read(struct handshake *h, struct str bytes, size_t *used);
/* Explains an answer that does not open the stream, or a connection that ended before the answer. */
void handshake_explain(const struct handshake *h, struct websocket_end *end);
void handshake_release(struct handshake *h);

#endif
