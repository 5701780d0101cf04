/*
 * check_schema.h - the blocks and fields that the language knows (grammar/vocabulary.def).
 *
 * The table is static; the type of a field is parsed from its text on first use, so that a run only parses the types
 * that its program needs.
 */
#ifndef TRAINC_CHECK_CHECK_SCHEMA_H
#define TRAINC_CHECK_CHECK_SCHEMA_H

#include "check/type.h"

/* The blocks in which a field may occur. The row of a field has a set of them. */
enum block {
	BLOCK_PROJECT = 1 << 0,
	BLOCK_JOB = 1 << 1,
	BLOCK_ROLE = 1 << 2,            /* a role in a job or framework */
	BLOCK_AUX = 1 << 3,
	BLOCK_SIDECAR = 1 << 4,
	BLOCK_INIT = 1 << 5,
	BLOCK_FRAMEWORK = 1 << 6,
	BLOCK_ACCELERATOR = 1 << 7,
	BLOCK_FRAMEWORK_ROLE = 1 << 8,  /* fields that only roles of frameworks have, such as `endless` */
	BLOCK_TEST = 1 << 9,
	BLOCK_CELL = 1 << 10
};
#define BLOCK_CONTAINER (BLOCK_ROLE | BLOCK_AUX | BLOCK_SIDECAR | BLOCK_INIT)
/* All blocks that accept role fields as defaults. */
#define BLOCK_DEFAULTS (BLOCK_JOB | BLOCK_CELL | BLOCK_FRAMEWORK | BLOCK_ROLE | BLOCK_AUX)

enum field_id {
#define FIELD(id, name, blocks, type, fallback, doc) FIELD_##id,
#define FUNCTION(id, name, signature, doc)
#define BLOCK(word, parents, doc)
#define UNIT(suffix, doc)
#include "vocabulary.def"
#undef FIELD
#undef FUNCTION
#undef BLOCK
#undef UNIT
	FIELDS
};

enum function {
#define FIELD(id, name, blocks, type, fallback, doc)
#define FUNCTION(id, name, signature, doc) FUNCTION_##id,
#define BLOCK(word, parents, doc)
#define UNIT(suffix, doc)
#include "vocabulary.def"
#undef FIELD
#undef FUNCTION
#undef BLOCK
#undef UNIT
	FUNCTIONS
};

struct field {
	enum field_id id;
	const char *name;
	unsigned blocks;                /* the blocks that allow the field: a set of enum block */
	const char *type;               /* the type of the field as text */
	const char *fallback;           /* the built-in default as text, "" for no default, "*" for a required field */
	const char *doc;
};

struct function_row {
	const char *name, *signature, *doc;
};

const struct field *schema_field(enum field_id id);
/* The field of that name in a block; NULL if the block has no such field. */
const struct field *schema_find(enum block block, struct str name);
/* Any field of that name, in any block (for TJ0203); NULL if no block has such a field. */
const struct field *schema_find_anywhere(struct str name);
/*
 * May the field differ between the replicas of a role (as an amount that a container requests), so that each replica is
 * an object of its own?
 */
bool schema_differs(enum field_id id);
/* The field of a block that follows AFTER; the first one if AFTER is NULL. */
const struct field *schema_next(enum block block, const struct field *after);
enum { SCHEMA_BUNDLES = 2 };
struct schema_types {
	const struct type *bundles[SCHEMA_BUNDLES];     /* the record types of schema_bundle(), each made on first use
							 */
	struct arena *arena;
	struct names *names;
	const struct type *at[FIELDS];
};
/* The type of one object whose keys become variables, of which the field `env_from` has one or a list. */
const struct type *schema_source_type(struct schema_types *types);
/* The type of one place, of which the field `place` has one or a list. */
const struct type *schema_place_type(struct schema_types *types);
/*
 * The type of a field as a member of a role: `layout` of a role is more than what the program writes, and `place` is
 * the outermost place of the list.
 */
const struct type *schema_member_type(struct schema_types *types, enum field_id id);
/* The type of a field, parsed on first use into the arena of TYPES. */
const struct type *schema_type(struct schema_types *types, enum field_id id);

/*
 * The record types Role, Sidecar, Limits and Layout: they have the fields of a block, all optional; NULL for any other
 * NAME.
 */
const struct type *schema_bundle(struct schema_types *types, struct str name);
/* Is T the record type of the fields of BLOCK? */
bool schema_is_bundle(const struct schema_types *types, const struct type *t, enum block block);

const struct function_row *schema_function(enum function id);
/* The built-in function of that name. */
bool schema_function_find(struct str name, enum function *ret);

struct block_row {                      /* a block with a name: role worker { } */
	const char *word;
	unsigned parents;               /* the blocks that may contain it: a set of enum block */
	const char *doc;
};
/* The row of a block keyword; NULL if no row has that keyword. */
const struct block_row *schema_block(struct str word);
/* The row that follows AFTER; the first one if AFTER is NULL. */
const struct block_row *schema_block_next(const struct block_row *after);
/* Which raw block follows NAME among those that BLOCK may have; the first one if NAME is NULL, NULL after the last. */
const char *schema_raw_next(const char *name, enum block block);
/* May any block have `raw NAME`? */
bool schema_is_raw(struct str name);
/* The name of a block in messages: "a job", "role", "a sidecar". */
const char *block_word(enum block block);

#endif
