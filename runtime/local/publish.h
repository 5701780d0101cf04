/*
 * publish.h - ports of replicas at ports of this machine: --publish and port-forward.
 */
#ifndef TRAINC_RUNTIME_LOCAL_PUBLISH_H
#define TRAINC_RUNTIME_LOCAL_PUBLISH_H

#include "base/buf.h"

struct engine;

/* [HOSTPORT:]ROLE/N:PORT */
struct published_port {
	struct str text;                /* as it was written */
	struct str role, port;          /* port: a name of the program, or a number */
	int64_t index;
	int64_t number;                 /* of a port that is a number; 0: it is a name */
	/* port of this machine; 0: any that is free; -1: the number of the replica's port */
	int64_t host;
};

/* False when it is not of that form. */
bool publish_parse(struct str text, struct published_port *ret);
/*
 * Why the number is not ours: errno, and what to write in its place.  `option`: in front of that, such as "--publish ".
 */
struct str publish_refused(struct arena *a, const char *option, const struct published_port *p, int64_t port,
	int error);
/*
 * Tries one of the addresses at which a program may listen: those of forward.h's dial().  `own` in host byte order, 0:
 * it has none.
 */
int publish_dial(int (*socket_of)(void *context, int family), void *context, uint32_t own, int64_t port, unsigned try);

/* ---- in the engine ---- */

/* Complains about roles, replicas and ports that the job does not have. */
void publish_check(struct engine *e, struct buf *why);
/*
 * Takes the ports of this machine, unless nothing is to begin: to be called before the keeper leaves its
 * network.  False with a sentence.
 */
bool publish_open(struct engine *e, struct str *why);
/* For the state, once places are known: "http=6006,8080=8081" of a replica, names as they were written. */
void publish_describe(struct engine *e);
void publish_close(struct engine *e);

#endif
