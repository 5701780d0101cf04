/*
 * apply_object.c - applies one object: builds the request, handles the result, and prints the line that reports the
 * result.
 */
#include "runtime/cluster/apply.h"

#include "runtime/cluster/tree_diff.h"
#include "runtime/status/look.h"

void apply_tell(struct applying *p, struct str name, const char *verb)
{
	struct str form = option_value(p->session->options, OPTION_OUTPUT);

	if (str_is(form, "name"))
		session_print(p->session, str_printf(p->arena, "%.*s\n", STR_ARG(name)));
	else if (!str_is(form, "json"))
		session_print(p->session, str_printf(p->arena, "%.*s %s%s\n", STR_ARG(name), verb,
			p->mode == APPLY_REAL ? "" : " (dry run)"));
}

struct transport_request apply_request(struct applying *p, const struct wanted *w, bool force)
{
	struct transport_pair *query = ARENA_ARRAY(p->arena, struct transport_pair, 4);
	size_t n = 0;

	query[n++] = (struct transport_pair){ STR("fieldManager"), STR(APPLYSET_MANAGER) };
	query[n++] = (struct transport_pair){ STR("force"), force ? STR("true") : STR("false") };
	query[n++] = (struct transport_pair){ STR("fieldValidation"), STR("Strict") };
	if (p->mode == APPLY_DRY_SERVER)
		query[n++] = (struct transport_pair){ STR("dryRun"), STR("All") };
	return (struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
		.path = resource_path(p->arena, &w->resource, w->ns, w->from->name), .query = query, .nquery = n,
		.content_type = STR("application/apply-patch+yaml"), .body = wanted_body(p->arena, w) };
}

/* Warns if the answer differs from the object that was sent, because admission changed it. */
static void tell_altered(struct applying *p, const struct wanted *w)
{
	struct tree_differences all = tree_diff(p->arena, w->tree, w->answer->data);

	for (size_t i = 0; i < all.n; i++) {
		struct buf b = { 0 };
		if (str_starts(all.at[i].path, STR("stringData")))      /* the server moves `stringData` to `data` */
			continue;
		buf_printf(&b, "%.*s: the API server changed %.*s from ", STR_ARG(wanted_name(p->arena, &p->wanted,
			w)), STR_ARG(all.at[i].path));
		tree_value_of(&b, w->from->kind, all.at[i].path, all.at[i].ours, 60);
		buf_z(&b, " to ");
		tree_value_of(&b, w->from->kind, all.at[i].path, all.at[i].theirs, 60);
		session_say(p->session, "warning: %.*s", STR_ARG(buf_text(&b)));
		buf_release(&b);
	}
}

void apply_taken(struct applying *p, struct wanted *w)
{
	const struct member *m = members_find(&p->members, &w->resource, w->ns, w->from->name);
	struct str version = status_text(w->answer->data, "metadata.resourceVersion");

	if (w->outcome != WANTED_ADOPTED && w->outcome != WANTED_RECREATED)
		w->outcome = w->answer->code == 201 ? WANTED_CREATED
			: m && str_eq(version, status_text(m->object,
				"metadata.resourceVersion")) ? WANTED_UNCHANGED : WANTED_CONFIGURED;
	w->uid = status_text(w->answer->data, "metadata.uid");
	w->stale = false;
	if (w->answer->data)
		tell_altered(p, w);
	apply_tell(p, wanted_name(p->arena, &p->wanted, w), wanted_outcome_word(w->outcome));
}
