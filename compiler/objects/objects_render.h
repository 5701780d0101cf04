/*
 * objects_render.h - renders a tree as bytes with holes, and writes the bytes for one index. Rendering decides
 * everything that does not depend on the index once: layout, quoting, escapes. Writing replica i then only copies the
 * bytes between holes. A hole is the index as digits, or a value that is made and rendered when it is written.
 */
#ifndef TRAINC_OBJECTS_OBJECTS_RENDER_H
#define TRAINC_OBJECTS_OBJECTS_RENDER_H

#include "objects/object.h"
#include "objects/sink.h"

struct hole {
	size_t at;                      /* offset of the hole in the rendered bytes */
	const struct object *made;      /* OBJECT_MADE: the object to insert here; NULL: the index is inserted */
	unsigned indent;
	bool in_list;                   /* the hole comes after "-", not after "key:" */
	struct span from;
};

struct rendered {
	struct buf bytes;
	struct hole *holes;
	size_t nholes;
	struct arena holes_arena;       /* memory of `holes` */
	bool json;
	/* sources for the source positions at line ends; NULL: no positions are written */
	const struct sources *annotate;
	struct span from;               /* position of the innermost field whose position is known */
	bool nested;                    /* the tree is the value of a hole, so it has no holes itself */
	int64_t index;                  /* if `nested`: the index */
};

/* Renders a tree into R, which is emptied first. */
void render_object(struct rendered *r, const struct object *root);
void render_release(struct rendered *r);

/* Collects bytes for a sink in large portions. */
struct outlet {
	const struct emit_sink *sink;
	char *p;
	size_t n;
	bool refused;
};
void outlet_put(struct outlet *out, const char *bytes, size_t n);
void outlet_flush(struct outlet *out);
void outlet_release(struct outlet *out);

/* Writes the rendered bytes, with INDEX in the holes. */
void render_write(const struct rendered *r, int64_t index, struct outlet *out);

/* ---- for the renderers of YAML and JSON ---- */

void render_hole(struct rendered *r, const struct object *made, unsigned indent, bool in_list);
/*
 * Returns a text as segments: those of an OBJECT_TEXT, or the single text of an OBJECT_STRING, which is stored in
 * ONE.
 */
const struct str *render_segments(const struct object *o, struct str *one, size_t *ret_n);
/* Appends a number in the shortest form that every reader reads as a floating-point number. */
void render_float(struct buf *b, double number);

void yaml_object(struct rendered *r, const struct object *root);
void yaml_value(struct rendered *r, const struct object *o, unsigned indent, bool in_list);
void json_object(struct rendered *r, const struct object *root);
void json_value(struct rendered *r, const struct object *o, unsigned indent);

/* How a text is written in YAML. */
enum yaml_style { YAML_PLAIN, YAML_SINGLE, YAML_DOUBLE, YAML_LITERAL };
/*
 * Must the character at AT (not ASCII) be escaped? It must if YAML does not allow it, or if some reader treats it as
 * a line end. A malformed byte counts as U+FFFD.
 */
bool yaml_special(struct str s, size_t at, size_t *ret_size, uint32_t *ret);
/* Is the text certainly plain? This is a quick test for most texts. */
bool yaml_simple(struct str s);
enum yaml_style yaml_style_of(const struct str *segments, size_t n, bool key);

#endif
