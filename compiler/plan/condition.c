/*
 * condition.c - writes a condition as the language does, in the form of `fmt`. `and` binds more tightly than `or`, so
 * only an `or` below an `and` needs parentheses. A condition about a cell knows its own text.
 */
#include "plan/plan.h"

static void leaf_text(const struct plan_job *j, const struct plan_condition *c, struct buf *out)
{
	static const char *const words[] = { "done", "ready", "started", "gone" };

	buf_z(out, words[c->kind - CONDITION_DONE]);
	buf_char(out, '(');
	plan_put_role(&j->roles[c->role], out);
	if (c->kind == CONDITION_DONE && c->index >= 0) {
		buf_put(out, ", ", 2);
		buf_int(out, c->index);
	}
	if (c->index == CONDITION_ANY)
		buf_z(out, ", any = true");
	buf_char(out, ')');
}

static void condition_text(const struct plan_job *j, const struct plan_condition *c, bool tight, struct buf *out)
{
	if (c->says.n) {
		buf_str(out, c->says);
		return;
	}
	if (!condition_joins(c)) {
		leaf_text(j, c, out);
		return;
	}
	bool brackets = tight && c->kind == CONDITION_OR;
	if (brackets)
		buf_char(out, '(');
	condition_text(j, c->left, c->kind == CONDITION_AND, out);
	buf_z(out, c->kind == CONDITION_AND ? " and " : " or ");
	condition_text(j, c->right, c->kind == CONDITION_AND, out);
	if (brackets)
		buf_char(out, ')');
}

struct str plan_condition_text(struct arena *a, const struct plan_job *j, const struct plan_condition *c)
{
	struct buf out = { 0 };

	if (c)
		condition_text(j, c, false, &out);
	struct str s = buf_take(&out, a);
	buf_release(&out);
	return s;
}

bool plan_condition_reads(const struct plan_condition *c, unsigned role)
{
	if (!c)
		return false;
	if (condition_joins(c))
		return plan_condition_reads(c->left, role) || plan_condition_reads(c->right, role);
	return c->role == role;
}
