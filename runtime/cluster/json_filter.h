/*
 * json_filter.h - a tree of member names that says which parts of a stream are kept (json_stream.h describes the
 * paths).
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_FILTER_H
#define TRAINC_RUNTIME_CLUSTER_JSON_FILTER_H

#include "runtime/cluster/json_stream.h"

/* The rule that says which parts of one member of the document are kept. */
struct json_filter {
	struct str name;                /* name of the member; "*" matches any name */
	enum json_filter_kind {
		JSON_FILTER_PATH,       /* keep only those members of the value that `below` lists */
		JSON_FILTER_KEEP,       /* keep the whole value, except the members that `below` excludes */
		JSON_FILTER_DROP,
	} kind;
	struct json_filter *below;      /* the first rule for a member of this member's value */
	struct json_filter *next;       /* the next rule for a member at the same level */
};

/* A filter that keeps everything. */
extern const struct json_filter json_filter_all;
/* The rule for the member NAME of a value whose rule is F; NULL: the member is dropped. */
const struct json_filter *json_filter_member(const struct json_filter *f, struct str name);

#endif
