/* saved.c - reads the documents of a file as objects. */
#include "runtime/command/saved.h"

#include "base/file.h"
#include "base/words.h"
#include "data/data_read.h"

bool saved_read(struct session *s, struct str path, struct sources *sources, struct status_objects *ret)
{
	enum { LARGEST = 512 << 20 };           /* maximum size of a file: enough for the pods of a large cluster, as
						 * kubectl prints them */
	struct str text, why, name = str_is(path, "-") ? STR("<stdin>") : path;
	struct data_error error;
	struct data *document;

	if (!file_read_most(s->arena, path, LARGEST, &text, &why)) {
		session_say(s, str_is(why, "is a directory") ? "'%.*s' %.*s" : "cannot read '%.*s': %.*s",
			STR_ARG(path), STR_ARG(why));
		return false;
	}
	if (!text.n) {
		session_say(s, "'%.*s' is empty; save objects with kubectl get -o json or -o yaml", STR_ARG(name));
		return false;
	}
	struct data_reader *r = data_reader_new(s->arena, source_add(sources, name, text));
	enum data_step step;
	while ((step = data_next(r, &document, &error)) == DATA_DOCUMENT) {
		if (document->kind == DATA_NULL)        /* an empty document between two "---" */
			continue;
		if (!data_get(document, STR("kind"))) {
			error = (struct data_error){ .at = document->from,
				.what = STR("an object of Kubernetes has a 'kind'; save objects with kubectl get -o "
				"json or -o yaml") };
			step = DATA_ERROR;
			break;
		}
		status_add(s->arena, ret, document);
	}
	data_reader_release(r);
	if (step == DATA_ERROR) {
		struct place at = source_place(sources, error.at.start);
		session_say(s, "%.*s:%u:%u: %.*s", STR_ARG(name), at.line, at.column, STR_ARG(error.what));
	}
	return step != DATA_ERROR;
}

/* ---- objects of others ---- */

static bool is_ours(const struct data *object, const struct plan *plan)
{
	const struct data *metadata = data_get(object, STR("metadata")),
		*label = data_get(data_get(metadata, STR("labels")), STR("trainc.dev/job")),
		*name = data_get(metadata, STR("name"));

	for (size_t i = 0; i < plan->njobs; i++) {
		struct str job = plan->jobs[i].name;
		if ((label && label->kind == DATA_STRING && str_eq(label->u.string, job)) ||
		    (name && name->kind == DATA_STRING && str_starts(name->u.string, job)))
			return true;
	}
	return false;
}

static struct str saved_text(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

/* The message of the first condition with the status "False" that has one: why a pod is not scheduled. */
static struct str why_not(const struct data *status)
{
	const struct data *all = data_get(status, STR("conditions"));

	for (size_t i = 0; all && all->kind == DATA_LIST && i < all->u.list.n; i++) {
		struct str message = saved_text(all->u.list.at[i], "message");
		if (str_is(saved_text(all->u.list.at[i], "status"), "False") && message.n)
			return message;
	}
	return saved_text(status, "message");
}

bool saved_are_foreign(struct session *s, struct str path, const struct status_objects *objects,
	const struct plan *plan)
{
	enum { SHOWN = 5 };
	struct str job = plan->njobs ? plan->jobs[0].name : STR("");

	size_t named = 0;

	for (size_t i = 0; i < objects->n; i++) {
		if (is_ours(objects->at[i], plan))
			return false;
		named += saved_text(data_get(objects->at[i], STR("metadata")), "name").n > 0;
	}
	if (!named || !plan->njobs)
		return false;
	session_say(s, "no object in '%.*s' belongs to job '%.*s'; it has", STR_ARG(name_escaped(s->arena, path)),
		STR_ARG(job));
	for (size_t i = 0; i < objects->n && i < SHOWN; i++) {
		const struct data *status = data_get(objects->at[i], STR("status"));
		struct str phase = saved_text(status, "phase"), why = why_not(status);
		session_say(s, "  %.*s '%.*s'%s%.*s%s%.*s", STR_ARG(name_escaped(s->arena, saved_text(objects->at[i],
			"kind"))), STR_ARG(name_escaped(s->arena, saved_text(data_get(objects->at[i], STR("metadata")),
			"name"))), phase.n ? ": " : "", STR_ARG(name_escaped(s->arena, phase)), why.n ? ": " : "",
			STR_ARG(name_escaped(s->arena, why)));
	}
	session_say(s, "'kubectl get jobs,pods,events -l trainc.dev/job=%.*s -o yaml' saves those of the job; for jobs "
		"that others made: 'trainc import %.*s'", STR_ARG(job), STR_ARG(name_escaped(s->arena, path)));
	return true;
}
