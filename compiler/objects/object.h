/*
 * object.h - represents an object as an ordered tree of fields, each with the source position that decided it. One
 * tree may represent many objects that differ by an index: OBJECT_TEXT has holes for the index, and OBJECT_MADE is a
 * value that is built for each index when it is written. Memory: a tree lives in the arena that its makers are given;
 * texts are borrowed.
 */
#ifndef TRAINC_OBJECTS_OBJECT_H
#define TRAINC_OBJECTS_OBJECT_H

#include "base/buf.h"
#include "base/map.h"
#include "data/data.h"

enum object_kind {
	OBJECT_NULL, OBJECT_BOOL, OBJECT_INT, OBJECT_FLOAT, OBJECT_STRING, OBJECT_TEXT, OBJECT_MADE, OBJECT_LIST,
		OBJECT_MAP
};

struct object_field {
	struct str key;
	struct object *value;
	bool word;                      /* the key is a literal of trainc, a plain word */
};

struct object {
	enum object_kind kind;
	struct span from;               /* position that decided the value; unknown: the parent's position applies */
	union {
		bool boolean;
		int64_t integer;
		double number;
		struct str string;
		struct {                /* pieces of the text; a piece with p == NULL is the replica's index */
			const struct str *at;
			size_t n;
		} text;
		struct {
			struct object *(*make)(const void *context, struct arena *a, int64_t index);
			const void *context;
		} made;
		struct {
			struct object **at;
			size_t n;
		} list;
		struct {
			struct object_field *at;
			size_t n;
		} map;
	} u;
};

struct object *object_map(struct arena *a, struct span from);
struct object *object_list(struct arena *a, struct span from);
struct object *object_string(struct arena *a, struct str s, struct span from);
struct object *object_integer(struct arena *a, int64_t n, struct span from);
struct object *object_boolean(struct arena *a, bool b, struct span from);
/* Makes a tree of objects with the content of D. */
struct object *object_from_data(struct arena *a, const struct data *d);
/* Makes a free-form tree with the content for replica INDEX. Positions that are unknown in O stay unknown. */
struct data *object_to_data(struct arena *a, const struct object *o, int64_t index);

/* Sets a field; an existing key keeps its position and gets the new value. */
void object_put(struct arena *a, struct object *map, struct str key, struct object *value);
/*
 * Sets N fields with different keys, as object_put() does, but with a single search of the map. MAP may be NULL when
 * N is 0.
 */
void object_put_all(struct arena *a, struct object *map, const struct object_field *fields, size_t n);
void object_add(struct arena *a, struct object *list, struct object *value);
struct object *object_get(const struct object *map, struct str key);

/* Adds a field with a key that the map does not have yet. */
void object_append(struct arena *a, struct object *map, struct str key, struct object *value);
/* Adds a field whose key is a literal of the compiler: a word that every reader of YAML reads as a text. */
void object_append_word(struct arena *a, struct object *map, struct str key, struct object *value);
#define PUT_STR(a, map, key, s, from) object_append_word((a), (map), STR(key), object_string((a), (s), (from)))
#define PUT_INT(a, map, key, n, from) object_append_word((a), (map), STR(key), object_integer((a), (n), (from)))
#define PUT_BOOL(a, map, key, b, from) object_append_word((a), (map), STR(key), object_boolean((a), (b), (from)))
/* Adds an empty map or list under such a key; the caller fills it. */
struct object *object_put_map(struct arena *a, struct object *map, struct str key, struct span from);
struct object *object_put_list(struct arena *a, struct object *map, struct str key, struct span from);
struct object *object_add_map(struct arena *a, struct object *list, struct span from);
/* Returns the map or list that MAP has under such a key; adds an empty one if it has none. */
struct object *object_need_map(struct arena *a, struct object *map, struct str key, struct span from);
struct object *object_need_list(struct arena *a, struct object *map, struct str key, struct span from);
#define PUT_MAP(a, map, key, from) object_put_map((a), (map), STR(key), (from))
#define PUT_LIST(a, map, key, from) object_put_list((a), (map), STR(key), (from))

/* Appends the text of a string, or a text with INDEX in its holes. */
void object_text(const struct object *o, int64_t index, struct buf *out);

#endif
