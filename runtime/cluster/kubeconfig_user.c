/*
 * kubeconfig_user.c - reads the credentials of one kubeconfig user, and the user to impersonate. Two contradicting
 * credentials are an error here; otherwise it would be undefined which credential the server gets.
 */
#include "base/path.h"
#include "runtime/cluster/kubeconfig_file.h"

#define EXEC_API "client.authentication.k8s.io/"

static struct span user_place(const struct kubeconfig_entry *e) { return e->body ? e->body->from : (struct span){ 0 }; }

static const struct data *user_member(const struct data *map, const char *name)
{
	const struct data *d = map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;

	return d && d->kind == DATA_NULL ? NULL : d;
}

/* ---- plugins ---- */

static bool exec_env(struct kubeconfig_reading *r, const struct data *exec, struct kubeconfig_exec *ret)
{
	const struct data *env = user_member(exec, "env");

	if (env && env->kind != DATA_LIST)
		return kubeconfig_fail(r, env->from, "'env' of a plugin must be a list of 'name' and 'value'");
	for (size_t i = 0; env && i < env->u.list.n; i++) {
		struct kubeconfig_variable v = { STR(""), STR("") };
		if (!kubeconfig_text(r, env->u.list.at[i], "name", &v.name) ||
		    !kubeconfig_text(r, env->u.list.at[i], "value", &v.value))
			return false;
		if (!v.name.n || memchr(v.name.p, '=', v.name.n))
			return kubeconfig_fail(r, env->u.list.at[i]->from,
				"each entry of a plugin's 'env' needs a 'name' without '='");
		ARENA_PUSH(r->arena, ret->env, ret->nenv, v);
	}
	return true;
}

static bool exec_version(struct kubeconfig_reading *r, const struct data *exec, struct kubeconfig_exec *ret)
{
	struct str mode = { 0 };

	if (!kubeconfig_text(r, exec, "apiVersion", &ret->api_version) ||
	    !kubeconfig_text(r, exec, "interactiveMode", &mode))
		return false;
	bool v1 = str_is(ret->api_version, EXEC_API "v1");
	if (!v1 && !str_is(ret->api_version, EXEC_API "v1beta1")) {
		const struct data *at = user_member(exec, "apiVersion");
		return kubeconfig_fail(r, at ? at->from : exec->from,
		                       "the plugin's apiVersion must be " EXEC_API "v1 or v1beta1%s",
		                       str_is(ret->api_version, EXEC_API "v1alpha1")
		                       ? ": v1alpha1 was removed in Kubernetes 1.24; update the plugin and write v1"
		                       : "");
	}
	if (!mode.n && v1)
		return kubeconfig_fail(r, exec->from,
			"a plugin with apiVersion " EXEC_API "v1 needs 'interactiveMode': Never, IfAvailable or "
			"Always");
	if (str_is(mode, "Never"))
		ret->stdin_mode = KUBECONFIG_STDIN_NEVER;
	else if (str_is(mode, "Always"))
		ret->stdin_mode = KUBECONFIG_STDIN_ALWAYS;
	else if (!mode.n || str_is(mode, "IfAvailable"))
		ret->stdin_mode = KUBECONFIG_STDIN_IF_AVAILABLE;
	else
		return kubeconfig_fail(r, user_member(exec, "interactiveMode")->from,
			"'interactiveMode' must be Never, IfAvailable or Always");
	return true;
}

static bool read_exec(struct kubeconfig_reading *r, const struct kubeconfig_file *file, const struct data *exec,
	struct kubeconfig_exec *ret)
{
	if (exec->kind != DATA_MAP)
		return kubeconfig_fail(r, exec->from, "'exec' must be a mapping with 'command' and 'apiVersion'");
	if (!kubeconfig_text(r, exec, "command", &ret->command) ||
	    !kubeconfig_texts(r, exec, "args", &ret->args, &ret->nargs) ||
	    !kubeconfig_text(r, exec, "installHint", &ret->install_hint) ||
	    !kubeconfig_flag(r, exec, "provideClusterInfo", &ret->cluster_info))
		return false;
	if (!ret->command.n)
		return kubeconfig_fail(r, exec->from, "the plugin under 'exec' has no 'command'");
	if (memchr(ret->command.p, '/', ret->command.n))
		ret->command = kubeconfig_path(r, file, ret->command);
	return exec_env(r, exec, ret) && exec_version(r, exec, ret);
}

/* ---- impersonation ---- */

static bool read_extra(struct kubeconfig_reading *r, const struct data *user, struct kubeconfig_impersonation *as)
{
	const struct data *extra = user_member(user, "as-user-extra");

	if (extra && extra->kind != DATA_MAP)
		return kubeconfig_fail(r, extra->from, "'as-user-extra' must map each key to a list of strings");
	for (size_t i = 0; extra && i < extra->u.map.n; i++) {
		struct str *values = NULL, key = str_copy(r->arena, extra->u.map.at[i].key);
		size_t n = 0;
		if (!kubeconfig_texts(r, extra, key.p, &values, &n))
			return false;
		for (size_t k = 0; k < n; k++) {
			struct kubeconfig_variable v = { key, values[k] };
			ARENA_PUSH(r->arena, as->extra, as->nextra, v);
		}
	}
	return true;
}

static bool read_impersonation(struct kubeconfig_reading *r, const struct kubeconfig_entry *e,
	struct kubeconfig_impersonation *as)
{
	if (!kubeconfig_text(r, e->body, "as", &as->user) || !kubeconfig_text(r, e->body, "as-uid", &as->uid) ||
	    !kubeconfig_texts(r, e->body, "as-groups", &as->groups, &as->ngroups) || !read_extra(r, e->body, as))
		return false;
	if (!as->user.n && (as->uid.n || as->ngroups || as->nextra))
		return kubeconfig_fail(r, user_place(e),
			"user '%.*s' sets as-uid, as-groups or as-user-extra without 'as'", STR_ARG(e->name));
	return true;
}

/* ---- the user ---- */

static bool refuse_provider(struct kubeconfig_reading *r, const struct kubeconfig_entry *e)
{
	const struct data *provider = user_member(e->body, "auth-provider");
	struct str name = STR("");

	if (!provider)
		return true;
	if (!kubeconfig_text(r, provider, "name", &name))
		return false;
	const char *instead = str_is(name, "gcp")
		? "run 'gcloud container clusters get-credentials', which sets up gke-gcloud-auth-plugin"
		: str_is(name, "azure") ? "run 'kubelogin convert-kubeconfig', which sets up the kubelogin plugin"
		: "use a credential plugin ('exec') instead, such as kubelogin for OIDC";
	return kubeconfig_fail(r, provider->from,
	                       "user '%.*s' uses the auth-provider '%.*s', which is not supported; %s",
	                       STR_ARG(e->name), STR_ARG(name), instead);
}

static bool is_sound(struct kubeconfig_reading *r, const struct kubeconfig_entry *e, const struct kubeconfig_access *a)
{
	bool token = a->token.n || a->token_file.n, basic = a->basic_user.n || a->basic_password.n;

	if (a->certificate.n && !a->key.n)
		return kubeconfig_fail(r, user_place(e), "user '%.*s' has a client-certificate but no client-key",
			STR_ARG(e->name));
	if (a->key.n && !a->certificate.n)
		return kubeconfig_fail(r, user_place(e), "user '%.*s' has a client-key but no client-certificate",
			STR_ARG(e->name));
	if (token && basic)
		return kubeconfig_fail(r, user_place(e), "user '%.*s' has a token and a username; remove one of them",
			STR_ARG(e->name));
	if (basic && !a->basic_user.n)
		return kubeconfig_fail(r, user_place(e), "user '%.*s' has a password but no username",
			STR_ARG(e->name));
	return true;
}

bool kubeconfig_user(struct kubeconfig_reading *r, const struct kubeconfig_entry *e, struct kubeconfig_access *a)
{
	const struct data *exec = user_member(e->body, "exec");

	if (e->body && e->body->kind != DATA_MAP)
		return kubeconfig_fail(r, e->body->from, "user '%.*s' must be a mapping", STR_ARG(e->name));
	if (!refuse_provider(r, e) ||
	    !kubeconfig_text(r, e->body, "token", &a->token) ||
	    !kubeconfig_text(r, e->body, "tokenFile", &a->token_file) ||
	    !kubeconfig_text(r, e->body, "username", &a->basic_user) ||
	    !kubeconfig_text(r, e->body, "password", &a->basic_password) ||
	    !kubeconfig_bytes(r, e->file, e->body, "client-certificate", &a->certificate) ||
	    !kubeconfig_bytes(r, e->file, e->body, "client-key", &a->key) || !is_sound(r, e, a) ||
	    !read_impersonation(r, e, &a->as))
		return false;
	a->token_file = kubeconfig_path(r, e->file, a->token_file);
	/* a fixed credential takes precedence, and then the plugin does not run */
	if (exec && (a->token.n || a->token_file.n || a->basic_user.n || a->certificate.n)) {
		buf_printf(&r->warnings, "user '%.*s' has a credential and a plugin ('exec'); the plugin is not run\n",
			STR_ARG(e->name));
		return true;
	}
	return !exec || read_exec(r, e->file, exec, &a->exec);
}
