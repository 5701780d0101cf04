/*
 * import_probe.c - finds accelerators of the library by trying them. A program with a job for each is compiled; a job
 * whose accelerator refuses the count or the topology ends up without a device. Nothing else of the program is used.
 */
#include "check/module.h"
#include "compile.h"
#include "import/device.h"
#include "import/trial.h"
#include "syntax/parse.h"

struct try {                            /* a call of an accelerator that has one argument */
	struct str module, word, argument;
};

struct tries {
	struct arena *arena;
	struct try *at;
	size_t n;
	const struct str *arguments;
	size_t narguments;
};

static void add_module(struct tries *ts, struct str module)
{
	struct arena scratch = { 0 };
	struct sources sources = { .arena = &scratch };
	struct names names = { .arena = &scratch };
	struct diags diags = { .arena = &scratch, .sources = &sources };
	const struct node *file = parse_source(&scratch, &names, &diags,
		source_add(&sources, module, stdlib_text(module)));

	for (size_t i = 0; i < file->u.file.decls.n; i++) {
		const struct node *decl = file->u.file.decls.at[i];
		for (size_t k = 0; decl->kind == NODE_ACCELERATOR && k < ts->narguments; k++) {
			struct try t = { module, str_copy(ts->arena, decl->u.blueprint_decl.name), ts->arguments[k] };
			ARENA_PUSH(ts->arena, ts->at, ts->n, t);
		}
	}
	arena_release(&scratch);
}

/* Adds the modules of the library in whose text the resource occurs. */
static void add_modules(struct tries *ts, struct str resource)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n; i++) {
		struct str text = stdlib_text(str_of(names[i]));
		if (memmem(text.p, text.n, resource.p, resource.n))
			add_module(ts, str_of(names[i]));
	}
}

static struct str program(const struct tries *ts)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < ts->n; i++)
		if (!i || !str_eq(ts->at[i].module, ts->at[i - 1].module))
			buf_printf(&b, "import std.%.*s\n", STR_ARG(ts->at[i].module));
	for (size_t i = 0; i < ts->n; i++)
		buf_printf(&b, "job \"j%zu\" { role r { image = \"x\", accelerator = %.*s.%.*s(%.*s) } }\n", i,
			STR_ARG(ts->at[i].module), STR_ARG(ts->at[i].word), STR_ARG(ts->at[i].argument));
	struct str text = str_copy(ts->arena, buf_text(&b));
	buf_release(&b);
	return text;
}

static struct plan_pairs copy_pairs(struct arena *a, const struct plan_pairs *from)
{
	struct plan_pairs ret = { ARENA_ARRAY(a, struct plan_pair, from->n), from->n };

	for (size_t i = 0; i < from->n; i++)
		ret.at[i] = (struct plan_pair){ .key = str_copy(a, from->at[i].key),
			.value = str_copy(a, from->at[i].value) };
	return ret;
}

static void add_device(struct arena *a, struct import_devices *to, const struct try *t,
	const struct plan_accelerator *acc)
{
	struct device d = {
		.resource = str_copy(a, acc->resource), .word = t->word, .module = t->module,
		.spelling = str_printf(a, "%.*s.%.*s(%.*s)", STR_ARG(t->module), STR_ARG(t->word),
		STR_ARG(t->argument)), .per_pod = acc->per_pod, .pods = acc->pods, .node = copy_pairs(a, &acc->node),
		.tolerate = ARENA_ARRAY(a, struct plan_str, acc->ntolerate), .ntolerate = acc->ntolerate,
		.more = acc->env.n || acc->nmounts,
	};

	for (size_t i = 0; i < acc->ntolerate; i++)
		d.tolerate[i].value = str_copy(a, acc->tolerate[i].value);
	ARENA_PUSH(a, to->at, to->n, d);
}

static void collect_device(struct arena *a, struct import_devices *to, const struct tries *ts, struct str resource,
	int64_t count, const struct plan *plan)
{
	for (size_t i = 0; i < plan->njobs; i++) {
		const struct plan_job *j = &plan->jobs[i];
		int64_t number = 0;
		for (size_t k = 1; k < j->name.n; k++)
			number = number * 10 + (j->name.p[k] - '0');
		const struct plan_accelerator *acc = j->nroles && j->name.n > 1 ? j->roles[0].accelerator : NULL;
		if (acc && (size_t)number < ts->n && str_eq(acc->resource, resource) && acc->per_pod == count)
			add_device(a, to, &ts->at[number], acc);
	}
}

const struct import_devices *devices_probe(struct import *im, struct str resource, int64_t count,
	const struct str *topologies, size_t n)
{
	struct arena *a = im->arena;
	struct str *arguments = ARENA_ARRAY(a, struct str, n + 1);
	struct str key = str_printf(a, "%.*s %lld", STR_ARG(resource), (long long)count);

	arguments[0] = str_int(a, count);
	for (size_t i = 0; i < n; i++) {
		arguments[i + 1] = topologies[i];
		key = str_cat(a, key, STR(" "), topologies[i]);
	}
	struct import_devices *known = map_get(&im->probes, key);
	if (known)
		return known;
	known = ARENA_NEW(a, struct import_devices);
	map_put(&im->probes, a, key, known);
	struct tries ts = { .arena = a, .arguments = arguments, .narguments = n + 1 };
	add_modules(&ts, resource);
	if (ts.n) {
		struct trainc *c = trial_run(program(&ts), (struct str){ 0 });
		collect_device(a, known, &ts, resource, count, &c->plan);
		trial_release(c);
	}
	return known;
}
