/*
 * publish.h - makes ports of replicas available at ports of this machine, for --publish and port-forward.
 */
#ifndef TRAINC_RUNTIME_LOCAL_PUBLISH_H
#define TRAINC_RUNTIME_LOCAL_PUBLISH_H

#include "base/buf.h"

struct engine;

/* A port given as [HOSTPORT:]ROLE/N:PORT. */
struct published_port {
	struct str text;                /* the text as the user wrote it */
	struct str role, port;          /* name of the role; port as a name of the program, or as a number */
	int64_t index;
	int64_t number;                 /* number of the port, if it was given as a number; 0: it was given as a name */
	/* port of this machine; 0: any free port; -1: the same number as the replica's port */
	int64_t host;
};

/* Parses [HOSTPORT:]ROLE/N:PORT; false if TEXT has another form. */
bool publish_parse(struct str text, struct published_port *ret);
/*
 * Explains, according to ERROR, why the port of this machine cannot be used, and suggests another port. Both parts of
 * the message begin with OPTION, such as "--publish ".
 */
struct str publish_refused(struct arena *a, const char *option, const struct published_port *p, int64_t port,
	int error);
/*
 * Tries one of the addresses at which a program may listen, for dial() of forward.h. OWN is the replica's own address
 * in host byte order; 0: the replica has no address of its own.
 */
int publish_dial(int (*socket_of)(void *context, int family), void *context, uint32_t own, int64_t port, unsigned try);

/* ---- in the engine ---- */

/* Reports roles, replicas and ports that the job does not have. */
void publish_check(struct engine *e, struct buf *why);
/*
 * Takes the ports of this machine, unless nothing will be started. Must be called before the keeper leaves its network.
 * On failure, returns false with an explanation.
 */
bool publish_open(struct engine *e, struct str *why);
/*
 * Writes the published ports of each replica into the state, after all ports have been assigned: "http=6006,8080=8081",
 * with names as the user wrote them.
 */
void publish_describe(struct engine *e);
void publish_close(struct engine *e);

#endif
