/*
 * text.h - texts that are completed only in the pod, or when replicas are placed. A text is a list of pieces. Host
 * names and ports stay pieces until the end, so that the placement (the cluster, or the processes of one machine) can
 * decide where replicas are.
 */
#ifndef TRAINC_PLAN_TEXT_H
#define TRAINC_PLAN_TEXT_H

#include "base/buf.h"
#include "base/source.h"

enum piece_kind {
	PIECE_TEXT,                     /* u.text, unchanged */
	PIECE_INDEX,                    /* the replica's own index; in a role of several slices, its index in the
					 * slice */
	PIECE_FIELD,                    /* u.field: a field that only the pod knows */
	PIECE_HOST,                     /* u.peer: the host name of a replica */
	PIECE_PORT,                     /* u.peer: the port number of a replica */
	PIECE_ENV                       /* value of a variable defined earlier in the container: u.text is its name */
};

/*
 * POD_SLICE is the number of the pod's slice. The compiler knows it too, but a pod that shares its object with others
 * has to read it. POD_COPY is the number of the pod's copy of a cell; the language has no such piece, but a target
 * whose copies share one template makes it from their texts.
 */
enum pod_field { POD_NAME, POD_UID, POD_IP, POD_NODE, POD_SLICE, POD_COPY };

enum { OWN_INDEX = -1 };                /* peer.index: the replica's own index */

struct piece {
	enum piece_kind kind;
	union {
		struct str text;
		enum pod_field field;
		struct {
			struct str port;        /* PIECE_PORT: the name of the port */
			unsigned role;          /* position of the role in plan_job.roles */
			int32_t index;          /* index of the replica, or OWN_INDEX */
		} peer;
	} u;
};

struct text {
	const struct piece *at;
	size_t n;
	struct span from;
};

/* The text of a replica that does not have the variable, label or other entry. */
extern const struct piece piece_absent;
static inline bool text_is_absent(const struct text *t) { return t->at == &piece_absent; }

/* Is the text already known, and the same in every placement? */
static inline bool text_is_plain(const struct text *t)
{
	return t->n == 0 || (t->n == 1 && t->at[0].kind == PIECE_TEXT);
}

#endif
