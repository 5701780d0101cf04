/*
 * exec_request.h - opens the stream of a process in a container: `exec` starts one, `attach` joins the container's own.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_EXEC_REQUEST_H
#define TRAINC_RUNTIME_CLUSTER_EXEC_REQUEST_H

#include "runtime/cluster/cluster.h"
#include "runtime/cluster/websocket.h"

struct exec_request {
	struct str ns, pod, container;
	char *const *words;             /* the command, ended by NULL; NULL: the program of the container (attach) */
	bool input, tty;
};

/* Starts to connect. HOW has the callbacks; the rest of it is filled in. */
struct websocket *exec_request_open(struct cluster *k, const struct exec_request *r, struct websocket_options how);
/*
 * Is the API server too old for the fifth version of the protocol, which can say that the input has ended? Then that
 * has been reported.
 */
bool exec_server_is_old(struct cluster *k);

#endif
