/* code_begun.c - see code_begun.h. */
#include "runtime/local/code_begun.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/path.h"
#include "plan/code.h"

static struct str begun_path(struct arena *a, struct str dir) { return path_join(a, dir, STR("begun")); }

static bool is_of(const struct begun_line *l, struct str role, int64_t index)
{
	return l->index == index && str_eq(l->role, role);
}

static bool read_begun_line(struct str line, struct begun_line *ret)
{
	struct str role = str_take(&line, ' '), number = str_take(&line, ' ');

	*ret = (struct begun_line){ .role = role, .id = line };
	return role.n && str_number(number, 9, &ret->index) && str_is_hex(line, CODE_SHORT);
}

bool code_begun_read(struct arena *a, struct str dir, struct code_begun *ret, struct str *why)
{
	struct str path = begun_path(a, dir), text, reason;
	struct begun_line line;

	*ret = (struct code_begun){ 0 };
	if (access(path.p, F_OK) != 0 && errno == ENOENT)
		return true;
	if (!file_read(a, path, &text, &reason)) {
		*why = str_printf(a, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(reason));
		return false;
	}
	while (text.n) {
		if (!read_begun_line(str_take(&text, '\n'), &line)) {
			*why = str_printf(a, "'%.*s' is damaged; start the run again", STR_ARG(path));
			return false;
		}
		ARENA_PUSH(a, ret->at, ret->n, line);
	}
	return true;
}

bool code_begun_write(struct arena *a, struct str dir, const struct code_begun *b, struct str *why)
{
	struct str path = begun_path(a, dir), reason = STR("");
	struct buf text = { 0 };

	for (size_t i = 0; i < b->n; i++)
		buf_printf(&text, "%.*s %lld %.*s\n", STR_ARG(b->at[i].role), (long long)b->at[i].index,
			STR_ARG(b->at[i].id));
	bool ok = b->n ? file_replace(a, path, buf_text(&text), &reason) : unlink(path.p) == 0 || errno == ENOENT;
	buf_release(&text);
	if (!ok)
		*why = str_printf(a, "cannot write '%.*s': %.*s", STR_ARG(path),
			STR_ARG(reason.n ? reason : file_reason(a, errno)));
	return ok;
}

bool code_begun_has(const struct code_begun *b, struct str role, int64_t index)
{
	for (size_t i = 0; i < b->n; i++)
		if (is_of(&b->at[i], role, index))
			return true;
	return false;
}

void code_begun_add(struct arena *a, struct code_begun *b, struct str role, int64_t index, struct str id)
{
	struct begun_line line = { .role = str_copy(a, role), .index = index };

	if (id.n < CODE_SHORT)
		return;
	line.id = str_copy(a, (struct str){ id.p, CODE_SHORT });
	for (size_t i = 0; i < b->n; i++)
		if (is_of(&b->at[i], role, index) && str_eq(b->at[i].id, line.id))
			return;
	ARENA_PUSH(a, b->at, b->n, line);
}

void code_begun_done(struct code_begun *b, struct str role, int64_t index)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (!is_of(&b->at[i], role, index))
			b->at[n++] = b->at[i];
	b->n = n;
}
