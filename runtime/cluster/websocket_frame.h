/*
 * websocket_frame.h - frames of WebSockets (RFC 6455), as a client reads and writes them. A reader passes on the bytes
 * of messages as they arrive and keeps only the head of a frame and a control frame, so the size of a frame costs
 * no memory. Knows no connection.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_WEBSOCKET_FRAME_H
#define TRAINC_RUNTIME_CLUSTER_WEBSOCKET_FRAME_H

#include "base/buf.h"

enum frame_kind {
	FRAME_REST = 0,                 /* a further frame of a message */
	FRAME_TEXT = 1, FRAME_BINARY = 2, FRAME_CLOSE = 8, FRAME_PING = 9, FRAME_PONG = 10
};

/* CONTROL_MOST: the largest payload of a control frame, which is not split. */
enum { FRAME_HEAD = 10, FRAME_CONTROL_MOST = 125 };

struct frame_reader {
	/* Called with bytes of a message. FIRST: the message begins with them. The bytes may be empty if FIRST. */
	void (*data)(void *to, struct str bytes, bool first);
	/* Called with each control frame. */
	void (*control)(void *to, enum frame_kind kind, struct str payload);
	void *to;
	bool stop;                      /* set by a callback: frame_read() returns at once */
	const char *error;              /* how the server violated the protocol; NULL: it did not */
	/* the members below are private to websocket_frame.c */
	unsigned char head[FRAME_HEAD];
	size_t nhead;
	bool inside;                    /* a payload is being read */
	bool open;                      /* a message has begun, and its last frame has not ended */
	bool first;                     /* the next bytes are the first ones of a message */
	enum frame_kind kind;
	uint64_t left;                  /* number of bytes of the payload that have not arrived */
	char payload[FRAME_CONTROL_MOST];
	size_t npayload;
};

/* Reads BYTES, and calls back. Returns the number of bytes that were read: fewer than given after `stop` or `error`. */
size_t frame_read(struct frame_reader *r, struct str bytes);

/* Appends a whole frame with the payload A followed by B, masked with MASK as the rules for clients demand. */
void frame_put(struct buf *out, enum frame_kind kind, struct str a, struct str b, uint32_t mask);

#endif
