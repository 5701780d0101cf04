/* top.c - see top.h. */
#include "runtime/run/top.h"

#include "base/json_write.h"
#include "base/quantity.h"
#include "runtime/run/table.h"

void top_begin(struct top *t, struct arena *a, const struct run_state *s, struct top_known *known)
{
	*t = (struct top){ .arena = a, .known = known };
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++) {
			const struct run_role *r = &s->roles[k];
			struct top_row row = { .role = r, .replica = &r->at[i], .index = i, .cpu = -1, .memory = -1,
				.device_use = -1, .device_memory = -1 };
			if (replica_runs(r->at[i].state))
				ARENA_PUSH(a, t->at, t->n, row);
		}
}

void top_unserved(struct top *t, struct str why)
{
	for (size_t i = 0; i < t->nunserved; i++)
		if (str_eq(t->unserved[i], why))
			return;
	ARENA_PUSH(t->arena, t->unserved, t->nunserved, why);
}

/* ---- the table ---- */

static struct str top_size(struct arena *a, int64_t bytes)
{
	return bytes < 0 ? STR("-") : quantity_size(a, (uint64_t)bytes);
}

static struct str top_cpu(struct arena *a, int64_t milli)
{
	return milli < 0 ? STR("-") : str_printf(a, "%lld.%02lld", (long long)(milli / 1000),
		(long long)(milli % 1000 / 10));
}

static struct str top_devices(struct arena *a, const struct top_row *r)
{
	if (r->device_use < 0)
		return STR("-");
	return r->devices > 1 ? str_printf(a, "%lld%% of %lld", (long long)r->device_use, (long long)r->devices)
		: str_printf(a, "%lld%%", (long long)r->device_use);
}

void top_table(const struct top *t, unsigned width, struct buf *out)
{
	static const char *const words[] = { "REPLICA", "CPU", "MEMORY", "GPU", "GPU-MEMORY", "NODE" };
	struct report_table table = { 0 };

	table_head(&table, words, sizeof words / sizeof *words, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4);
	for (size_t i = 0; i < t->n; i++) {
		const struct top_row *r = &t->at[i];
		struct str *row = table_row(&table);
		row[0] = str_printf(&table.arena, "%.*s/%lld", STR_ARG(r->role->name), (long long)r->index);
		row[1] = top_cpu(&table.arena, r->cpu);
		row[2] = top_size(&table.arena, r->memory);
		row[3] = top_devices(&table.arena, r);
		row[4] = top_size(&table.arena, r->device_memory);
		row[5] = r->replica->node.n ? r->replica->node : STR("-");
	}
	table_put(&table, width, out);
}

/* ---- JSON ---- */

static void add_known(struct json_writer *w, const char *key, int64_t n)
{
	if (n < 0)
		json_add_null(w, key);
	else
		json_add_int(w, key, n);
}

static void put_top_row(struct json_writer *w, const struct top_row *r)
{
	json_open(w, '{');
	json_add_text(w, "role", r->role->name);
	json_add_int(w, "index", r->index);
	json_key(w, "cpu");
	if (r->cpu < 0)
		json_put_null(w);
	else
		json_put_raw(w, "%lld.%03lld", (long long)(r->cpu / 1000), (long long)(r->cpu % 1000));
	add_known(w, "memory_bytes", r->memory);
	json_add_int(w, "gpus", r->devices);
	add_known(w, "gpu_percent", r->device_use);
	add_known(w, "gpu_memory_bytes", r->device_memory);
	json_add_text(w, "node", r->replica->node);
	json_close(w, '}');
}

void top_json(const struct top *t, const struct run_state *s, struct buf *out)
{
	struct json_writer w = { .out = out, .spaced = true };

	json_begin_document(&w);
	json_add_text(&w, "run", s->name);
	json_add_text(&w, "namespace", s->ns);
	json_line(&w, 2);
	json_add_open(&w, "unserved", '[');
	for (size_t i = 0; i < t->nunserved; i++)
		json_put_text(&w, t->unserved[i]);
	json_close(&w, ']');
	json_line(&w, 2);
	json_add_open(&w, "replicas", '[');
	for (size_t i = 0; i < t->n; i++) {
		json_line(&w, 4);
		put_top_row(&w, &t->at[i]);
	}
	json_close(&w, ']');
	json_end_document(&w);
}
