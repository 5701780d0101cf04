/*
 * check.c - everything there is to say about the objects before one is written.
 */
#include "emit/check.h"

#include "kube/limits.h"

struct span check_place(const struct checking *c, struct span at, struct span otherwise, struct span last)
{
	struct span places[] = { at, otherwise, last };

	for (size_t i = 0; i < 3; i++) {
		const struct source *s = span_known(places[i]) ? source_at(c->diags->sources, places[i].start) : NULL;
		if (s && !s->library)
			return places[i];
	}
	return at;
}

struct str check_count(struct arena *a, size_t n)
{
	struct str plain = str_printf(a, "%zu", n);
	char *text = arena_alloc(a, plain.n + plain.n / 3 + 1), *p = text;

	for (size_t i = 0; i < plain.n; i++) {
		if (i && (plain.n - i) % 3 == 0)
			*p++ = ',';
		*p++ = plain.p[i];
	}
	return (struct str){ text, (size_t)(p - text) };
}

/* Rounded up: what is over a limit never reads as the limit. */
struct str check_size(struct arena *a, size_t bytes)
{
	if (bytes < 1024)
		return str_printf(a, "%zu bytes", bytes);
	if (bytes < 1024 * 1024)
		return str_printf(a, "%zu KiB", (bytes + 1023) / 1024);
	size_t tenths = (bytes * 10 + 1024 * 1024 - 1) / (1024 * 1024);
	return str_printf(a, "%zu.%zu MiB", tenths / 10, tenths % 10);
}

struct str check_short(struct arena *a, struct str name)
{
	return name.n <= LIMIT_LABEL ? name : str_printf(a, "%.30s...%.20s", name.p, name.p + name.n - 20);
}

static struct str in_namespace(struct arena *a, const struct plan_job *j)
{
	return j->ns.set ? str_printf(a, " -n %.*s", STR_ARG(j->ns.value)) : STR("");
}

static void end_help(struct checking *c, const struct plan_job *j, struct buf *out)
{
	buf_printf(out, "kubectl delete %sjob,deployment%.*s -l trainc.dev/job=%.*s", str_is(c->plan->target, "pods") ? "pod," : "",
		STR_ARG(in_namespace(c->arena, j)), STR_ARG(j->name));
}

/* Lines to be copied. */
static void help_with_secrets(struct checking *c, const struct plan_job *j, const struct plan_volumes *made, bool more, struct buf *out)
{
	buf_z(out, "this version has no runtime for clusters, so that is up to you");
	for (size_t i = 0; i < made->n; i++) {
		struct str kind = made->at[i]->name, ns = in_namespace(c->arena, j);
		const char *recipe = emit_generated_recipe(kind);
		if (!recipe)
			continue;
		buf_printf(out, "\nmake the %.*s before 'kubectl apply', which keeps it:\n  %s\n", STR_ARG(kind), recipe);
		buf_printf(out, "  kubectl create secret generic %.*s%.*s --from-file=keys && rm -r keys",
			STR_ARG(emit_generated_name(c->arena, j, kind)), STR_ARG(ns));
	}
	if (more) {
		buf_z(out, "\nwhen the job has ended, '");
		end_help(c, j, out);
		buf_char(out, '\'');
	}
	if (!j->controller)
		buf_printf(out, "%s'trainc run --local' does all of it", more ? "; " : "\n");
}

static void runtime_help(struct checking *c, const struct plan_job *j, const struct plan_volumes *made, bool more, struct diag *d)
{
	struct buf out = { 0 };

	if (made->n) {
		help_with_secrets(c, j, made, more, &out);
	} else {
		buf_z(&out, "this version has no runtime for clusters, so that is up to you: when the job has ended, '");
		end_help(c, j, &out);
		buf_z(&out, "'; 'trainc run --local' does all of it");
	}
	diag_help(c->diags, d, "%.*s", STR_ARG(buf_text(&out)));
	buf_release(&out);
}

/* Said once for a command: it names the job, and all that it needs. */
static void runtime_warning(struct checking *c)
{
	static const struct str marker = { "trainc run", 10 };

	for (size_t i = 0; i < c->plan->njobs; i++) {
		const struct plan_job *j = &c->plan->jobs[i];
		struct plan_needs needs = plan_needs_runtime(c->diags->arena, j);
		if (!needs.n || map_get(c->seen, marker))
			continue;
		map_put(c->seen, c->seen_arena, marker, c->seen);
		struct plan_volumes made = plan_generated(c->arena, j);
		bool more = needs.n > made.n;
		struct diag *d = j->controller ?
			diag_report(c->diags, TJ0817, j->name_at, "the controller of target '%.*s' does not make all that job '%.*s' needs",
				STR_ARG(c->plan->target), STR_ARG(j->name)) : !more ?
			diag_report(c->diags, TJ0817, j->name_at, "Kubernetes alone does not make all that job '%.*s' needs", STR_ARG(j->name)) :
			diag_report(c->diags, TJ0817, j->name_at, "Kubernetes alone does not carry job '%.*s' to its end", STR_ARG(j->name));
		for (size_t k = 0; k < needs.n; k++)
			diag_note(c->diags, d, (struct span){ 0 }, "the runtime %.*s", STR_ARG(needs.at[k]));
		runtime_help(c, j, &made, more, d);
	}
}

bool emit_check(const struct emit_options *options, const struct plan *plan, struct diags *ds)
{
	struct arena arena = { 0 };
	struct map own = { 0 };
	size_t before = ds->errors;
	struct checking c = { .options = options, .plan = plan, .diags = ds, .arena = &arena };

	c.seen = options->seen ? options->seen : &own;
	c.seen_arena = options->seen ? options->seen_arena : &arena;
	if (check_features(&c)) {
		for (size_t i = 0; i < plan->njobs; i++) {
			check_names(&c, &plan->jobs[i]);
			check_labels(&c, &plan->jobs[i]);
			check_references(&c, &plan->jobs[i]);
			check_raw(&c, &plan->jobs[i]);
			check_autoscalers(&c, &plan->jobs[i]);
			size_t errors = ds->errors;
			c.long_variable = 0;
			check_texts(&c, &plan->jobs[i]);
			c.too_long += ds->errors - errors;
		}
		check_identities(&c);
		check_objects(&c);
		if (options->runtime_warning)
			runtime_warning(&c);
	}
	arena_release(&arena);
	return ds->errors == before;
}
