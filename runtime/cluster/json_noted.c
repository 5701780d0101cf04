/*
 * json_noted.c - follows the path to the metadata of an object. Only the keys of the unit, of its object, of the
 * metadata and of the labels are compared, so the rest of an object costs nothing.
 */
#include "runtime/cluster/json_noted.h"

#include <stddef.h>
#include <string.h>

void json_noted_begin(struct json_noted *n, unsigned unit)
{
	n->unit = unit;
	n->object_at = n->object ? 0 : unit + 1;
	n->metadata_at = n->labels_at = 0;
	n->opens = NULL;
	n->next = JSON_NOTE_NONE;
	for (size_t i = 0; i < JSON_NOTES; i++)
		n->texts[i].n = 0;
}

static enum json_note object_member(struct json_noted *n, struct str key)
{
	if (str_is(key, "metadata"))
		n->opens = &n->metadata_at;
	return str_is(key, "kind") ? JSON_NOTE_KIND : JSON_NOTE_NONE;
}

static enum json_note metadata_member(struct json_noted *n, struct str key)
{
	if (n->label && str_is(key, "labels"))
		n->opens = &n->labels_at;
	return str_is(key, "name") ? JSON_NOTE_NAME : str_is(key, "namespace") ? JSON_NOTE_NAMESPACE
		: str_is(key, "uid") ? JSON_NOTE_UID : str_is(key, "resourceVersion") ? JSON_NOTE_VERSION
		: JSON_NOTE_NONE;
}

void json_noted_key(struct json_noted *n, struct str key, unsigned open)
{
	n->opens = NULL;
	n->next = JSON_NOTE_NONE;
	if (open == n->object_at) {
		n->next = object_member(n, key);
	} else if (open == n->metadata_at) {
		n->next = metadata_member(n, key);
	} else if (open == n->labels_at) {
		n->next = str_is(key, n->label) ? JSON_NOTE_LABEL : JSON_NOTE_NONE;
	} else if (n->object && open == n->unit + 1) {
		n->opens = str_is(key, n->object) ? &n->object_at : NULL;
		n->next = str_is(key, "type") ? JSON_NOTE_TYPE : JSON_NOTE_NONE;
	}
}

void json_noted_open(struct json_noted *n, bool map, unsigned open)
{
	if (n->opens && map)
		*n->opens = open;
	n->opens = NULL;
	n->next = JSON_NOTE_NONE;
}

void json_noted_close(struct json_noted *n, unsigned open)
{
	n->opens = NULL;
	n->next = JSON_NOTE_NONE;
	if (open == n->labels_at)
		n->labels_at = 0;
	else if (open == n->metadata_at)
		n->metadata_at = 0;
	else if (n->object && open == n->object_at)
		n->object_at = 0;
}

void json_noted_value(struct json_noted *n, struct str text)
{
	struct json_noted_text *t = &n->texts[n->next];

	if (n->next && text.n <= JSON_NOTED_LONGEST) {
		t->n = (unsigned char)text.n;
		memcpy(t->text, text.p, text.n);
	}
	n->next = JSON_NOTE_NONE;
}

struct str json_noted_text(const struct json_noted *n, enum json_note note)
{
	return (struct str){ n->texts[note].text, n->texts[note].n };
}
