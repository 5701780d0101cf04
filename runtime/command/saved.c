/* saved.c - reads the documents of a file as objects. */
#include "runtime/command/saved.h"

#include "base/file.h"
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
