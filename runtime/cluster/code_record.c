/*
 * code_record.c - the code of a run in its record: [{"role","id","files","bytes","commit","dirty"}], as JSON. It is
 * what `apply` or the last `sync` has given to the replicas.
 */
#include "runtime/cluster/code_record.h"

#include "base/json_write.h"
#include "data/data_read.h"
#include "plan/code.h"
#include "runtime/cluster/git_state.h"
#include "runtime/status/look.h"

struct str code_record_text(struct arena *a, const struct plan_job *j)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->code || !r->max)
			continue;
		if (!b.n)
			json_open(&w, '[');
		json_open(&w, '{');
		json_add_text(&w, "role", r->name);
		json_add_text(&w, "id", code_now(r->code));
		json_add_int(&w, "files", r->code->files);
		json_add_int(&w, "bytes", r->code->bytes);
		if (r->code->commit.n)
			json_add_text(&w, "commit", r->code->commit);
		if (r->code->dirty)
			json_add_bool(&w, "dirty", r->code->dirty == CODE_DIRTY);
		json_close(&w, '}');
	}
	if (b.n)
		json_close(&w, ']');
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

void code_record_note(struct arena *a, struct str project, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		struct plan_code *c = j->roles[i].max ? j->roles[i].code : NULL;
		struct git_state git;
		if (!c || !c->packed.n || c->commit.n || !git_state_read(a, project, c->dir, c->packed, &git))
			continue;
		c->commit = git.commit;
		c->dirty = !git.known ? CODE_UNKNOWN : git.dirty ? CODE_DIRTY : CODE_CLEAN;
	}
}

static bool is_hex(struct str id)
{
	enum { COMMIT = 40 };

	return str_is_hex(id, CODE_ID) || str_is_hex(id, COMMIT);
}

void code_record_read(struct arena *a, struct str text, struct plan_job *j)
{
	struct source source = { .text = str_copy(a, text), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!text.n || !data_read_json(a, &source, &d, &error) || d->kind != DATA_LIST)
		return;
	for (size_t i = 0; i < d->u.list.n; i++) {
		const struct data *x = d->u.list.at[i];
		struct str role = status_text(x, "role"), id = status_text(x, "id");
		for (size_t k = 0; k < j->nroles && is_hex(id) && id.n == CODE_ID; k++) {
			struct plan_code *c = j->roles[k].code;
			if (!c || !str_eq(j->roles[k].name, role))
				continue;
			c->synced = str_eq(id, c->id) ? STR("") : id;
			c->files = status_number(x, "files", c->files);
			c->bytes = status_number(x, "bytes", c->bytes);
			c->commit = is_hex(status_text(x, "commit")) ? status_text(x, "commit") : STR("");
			c->dirty = !data_get(x, STR("dirty")) ? CODE_UNKNOWN : status_true(x, "dirty") ? CODE_DIRTY :
				CODE_CLEAN;
		}
	}
}
