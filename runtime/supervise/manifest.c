/* manifest.c - parses the text of each object and renders it as the compiler renders its own objects. */
#include "runtime/supervise/manifest.h"

#include "data/data_read.h"
#include "objects/objects_render.h"

void manifest_begin(struct manifest_out *m, struct session *s)
{
	*m = (struct manifest_out){ .session = s, .json = str_is(option_value(s->options, OPTION_OUTPUT), "json"),
		.first = true };
}

void manifest_end(struct manifest_out *m)
{
	if (m->json)
		session_write(m->session, m->first ? STR("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[]}\n")
			: STR("\n]}\n"));
}

static bool write_out(void *context, const char *bytes, size_t n)
{
	session_write(context, (struct str){ bytes, n });
	return true;
}

static void put_manifest_text(struct outlet *o, struct str s) { outlet_put(o, s.p, s.n); }

void manifest_put_object(struct manifest_out *m, const struct object *o)
{
	struct emit_sink sink = { .context = m->session, .write = write_out };
	struct outlet outlet = { .sink = &sink };
	struct rendered rendered = { .json = m->json };

	if (m->json)
		put_manifest_text(&outlet, m->first ? STR("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n    ")
			: STR(",\n    "));
	else if (!m->first)
		put_manifest_text(&outlet, STR("---\n"));
	m->first = false;
	render_object(&rendered, o);
	render_write(&rendered, 0, &outlet);
	outlet_flush(&outlet);
	outlet_release(&outlet);
	render_release(&rendered);
}

void manifest_put(struct manifest_out *m, struct buf *b)
{
	struct arena a = { 0 };
	struct source source = { .text = buf_take(b, &a), .base = 1 };
	struct data_error error;
	struct data *tree;

	if (data_read_json(&a, &source, &tree, &error))
		manifest_put_object(m, object_from_data(&a, tree));
	arena_release(&a);
}

void manifest_head(struct buf *b, const char *api_version, const char *kind, const char *name, const char *ns)
{
	buf_printf(b, "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\",", api_version, kind, name);
	if (ns)
		buf_printf(b, "\"namespace\":\"%s\",", ns);
	buf_z(b, "\"labels\":" MANIFEST_LABELS "}");
}
