/*
 * diag.c - the collection of diagnostics. A diagnostic is complete only when its phase has added labels and notes, so
 * everything that compares diagnostics (duplicates, order, `# allow`) waits for diags_finish(). allow.c handles the
 * comments that silence warnings.
 */
#include "diag/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "diag/allow.h"

static struct str format(struct arena *a, const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return STR("");
	char *p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, args);
	return (struct str){ p, (size_t)n };
}

/* Sets RET to the text that results from FMT and the variable arguments of the calling function. */
#define FORMAT(ds, fmt, ret)                                    \
	do {                                                    \
		va_list args_;                                  \
		va_start(args_, fmt);                           \
		(ret) = format((ds)->arena, fmt, args_);        \
		va_end(args_);                                  \
	} while (0)

static struct diag *throw_away(struct diags *ds)
{
	ds->throw_away = (struct diag){ 0 };
	return &ds->throw_away;
}

struct diag *diag_report(struct diags *ds, enum diag_code code, struct span at, const char *fmt, ...)
{
	bool error = diag_severity(code) == SEVERITY_ERROR;

	if (!error && ds->hold_warnings)
		return throw_away(ds);
	if (ds->muted) {
		ds->muted_errors += error;
		return throw_away(ds);
	}
	ds->errors += error;
	ds->warnings += !error;
	if (ds->kept[diag_severity(code)] >= DIAGS_KEPT) {
		ds->lost_errors += error;
		ds->lost_warnings += !error;
		return throw_away(ds);
	}
	struct diag *d = ARENA_NEW(ds->arena, struct diag);
	d->code = code;
	d->severity = diag_severity(code);
	d->at = at;
	d->order = ds->n;
	d->group = ds->group;
	d->pass = ds->pass;
	ds->kept[d->severity]++;
	FORMAT(ds, fmt, d->message);
	ARENA_PUSH(ds->arena, ds->at, ds->n, d);
	return d;
}

void diag_label(struct diags *ds, struct diag *d, const char *fmt, ...)
{
	if (d != &ds->throw_away)
		FORMAT(ds, fmt, d->label);
}

void diag_note(struct diags *ds, struct diag *d, struct span at, const char *fmt, ...)
{
	struct diag_note **last = &d->notes;

	if (d == &ds->throw_away)
		return;
	while (*last)
		last = &(*last)->next;
	*last = ARENA_NEW(ds->arena, struct diag_note);
	(*last)->at = at;
	FORMAT(ds, fmt, (*last)->text);
}

void diag_help(struct diags *ds, struct diag *d, const char *fmt, ...)
{
	struct str more;

	if (d == &ds->throw_away)
		return;
	FORMAT(ds, fmt, more);
	if (!more.n)
		return;
	const char *between = str_ends(d->help, STR("?")) ? " " : "; ";
	d->help = d->help.n ? str_printf(ds->arena, "%.*s%s%.*s", STR_ARG(d->help), between, STR_ARG(more)) : more;
}

void diag_fix(struct diags *ds, struct diag *d, struct span at, struct str text, const char *title_fmt, ...)
{
	struct diag_fix **last = &d->fixes;

	if (d == &ds->throw_away)
		return;
	while (*last)
		last = &(*last)->next;
	*last = ARENA_NEW(ds->arena, struct diag_fix);
	FORMAT(ds, title_fmt, (*last)->title);
	(*last)->edits = ARENA_NEW(ds->arena, struct diag_edit);
	(*last)->edits->at = at;
	(*last)->edits->text = str_copy(ds->arena, text);
}

void diags_drop(struct diags *ds, enum diag_code code, struct span at)
{
	enum { MANY = 256 };            /* with more diagnostics, searching them all would be slow */
	size_t kept = 0;

	if (ds->n > MANY)
		return;
	for (size_t i = 0; i < ds->n; i++) {
		struct diag *d = ds->at[i];
		if (ds->muted || d->code != code || d->at.start < at.start || d->at.end > at.end) {
			ds->at[kept++] = d;
			continue;
		}
		ds->kept[d->severity]--;
		ds->errors -= d->severity == SEVERITY_ERROR;
		ds->warnings -= d->severity == SEVERITY_WARNING;
	}
	ds->n = kept;
}

/*
 * Compares two diagnostics by position. Global offsets increase in the order of reading, so one comparison orders files
 * and positions.
 */
static int by_diag_place(const void *a, const void *b)
{
	const struct diag *x = *(struct diag *const *)a, *y = *(struct diag *const *)b;

	if (x->at.start != y->at.start)
		return x->at.start < y->at.start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool same(const struct diag *a, const struct diag *b)
{
	bool again = a->group && a->group == b->group && a->pass != b->pass;

	return a->code == b->code && a->at.start == b->at.start && a->at.end == b->at.end &&
		(again || str_eq(a->message, b->message));
}

/* Was the same diagnostic already kept? The list is sorted, so only those at the same position are compared. */
static bool repeated(const struct diags *ds, size_t kept, const struct diag *d)
{
	while (kept-- && ds->at[kept]->at.start == d->at.start)
		if (same(ds->at[kept], d))
			return true;
	return false;
}

static void sort_and_drop_repeats(struct diags *ds)
{
	size_t kept = 0;

	if (ds->n)
		qsort(ds->at, ds->n, sizeof *ds->at, by_diag_place);
	for (size_t i = 0; i < ds->n; i++)
		if (!repeated(ds, kept, ds->at[i]))
			ds->at[kept++] = ds->at[i];
		else
			ds->kept[ds->at[i]->severity]--;
	ds->n = kept;
}

void diags_finish(struct diags *ds)
{
	sort_and_drop_repeats(ds);
	allow_apply(ds);
	sort_and_drop_repeats(ds);      /* allow_apply() may have added TJ1009 */
	ds->errors = ds->lost_errors;
	ds->warnings = ds->lost_warnings;
	if (ds->deny_warnings) {
		ds->errors += ds->lost_warnings;
		ds->warnings = 0;
	}
	for (size_t i = 0; i < ds->n; i++) {
		struct diag *d = ds->at[i];

		if (ds->deny_warnings && d->severity == SEVERITY_WARNING) {
			d->severity = SEVERITY_ERROR;
			d->denied = true;
		}
		if (d->severity == SEVERITY_ERROR)
			ds->errors++;
		else
			ds->warnings++;
	}
}
