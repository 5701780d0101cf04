/*
 * diff.c - shows what apply would change, without changing it. Each object to be sent is applied as a dry run, and the
 * answer is compared with the existing object. Both contain the same defaults and the same fields of other managers, so
 * every difference is a change by this program. Contents of Secrets are masked.
 */
#include <unistd.h>

#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/apply.h"
#include "runtime/cluster/tree_diff.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

struct diff_field {
	struct str path;
	const struct data *old, *new;
};

struct diff_object {
	struct str kind, ns, name;
	const char *change;             /* "created", "changed", "recreated", "deleted" */
	struct diff_field *at;
	size_t n;
	bool taken_over;                /* the run has no record: what only marks its members does not differ */
};

struct diff {
	struct arena *arena;
	struct diff_object *at;
	size_t n;
};

/* Does the member describe the object? Members that only the server writes do not describe it. */
static bool is_own_path(struct str path)
{
	static const char *const passed[] = { "metadata.managedFields", "metadata.resourceVersion",
		"metadata.generation", "metadata.uid",
		"metadata.creationTimestamp", "status" };

	for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
		if (str_starts(path, str_of(passed[i])))
			return false;
	return true;
}

/* Is it what marks the objects of a run with a record? */
static bool is_mark(struct str path)
{
	return str_starts(path, STR("metadata.ownerReferences")) || (str_starts(path, STR("metadata.labels")) &&
		memmem(path.p, path.n, APPLYSET_PART_OF, sizeof APPLYSET_PART_OF - 1));
}

static void add_field(struct diff *d, struct diff_object *o, struct str path, const struct data *old,
	const struct data *new)
{
	struct diff_field f = { path, old, new };

	if (o->taken_over && is_mark(path))
		return;
	for (size_t i = 0; i < o->n; i++)
		if (str_eq(o->at[i].path, path))
			return;
	if (is_own_path(path))
		ARENA_PUSH(d->arena, o->at, o->n, f);
}

static void compare(struct diff *d, struct diff_object *o, const struct data *old, const struct data *new)
{
	struct tree_differences set = tree_diff(d->arena, new, old), gone = tree_diff(d->arena, old, new);

	for (size_t i = 0; i < set.n; i++)
		add_field(d, o, set.at[i].path, set.at[i].theirs, set.at[i].ours);
	for (size_t i = 0; i < gone.n; i++)
		if (!gone.at[i].theirs)
			add_field(d, o, gone.at[i].path, gone.at[i].ours, NULL);
}

/* ---- comparing ---- */

static void diff_object(struct applying *p, struct diff *d, struct wanted *w)
{
	struct answer *live = w->exists ? request_get(&p->cluster->client, p->arena, resource_path(p->arena,
		&w->resource, w->ns, w->from->name)) : NULL;
	struct diff_object o = { .kind = w->from->kind, .ns = w->ns, .name = w->from->name, .change = "created",
		.taken_over = w->outcome == WANTED_ADOPTED };
	struct transport_request r = apply_request(p, w, true);

	if (live && live->class != CALL_NOT_FOUND) {
		w->answer = live;
		if (live->class != CALL_DONE || !live->data) {
			p->status = runs_worse(p->status, apply_refused(p, w));
			return;
		}
		o.change = "changed";
		w->answer = request_send(&p->cluster->client, p->arena, &r, CALL_BY_METHOD);
		if (w->answer->class == CALL_DONE && w->answer->data) {
			compare(d, &o, live->data, w->answer->data);
		} else if (w->answer->code == 422) {
			struct tree_differences all = tree_diff(d->arena, w->tree, live->data);
			o.change = "recreated";
			for (size_t i = 0; i < all.n; i++)
				add_field(d, &o, all.at[i].path, all.at[i].theirs, all.at[i].ours);
		} else {
			p->status = runs_worse(p->status, apply_refused(p, w));
			return;
		}
		if (!o.n)
			return;
	}
	ARENA_PUSH(d->arena, d->at, d->n, o);
}

static void diff_job(struct applying *p, struct diff *d)
{
	p->mode = APPLY_DRY_SERVER;
	p->compares = true;
	if (!apply_look(p, true))
		return;
	apply_share_live_values(p);
	apply_vouch(p);
	for (size_t i = 0; i < p->wanted.n; i++)
		if (p->wanted.at[i].stale && !(p->wanted.at[i].from->generated.n && p->wanted.at[i].exists))
			diff_object(p, d, &p->wanted.at[i]);
	for (size_t i = 0; i < p->code.n; i++) {
		const struct wanted *w = &p->code.at[i];
		struct diff_object o = { .kind = w->from->kind, .ns = w->ns, .name = w->from->name,
			.change = w->exists ? "changed" : "created" };
		if (w->exists)
			add_field(d, &o, STR("metadata.ownerReferences"), NULL, NULL);
		if (w->stale)
			ARENA_PUSH(d->arena, d->at, d->n, o);
	}
	struct members surplus = apply_surplus(p);
	for (size_t i = 0; i < surplus.n; i++) {
		struct diff_object o = { .kind = surplus.at[i].resource.kind, .ns = surplus.at[i].ns,
			.name = surplus.at[i].name, .change = "deleted" };
		ARENA_PUSH(d->arena, d->at, d->n, o);
	}
	apply_show_refusals(p);
}

/* ---- printing ---- */

static void put_line(struct buf *out, bool colour, char sign, const struct data *d, bool masked)
{
	if (!d)
		return;
	buf_printf(out, "%s%c     ", colour ? sign == '-' ? "\x1b[31m" : "\x1b[32m" : "", sign);
	if (masked)
		buf_z(out, "(masked)");
	else
		tree_value(out, d, 2000);
	buf_z(out, colour ? "\x1b[0m\n" : "\n");
}

static void put_diff_text(const struct diff *d, bool colour, struct buf *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_object *o = &d->at[i];
		put_escaped(out, o->kind);
		buf_char(out, '/');
		put_escaped(out, o->name);
		buf_printf(out, " would be %s\n", o->change);
		for (size_t k = 0; k < o->n; k++) {
			bool masked = tree_is_secret(o->kind, o->at[k].path);
			buf_z(out, "  ");
			put_escaped(out, o->at[k].path);
			buf_char(out, '\n');
			put_line(out, colour, '-', o->at[k].old, masked);
			put_line(out, colour, '+', o->at[k].new, masked);
		}
	}
}

static void put_value(struct buf *out, const char *key, const struct data *d, bool masked)
{
	buf_printf(out, ",\"%s\":", key);
	if (!d)
		buf_z(out, "null");
	else if (masked)
		buf_z(out, "\"(masked)\"");
	else
		data_write(out, d);
}

static void put_diff_json(const struct diff *d, struct buf *out)
{
	buf_z(out, "{\"schemaVersion\":1,\"objects\":[");
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_object *o = &d->at[i];
		buf_printf(out, "%s{\"kind\":", i ? "," : "");
		buf_json(out, o->kind);
		buf_z(out, ",\"namespace\":");
		buf_json(out, o->ns);
		buf_z(out, ",\"name\":");
		buf_json(out, o->name);
		buf_printf(out, ",\"change\":\"%s\",\"fields\":[", o->change);
		for (size_t k = 0; k < o->n; k++) {
			bool masked = tree_is_secret(o->kind, o->at[k].path);
			buf_printf(out, "%s{\"path\":", k ? "," : "");
			buf_json(out, o->at[k].path);
			put_value(out, "old", o->at[k].old, masked);
			put_value(out, "new", o->at[k].new, masked);
			buf_char(out, '}');
		}
		buf_z(out, "]}");
	}
	buf_z(out, "]}\n");
}

/* Returns 0 if nothing differs and 1 if something differs; after an error returns its status, which is never 1. */
int cluster_diff(struct session *s, struct programs *all)
{
	struct cluster *k = cluster_of(s);
	struct diff d = { .arena = s->arena };
	struct buf out = { 0 };
	int status = STATUS_DONE;

	for (size_t i = 0; i < all->n; i++)
		for (size_t j = 0; j < all->at[i]->plan.njobs && !k->interrupted; j++) {
			struct applying p = { .cluster = k, .session = s, .arena = s->arena, .program = all->at[i],
				.job = &all->at[i]->plan.jobs[j],
				.file = s->options->operands[i] };
			diff_job(&p, &d);
			status = runs_worse(status, p.status);
		}
	if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
		put_diff_json(&d, &out);
	else
		put_diff_text(&d, session_colour(option_value(s->options, OPTION_COLOR), STDOUT_FILENO), &out);
	session_write(s, buf_text(&out));
	buf_release(&out);
	return status != STATUS_DONE ? status : d.n ? 1 : STATUS_DONE;
}
