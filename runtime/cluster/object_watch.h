/*
 * object_watch.h - a collection as it is now and each change of it, for as long as
 * one likes, whatever happens to connections and servers.
 *
 * First every object there is as ADDED, then `synced`, then changes.  Streaming lists where the
 * server has them, else a paged list and a watch.  Reconnects from the last version; when the server has
 * forgotten that version, takes a new snapshot and reports only what differs: nothing
 * disappears in between.  Replayed and older events are dropped, a new object
 * under an old name is DELETED and ADDED.
 *
 * Keeps about a hundred bytes for each object: uid, version and name.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_OBJECT_WATCH_H
#define TRAINC_RUNTIME_CLUSTER_OBJECT_WATCH_H

#include "runtime/cluster/object_list.h"

enum object_change { OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED };

enum object_watch_state {
	OBJECT_WATCH_LISTING,           /* the first snapshot */
	OBJECT_WATCH_LIVE,
	OBJECT_WATCH_RECONNECTING,      /* the view is kept */
	OBJECT_WATCH_RELISTING,         /* the view is kept, a new snapshot is taken */
	OBJECT_WATCH_ENDED,
};

struct object_watch;

struct object_watch_options {
	struct str path;
	struct str label_selector, field_selector;
	/* NULL: everything but managed fields.  metadata.uid, .resourceVersion, .name, .namespace are always kept */
	const char *const *keep;
	bool uncached;                  /* core Events: no bookmarks, so silence means nothing */
	unsigned seconds;               /* timeoutSeconds of one watch; 0: 5 to 10 minutes */
	int64_t quiet;                  /* ns; 0: 150 s, the time of two bookmarks */
	/* OBJECT of a deletion that was found out by a snapshot has only its metadata. */
	void (*changed)(void *to, enum object_change change, const struct data *object);
	void (*synced)(void *to);       /* after each snapshot */
	/* The state changed; WHY is empty, or what happened.  May be NULL. */
	void (*state)(void *to, enum object_watch_state state, struct str why);
	/* It cannot go on: not permitted, no such resource, retries exhausted.  Stop it then, here or later. */
	void (*failed)(void *to, const struct transport_result *result);
	void *to;
};

struct object_watch *object_watch_start(struct calls *c, const struct object_watch_options *o);
void object_watch_stop(struct object_watch *w);
enum object_watch_state object_watch_state(const struct object_watch *w);
size_t object_watch_count(const struct object_watch *w);
/* Has the watch come past VERSION: is an object that got that version, and that it has not brought, gone again? */
bool object_watch_past(const struct object_watch *w, struct str version);
/* For people: path, state, version, objects, reconnects. */
void object_watch_dump(const struct object_watch *w, struct buf *out);

#endif
