/* sync_once.c - replaces the code of the running replicas of a run by that of its program as it is now. */
#include "runtime/command/sync_once.h"

#include <unistd.h>

#include "base/json_write.h"
#include "base/words.h"
#include "plan/code.h"
#include "runtime/command/sync.h"

/* ---- the program ---- */

/* The name that the only job of the program gets, because the run has another name; empty: the job keeps its own. */
static struct str name_of_job(struct session *s, struct str run)
{
	struct programs all = { 0 };

	bool other = session_compile(s, &all) && all.n == 1 && all.at[0]->plan.njobs == 1 &&
		!str_eq(all.at[0]->plan.jobs[0].name, run);
	session_release(&all);
	return other ? run : STR("");
}

bool sync_program(struct session *s, const struct run_watch *w, struct session *sub, int *ret_status)
{
	struct str operand = s->options->operands[0], file = w->state.file;
	struct options *one = ARENA_NEW(s->arena, struct options);

	if (str_ends(operand, STR(".tj")) || str_is(operand, "-"))
		file = operand;
	else if (!file.n || access(str_copy(s->arena, file).p, R_OK) < 0) {
		session_say(s, "the program of run '%.*s'%s%.*s%s is not here; name it: trainc sync%s FILE --job %.*s",
			STR_ARG(w->name), file.n ? ", '" : "", STR_ARG(file), file.n ? "'," : "", s->backend->option,
			STR_ARG(w->name));
		*ret_status = STATUS_USAGE;
		return false;
	}
	*one = *s->options;
	one->operands = ARENA_NEW(s->arena, struct str);
	one->operands[0] = str_copy(s->arena, file);
	one->noperands = 1;
	*sub = *s;
	sub->options = one;
	sub->name = name_of_job(sub, w->name);
	return true;
}

const struct plan_job *sync_job(const struct programs *all, struct str name, struct str *project)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->at[i]->plan.njobs; k++)
			if (str_eq(all->at[i]->plan.jobs[k].name, name)) {
				*project = all->at[i]->program.project.root;
				return &all->at[i]->plan.jobs[k];
			}
	return NULL;
}

/* Does the program have code that may be replaced? If not, that was reported. */
static bool has_sync(struct session *s, const struct code_sync *c, int *ret_status)
{
	bool named = false, any = false;

	for (size_t i = 0; i < c->job->nroles; i++) {
		const struct plan_role *r = &c->job->roles[i];
		bool meant = !c->only.n || str_eq(c->only, r->name);
		named = named || meant;
		any = any || (meant && r->max && r->code && r->code->sync);
	}
	*ret_status = named ? STATUS_CONFLICT : STATUS_USAGE;
	if (!named)
		session_say(s, "job '%.*s' has no role '%.*s'", STR_ARG(c->job->name), STR_ARG(c->only));
	else if (!any)
		session_say(s, "%s '%.*s' of the program may not be synced: it needs code { sync = true }",
			c->only.n ? "role" : "job", STR_ARG((c->only.n ? c->only : c->job->name)));
	return any;
}

/* ---- the result ---- */

static void tell_role(struct session *s, struct str run, const struct sync_role *r, double seconds)
{
	struct str short_to = { r->to.p, CODE_SHORT }, short_from = { r->from.p, r->from.n ? CODE_SHORT : 0 };

	if (r->unchanged)
		session_print(s, str_printf(s->arena, "run/%.*s unchanged %.*s: %lld of %lld replicas %s %.*s\n",
			STR_ARG(run), STR_ARG(r->name), (long long)r->running, (long long)r->n,
			option_given(s->options, OPTION_NO_RESTART) ? "have" : "run", STR_ARG(short_to)));
	else
		session_print(s, str_printf(s->arena, "run/%.*s synced %.*s: %lld of %lld replicas %s %.*s%s%.*s%s, "
			"%lld file%s changed, %.1f s\n", STR_ARG(run), STR_ARG(r->name), (long long)r->running,
			(long long)r->n, r->restarted ? "run" : "have", STR_ARG(short_to),
			r->from.n ? " (was " : "", STR_ARG(short_from), r->from.n ? ")" : "", (long long)r->changed,
			r->changed == 1 ? "" : "s", seconds));
}

static void tell_json(struct session *s, const struct run_watch *w, const struct code_sync *c, bool failed)
{
	struct buf b = { 0 };
	struct json_writer j = { .out = &b };
	bool unchanged = true;
	int64_t changed = 0;

	for (size_t i = 0; i < c->nroles; i++) {
		unchanged = unchanged && c->roles[i].unchanged;
		changed = c->roles[i].changed > changed ? c->roles[i].changed : changed;
	}
	json_open(&j, '{');
	json_add_int(&j, "schemaVersion", 1);
	json_add_open(&j, "runs", '[');
	json_open(&j, '{');
	json_add_text(&j, "name", w->name);
	json_add_text(&j, "namespace", w->state.ns);
	json_add_text(&j, "result", failed ? STR("failed") : unchanged ? STR("unchanged") : STR("synced"));
	json_add_text(&j, "from", c->nroles ? c->roles[0].from : STR(""));
	json_add_text(&j, "to", c->nroles ? c->roles[0].to : STR(""));
	json_add_int(&j, "changed", changed);
	json_add_open(&j, "replicas", '[');
	for (size_t i = 0; i < c->n; i++) {
		json_open(&j, '{');
		json_add_text(&j, "role", c->at[i].role);
		json_add_int(&j, "index", c->at[i].index);
		json_add_text(&j, "result", str_of(c->at[i].result));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_close(&j, ']');
	json_close(&j, '}');
	buf_char(&b, '\n');
	session_write(s, buf_text(&b));
	buf_release(&b);
}

/* Had all replicas the code already? */
static bool is_unchanged(const struct code_sync *c)
{
	for (size_t i = 0; i < c->nroles; i++)
		if (!c->roles[i].unchanged)
			return false;
	return true;
}

int sync_once(struct session *s, const struct backend *b, struct run_watch *w, bool quiet)
{
	struct programs all = { 0 };
	struct session sub;
	struct code_sync c = { .only = option_value(s->options, OPTION_ROLE),
		.restart = option_given(s->options, OPTION_NO_RESTART) ? SYNC_NEVER
		: option_given(s->options, OPTION_RESTART) ? SYNC_ALWAYS : SYNC_CHANGED };
	int64_t begin = clock_steady();
	int status;

	if (sync_program(s, w, &sub, &status) && session_plan(&sub, false, &all, &status)) {
		c.job = sync_job(&all, w->name, &c.project);
		status = STATUS_USAGE;
		if (!c.job)
			session_say(s, "the program has no job '%.*s'", STR_ARG(w->name));
		else if (has_sync(s, &c, &status))
			status = b->sync(s, w, &c);
		double seconds = (double)(clock_steady() - begin) / NS_PER_SECOND;
		bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");
		quiet = quiet && status == STATUS_DONE && is_unchanged(&c);
		if (json && c.n && !quiet)
			tell_json(s, w, &c, status != STATUS_DONE);
		for (size_t i = 0; i < c.nroles && !json && !quiet && status == STATUS_DONE; i++)
			tell_role(s, w->name, &c.roles[i], seconds);
	}
	session_release(&all);
	return status;
}
