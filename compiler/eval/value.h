/*
 * value.h - the values of expressions. Values are immutable and live in the compilation's arena. Every value knows what
 * made it (`from`): the span of the literal, operator or call, in the text nearest to the user. The value of a name is
 * that of its declaration, with the same `from`. VALUE_BAD: an error was reported; operations on it silently result in
 * VALUE_BAD. VALUE_COMPUTED: the value is computed from the pod's index, while the index is symbolic (class "computed"
 * in docs/language.md); operations on it result in VALUE_COMPUTED. The role that needs it is unrolled, and the
 * expression is evaluated again for each replica with a literal index.
 */
#ifndef TRAINC_EVAL_VALUE_H
#define TRAINC_EVAL_VALUE_H

#include "base/map.h"
#include "check/type.h"
#include "plan/plan.h"

struct role;                            /* defined in eval/role.h */
struct job;                             /* defined in eval/job.h */

enum value_kind {
	VALUE_BAD, VALUE_COMPUTED,
	VALUE_NONE, VALUE_BOOL, VALUE_INT, VALUE_FLOAT,
	VALUE_STRING,                   /* u.string: text without pieces */
	VALUE_TEXT,                     /* u.text: text with pieces; with `number` it represents an int */
	VALUE_QUANTITY,                 /* u.quantity; `unit` is its kind */
	VALUE_TOPOLOGY, VALUE_RANGE, VALUE_ELASTIC,
	VALUE_LIST, VALUE_MAP,          /* u.list, u.map; a record is a MAP */
	VALUE_ROLE, VALUE_ACCELERATOR, VALUE_VOLUME, VALUE_CONDITION,
	VALUE_SECRET, VALUE_CONFIG,     /* u.reference: a key of a Secret or ConfigMap */
	VALUE_CLUSTER, VALUE_POD,       /* the built-in values `cluster` and `pod` */
	VALUE_PORTS,                    /* u.role: the value of role.ports */
	VALUE_LAYOUT,                   /* u.role: the value of role.layout */
	VALUE_COPY                      /* u.copy: a copy of a cell; the value of a cell is the list of its copies */
};

struct value_entry {
	struct str key;
	struct span key_at;             /* where the key was written */
	const struct value *value;
};

struct value_map {
	struct map index;               /* key -> struct value_entry *, in order */
	/*
	 * a map can have one key that depends on the pod, as in a json() in which each replica lists itself under its
	 * index; `pod_position` is its position among the entries
	 */
	const struct text *pod_key;
	const struct value *pod_value;
	size_t pod_position;
	uint32_t weight;
};

struct value {
	enum value_kind kind;
	bool number;                    /* TEXT: it represents a number (pod.index, a port) */
	/* QUANTITY: TYPE_CPU, TYPE_MEMORY or TYPE_DURATION; stored in a byte to keep values small */
	unsigned char unit;
	/* LIST, MAP: how deeply lists and maps are nested in it; bounded, so that a recursive walk is safe */
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
			/* number of values that a walk visits: shared elements count each time; 0 means n + 1 */
			uint32_t weight;
		} list;
		struct value_map map;
		struct role *role;              /* ROLE, PORTS, LAYOUT: the role */
		struct job *copy;               /* COPY: the copy, which is a small job */
		const struct plan_accelerator *accelerator;
		const struct plan_volume *volume;
		const struct plan_condition *condition;
		struct {
			struct str object, key;
		} reference;
		struct span computed;           /* COMPUTED: the span of the expression that computes the value */
	} u;
};

_Static_assert(offsetof(struct value, u) == 16, "nothing is lost between the head and what follows it");

extern const struct value value_bad, value_none;

static inline bool value_ok(const struct value *v) { return v->kind != VALUE_BAD && v->kind != VALUE_COMPUTED; }

/*
 * Makes a value that is only as large as its kind needs: never change the kind of a value, and copy values only with
 * value_at().
 */
struct value *value_new(struct arena *a, enum value_kind kind, struct span from);
const struct value *value_bool(struct arena *a, bool b, struct span from);
const struct value *value_int(struct arena *a, int64_t i, struct span from);
const struct value *value_float(struct arena *a, double d, struct span from);
/* A copy of a list, with FROM as its origin, whose elements the caller may replace. */
struct value *value_list_copy(struct arena *a, const struct value *list, struct span from);
const struct value *value_string(struct arena *a, struct str s, struct span from);
const struct value *value_quantity(struct arena *a, struct quantity q, enum type_kind unit, struct span from);
const struct value *value_list(struct arena *a, const struct value **at, size_t n, struct span from);
/* Copies V, with FROM as its origin. */
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
/* Like value_text(), but false when the text has pieces. */
bool value_plain_text(struct arena *a, const struct value *v, struct str *ret);
/* The shortest text of a float that reads back as the same number, as repr() of Python prints it. */
struct str float_text(struct arena *a, double d);

#endif
