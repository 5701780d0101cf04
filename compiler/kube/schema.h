/*
 * schema.h - tables with the fields of the objects of Kubernetes, in each version. One table holds all versions: a
 * field that differs between versions has one entry for each form, with the set of versions that have it. The table
 * contains names and types only. The built-in table is generated from the schema_*.tbl files when trainc is built and
 * needs no initialization; a project's own kinds come from text of the same form (schema_text.h).
 */
#ifndef TRAINC_KUBE_SCHEMA_H
#define TRAINC_KUBE_SCHEMA_H

#include "base/buf.h"

enum schema_word {                      /* kinds of values */
	SCHEMA_ANY,                     /* anything: free-form data */
	SCHEMA_STRING, SCHEMA_BYTES, SCHEMA_TIME,       /* text; base64; a time as in RFC 3339 */
	SCHEMA_INT, SCHEMA_NUMBER, SCHEMA_BOOL,
	SCHEMA_QUANTITY, SCHEMA_INT_OR_STRING,
	SCHEMA_OBJECT,                  /* a type; the reference is a position in `types` */
	/* a list or map; the reference is a position in `refs`, which has the kind of its elements */
	SCHEMA_LIST, SCHEMA_MAP,
	/*
	 * only in a project's own table: a type of the built-in table; the reference is a position in the built-in
	 * `types`
	 */
	SCHEMA_BUILTIN
};

struct schema_ref {
	uint16_t word, of;
};

/* How server-side apply merges a list; SCHEMA_ENUM: a text that is one of `keys`. */
enum schema_list { SCHEMA_PLAIN, SCHEMA_ATOMIC, SCHEMA_SET, SCHEMA_KEYED, SCHEMA_ENUM };

struct schema_field {
	/* position of the field's name in `text`, which consists of NUL-terminated words */
	uint32_t name;
	/*
	 * for lists: the merge keys, such as "containerPort,protocol", and the key of a strategic merge; 0: the list
	 * has no key
	 */
	uint32_t keys, merge;
	/* what else the definition says about the value, in the form of schema_limits.h; 0: nothing */
	uint32_t limits;
	uint16_t ref;                   /* position of the value's kind in `refs` */
	/* set of the versions of Kubernetes that have the field: bit m - 28 stands for 1.m */
	uint16_t versions;
	/* `required`: is the field required?; `list`: how the list is merged, an enum schema_list */
	uint16_t required, list;
};

struct schema_type {
	uint32_t name;                  /* position of the type's name in `text`: "core.v1.Container" */
	/* the range of its fields in `fields`, sorted by name; a field may have several forms */
	uint32_t first, n;
	uint32_t versions;
};

struct schema_kind {
	uint32_t api_version, kind;     /* sorted by kind, then api_version */
	uint16_t type, versions;
	uint32_t namespaced;
};

struct schema {
	const char *text;
	const struct schema_ref *refs;
	const struct schema_field *fields;
	const struct schema_type *types;        /* the types, sorted by name */
	const struct schema_kind *kinds;
	size_t nrefs, nfields, ntypes, nkinds;
};

enum { SCHEMA_OLDEST = 28 };            /* the minor version of Kubernetes that bit 0 represents */

extern const struct schema schema_builtin;

/* What limits a value, and the beginning of the word for it: see schema_limits.h. */
enum schema_limit { LIMIT_RANGE, LIMIT_LENGTH, LIMIT_ITEMS, LIMIT_MEMBERS, LIMIT_PATTERN, LIMITS };
extern const char *const schema_limit_words[LIMITS];
/* Is the word of a table one of these, or one about the elements of a list or map? */
bool schema_is_limit(struct str word);

static inline struct str schema_text(const struct schema *s, uint32_t at) { return str_of(s->text + at); }
static inline bool schema_in(uint32_t versions, unsigned minor)
{
	return minor >= SCHEMA_OLDEST && minor < SCHEMA_OLDEST + 16 && (versions >> (minor - SCHEMA_OLDEST) & 1);
}

/* Returns the kind of that name; NULL if no version has it. */
const struct schema_kind *schema_find_kind(const struct schema *s, struct str api_version, struct str kind);
const struct schema_type *schema_find_type(const struct schema *s, struct str name);
/* Returns the form that the field has in one version. */
const struct schema_field *schema_find_field(const struct schema *s, const struct schema_type *t, struct str name,
	unsigned minor);
/* Returns the form that the field has in the newest version that has the field. */
const struct schema_field *schema_newest_field(const struct schema *s, const struct schema_type *t, struct str name);

/* Appends the names of the versions in a set, for messages: "1.29 to 1.33", "1.34 and later", "all versions". */
void schema_versions_text(uint32_t versions, struct buf *out);
/* Appends the name of a type, for messages: "list of Container", "map of quantity", "whole number". */
void schema_ref_text(const struct schema *s, const struct schema_ref *r, struct buf *out);

#endif
