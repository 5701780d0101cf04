/*
 * json_filter.h - a tree of member names that says what a stream keeps (json_stream.h has
 * the syntax of the paths).
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_FILTER_H
#define TRAINC_RUNTIME_CLUSTER_JSON_FILTER_H

#include "runtime/cluster/json_stream.h"

/* What holds below a place of the document. */
struct json_filter {
	struct str name;                /* of this member; "*" is any */
	enum json_filter_kind {
		JSON_FILTER_PATH,       /* only some of what is below is kept */
		JSON_FILTER_KEEP,       /* all that is below, but for exceptions */
		JSON_FILTER_DROP,
	} kind;
	struct json_filter *below;      /* first */
	struct json_filter *next;       /* sibling */
};

/* A filter that keeps everything. */
extern const struct json_filter json_filter_all;
/* What holds for the member NAME of a place where F holds; NULL: it is dropped. */
const struct json_filter *json_filter_member(const struct json_filter *f, struct str name);

#endif
