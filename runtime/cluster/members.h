/*
 * members.h - lists the existing objects of runs by the set that they belong to.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_MEMBERS_H
#define TRAINC_RUNTIME_CLUSTER_MEMBERS_H

#include "runtime/cluster/applyset.h"

struct member {
	struct resource resource;
	struct str ns, name, uid;
	struct str version;             /* the resourceVersion that a deletion requires; empty: any version */
	bool deleting;
	const struct data *object;      /* the object without the members that keep_of() leaves out */
	struct str drift;               /* the answer of `compare` of the query */
};

struct members {
	struct member *at;
	size_t n;
	size_t skipped;                 /* number of objects that cannot be used: the command has named them */
	const struct answer *failed;    /* the first list that failed; its kind may be incomplete; NULL: no list
					 * failed */
};

/* The fields of an object of KIND that are kept when it is listed or watched: paths for json_filter_new(). */
const char *const *keep_of(struct str group, struct str kind);

/*
 * The fields of the record of a run that are kept when it is watched: all except the Jobs for a restart and the
 * history; and when it is listed, because `apply` writes a record again with its history.
 */
extern const char *const record_keep[], *const record_list_keep[];
/* What is kept of an object that is read as a manifest: all that somebody may have written. */
extern const char *const manifest_keep[];

/* A collection to list. */
struct member_query {
	struct resource resource;
	struct str ns, selector;        /* namespace, and a label selector */
	bool whole;                     /* keep every field, even fields that keep_of() leaves out */
	const char *const *keep;        /* paths to keep instead of the paths of keep_of(); may be NULL */
	/*
	 * An object that cannot be used is a member, too, if its text says which one it is. Its tree has nothing but
	 * its name, namespace and uid. This is enough to delete it.
	 */
	bool named;
	/*
	 * Called with every whole object, before the copy that is kept loses its pod templates and data: names a field
	 * that differs from what the caller wants; empty: none. May be NULL.
	 */
	struct str (*compare)(void *to, const struct member *m);
	void *to;
	bool metadata;                  /* request only metadata: contents of ConfigMaps and Secrets are not
					 * transferred */
};

/* Lists all collections in parallel. A kind that is not served (404) has no members. */
struct members members_list(struct client *c, struct arena *a, const struct member_query *queries, size_t n);

/* Lists the members of the run whose parent is P: one list for each kind and namespace. */
struct members members_of(struct client *c, struct arena *a, const struct parent *p);
/* The same, and compares them: see `compare` of struct member_query. */
struct members members_compared(struct client *c, struct arena *a, const struct parent *p,
	struct str (*compare)(void *to, const struct member *m), void *to);
const struct member *members_find(const struct members *m, const struct resource *r, struct str ns, struct str name);

#endif
