/*
 * import_program.c - makes one program of several jobs: writes, compiles and formats it. A program that the compiler
 * would refuse is not returned: its errors are reported at the lines of the manifest.
 */
#include "import/device.h"
#include "import/import_manifest.h"
#include "import/trial.h"
#include "syntax/format.h"

#include <stdlib.h>

#include "emit/emit.h"

static int by_job_name(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

/* Writes the imports of all jobs, each once. */
static void put_imports(struct import *im, const struct imported *const *jobs, size_t n, struct buf *out)
{
	struct map seen = { 0 };
	struct str *names = NULL;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < jobs[i]->nmodules; k++)
			if (!map_put(&seen, im->arena, jobs[i]->modules[k], im))
				ARENA_PUSH(im->arena, names, count, jobs[i]->modules[k]);
	if (count)
		qsort(names, count, sizeof *names, by_job_name);
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "import std.%.*s\n", STR_ARG(names[i]));
}

/* Writes the licenses of the files that the jobs come from, each once, at the top of the program. */
static void put_headers(struct import *im, const struct imported *const *jobs, size_t n, struct buf *out)
{
	struct map seen = { 0 };

	for (size_t i = 0; i < n; i++)
		if (jobs[i]->header.n && !map_put(&seen, im->arena, jobs[i]->header, im))
			buf_printf(out, "%.*s\n", STR_ARG(jobs[i]->header));
}

static void put_declaration(struct writing *w, struct line *line)
{
	struct lines one = { &line, 1 };

	if (w->out.n)
		buf_char(&w->out, '\n');
	lines_write(w, &one, 0);
}

static void put_declarations(struct import *im, struct writing *w, const struct imported *const *jobs, size_t n)
{
	struct map seen = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < jobs[i]->declarations.n; k++)
			if (!map_put(&seen, im->arena, jobs[i]->declarations.at[k]->key, im))
				put_declaration(w, jobs[i]->declarations.at[k]);
}

void import_text(struct import *im, const struct imported *const *jobs, size_t n, struct buf *out, struct writing *ret)
{
	struct writing w = { .arena = im->arena, .out = *out };

	put_headers(im, jobs, n, &w.out);
	put_imports(im, jobs, n, &w.out);
	put_declarations(im, &w, jobs, n);
	for (size_t i = 0; i < n; i++)
		if (jobs[i]->job)
			put_declaration(&w, jobs[i]->job);
	*out = w.out;
	w.out = (struct buf){ 0 };
	if (ret)
		*ret = w;
}

/* ---- reporting the errors of the compiler ---- */

static void report_on_job(struct import *im, const struct trainc *c, const struct writing *w,
	const struct imported *job, const struct diag *d)
{
	struct place place = source_place(&c->sources, d->at.start);
	bool ours = place.source && str_is(place.source->name, "program.tj");
	struct span at = ours ? written_from(w, place.offset) : (struct span){ 0, 0 };

	if (!span_known(at))
		at = job->name_at;
	struct diag *ret = diag_report(im->diags, TJ1112, at, "%.*s [%s]", STR_ARG(d->message),
		diag_code_name(d->code));
	diag_label(im->diags, ret, "the resulting program would be refused");
	if (d->help.n)
		diag_help(im->diags, ret, "%.*s", STR_ARG(d->help));
}

/* Does the program of a job compile for the target of its manifest? If it does, this is said. */
static bool sound_elsewhere(struct import *im, const struct imported *job, struct str text)
{
	if (!job->target)
		return false;
	struct trainc *c = trial_run(text, str_of(job->target));
	struct emit_options options = { .sources = &c->sources };
	if (diags_ok(&c->diags))
		emit_check(&options, &c->plan, &c->diags);
	bool ok = diags_ok(&c->diags);
	trial_release(c);
	if (!ok)
		return false;
	struct diag *d = diag_report(im->diags, TJ1111, job->name_at, "job '%.*s' needs the target '%s': plain Jobs "
		"cannot start as the manifest does", STR_ARG(job->name), job->target);
	diag_help(im->diags, d, "compile it with '--target %s', or write target = \"%s\" in the project",
		job->target, job->target);
	return true;
}

static bool sound(struct import *im, const struct writing *w, const struct imported *first, struct str text, bool alone)
{
	struct trainc *c = trial_run(text, (struct str){ 0 });
	struct emit_options options = { .sources = &c->sources };

	if (diags_ok(&c->diags))
		emit_check(&options, &c->plan, &c->diags);
	diags_finish(&c->diags);
	if (!diags_ok(&c->diags) && alone && sound_elsewhere(im, first, text)) {
		trial_release(c);
		return true;
	}
	for (size_t i = 0; i < c->diags.n; i++)
		if (c->diags.at[i]->severity == SEVERITY_ERROR)
			report_on_job(im, c, w, first, c->diags.at[i]);
	bool ok = diags_ok(&c->diags);
	trial_release(c);
	return ok;
}

/* Moves the first job of each name to RET; the others stay in JOBS. Returns the number of jobs in RET. */
static size_t split_names(const struct imported **jobs, size_t n, const struct imported **ret, size_t *ret_n)
{
	struct arena scratch = { 0 };
	struct map seen = { 0 };
	size_t left = 0;

	*ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		if (jobs[i]->job && map_get(&seen, jobs[i]->name)) {
			jobs[left++] = jobs[i];
			continue;
		}
		if (jobs[i]->job)
			map_put(&seen, &scratch, jobs[i]->name, &seen);
		ret[(*ret_n)++] = jobs[i];
	}
	arena_release(&scratch);
	return left;
}

/* Compiles all jobs that can form one program together; if that fails, compiles each alone to find its errors. */
static bool all_sound(struct import *im)
{
	const struct imported **left, **jobs;
	size_t nleft = im->njobs, n;

	if (im->tried)
		return im->sound;
	im->tried = true;
	left = ARENA_ARRAY(im->arena, const struct imported *, nleft);
	jobs = ARENA_ARRAY(im->arena, const struct imported *, nleft);
	im->sound = nleft > 1;          /* a single job is only tried alone */
	if (im->sound)
		memcpy(left, im->jobs, nleft * sizeof *left);
	im->diags->muted++;
	while (im->sound && nleft) {
		struct buf text = { 0 };
		struct writing w;
		nleft = split_names(left, nleft, jobs, &n);
		import_text(im, jobs, n, &text, &w);
		im->sound = sound(im, &w, jobs[0], buf_text(&text), false);
		buf_release(&text);
	}
	im->diags->muted--;
	return im->sound;
}

static void report_namesake(struct import *im, const struct imported *job, const struct imported *other,
	const char *help)
{
	struct diag *d = diag_report(im->diags, TJ1114, job->name_at, "two jobs are named '%.*s'", STR_ARG(job->name));

	diag_note(im->diags, d, other->name_at, "the other one");
	diag_help(im->diags, d, "%s", help);
}

void jobs_differ(struct import *im)
{
	struct map seen = { 0 };

	for (size_t i = 0; i < im->njobs; i++) {
		struct imported *job = im->jobs[i];
		/* in programs of their own, jobs of two kinds may share a name */
		struct str kind = im->options.separate && job->object ? member_text(job->object, "kind") : STR("");
		const struct imported *other = job->job
			? map_put(&seen, im->arena, str_printf(im->arena, "%.*s/%.*s/%.*s", STR_ARG(kind),
				STR_ARG(job->ns), STR_ARG(job->name)), job) : NULL;
		job->refused = other != NULL;
		if (other)
			report_namesake(im, job, other, "give one of them another name");
	}
}

/* Do all jobs have different names, as the jobs of one program must? If not, this is reported. */
static bool names_differ(struct import *im, const struct imported *const *jobs, size_t n)
{
	struct map seen = { 0 };
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		const struct imported *other = NULL;
		if (jobs[i]->job)
			other = map_put_const(&seen, im->arena, jobs[i]->name, jobs[i]);
		if (other)
			report_namesake(im, jobs[i], other,
				"job names in a program are unique: write one file per job with --output-dir");
		ok = ok && !other;
	}
	return ok;
}

bool import_program(struct import *im, int64_t which, struct buf *out)
{
	const struct imported *const *jobs = (const struct imported *const *)im->jobs;
	size_t n = im->njobs;
	struct buf text = { 0 };
	struct writing w;

	if (which != IMPORT_ALL) {
		jobs += which;
		n = 1;
	}
	if (!n || !names_differ(im, jobs, n) || (which != IMPORT_ALL && jobs[0]->refused))
		return false;
	import_text(im, jobs, n, &text, &w);
	bool ok = (which != IMPORT_ALL && all_sound(im)) || sound(im, &w, jobs[0], buf_text(&text), n == 1);
	struct arena scratch = { 0 };
	struct sources sources = { .arena = &scratch };
	struct names names = { .arena = &scratch };
	struct diags diags = { .arena = &scratch, .sources = &sources };
	struct source *source = ok ? source_add(&sources, STR("program.tj"), buf_text(&text)) : NULL;
	ok = source && format_source(&scratch, &names, &diags, source, out);
	arena_release(&scratch);
	buf_release(&text);
	return ok;
}
