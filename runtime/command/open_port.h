/*
 * open_port.h - the port that `open` forwards, and the browser that it starts.
 */
#ifndef TRAINC_RUNTIME_COMMAND_OPEN_PORT_H
#define TRAINC_RUNTIME_COMMAND_OPEN_PORT_H

#include "command/session.h"
#include "runtime/local/publish.h"
#include "runtime/run/attend.h"

/* What `port-forward` and `open` forward. */
struct forward_order {
	const char *command;            /* the command, for messages */
	/* [HOSTPORT:]ROLE/N:PORT each; for `open` at most one, which may also be the name of a port */
	const struct str *texts;
	size_t n;
	bool open;                      /* the command is `open` */
};

/* The ports that the roles of a run declare. */
struct declared_port {
	struct str role, name;
	int64_t number;                 /* 0: it is not known here */
};
struct declared_ports {
	struct declared_port *at;
	size_t n;
};

/*
 * Chooses the port that `open` forwards and the first replica of its role that runs; TEXT: the user's operand, or empty
 * for the first of the usual names that a role declares. If the port is declared and none of its replicas runs, RET is
 * the first replica of the first such role. Returns false after reporting that no role declares such a port.
 */
bool open_port_choose(struct session *s, const struct run_watch *w, const struct declared_ports *declared,
	struct str text, struct published_port *ret);

/*
 * Listens at a port of this machine for P: the one that the user gave; else for `open` PORT itself or, if that is
 * taken, any free port; else PORT. Returns -1 after reporting an error. RET_PORT: the port.
 */
int open_port_listen(struct session *s, const struct forward_order *o, const struct published_port *p, int64_t port,
	int64_t *ret_port);

/*
 * Reports that the run has ended, and the forwarding with it; returns the exit status. A run that was deleted has not
 * failed.
 */
int open_port_ended(struct session *s, const struct run_watch *w);

/* Prints where a port of this machine leads. For `open`, prints the address and gives it to the browser. */
struct browser;
void open_port_print(struct session *s, const struct forward_order *o, struct browser *b,
	const struct published_port *p, int64_t port);

/*
 * Prepares a process that will start a browser: it stays in the network of this machine whatever network the caller
 * enters. NULL: the command is not `open`, no terminal shows the address, or the user wants no browser. Must be called
 * before ports are opened.
 */
struct browser *browser_prepare(struct session *s, const struct forward_order *o);
/* Ends the process if no address was given to it. */
void browser_release(struct browser *b);

#endif
