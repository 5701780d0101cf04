/*
 * help_manifest.c - recognizes a manifest by its first two fields, outside strings. A second scan would cost time in
 * every program, so only a text that contains `apiVersion` is scanned again.
 */
#include "syntax/help/help_manifest.h"

#include "syntax/token.h"
#include "trainc.tab.h"

static bool is_field(const struct tokens *ts, size_t i, const char *word)
{
	return i + 2 < ts->n && str_is(tokens_text(ts, ts->at[i].start, ts->at[i].end), word) &&
		ts->at[i + 1].kind == TOKEN_COLON &&
		ts->at[i + 1].start == ts->at[i].end;
}

/*
 * Is it `apiVersion: batch/v1` or `apiVersion: v1`? Such a value cannot be a type, so this is not the declaration of a
 * field.
 */
static bool is_version(const struct tokens *ts, size_t i)
{
	if (!is_field(ts, i, "apiVersion"))
		return false;
	const struct token *value = &ts->at[i + 2];
	struct str text = tokens_text(ts, value->start, value->end);
	if (value->start == ts->at[i + 1].end)
		return false;
	return value->kind != TOKEN_IDENT || (text.n > 1 && text.p[0] == 'v' && text.p[1] >= '0' && text.p[1] <= '9') ||
		(i + 3 < ts->n && (ts->at[i + 3].kind == TOKEN_SLASH || ts->at[i + 3].kind == TOKEN_DOT));
}

/*
 * Is it `metadata:` or `spec:` with nothing after it on the line? This is YAML even inside braces, where a colon after
 * another key may only be a mistake for '='.
 */
static bool opens_block(const struct tokens *ts, size_t i)
{
	return (is_field(ts, i, "metadata") || is_field(ts, i, "spec")) && ts->at[i + 2].flags & FLAG_LINE;
}

/* The token at which a manifest is reported; NULL if the text contains no manifest. */
static const struct token *manifest_token(const struct tokens *ts)
{
	const struct token *version = NULL;
	bool braces = false;

	if (ts->at[0].kind == TOKEN_LBRACKET || (ts->at[0].kind == TOKEN_LBRACE && ts->n > 1 &&
		ts->at[1].kind == TOKEN_STRING))
		return &ts->at[0];      /* the manifest is JSON */
	for (size_t i = 0; i < ts->n; i++) {
		if (!version && (ts->at[i].flags & FLAG_LINE || !i) && is_version(ts, i))
			version = &ts->at[i];
		if (version && (!braces || opens_block(ts, i)))
			return version;
		braces = braces || (ts->at[i].kind == TOKEN_LBRACE && i > 0);
	}
	return NULL;
}

static bool has_ending(struct str name)
{
	return str_ends(name, STR(".yaml")) || str_ends(name, STR(".yml")) || str_ends(name, STR(".json"));
}

bool manifest_in_text(struct arena *a, struct diags *ds, const struct source *source)
{
	struct tokens ts = { .arena = a, .diags = ds, .source = source };
	const struct token *at;
	struct str text = source->text;

	if (!memmem(text.p, text.n, "apiVersion:", 11) && !memmem(text.p, text.n, "\"apiVersion\"", 12))
		return false;
	ds->muted++;
	tokens_scan(&ts);
	ds->muted--;
	if (!(at = manifest_token(&ts)))
		return false;
	struct diag *d = diag_report(ds, TJ0102, (struct span){ at->start, at->end },
		"this is a manifest of Kubernetes, not a program");
	if (has_ending(source->name))
		diag_help(ds, d, "'trainc import %.*s' makes a program of it", STR_ARG(source->name));
	else
		diag_help(ds, d,
			"put the manifest in a separate file: 'trainc import FILE.yaml' converts it to a program");
	return true;
}
