/*
 * lower_raw.c - raw blocks of a role: those of the project's defaults, the frameworks, the job, the cell and the role
 * itself become one.
 */
#include "lower/lower.h"

#include "kube/schema_merge.h"

const struct data *lower_raw_block(struct eval *ev, const struct entries *entries, const char *name)
{
	for (size_t i = 0; entries && i < entries->n; i++) {
		const struct node *item = entries->at[i].item;
		if (item && item->kind == NODE_BLOCK && str_is(item->u.block.word, "raw") &&
			str_is(item->u.block.name, name)) {
			const struct data *d = value_data(ev, eval_body(ev, entries->at[i].frame, item->u.block.body));
			return d && d->kind == DATA_MAP ? d : NULL;
		}
	}
	return NULL;
}

const struct data *lower_raw(struct eval *ev, struct role *r, const char *name)
{
	const struct data *all = NULL;

	for (unsigned level = r->nlevels; level-- > LEVEL_ROLE;) {
		const struct data *more = lower_raw_block(ev, r->levels[level], name);
		all = all && more ? merge_data(ev->arena, raw_type(str_of(name)), all, more) : more ? more : all;
	}
	return all;
}
