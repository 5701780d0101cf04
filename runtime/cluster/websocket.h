/*
 * websocket.h - a stream to a container: a WebSocket through the API server to the kubelet, over a connection of the
 * transport, with its TLS, proxies and credentials. A message begins with the number of its channel. Pings are sent and
 * answered here. Bytes of messages are passed on as they arrive: memory does not depend on the sizes of messages.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_WEBSOCKET_H
#define TRAINC_RUNTIME_CLUSTER_WEBSOCKET_H

#include "runtime/cluster/transport.h"

struct websocket;

enum websocket_channel {
	WEBSOCKET_STDIN = 0, WEBSOCKET_STDOUT = 1, WEBSOCKET_STDERR = 2, WEBSOCKET_STATUS = 3, WEBSOCKET_RESIZE = 4,
	WEBSOCKET_CLOSE = 255              /* v5: the byte that follows is the channel whose input has ended */
};

/* How a stream ended. */
struct websocket_end {
	bool opened;                    /* the server had accepted the stream */
	bool closed;                    /* the server ended it as the protocol demands */
	unsigned reason;                /* if `closed`: the server's status code, 1000 for the normal end; 0: none */
	/* Something between this machine and the API server, such as a proxy, does not pass WebSockets. */
	bool barred;
	int status;                     /* exit status of a failure; 0 if `closed` */
	int code;                       /* HTTP status code of a refusal; 0: there was no answer */
	struct str error;               /* the failure as a sentence; empty if `closed` */
};

struct websocket_options {
	struct transport *transport;
	struct str path;                /* as in struct transport_request */
	const struct transport_pair *query;
	size_t nquery;
	/* The subprotocols to offer, best first, ended by NULL; they must outlive the stream. */
	const char *const *protocols;
	/* Called when the server has accepted the stream; PROTOCOL is the one that it has chosen. May be NULL. */
	void (*opened)(void *to, const char *protocol);
	/* Called with bytes of a message; FIRST: the message begins with them. */
	void (*take)(void *to, unsigned channel, struct str bytes, bool first);
	/* Called when most of the output has been sent, so there is room for more. May be NULL. */
	void (*drained)(void *to);
	/* Called exactly once, unless the stream is released before. */
	void (*ended)(void *to, const struct websocket_end *end);
	void *to;
	/* Time between pings, and time without a byte after which the connection is dead, in ns; 0: 5 s and 60 s. */
	int64_t ping, dead;
};

/* WEBSOCKET_FULL: callers should not send while more bytes than this are queued. */
enum { WEBSOCKET_FULL = 256 << 10 };

/* Starts to connect. Copies the texts of O, except for `protocols`. */
struct websocket *websocket_open(const struct websocket_options *o);
/* Sends a message. The bytes are queued; a stream that has not opened or has ended drops them. */
void websocket_send(struct websocket *s, unsigned channel, struct str bytes);
/* The number of bytes that are queued. */
size_t websocket_queued(const struct websocket *s);
/* Stops or continues reading, because the caller has no room for what arrives. */
void websocket_pause(struct websocket *s, bool pause);
/* Tells the server that the stream ends; `ended` is called when the server has agreed. */
void websocket_close(struct websocket *s);
/* Closes the connection at once and frees S; may be called inside callbacks. */
void websocket_release(struct websocket *s);

#endif
