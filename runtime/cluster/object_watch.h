/*
 * object_watch.h - watches a collection: its current objects and each change, across failures of connections and
 * servers. First every existing object is reported as ADDED, then `synced` is called, then changes follow. Streaming
 * lists are used if the server supports them, otherwise a paged list and a watch. After a cut the watch continues from
 * the last version. If the server no longer has that version, a new snapshot is taken and the differences are reported,
 * so nothing is lost. Repeated and older events are dropped. A new object with an old name is reported as DELETED and
 * ADDED. Keeps about a hundred bytes for each object: uid, version and name.
 *
 * An object that cannot be used (json_stream.h, object_check.h) never ends a watch. It is skipped and named once for
 * each version; an earlier form that was reported is out of date from then on, but the object still exists. The next
 * form that can be used is reported as ADDED or MODIFIED, as if nothing had happened; so is its deletion, if a form was
 * reported. What is not JSON ends the connection. The watch goes on after a pause that grows up to 10 s, after three
 * times with a new snapshot, and counts as live again when nothing has gone wrong for half a minute.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_OBJECT_WATCH_H
#define TRAINC_RUNTIME_CLUSTER_OBJECT_WATCH_H

#include "runtime/cluster/object_list.h"

enum object_change { OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED };

enum object_watch_state {
	OBJECT_WATCH_LISTING,           /* the first snapshot is being taken */
	OBJECT_WATCH_LIVE,
	OBJECT_WATCH_RECONNECTING,      /* the connection is lost; the objects stay as they were */
	OBJECT_WATCH_RELISTING,         /* a new snapshot is being taken; the objects stay until it is complete */
	OBJECT_WATCH_ENDED,
};

struct object_watch;

struct object_watch_options {
	struct str path;
	struct str label_selector, field_selector;
	/*
	 * paths to keep; NULL: everything but managed fields. metadata.uid, .resourceVersion, .name and .namespace are
	 * always kept
	 */
	const char *const *keep;
	bool uncached;                  /* for core Events, which have no bookmarks: silence does not mean that the
					 * connection is dead */
	/*
	 * Are objects of that namespace of interest? Other objects are neither remembered nor reported. NULL: all
	 * objects are of interest.
	 */
	bool (*wanted)(void *to, struct str ns);
	unsigned seconds;               /* timeoutSeconds of one watch; 0: 5 to 10 minutes */
	/* ns of silence after which a connection is considered dead; 0: 150 s, the time of two bookmarks */
	int64_t quiet;
	/*
	 * longest time in ns until the first snapshot is complete, plus a second for each 64 KiB of it, but at most
	 * ten times that long; 0: no limit
	 */
	int64_t first;
	/* Called for each change. If only a snapshot revealed a deletion, OBJECT contains nothing but metadata. */
	void (*changed)(void *to, enum object_change change, const struct data *object);
	void (*synced)(void *to);       /* called after each snapshot */
	struct str kind;                /* the kind of the objects; empty: any */
	size_t kept;                    /* larger objects are skipped: see json_stream.h; 0: no limit */
	const char *label;              /* the label that is needed of skipped objects; NULL: none */
	/*
	 * Called for each version of an object that cannot be used. KNOWN: a form of it was reported before, and was
	 * not reported as deleted. May be NULL.
	 */
	void (*skipped)(void *to, const struct json_skipped *skipped, bool known);
	/* Called when an object that was skipped can be used again, or is gone, before that is reported; or NULL. */
	void (*usable)(void *to, struct str uid);
	/* Called when the state has changed; WHY is the reason, or empty. May be NULL. */
	void (*state)(void *to, enum object_watch_state state, struct str why);
	/*
	 * Called when the watch cannot continue: it is not permitted, the resource does not exist, or all attempts
	 * failed. The caller must stop the watch, now or later.
	 */
	void (*failed)(void *to, const struct transport_result *result);
	void *to;
};

struct object_watch *object_watch_start(struct calls *c, const struct object_watch_options *o);
void object_watch_stop(struct object_watch *w);
enum object_watch_state object_watch_state(const struct object_watch *w);
size_t object_watch_count(const struct object_watch *w);
/* The number of objects whose current form cannot be used, as far as their names are known. */
size_t object_watch_useless(const struct object_watch *w);
/* Does the object with this uid exist, as far as the watch has reported? */
bool object_watch_has(const struct object_watch *w, struct str uid);
/* Has the watch passed VERSION? Then an object of that version that the watch has not reported was deleted. */
bool object_watch_past(const struct object_watch *w, struct str version);
/* Appends path, state, version, and numbers of objects and reconnects, for people. */
void object_watch_dump(const struct object_watch *w, struct buf *out);

#endif
