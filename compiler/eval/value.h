/*
 * value.h - the values of expressions. Values are immutable and live in the compilation's arena. Every value knows the
 * place that made it (`from`): the literal, operator or call in the text nearest to the user. A name gives the value
 * that it refers to, with its place. VALUE_BAD: an error was reported; operations on it silently give VALUE_BAD.
 * VALUE_COMPUTED: the value was computed from the pod's index while the index is symbolic (class "computed" of
 * docs/language.md); operations on it give VALUE_COMPUTED. The role that needs it is unrolled, and the expression is
 * evaluated again for each replica with a literal index.
 */
#ifndef TRAINC_EVAL_VALUE_H
#define TRAINC_EVAL_VALUE_H

#include "base/map.h"
#include "check/type.h"
#include "plan/plan.h"

struct role;                            /* defined in eval/role.h */

enum value_kind {
	VALUE_BAD, VALUE_COMPUTED,
	VALUE_NONE, VALUE_BOOL, VALUE_INT, VALUE_FLOAT,
	VALUE_STRING,                   /* u.string: text without pieces */
	VALUE_TEXT,                     /* u.text: text with pieces; with `number` it represents an int */
	VALUE_QUANTITY,                 /* u.quantity; `unit` says of which kind */
	VALUE_TOPOLOGY, VALUE_RANGE, VALUE_ELASTIC,
	VALUE_LIST, VALUE_MAP,          /* u.list, u.map; a record is a MAP */
	VALUE_ROLE, VALUE_ACCELERATOR, VALUE_VOLUME, VALUE_CONDITION,
	VALUE_SECRET, VALUE_CONFIG,     /* u.reference: a key of a Secret or ConfigMap */
	VALUE_CLUSTER, VALUE_POD,       /* the built-in values `cluster` and `pod` */
	VALUE_PORTS                     /* u.role: the value of role.ports */
};

struct value_entry {
	struct str key;
	struct span key_at;             /* where the key was written */
	const struct value *value;
};

struct value_map {
	struct map index;               /* key -> struct value_entry *, in order */
	/*
	 * at most one pod-time key (a json() that lists each replica under its own index): its
	 * position among the entries
	 */
	const struct text *pod_key;
	const struct value *pod_value;
	size_t pod_position;
	uint32_t weight;
};

struct value {
	enum value_kind kind;
	bool number;                    /* TEXT: it represents a number (pod.index, a port) */
	/* QUANTITY: TYPE_CPU, TYPE_MEMORY or TYPE_DURATION; a byte, for there are many values */
	unsigned char unit;
	/* LIST, MAP: depth of the lists and maps inside; bounded, so that walking a value is safe */
	unsigned short depth;
	struct span from;
	union {
		bool boolean;
		int64_t integer;
		double floating;
		struct str string;
		struct text text;
		struct quantity quantity;
		struct {
			unsigned n;
			int64_t size[3];
		} topology;
		struct {                        /* RANGE, ELASTIC: the two bounds */
			int64_t lo, hi;
		} range;
		struct {
			const struct value **at;
			size_t n;
			/* number of values in it, counted as often as they occur; 0: n and 1 */
			uint32_t weight;
		} list;
		struct value_map map;
		struct role *role;              /* ROLE, PORTS: the role */
		const struct plan_accelerator *accelerator;
		const struct plan_volume *volume;
		const struct plan_condition *condition;
		struct {
			struct str object, key;
		} reference;
		struct span computed;           /* COMPUTED: the place of the expression that computes the value */
	} u;
};

_Static_assert(offsetof(struct value, u) == 16, "nothing is lost between the head and what follows it");

extern const struct value value_bad, value_none;

static inline bool value_ok(const struct value *v) { return v->kind != VALUE_BAD && v->kind != VALUE_COMPUTED; }

/* As large as its kind needs: never change the kind of a value, and copy one only by value_at(). */
struct value *value_new(struct arena *a, enum value_kind kind, struct span from);
const struct value *value_bool(struct arena *a, bool b, struct span from);
const struct value *value_int(struct arena *a, int64_t i, struct span from);
const struct value *value_float(struct arena *a, double d, struct span from);
/* A list of the same elements, which the caller may replace; it is from FROM. */
struct value *value_list_copy(struct arena *a, const struct value *list, struct span from);
const struct value *value_string(struct arena *a, struct str s, struct span from);
const struct value *value_quantity(struct arena *a, struct quantity q, enum type_kind unit, struct span from);
const struct value *value_list(struct arena *a, const struct value **at, size_t n, struct span from);
/* Copies V, with FROM as its place. */
const struct value *value_at(struct arena *a, const struct value *v, struct span from);
/* Sets an entry of a map that is being made; an existing key keeps its position. */
struct value_entry *value_put(struct arena *a, struct value *map, struct str key, struct span key_at,
	const struct value *v);
/* The number of values that a walk over a value visits; a shared element counts each time. */
uint32_t value_weight(const struct value *v);
/* The entry of a map or record; NULL if absent. */
const struct value *value_get(const struct value *map, struct str key);
/* Are two static values of one type equal in content? */
bool value_equal(const struct value *a, const struct value *b);
/* The value as a user would write it, shortened to about 60 characters, for messages. */
struct str value_spell(struct arena *a, const struct value *v);
/* The value as a user would write it, at full length. */
struct str value_spell_whole(struct arena *a, const struct value *v);
/* A text as a program writes it, without quotes or escapes, and with facts about the pod as ${pod.name}. */
struct str text_spell(struct arena *a, const struct text *t);
/* The value with its kind: "the string \"4\"", "a list". */
struct str value_phrase(struct arena *a, const struct value *v);
/*
 * The text of a value in an environment variable: decimal ints, shortest floats, canonical quantities, true/false,
 * lo:hi. False for lists, records and other kinds. Pieces stay pieces in RET.
 */
bool value_text(struct arena *a, const struct value *v, struct text *ret);
/* The text of a value as value_text() makes it; false when it has pieces. */
bool value_plain_text(struct arena *a, const struct value *v, struct str *ret);
/* The shortest text of a float that reads back as the same number, as Python's repr. */
struct str float_text(struct arena *a, double d);

#endif
