/*
 * cmd_vendor.c - stores copies in a project: packages, and kinds of Kubernetes that are not built in. `trainc vendor`
 * locks the packages in their current state (lock.h). `trainc vendor crd FILE...` reads CustomResourceDefinitions,
 * from files or a cluster, and stores the fields that they define in crds.tbl, beside project.tj. Each definition has
 * a section with the digest of its file; it replaces an older one of the same name, and the others stay. `trainc
 * vendor addons --from-cluster` writes versions of add-ons into project.tj (vendor_addons.h).
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "base/sha256.h"
#include "check/project.h"
#include "kube/crd.h"
#include "kube/schema_text.h"
#include "command/lock.h"
#include "data/data_read.h"
#include "command/session.h"
#include "command/vendor_addons.h"
#include "runtime/command/backend.h"

/* maximum bytes of a file; the largest published bundles have 20 MiB */
enum { DEFINITIONS_LARGEST = 32 << 20 };

static const char file_name[] = "crds.tbl";
static const struct str heading = { "# crd ", 6 };

struct section {
	struct str name;                /* "widgets.acme.io" */
	struct str text;                /* including its heading */
};

struct vendor {
	struct session *session;
	struct section **sections;
	size_t n;
	struct map names;               /* name -> struct section * */
};

/* ---- the file ---- */

static void put_section(struct vendor *v, struct str name, struct str text)
{
	struct section *s = map_get(&v->names, name);

	if (!s) {
		s = ARENA_NEW(v->session->arena, struct section);
		s->name = name;
		ARENA_PUSH(v->session->arena, v->sections, v->n, s);
		map_put(&v->names, v->session->arena, name, s);
	}
	s->text = text;
}

static void read_sections(struct vendor *v, struct str text)
{
	size_t at = 0;

	while (at < text.n) {
		struct str rest = { text.p + at, text.n - at };
		const char *next = rest.n > 1 ? memmem(rest.p + 1, rest.n - 1, "\n# crd ", 7) : NULL;
		struct str section = { rest.p, next ? (size_t)(next + 1 - rest.p) : rest.n };
		struct str name = { section.p + heading.n, 0 };
		if (str_starts(section, heading)) {
			while (heading.n + name.n < section.n && name.p[name.n] != ' ' && name.p[name.n] != '\n')
				name.n++;
			put_section(v, name, section);
		}
		at += section.n;
	}
}

static int by_manifest_name(const void *a, const void *b)
{
	const struct section *const *x = a, *const *y = b;

	return str_cmp((*x)->name, (*y)->name);
}

/* ---- definitions ---- */

static bool refuse_manifest(struct session *s, const struct sources *sources, struct span at, struct str what)
{
	struct place place = source_place(sources, at.start);

	session_say(s, "%.*s:%u:%u: %.*s", STR_ARG(place.source->name), place.line, place.column, STR_ARG(what));
	return false;
}

static bool definition(struct vendor *v, const struct sources *sources, const struct data *crd, struct str digest)
{
	struct session *s = v->session;
	struct buf out = { 0 };
	struct crd_error error;
	const struct data *metadata = data_get(crd, STR("metadata"));
	const struct data *name = metadata && metadata->kind == DATA_MAP ? data_get(metadata, STR("name")) : NULL;

	if (!name || name->kind != DATA_STRING || !name->u.string.n)
		return refuse_manifest(s, sources, crd->from, STR("a CustomResourceDefinition needs 'metadata.name'"));
	buf_printf(&out, "%.*s%.*s sha256:%.*s\n", STR_ARG(heading), STR_ARG(name->u.string), STR_ARG(digest));
	bool ok = crd_schema(s->arena, crd, &out, &error);
	if (ok)
		put_section(v, str_copy(s->arena, name->u.string), str_copy(s->arena, buf_text(&out)));
	buf_release(&out);
	return ok || refuse_manifest(s, sources, error.at, error.what);
}

/* Reads the definitions in a text; NAME is the text's name in messages. */
static bool read_definitions(struct vendor *v, struct str name, struct str text)
{
	struct session *s = v->session;
	struct sources sources = { .arena = s->arena };
	struct data_error error;
	struct data *document;
	size_t found = 0;
	bool ok = true;

	struct source *source = source_add(&sources, name, text);
	char hex[65];
	sha256_hex(text, hex);
	struct data_reader *reader = data_reader_new(s->arena, source);
	enum data_step step = DATA_END;
	while (ok && (step = data_next(reader, &document, &error)) == DATA_DOCUMENT)
		if (crd_is(document)) {
			ok = definition(v, &sources, document, str_of(hex));
			found++;
		}
	if (ok && step == DATA_ERROR)
		ok = refuse_manifest(s, &sources, error.at, error.what);
	data_reader_release(reader);
	if (ok && !found) {
		session_say(s, "'%.*s' holds no CustomResourceDefinition", STR_ARG(name));
		ok = false;
	}
	return ok;
}

static int read_files(struct vendor *v)
{
	struct session *s = v->session;
	struct str text, why;

	for (size_t i = 1; i < s->options->noperands; i++) {
		struct str path = s->options->operands[i];
		if (!file_read_most(s->arena, path, DEFINITIONS_LARGEST, &text, &why)) {
			session_say(s, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
			return STATUS_PROGRAM;
		}
		if (!read_definitions(v, path, text))
			return STATUS_PROGRAM;
	}
	return STATUS_DONE;
}

/* Reads the definitions that the operands name from the API server. */
static int read_live(struct vendor *v)
{
	struct session *s = v->session;
	const struct backend *b = backend_of(s);
	struct manifest_text *texts;
	int status = STATUS_USAGE;
	size_t n = 0;

	if (!b || !b->begin(s, &status))
		return status;
	if (b->definitions(s, &texts, &n, &status))
		status = STATUS_DONE;
	b->end(s);
	for (size_t i = 0; status == STATUS_DONE && i < n; i++)
		if (!read_definitions(v, texts[i].name, texts[i].text))
			status = STATUS_PROGRAM;
	return status;
}

/* ---- the command ---- */

static int write_sections(struct vendor *v, struct str path)
{
	struct session *s = v->session;
	struct buf out = { 0 };
	struct schema kinds;
	struct str why;

	buf_z(&out, "# Kinds of this project, made by 'trainc vendor crd'; do not edit.\n");
	qsort(v->sections, v->n, sizeof *v->sections, by_manifest_name);
	for (size_t i = 0; i < v->n; i++)
		buf_str(&out, v->sections[i]->text);
	struct schema_builder *b = schema_builder_new(s->arena, &schema_builtin);
	bool sound = schema_read(b, buf_text(&out), &why) && schema_build(b, &kinds, &why), written = false;
	if (!sound)
		session_say(s, "'%.*s' was not written: %.*s", STR_ARG(path), STR_ARG(why));
	else
		written = session_replace(s, path, buf_text(&out));
	buf_release(&out);
	for (size_t i = 0; written && i < kinds.nkinds; i++) {
		struct str line = str_printf(s->arena, "%s %s\n", kinds.text + kinds.kinds[i].api_version,
			kinds.text + kinds.kinds[i].kind);
		session_write(s, line);
	}
	return !sound ? STATUS_PROGRAM : written ? STATUS_DONE : STATUS_OUTPUT;
}

/*
 * Finds the directory of the project; the current one if there is no project. False, after a message, if the nearest
 * project.tj cannot be read: when the system cannot even say whether it exists, nothing must be written beside it.
 */
static bool find_project(struct session *s, struct str *ret)
{
	struct str text, why;

	if (!project_directory(s->arena, &file_reader, STR("."), ret)) {
		*ret = STR(".");
		return true;
	}
	struct str path = path_join(s->arena, *ret, STR("project.tj"));
	if (file_read_most(s->arena, path, PROJECT_LARGEST, &text, &why))
		return true;
	session_say(s, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
	return false;
}

int cmd_vendor(struct session *s)
{
	struct vendor v = { .session = s };
	struct str directory, text, why;
	const struct options *o = s->options;
	bool live = option_given(o, OPTION_FROM_CLUSTER);
	int status;

	if (!find_project(s, &directory))
		return STATUS_PROGRAM;
	struct str path = path_join(s->arena, directory, str_of(file_name));

	if (!live && !session_offline(s))
		return STATUS_USAGE;
	if (!o->noperands && !live)
		return lock_packages(s);
	if (live && (!o->noperands || (o->noperands == 1 && str_is(o->operands[0], "addons"))))
		return vendor_addons(s, directory);
	if (!o->noperands || !str_is(o->operands[0], "crd") || o->noperands < 2) {
		session_say(s, "write 'trainc vendor' for packages, or 'trainc vendor crd FILE', where FILE holds "
			"CustomResourceDefinitions");
		session_say(s, "'trainc vendor crd --from-cluster KIND' reads them from the cluster, "
			"'trainc vendor addons --from-cluster' the versions of its add-ons");
		return STATUS_USAGE;
	}
	if (file_reader.exists(NULL, path)) {
		if (!file_read(s->arena, path, &text, &why)) {
			session_say(s, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
			return STATUS_PROGRAM;
		}
		read_sections(&v, text);
	}
	status = live ? read_live(&v) : read_files(&v);
	return status == STATUS_DONE ? write_sections(&v, path) : status;
}
