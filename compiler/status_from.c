/* status_from.c - `trainc status --from FILE PROGRAM`: the verdict of saved objects, without a cluster. */
#include "status_from.h"

#include "base/file.h"
#include "plan/data_read.h"
#include "runtime/status/status.h"
#include "runtime/words.h"

/* False after saying what is wrong with the file. */
static bool read_objects(struct session *s, struct str path, struct sources *sources, struct status_objects *ret)
{
	struct str text, why;
	struct data_error error;
	struct data *document;

	if (!file_read(s->arena, path, &text, &why)) {
		session_say(s, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
		return false;
	}
	struct data_reader *r = data_reader_new(s->arena, source_add(sources, path, text));
	enum data_step step;
	while ((step = data_next(r, &document, &error)) == DATA_DOCUMENT)
		status_add(s->arena, ret, document);
	data_reader_release(r);
	if (step == DATA_ERROR) {
		struct place at = source_place(sources, error.at.start);
		session_say(s, "%.*s:%u:%u: %.*s", STR_ARG(path), at.line, at.column, STR_ARG(error.what));
	}
	return step != DATA_ERROR;
}

static void print(struct session *s, const struct plan *plan, const struct status_objects *objects, bool *ret_failed)
{
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");
	struct buf out = { 0 };

	if (json)
		buf_z(&out, "{\n  \"schemaVersion\": 1,\n  \"runs\": [");
	for (size_t i = 0; i < plan->njobs; i++) {
		struct status status = status_of(s->arena, &plan->jobs[i], objects, clock_real());
		*ret_failed = *ret_failed || status.state == CLUSTER_FAILED || status.state == CLUSTER_FAILING;
		if (json) {
			buf_printf(&out, "%s\n    {\n", i ? "," : "");
			status_json(&status, &out);
			buf_z(&out, "    }");
		} else {
			status_table(s->arena, &status, &out);
		}
	}
	if (json)
		buf_z(&out, "\n  ]\n}\n");
	session_write(s, buf_text(&out));
	buf_release(&out);
}

int status_from(struct session *s)
{
	struct sources sources = { .arena = s->arena };
	struct status_objects objects = { 0 };
	struct programs all;
	int status;

	if (s->options->noperands != 1) {
		session_say(s, "'status --from' needs one program: trainc status --from objects.json job.tj");
		return STATUS_USAGE;
	}
	if (!read_objects(s, option_value(s->options, OPTION_FROM), &sources, &objects))
		return STATUS_PROGRAM;
	if (session_plan(s, false, &all, &status)) {
		bool failed = false;
		print(s, &all.at[0]->plan, &objects, &failed);
		status = failed ? STATUS_FAILED : STATUS_DONE;
	}
	session_release(&all);
	return status;
}
