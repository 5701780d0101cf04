/*
 * config.c - reads configurations of the older controllers: devices with their volumes and variables, as `accelerator`
 * declarations.
 */
#include "import/device.h"

#include "data/data_read.h"

#define CONFIG_KEY "controller_config_file.yaml"

/*
 * Returns the list under a key. Returns NULL if the key is missing, or if its value is not a list, which is reported.
 */
static const struct data *config_list(struct import *im, const struct data *map, const char *key)
{
	const struct data *d = member(map, key);

	if (!d || d->kind == DATA_LIST || d->kind == DATA_NULL)
		return d && d->kind == DATA_LIST ? d : NULL;
	diag_report(im->diags, TJ1103, d->from, "'%s' must be a list, found %s", key, import_kind_words(d));
	return NULL;
}

static void read_config_volumes(struct import *im, struct lines *body, const struct data *list)
{
	struct arena *a = im->arena;
	struct lines *mounts = NULL;

	for (size_t i = 0; list && i < list->u.list.n; i++) {
		const struct data *v = list->u.list.at[i];
		struct str mount = member_text(v, "mountPath"), host = member_text(v, "hostPath");
		if (!mount.n || !host.n) {
			diag_report(im->diags, TJ1115, v->from,
				"a volume of an accelerator has 'hostPath' and 'mountPath'");
			continue;
		}
		struct expr *call = expr_call(a, STR("host_path"));
		lines_add(a, &call->items, expr_string(a, host), v->from);
		if (!mounts)
			mounts = lines_block(a, body, STR("mounts"), list->from);
		import_comments(im, lines_set(a, mounts, key_text(a, mount), call, v->from), v->from);
	}
}

static void variables(struct import *im, struct lines *body, const struct data *list)
{
	struct arena *a = im->arena;
	struct lines *env = NULL;

	for (size_t i = 0; list && i < list->u.list.n; i++) {
		const struct data *v = list->u.list.at[i];
		const struct data *value = member(v, "value");
		if (!member_text(v, "name").n || (value && value->kind != DATA_STRING)) {
			diag_report(im->diags, TJ1103, v->from,
				"a variable of an accelerator has a 'name' and a 'value', which is a text");
			continue;
		}
		if (!env)
			env = lines_block(a, body, STR("env"), list->from);
		struct line *line = lines_set(a, env, key_text(a, member_text(v, "name")),
			expr_string(a, member_text(v, "value")), v->from);
		import_comments(im, line, v->from);
	}
}

static void unknown_keys(struct import *im, const struct data *map, const char *one, const char *two)
{
	for (size_t i = 0; i < data_count(map); i++) {
		const struct data_member *m = &map->u.map.at[i];
		if (!str_is(m->key, one) && !str_is(m->key, two))
			diag_report(im->diags, TJ1104, m->key_at,
				"the configuration has no field '%.*s' here; it is left out", STR_ARG(m->key));
	}
}

/* Replaces the path of a file on the controller's machine with the standard server of std.legacy. */
static void server_path(struct import *im, const struct data *map, bool inside)
{
	struct span at = member_at(map, "grpcServerFilePath");
	struct diag *d = diag_report(im->diags, TJ1110, at, "'grpcServerFilePath' is left out");

	im->has_server_path = true;
	diag_help(im->diags, d, "%sstd.legacy provides the standard server; for another one set its argument 'server'",
		inside ? "it belongs at the top level, where the controller reads it; " : "");
}

static void read_config_accelerator(struct import *im, struct imported *job, const struct data_member *m)
{
	struct device *known = device_find(im, m->key), *d = known ? known : device_declare(im, m->key);
	struct lines *body = &d->declaration->value->items;

	if (d->configured) {
		diag_note(im->diags, diag_report(im->diags, TJ1114, m->key_at, "'%.*s' is configured twice",
			STR_ARG(m->key)), d->declaration->from, "the other one");
		return;
	}
	d->declaration->from = m->key_at;
	d->configured = true;
	read_config_volumes(im, body, config_list(im, m->value, "volumes"));
	variables(im, body, config_list(im, m->value, "envVars"));
	unknown_keys(im, m->value, "volumes", "envVars");
	import_comments(im, d->declaration, member_span(m));
	lines_push(im->arena, &job->declarations, d->declaration);
}

bool import_is_config(const struct data *object)
{
	return !member(object, "kind") && (member(object, "accelerators") || member(object, "grpcServerFilePath"));
}

/* Returns the text of the configuration in a ConfigMap; NULL for other objects. */
const struct data *import_config_of(const struct data *object)
{
	const struct data *text = str_is(member_text(object, "kind"), "ConfigMap")
		? member(member(object, "data"), CONFIG_KEY) : NULL;

	return text && text->kind == DATA_STRING ? text : NULL;
}

bool import_config(struct import *im, const struct data *config, struct imported *job)
{
	const struct data *accelerators = member(config, "accelerators");

	if (config->kind != DATA_MAP) {
		diag_report(im->diags, TJ1103, config->from, "the configuration must be a map, found %s",
			import_kind_words(config));
		return false;
	}
	*job = (struct imported){ .name = STR("accelerators"), .name_at = config->from };
	if (member(config, "grpcServerFilePath"))
		server_path(im, config, false);
	if (accelerators && accelerators->kind != DATA_MAP && accelerators->kind != DATA_NULL) {
		diag_report(im->diags, TJ1103, accelerators->from, "'accelerators' must be a map, found %s",
			import_kind_words(accelerators));
		return false;
	}
	unknown_keys(im, config, "accelerators", "grpcServerFilePath");
	for (size_t i = 0; i < data_count(accelerators); i++) {
		const struct data_member *m = &accelerators->u.map.at[i];
		if (str_is(m->key, "grpcServerFilePath"))
			server_path(im, accelerators, true);
		else if (m->value->kind == DATA_MAP)
			read_config_accelerator(im, job, m);
		else
			diag_report(im->diags, TJ1103, m->value->from, "'%.*s' must be a map, found %s",
				STR_ARG(m->key), import_kind_words(m->value));
	}
	return job->declarations.n > 0;
}
