/*
 * data_read.c - reads the documents of a text, in JSON or YAML. A text that looks like JSON is first read as JSON: that
 * is several times faster, and not all JSON is YAML 1.1 (tabs, `\/`, pairs of surrogates). If both readers refuse it,
 * the error of the one that got further is reported.
 */
#include "data/data_read.h"

#include <stdlib.h>

#include "data/data_parts.h"

/* ---- documents ---- */

struct data_reader {
	struct data_text text;
	size_t at;                      /* offset of the next JSON document */
	struct yaml_reading *yaml;      /* NULL until the text turns out not to be JSON */
	/* DATA_DOCUMENT while documents may follow; then DATA_END or DATA_ERROR, which every later call returns */
	enum data_step over;
	struct data_error error;
};

struct data_reader *data_reader_new(struct arena *a, const struct source *source)
{
	struct data_reader *r = ARENA_NEW(a, struct data_reader);

	r->text = (struct data_text){ .arena = a, .source = source, .error = &r->error,
		.most = data_budget(source->text.n) };
	if (str_starts(source->text, STR("\xef\xbb\xbf")))
		r->at = 3;              /* skips a byte order mark, which is not part of the text */
	return r;
}

void data_reader_keep_infinite(struct data_reader *r) { r->text.infinite = true; }

/* The offset after the line `---` at AT, which may separate two JSON documents; AT if no such line begins there. */
static size_t skip_mark(const struct data_reader *r, size_t at)
{
	struct str text = r->text.source->text;

	if (at && at + 3 < text.n && memcmp(text.p + at, "---", 3) == 0 && text.p[at - 1] == '\n')
		return json_skip(&r->text, at + 3);
	return at;
}

/* Reads a document in JSON; NULL, perhaps with the error set, if no document begins there. */
static struct data *try_json(struct data_reader *r)
{
	size_t at = skip_mark(r, json_skip(&r->text, r->at));
	struct str text = r->text.source->text;

	if (at == text.n) {
		r->at = at;
		return NULL;
	}
	if (text.p[at] != '{' && text.p[at] != '[')
		return NULL;
	struct data *d = json_read(&r->text, &at);
	if (d)
		r->at = at;
	return d;
}

static enum data_step next_yaml(struct data_reader *r, struct data **ret)
{
	struct data_error json = r->error;      /* why the text is not JSON, if it looked like JSON */

	r->error = (struct data_error){ 0 };
	if (!r->yaml)
		r->yaml = yaml_reading_new(&r->text, r->at);
	enum data_step step = yaml_next(r->yaml, ret);
	if (step == DATA_ERROR && json.at.start > r->error.at.start)
		r->error = json;
	return step;
}

enum data_step data_next(struct data_reader *r, struct data **ret, struct data_error *error)
{
	enum data_step step = r->over;

	if (step == DATA_DOCUMENT && !r->yaml && (*ret = try_json(r)))
		return DATA_DOCUMENT;
	if (step == DATA_DOCUMENT)
		step = !r->yaml && r->at == r->text.source->text.n ? DATA_END : next_yaml(r, ret);
	if (step != DATA_DOCUMENT)
		r->over = step;
	if (step == DATA_ERROR)
		*error = r->error;
	return step;
}

void data_reader_release(struct data_reader *r)
{
	if (r->yaml)
		yaml_reading_release(r->yaml);
	data_stack_release(&r->text.stack);
}

bool data_read_json(struct arena *a, const struct source *source, struct data **ret, struct data_error *error)
{
	struct data_text t = { .arena = a, .source = source, .error = error };
	size_t at = 0;
	struct data *d = json_read(&t, &at);

	data_stack_release(&t.stack);
	if (!d)
		return false;
	at = json_skip(&t, at);
	if (at < source->text.n)
		return data_fail(&t, at, at + 1, "nothing may follow the document");
	*ret = d;
	return true;
}
