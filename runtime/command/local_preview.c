/* local_preview.c - `--dry-run` on this machine: shows what would be started, and starts nothing. */
#include "runtime/command/local.h"
#include "runtime/command/runs.h"
#include "runtime/local/run_dir.h"

struct previewing {
	struct session *session;
	struct engine_options options;
	bool json;
	struct buf out;
	size_t n;                       /* number of jobs shown so far */
	int status;
};

/* Reports if apply would refuse the new run because of the existing run of that name. */
static void say_conflict(struct previewing *p, struct str name)
{
	struct session *s = p->session;
	struct run_state run;
	struct str why;

	if (!run_load(s->arena, local_state_dir(s), name, &run, &why) || run_phase_final(run.phase))
		return;
	session_say(s, "run '%.*s' exists and has not ended, so this one could not start; 'trainc delete --local "
		"%.*s' ends it", STR_ARG(name),
		STR_ARG(name));
	p->status = runs_worse(p->status, STATUS_CONFLICT);
}

static void preview_job(struct previewing *p, const struct plan_job *j, struct str file)
{
	struct session *s = p->session;
	struct keeper_start start = { .job = j, .name = j->name, .file = file, .options = &p->options };
	struct run_state state = keeper_first_state(s->arena, &start);
	struct run_dir dir = { run_dir_path(s->arena, local_state_dir(s), state.name), -1 };
	struct str why;
	int status;
	struct engine *e = engine_new(s->arena, j, &p->options, &dir, &state, &why, &status);

	if (!e) {
		local_say_lines(s, why);
		p->status = runs_worse(p->status, status);
		return;
	}
	local_say_lines(s, engine_notes(e));
	buf_z(&p->out, !p->n++ ? "" : p->json ? ",\n    " : "\n");
	engine_preview(e, p->json, &p->out);
	engine_release(e);
	say_conflict(p, state.name);
}

int local_preview(struct session *s, struct programs *all)
{
	struct previewing p = { .session = s, .json = str_is(option_value(s->options, OPTION_OUTPUT), "json") };

	if (str_is(option_value(s->options, OPTION_DRY_RUN), "server")) {
		session_say(s, "--dry-run=server asks an API server, and local runs have none; write --dry-run=client");
		return STATUS_USAGE;
	}
	if (!local_options(s, &p.options))
		return STATUS_USAGE;
	p.options.dry = true;
	buf_z(&p.out, p.json ? "{\n  \"schemaVersion\": 1,\n  \"runs\": [\n    " : "");
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->at[i]->plan.njobs; k++)
			preview_job(&p, &all->at[i]->plan.jobs[k], s->options->operands[i]);
	buf_z(&p.out, p.json ? "\n  ]\n}\n" : "");
	session_write(s, buf_text(&p.out));
	buf_release(&p.out);
	return p.status;
}
