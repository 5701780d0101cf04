/*
 * type.h - types: their kinds, their spelling, and which converts to which. Types are immutable and live in the
 * compilation's arena; the simple ones are constants. They are compared with type_same(). TYPE_BAD means that an error
 * was reported, and is compatible with everything.
 */
#ifndef TRAINC_CHECK_TYPE_H
#define TRAINC_CHECK_TYPE_H

#include "base/quantity.h"
#include "base/source.h"

struct decl;

enum type_kind {
	TYPE_BAD,
	TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRING,
	TYPE_CPU, TYPE_MEMORY, TYPE_DURATION,
	TYPE_TOPOLOGY, TYPE_RANGE, TYPE_ELASTIC,
	TYPE_ENUM,
	TYPE_IMAGE, TYPE_NAME, TYPE_PATH,       /* strings whose form is checked */
	TYPE_ACCELERATOR, TYPE_VOLUME, TYPE_CONDITION,
	TYPE_ROLE,
	TYPE_COPY,                              /* a copy of the cell `record` */
	TYPE_LIST, TYPE_MAP,                    /* a list or a map of `elem` */
	TYPE_RECORD,                            /* a declared record type: `record` */
	TYPE_ANON,                              /* an anonymous record: `members` */
	TYPE_OPTIONAL,                          /* an `elem` or none: elem? */
	TYPE_POD, TYPE_SECRET,                  /* pod[elem] and secret[elem] */
	TYPE_NONE,                              /* the type of `none` itself */
	TYPE_EMPTY,                             /* the type of `[]` and `{}` where no type is expected */
	TYPE_UNIT,                              /* a quantity whose kind (cpu, memory or duration) is unknown, because
						 * no type is expected */
	TYPE_ENV_VALUE,                         /* the expected type of an environment value: scalars, pod, secret,
						 * config */
	TYPE_DATA,                              /* the expected type of a raw value: anything that JSON can express,
						 * and quantities */
	TYPE_CONFIG,                            /* config(name, key) */
	TYPE_CLUSTER, TYPE_POD_FACTS,           /* the built-in values `cluster` and `pod` */
	TYPE_PORTS,                             /* the type of role.ports */
	TYPE_LAYOUT,                            /* the type of role.layout */
	TYPE_MODULE,                            /* the type of the name that an import binds */
	TYPE_REPLICA_ENV,                       /* the type of env("worker", 3) in a test */
	TYPE_ROLES,                             /* the type of `roles` in a test */
	TYPE_KINDS
};

struct type_member {                            /* a member of an anonymous record */
	struct str name;
	const struct type *type;
};

/* The restrictions of a type. Which of the bounds apply depends on the kind of the type. */
struct refinement {
	bool has_lo, has_hi;
	int64_t lo, hi;                         /* bounds of an int or elastic, or of the length of a string or list */
	double flo, fhi;                        /* bounds of a float */
	struct quantity qlo, qhi;               /* bounds of a cpu, memory or duration */
	struct str pattern;                     /* regular expression for the whole string (POSIX extended); p == NULL:
						 * every string is allowed */
	struct span from;                       /* span of the refinement in the source */
};

struct type {
	enum type_kind kind;
	const struct type *elem;
	/*
	 * TYPE_RECORD: the declaration of the record; TYPE_COPY, TYPE_LIST: that of the cell of which this is a copy,
	 * or the list of all copies; NULL for other lists
	 */
	struct decl *record;
	const struct type_member *members;      /* TYPE_ANON: the members */
	const struct str *words;                /* TYPE_ENUM: its members */
	size_t n;                               /* number of `members` or `words` */
	/* TYPE_ANON: number of members when written out; bounded, so that walking over the type is safe */
	size_t weight;
	const struct refinement *refine;        /* the refinement of the type, or NULL */
	bool port;                              /* the type was written `port`: int(1..65535) */
	/* TYPE_LIST: a single element is accepted instead of a list; TYPE_RECORD: a text instead of its first member */
	bool or_one;
};

extern const struct type type_bad, type_bool, type_int, type_float, type_string, type_cpu, type_memory,
	type_duration, type_topology, type_range, type_elastic, type_image, type_name, type_path, type_port,
	type_accelerator, type_volume, type_condition, type_role, type_none, type_empty, type_unit,
	type_env_value, type_data, type_config, type_cluster, type_pod_facts, type_ports, type_layout, type_module,
	type_replica_env, type_roles;

const struct type *type_list(struct arena *a, const struct type *elem);
const struct type *type_map(struct arena *a, const struct type *elem);
const struct type *type_optional(struct arena *a, const struct type *t);        /* returns an optional type unchanged */
const struct type *type_pod(struct arena *a, const struct type *t);             /* returns a pod type unchanged */
const struct type *type_secret(struct arena *a, const struct type *t);

/* Number of members of the anonymous records in a type, plus one for the type itself. */
size_t type_weight(const struct type *t);

/* The type without `?` or without pod[]; T itself when it has no such mark. */
const struct type *type_strip_optional(const struct type *t);
const struct type *type_strip_pod(const struct type *t);

/*
 * Are two records the same? They are if they have the same declaration, or have no name and the same fields in the same
 * order.
 */
bool type_same_record(const struct decl *a, const struct decl *b);
bool type_same(const struct type *a, const struct type *b);     /* refinements are ignored */
static inline bool type_is_quantity(const struct type *t)
{
	return t->kind == TYPE_CPU || t->kind == TYPE_MEMORY || t->kind == TYPE_DURATION;
}
/* Is the type string, enum, image, name or path? */
bool type_is_text(const struct type *t);

/* The type as a user would write it: "list[string]", "int(1..64)?", "Dataset". */
struct str type_spell(struct arena *a, const struct type *t);
/* The type with an article, for messages: "an int", "a memory", "a list of string". */
struct str type_phrase(struct arena *a, const struct type *t);

#endif
