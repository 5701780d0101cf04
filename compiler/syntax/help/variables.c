/*
 * variables.c - handles environment variables as Kubernetes writes them: `env = [{name: A, value: b}]`. The list is
 * reported once, with the map to write instead, before anything is parsed: the parser would report every one of its
 * fields. A list whose fields are set with '=' is a value of this language, and the checker reports it. In a raw block
 * such a list is what the object needs.
 */
#include "syntax/help/variables.h"

#include "base/buf.h"
#include "syntax/help/foreign.h"
#include "trainc.tab.h"

enum { LOOK = 4096 };                   /* maximum number of tokens to look back for a raw block */
enum { DEEP = 4 };                      /* maximum depth of the fields of a variable */

/* The fields of one variable. Texts are stored without quotes, except `value`, which is stored as written. */
struct kube_variable {
	struct str name, value, source, from, key, path;
	bool colon;                     /* a field is set with ':' */
};

static struct str token_word(const struct tokens *ts, size_t i)
{
	struct str text = tokens_text(ts, ts->at[i].start, ts->at[i].end);

	if (ts->at[i].kind == TOKEN_STRING && text.n >= 2 && text.p[0] == '"')
		return (struct str){ text.p + 1, text.n - 2 };
	return text;
}

static bool is_variable_key(const struct tokens *ts, size_t i)
{
	int kind = ts->at[i].kind, sign = ts->at[i + 1].kind;

	return (kind == TOKEN_IDENT || kind == TOKEN_STRING || token_is_word(kind)) &&
		(sign == TOKEN_COLON || sign == TOKEN_ASSIGN);
}

/* Reads the plain value that begins with token I; returns the token after it, or 0 if it is of another form. */
static size_t read_plain(const struct tokens *ts, size_t i, struct str *ret_text)
{
	size_t first = i;
	bool string = ts->at[i].kind == TOKEN_STR_OPEN;

	for (;; i++) {
		int kind = ts->at[i].kind;
		bool line = i > first && ts->at[i].flags & FLAG_LINE;
		if (kind == TOKEN_END || ts->at[i].flags & (FLAG_VIRTUAL | FLAG_TORN))
			return 0;
		if (!string && (line || kind == TOKEN_COMMA || kind == TOKEN_RBRACE))
			break;
		if (!string && (kind == TOKEN_LBRACE || kind == TOKEN_LBRACKET || kind == TOKEN_LPAREN))
			return 0;
		string = string && kind != TOKEN_STR_CLOSE;
	}
	if (i == first)
		return 0;
	*ret_text = tokens_text(ts, ts->at[first].start, ts->at[i - 1].end);
	return i;
}

/* Stores the value of the field KEY of a variable; INSIDE is the key around it. */
static void note_field(struct kube_variable *v, struct str inside, struct str key, struct str text)
{
	bool quoted = text.n >= 2 && text.p[0] == '"';
	struct str plain = quoted ? (struct str){ text.p + 1, text.n - 2 } : text;

	if (inside.n)
		v->source = inside;
	if (str_is(key, "value") && !inside.n)
		v->value = text;
	else if (str_is(key, "name"))
		*(inside.n ? &v->from : &v->name) = plain;
	else if (str_is(key, "key"))
		v->key = plain;
	else if (str_is(key, "fieldPath"))
		v->path = plain;
}

/* Reads the fields in the brace at token I into V; returns the token after the closing brace, or 0. */
static size_t read_variable(const struct tokens *ts, size_t i, struct str inside, int depth, struct kube_variable *v)
{
	if (ts->at[i].kind != TOKEN_LBRACE || depth > DEEP)
		return 0;
	for (i++; ts->at[i].kind != TOKEN_RBRACE;) {
		struct str key = token_word(ts, i), text;
		if (!is_variable_key(ts, i))
			return 0;
		v->colon = v->colon || ts->at[i + 1].kind == TOKEN_COLON;
		i += 2;
		if (ts->at[i].kind == TOKEN_LBRACE) {
			i = read_variable(ts, i, str_is(key, "valueFrom") ? STR("") : key, depth + 1, v);
		} else {
			i = read_plain(ts, i, &text);
			if (i)
				note_field(v, inside, key, text);
		}
		if (!i)
			return 0;
		i += ts->at[i].kind == TOKEN_COMMA;
	}
	return ts->at[i].flags & FLAG_VIRTUAL ? 0 : i + 1;
}

/* Is the text a number of this language? 10.0.0.1 and 007 are texts. */
static bool is_plain_number(struct str text)
{
	size_t sign = text.n && text.p[0] == '-';
	struct str digits = { text.p + sign, text.n - sign };
	size_t whole = 0, dots = 0;

	for (size_t i = 0; i < digits.n; i++) {
		if (digits.p[i] == '.' && i && i + 1 < digits.n && !dots)
			dots++;
		else if (digits.p[i] < '0' || digits.p[i] > '9')
			return false;
		else
			whole += !dots;
	}
	return digits.n && (whole == 1 || digits.p[0] != '0') && whole < 19;
}

/* Appends the value of a variable as it is written in this language; false if the variable has no value. */
static bool put_variable(struct buf *out, const struct kube_variable *v)
{
	const char *fact = foreign_fact(v->path);
	bool secret = str_is(v->source, "secretKeyRef");

	if ((secret || str_is(v->source, "configMapKeyRef")) && v->from.n && v->key.n)
		buf_printf(out, "%s(\"%.*s\", \"%.*s\")", secret ? "secret" : "config", STR_ARG(v->from),
			STR_ARG(v->key));
	else if (str_is(v->source, "fieldRef") && fact)
		buf_printf(out, "%s", fact);
	else if (v->source.n)
		return false;
	else if (v->value.n && (v->value.p[0] == '"' || is_plain_number(v->value) ||
		str_is(v->value, "true") || str_is(v->value, "false")))
		buf_str(out, v->value);
	else if (memchr(v->value.p, '"', v->value.n) || memchr(v->value.p, '\\', v->value.n))
		return false;
	else
		buf_printf(out, "\"%.*s\"", STR_ARG(v->value));
	return true;
}

/* Appends the list that begins with token I to OUT as the items of a map; returns its closing bracket, or 0. */
static size_t put_variables(const struct tokens *ts, size_t i, struct buf *out)
{
	bool colon = false;

	for (i++; ts->at[i].kind != TOKEN_RBRACKET; i += ts->at[i].kind == TOKEN_COMMA) {
		struct kube_variable v = { .name = STR(""), .value = STR("") };
		i = read_variable(ts, i, STR(""), 0, &v);
		if (!i || !v.name.n)
			return 0;
		colon = colon || v.colon;
		buf_printf(out, str_is_word(v.name) ? "%s%.*s = " : "%s\"%.*s\" = ", out->n ? ", " : "",
			STR_ARG(v.name));
		if (!put_variable(out, &v))
			return 0;
	}
	return colon && !(ts->at[i].flags & FLAG_VIRTUAL) ? i : 0;
}

/* Is the token inside a block such as `raw pod { ... }`? */
static bool is_in_raw(const struct tokens *ts, size_t i)
{
	int depth = 0;

	for (size_t end = i > LOOK ? i - LOOK : 2; i > end; i--) {
		int kind = ts->at[i].kind;
		depth += (kind == TOKEN_RBRACE) - (kind == TOKEN_LBRACE);
		if (depth >= 0)
			continue;
		if (str_is(token_word(ts, i - 2), "raw"))
			return true;
		depth = 0;
	}
	return false;
}

/* Reports the list between the tokens OPEN and CLOSE; MAP is what to write instead. */
static void report_variables(const struct tokens *ts, size_t open, size_t close, struct str map)
{
	struct span start = { ts->at[open].start, ts->at[open + 1].end };
	struct diag *d = diag_report(ts->diags, TJ0111, start,
		"'env' is a map from names to values, and this is a list");
	struct str right = str_printf(ts->arena, " { %.*s }", STR_ARG(map));
	struct span list = { ts->at[open].start, ts->at[close].end };

	diags_drop(ts->diags, TJ0102, list);    /* drop earlier errors in the list, such as an address that is not a
						 * number */
	diag_help(ts->diags, d, "write 'env%.*s'", STR_ARG(right));
	diag_fix(ts->diags, d, (struct span){ ts->at[open - 2].end, ts->at[close].end }, right, "write a map");
}

/* Is token I the bracket of `env = [{` or `env: [{`, outside raw blocks? */
static bool begins_variables(const struct tokens *ts, size_t i)
{
	return ts->at[i].kind == TOKEN_LBRACKET && ts->at[i + 1].kind == TOKEN_LBRACE && is_variable_key(ts, i - 2) &&
		str_is(token_word(ts, i - 2), "env") && (i < 3 || ts->at[i - 3].kind != TOKEN_LET) && !is_in_raw(ts, i);
}

/* Replaces each list with `env { }`, so that the parser does not report it again. */
static void leave_empty(struct tokens *ts, const struct span *lists, size_t n)
{
	size_t to = 0, k = 0;

	for (size_t i = 0; i < ts->n; i++) {
		bool sign = k < n && i + 1 == lists[k].start, open = k < n && i == lists[k].start;
		if (sign)
			continue;
		ts->at[to] = ts->at[i];
		if (open) {
			ts->at[to++].kind = TOKEN_LBRACE;
			i = lists[k++].end;
			ts->at[to] = ts->at[i];
			ts->at[to].kind = TOKEN_RBRACE;
			ts->at[to - 1].flags = ts->at[to].flags = 0;
		}
		to++;
	}
	ts->n = to;
	tokens_pad(ts);
}

void variables_in_tokens(struct tokens *ts)
{
	struct span *lists = NULL;              /* the token indices of the brackets of each list */
	size_t n = 0;

	for (size_t i = 2; i < ts->n; i++) {
		if (!begins_variables(ts, i))
			continue;
		struct buf map = { 0 };
		size_t close = put_variables(ts, i, &map);
		if (close) {
			report_variables(ts, i, close, buf_take(&map, ts->arena));
			struct span list = { (uint32_t)i, (uint32_t)close };
			ARENA_PUSH(ts->arena, lists, n, list);
			i = close;
		}
		buf_release(&map);
	}
	if (n)
		leave_empty(ts, lists, n);
}
