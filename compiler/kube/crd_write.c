/* crd_write.c - writes schemas, with one function for each kind of value. */
#include "kube/crd_write.h"

enum { DEEPEST = 40 };

struct crd_writing {
	const struct schema *schema;
	unsigned minor, depth;
	bool open;
	struct buf *out;
};

static void put_ref(struct crd_writing *w, const struct schema_ref *r);

static bool is_first(const struct crd_writing *w, const struct schema_type *t, uint32_t i)
{
	return i == t->first || w->schema->fields[i].name != w->schema->fields[i - 1].name;
}

/*
 * Returns the field of T at position I, in the version that is being written; NULL when that version does not have
 * the field, or when the entry before I is another form of the same field.
 */
static const struct schema_field *field_at(const struct crd_writing *w, const struct schema_type *t, uint32_t i)
{
	if (!is_first(w, t, i))
		return NULL;
	return schema_find_field(w->schema, t, schema_text(w->schema, w->schema->fields[i].name), w->minor);
}

static void put_required(struct crd_writing *w, const struct schema_type *t)
{
	bool any = false;

	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *f = field_at(w, t, i);
		if (!f || !f->required)
			continue;
		buf_z(w->out, any ? "," : ",\"required\":[");
		buf_json(w->out, schema_text(w->schema, f->name));
		any = true;
	}
	if (any)
		buf_char(w->out, ']');
}

static void put_crd_object(struct crd_writing *w, const struct schema_type *t)
{
	bool any = false;

	for (uint32_t i = t->first; i < t->first + t->n; i++) {
		const struct schema_field *f = field_at(w, t, i);
		struct str name = f ? schema_text(w->schema, f->name) : STR("");
		if (!f)
			continue;
		buf_z(w->out, any ? "," : "{\"type\":\"object\",\"properties\":{");
		any = true;
		buf_json(w->out, name);
		buf_char(w->out, ':');
		if (w->depth == 1 && str_is(name, "metadata"))
			buf_z(w->out, "{\"type\":\"object\"}");
		else
			put_ref(w, &w->schema->refs[f->ref]);
	}
	if (!any) {
		buf_z(w->out, "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}");
		return;
	}
	buf_char(w->out, '}');
	if (w->open)
		buf_z(w->out, ",\"x-kubernetes-preserve-unknown-fields\":true");
	else
		put_required(w, t);
	buf_char(w->out, '}');
}

static void put_ref(struct crd_writing *w, const struct schema_ref *r)
{
	static const char *const plain[] = {
		[SCHEMA_STRING] = "{\"type\":\"string\"}", [SCHEMA_BYTES] = "{\"type\":\"string\",\"format\":\"byte\"}",
		[SCHEMA_TIME] = "{\"type\":\"string\",\"format\":\"date-time\"}",
			[SCHEMA_INT] = "{\"type\":\"integer\"}",
		[SCHEMA_NUMBER] = "{\"type\":\"number\"}", [SCHEMA_BOOL] = "{\"type\":\"boolean\"}",
		[SCHEMA_QUANTITY] = "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}],"
			"\"x-kubernetes-int-or-string\":true}",
		[SCHEMA_INT_OR_STRING] = "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}],"
			"\"x-kubernetes-int-or-string\":true}",
	};

	if (w->depth >= DEEPEST || r->word == SCHEMA_ANY || r->word == SCHEMA_BUILTIN) {
		buf_z(w->out, "{\"x-kubernetes-preserve-unknown-fields\":true}");
		return;
	}
	w->depth++;
	if (r->word == SCHEMA_OBJECT) {
		put_crd_object(w, &w->schema->types[r->of]);
	} else if (r->word == SCHEMA_LIST || r->word == SCHEMA_MAP) {
		buf_z(w->out, r->word == SCHEMA_LIST ? "{\"type\":\"array\",\"items\":"
			: "{\"type\":\"object\",\"additionalProperties\":");
		put_ref(w, &w->schema->refs[r->of]);
		buf_char(w->out, '}');
	} else {
		buf_z(w->out, plain[r->word]);
	}
	w->depth--;
}

void crd_schema_write(const struct schema *s, const struct schema_type *root, unsigned minor, bool open,
	struct buf *out)
{
	struct crd_writing w = { .schema = s, .minor = minor, .depth = 1, .open = open, .out = out };

	put_crd_object(&w, root);
}
