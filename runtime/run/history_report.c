/* history_report.c - shows histories of runs: as a table, with wide lines, or as JSON. */
#include "runtime/run/run_history.h"

#include "base/words.h"
#include "plan/code.h"
#include "runtime/run/run_shape.h"
#include "runtime/run/table.h"

static struct str time_cell(struct report_table *t, int64_t time)
{
	struct buf b = { 0 };

	if (time)
		put_time(&b, time, 0);
	struct str text = buf_take(&b, &t->arena);
	buf_release(&b);
	return text;
}

static struct str digits(struct str id, size_t from, size_t most)
{
	size_t n = id.n > from ? id.n - from : 0;

	return (struct str){ id.p + (n ? from : 0), n < most ? n : most };
}

/* The first digits of the ids of a launch's code, with a * if its files differ from the commit that they are from. */
static struct str code_cell(struct report_table *t, const struct run_launch *x)
{
	struct str cell = STR("");

	for (size_t i = 0; i < x->ncode; i++) {
		bool known = false;
		for (size_t k = 0; k < i && !known; k++)
			known = str_eq(x->code[k].id, x->code[i].id);
		if (!known)
			cell = str_printf(&t->arena, "%.*s%s%.*s%s", STR_ARG(cell), cell.n ? "," : "",
				STR_ARG(digits(x->code[i].id, 0, CODE_SHORT)), x->code[i].dirty ? "*" : "");
	}
	return cell;
}

static struct str images_cell(struct report_table *t, const struct run_launch *x)
{
	struct str cell = STR("");

	for (size_t i = 0; i < x->nimages; i++)
		cell = str_printf(&t->arena, "%.*s%s%.*s", STR_ARG(cell), cell.n ? "," : "", STR_ARG(x->images[i]));
	return cell;
}

static void add_launch(struct report_table *t, const struct run_history *h, const struct run_launch *x, bool space,
	bool named, bool wide)
{
	struct str *row = table_row(t);
	size_t i = 0;

	if (space)
		row[i++] = h->ns;
	if (named)
		row[i++] = h->name;
	row[i++] = table_number(t, x->number);
	row[i++] = time_cell(t, x->started);
	row[i++] = time_cell(t, x->ended);
	row[i++] = x->state;
	if (wide) {
		bool form = x->program.n > 2 && x->program.p[1] == ':';         /* "2:", the form of a digest */
		row[i++] = x->by;
		row[i++] = digits(x->program, form ? 2 : 0, CODE_SHORT);
		row[i++] = images_cell(t, x);
	}
	row[i++] = code_cell(t, x);
	row[i++] = x->cause;
}

static void history_table(const struct run_histories *all, const struct report *how, bool named, struct buf *out)
{
	bool wide = how->form == REPORT_WIDE, space = how->everywhere;
	static const char *const known[] = { "NAMESPACE", "RUN", "N", "STARTED", "ENDED", "STATE", "BY", "PROGRAM",
		"IMAGES", "CODE", "CAUSE" };
	const char *words[TABLE_COLUMNS];
	struct report_table t = { 0 };
	size_t nwords = 0;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if ((i != 0 || space) && (i != 1 || named) && (i < 6 || i > 8 || wide))
			words[nwords++] = known[i];
	table_head(&t, words, nwords, 1u << (space + named));
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->at[i].launches.n; k++)
			add_launch(&t, &all->at[i], &all->at[i].launches.at[k], space, named, wide);
	table_put(&t, how->width, out);
	arena_release(&t.arena);
}

static void history_json(const struct run_histories *all, struct buf *out)
{
	struct shape_out o = { .json = { .out = out, .spaced = true }, .use = IN_JSON };
	struct json_writer *w = &o.json;

	json_begin_document(w);
	json_add_open(w, "runs", '[');
	for (size_t i = 0; i < all->n; i++) {
		const struct run_history *h = &all->at[i];
		json_line(w, 4);
		json_open(w, '{');
		json_add_text(w, "name", h->name);
		json_add_text(w, "namespace", h->ns);
		json_add_open(w, "launches", '[');
		for (size_t k = 0; k < h->launches.n; k++) {
			json_line(w, 6);
			json_open(w, '{');
			shape_write(&o, &shape_run_launch, &h->launches.at[k]);
			json_close(w, '}');
		}
		json_close(w, ']');
		json_close(w, '}');
	}
	json_close(w, ']');
	json_end_document(w);
}

void history_report(const struct run_histories *all, const struct report *how, bool named, struct buf *out)
{
	if (how->form == REPORT_JSON)
		history_json(all, out);
	else
		history_table(all, how, named, out);
}
