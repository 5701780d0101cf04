/*
 * object_watch.h - a collection as it is now and each change of it, for as long as wanted,
 * whatever happens to connections and servers.
 *
 * First every existing object comes as ADDED, then `synced`, then changes.  Streaming lists are
 * used where the server has them, else a paged list and a watch.  After a cut it continues from
 * the last version; when the server has dropped that version, a new snapshot is taken and only
 * differences are reported: nothing is lost in between.  Repeated and older events are dropped; a
 * new object under an old name is reported as DELETED and ADDED.
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
	OBJECT_WATCH_RELISTING,         /* the view stays, while a new snapshot is taken */
	OBJECT_WATCH_ENDED,
};

struct object_watch;

struct object_watch_options {
	struct str path;
	struct str label_selector, field_selector;
	/* NULL: everything but managed fields.  metadata.uid, .resourceVersion, .name, .namespace are always kept */
	const char *const *keep;
	bool uncached;                  /* for core Events: there are no bookmarks, so silence means nothing */
	unsigned seconds;               /* timeoutSeconds of one watch; 0: 5 to 10 minutes */
	/* ns of silence after which a connection counts as dead; 0: 150 s, the time of two bookmarks */
	int64_t quiet;
	/* The OBJECT of a deletion that only a snapshot revealed has nothing but metadata. */
	void (*changed)(void *to, enum object_change change, const struct data *object);
	void (*synced)(void *to);       /* after each snapshot */
	/* The state has changed; WHY tells what happened, or is empty.  May be NULL. */
	void (*state)(void *to, enum object_watch_state state, struct str why);
	/* It cannot go on: not permitted, no such resource, retries exhausted.  Stop it then, here or later. */
	void (*failed)(void *to, const struct transport_result *result);
	void *to;
};

struct object_watch *object_watch_start(struct calls *c, const struct object_watch_options *o);
void object_watch_stop(struct object_watch *w);
enum object_watch_state object_watch_state(const struct object_watch *w);
size_t object_watch_count(const struct object_watch *w);
/* Has the watch passed VERSION?  Then an object with that version which it has not brought has been deleted since. */
bool object_watch_past(const struct object_watch *w, struct str version);
/* For people: path, state, version, objects, reconnects. */
void object_watch_dump(const struct object_watch *w, struct buf *out);

#endif
