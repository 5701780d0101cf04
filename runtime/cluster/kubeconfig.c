/*
 * kubeconfig.c - finds the access to a cluster from the files, the command line and the pod's environment.
 */
#include "runtime/cluster/kubeconfig.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/file.h"
#include "diag/suggest.h"
#include "runtime/cluster/kubeconfig_file.h"

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static struct str variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? str_of(value) : (struct str){ 0 };
}

void kubeconfig_environment(struct kubeconfig_options *o)
{
	o->variable = variable("KUBECONFIG");
	o->home = variable("HOME");
	o->service_host = variable("KUBERNETES_SERVICE_HOST");
	o->service_port = variable("KUBERNETES_SERVICE_PORT");
	o->pod_namespace = variable("POD_NAMESPACE");
	o->account = STR(ACCOUNT);
}

/* ---- addresses ---- */

/* Splits AUTHORITY into host and port; false when it has another form. */
static bool split_authority(struct arena *a, struct str authority, struct kubeconfig_access *ret)
{
	const char *end = authority.p + authority.n, *colon;
	unsigned long port = ret->tls ? 443 : 80;

	if (authority.n && authority.p[0] == '[') {
		const char *close = memchr(authority.p, ']', authority.n);
		if (!close)
			return false;
		ret->host = str_copy(a, (struct str){ authority.p + 1, (size_t)(close - authority.p) - 1 });
		colon = close + 1;
	} else {
		colon = memchr(authority.p, ':', authority.n);
		if (!colon)
			colon = end;
		ret->host = str_copy(a, (struct str){ authority.p, (size_t)(colon - authority.p) });
	}
	if (!ret->host.n || (colon < end && *colon != ':'))
		return false;
	if (colon < end) {
		port = 0;
		for (const char *p = colon + 1; p < end; p++) {
			if (!isdigit((unsigned char)*p) || port > 65535)
				return false;
			port = 10 * port + (unsigned long)(*p - '0');
		}
		if (!port || port > 65535)
			return false;
	}
	ret->port = (unsigned)port;
	return true;
}

/*
 * Fills in the parts of the server's URL. A URL without a scheme gets https if a setting about TLS exists, as in
 * kubectl.
 */
static bool parse_server(struct arena *a, struct str url, bool tls, struct kubeconfig_access *ret)
{
	ret->tls = tls;
	if (str_starts(url, STR("https://"))) {
		ret->tls = true;
		url = (struct str){ url.p + 8, url.n - 8 };
	} else if (str_starts(url, STR("http://"))) {
		ret->tls = false;
		url = (struct str){ url.p + 7, url.n - 7 };
	}
	for (size_t i = 0; i < url.n; i++)
		if ((unsigned char)url.p[i] <= ' ' || strchr("@?#\"<>\\^`{|}\x7f", url.p[i]))
			return false;
	const char *slash = memchr(url.p, '/', url.n);
	struct str authority = { url.p, slash ? (size_t)(slash - url.p) : url.n };
	struct str prefix = { url.p + authority.n, url.n - authority.n };

	while (prefix.n && prefix.p[prefix.n - 1] == '/')
		prefix.n--;
	if (!split_authority(a, authority, ret))
		return false;
	bool v6 = memchr(ret->host.p, ':', ret->host.n) != NULL;
	ret->prefix = str_copy(a, prefix);
	ret->server = str_printf(a, "%s://%s%.*s%s:%u%.*s", ret->tls ? "https" : "http", v6 ? "[" : "",
	                         STR_ARG(ret->host), v6 ? "]" : "", ret->port, STR_ARG(prefix));
	return true;
}

/* ---- a cluster ---- */

/* The extension of the cluster that is meant for plugins; NULL if the cluster has no such extension. */
static const struct data *exec_extension(const struct data *cluster)
{
	const struct data *list = data_get(cluster, STR("extensions"));

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		const struct data *e = list->u.list.at[i],
			*name = e->kind == DATA_MAP ? data_get(e, STR("name")) : NULL;
		if (name && name->kind == DATA_STRING && str_is(name->u.string, "client.authentication.k8s.io/exec"))
			return data_get(e, STR("extension"));
	}
	return NULL;
}

static bool proxy_is_sound(struct str url)
{
	static const char *const schemes[] = { "http://", "https://", "socks5://", "socks5h://" };

	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (str_starts(url, str_of(schemes[i])))
			return url.n > strlen(schemes[i]);
	return !url.n;
}

static bool read_cluster(struct kubeconfig_reading *r, const struct kubeconfig_entry *e, struct kubeconfig_access *a)
{
	struct str server = STR("");

	if (!e->body || e->body->kind != DATA_MAP)
		return kubeconfig_fail(r, (struct span){ 0 }, "%.*s: cluster '%.*s' has no fields; it needs a 'server'",
		                       STR_ARG(e->file->path), STR_ARG(e->name));
	if (!kubeconfig_text(r, e->body, "server", &server) ||
	    !kubeconfig_text(r, e->body, "tls-server-name", &a->tls_server_name) ||
	    !kubeconfig_flag(r, e->body, "insecure-skip-tls-verify", &a->insecure) ||
	    !kubeconfig_text(r, e->body, "proxy-url", &a->proxy_url) ||
	    !kubeconfig_flag(r, e->body, "disable-compression", &a->disable_compression) ||
	    !kubeconfig_bytes(r, e->file, e->body, "certificate-authority", &a->ca))
		return false;
	if (!server.n)
		return kubeconfig_fail(r, e->body->from, "cluster '%.*s' has no 'server'", STR_ARG(e->name));
	if (a->insecure && a->ca.n)
		return kubeconfig_fail(r, e->body->from,
			"cluster '%.*s' sets insecure-skip-tls-verify and a certificate-authority; remove one of them",
		                       STR_ARG(e->name));
	if (!proxy_is_sound(a->proxy_url))
		return kubeconfig_fail(r, data_get(e->body, STR("proxy-url"))->from,
		                       "'proxy-url' must be a URL that begins with http://, https:// or socks5://");
	a->exec_config = exec_extension(e->body);
	if (!parse_server(r->arena, server, a->ca.n || a->certificate.n || a->insecure, a))
		return kubeconfig_fail(r, data_get(e->body, STR("server"))->from,
		                       "'server' is not a URL of an API server: '%.*s'; write https://HOST:PORT",
		                       STR_ARG(server));
	return true;
}

/* ---- a context ---- */

/* "; did you mean 'x'?", or "; the contexts are a, b", or an empty text. */
static struct str nearest(struct kubeconfig_reading *r, const char *plural, struct str wanted)
{
	struct kubeconfig_names names = kubeconfig_list(r, plural);
	struct suggest s;

	suggest_init(&s, r->arena, wanted);
	for (size_t i = 0; i < names.n; i++)
		suggest_add(&s, names.at[i]);
	struct str near = suggest_or_list(&s, "its names are");
	return near.n ? str_cat(r->arena, STR("; "), near, STR("")) : STR("");
}

static bool find_context(struct kubeconfig_reading *r, struct kubeconfig_entry *ret)
{
	const struct kubeconfig_options *o = r->options;
	struct str name = o->context.n ? o->context : kubeconfig_scalar(r, "current-context");
	struct kubeconfig_names names = kubeconfig_list(r, "contexts");
	const char *file = r->nfiles == 1 ? r->files[0].path.p : "the kubeconfig files";

	if (!name.n && !names.n)
		return kubeconfig_fail(r, (struct span){ 0 },
			"%s: no context is defined; add one with 'kubectl config set-context'", file);
	if (!name.n)
		return kubeconfig_fail(r, (struct span){ 0 },
		                       "%s: no current-context is set; choose one with --context NAME%.*s", file,
		                       STR_ARG(nearest(r, "contexts", STR(""))));
	*ret = kubeconfig_find(r, "contexts", "context", name);
	if (!ret->file)
		return kubeconfig_fail(r, (struct span){ 0 }, "%s: context '%.*s' does not exist%.*s", file,
		                       STR_ARG(name), STR_ARG(nearest(r, "contexts", name)));
	if (!ret->body || ret->body->kind != DATA_MAP)
		return kubeconfig_fail(r, (struct span){ 0 },
		                       "%.*s: context '%.*s' has no fields; it needs a 'cluster' and a 'user'",
		                       STR_ARG(ret->file->path), STR_ARG(name));
	return true;
}

/*
 * Reads the context's cluster and user. The user comes first: if the server's URL has no scheme, the user's certificate
 * decides which scheme it gets.
 */
static bool read_context(struct kubeconfig_reading *r, const struct kubeconfig_entry *context,
	struct kubeconfig_access *a)
{
	if (!kubeconfig_text(r, context->body, "cluster", &a->cluster) ||
	    !kubeconfig_text(r, context->body, "user", &a->user) ||
	    !kubeconfig_text(r, context->body, "namespace", &a->namespace))
		return false;
	if (!a->cluster.n)
		return kubeconfig_fail(r, context->body->from, "context '%.*s' names no cluster",
			STR_ARG(context->name));
	struct kubeconfig_entry cluster = kubeconfig_find(r, "clusters", "cluster", a->cluster);
	struct kubeconfig_entry user = kubeconfig_find(r, "users", "user", a->user);
	if (!cluster.file)
		return kubeconfig_fail(r, context->body->from,
		                       "context '%.*s' names the cluster '%.*s', which does not exist%.*s",
		                       STR_ARG(context->name), STR_ARG(a->cluster),
		                       STR_ARG(nearest(r, "clusters", a->cluster)));
	if (a->user.n && !user.file)
		return kubeconfig_fail(r, context->body->from,
		                       "context '%.*s' names the user '%.*s', which does not exist%.*s",
		                       STR_ARG(context->name), STR_ARG(a->user), STR_ARG(nearest(r, "users", a->user)));
	a->context = context->name;
	a->origin = str_printf(r->arena, "context '%.*s' of %.*s", STR_ARG(context->name),
		STR_ARG(context->file->path));
	return (!a->user.n || kubeconfig_user(r, &user, a)) && read_cluster(r, &cluster, a);
}

/* ---- access from within a pod ---- */

static bool in_cluster(const struct kubeconfig_options *o, struct arena *a)
{
	struct str token, why, path = str_cat(a, o->account, STR("/token"), STR(""));

	return o->service_host.n && o->service_port.n && o->account.n && file_read(a, path, &token, &why);
}

static bool read_account(struct kubeconfig_reading *r, struct kubeconfig_access *a)
{
	const struct kubeconfig_options *o = r->options;
	struct str why, text, ca_file = str_cat(r->arena, o->account, STR("/ca.crt"), STR(""));
	bool v6 = memchr(o->service_host.p, ':', o->service_host.n) && o->service_host.p[0] != '[';
	struct str server = str_printf(r->arena, "https://%s%.*s%s:%.*s", v6 ? "[" : "", STR_ARG(o->service_host),
	                               v6 ? "]" : "", STR_ARG(o->service_port));

	if (!parse_server(r->arena, server, true, a))
		return kubeconfig_fail(r, (struct span){ 0 },
		                       "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not an address: '%.*s'",
		                       STR_ARG(server));
	if (!file_read(r->arena, ca_file, &a->ca, &why))
		return kubeconfig_fail(r, (struct span){ 0 }, "cannot read %.*s: %.*s", STR_ARG(ca_file), STR_ARG(why));
	a->token_file = str_cat(r->arena, o->account, STR("/token"), STR(""));
	a->origin = STR("the pod's service account");
	a->namespace = o->pod_namespace;
	if (!a->namespace.n && file_read(r->arena, str_cat(r->arena, o->account, STR("/namespace"), STR("")), &text,
	    &why)) {
		while (text.n && isspace((unsigned char)text.p[text.n - 1]))
			text.n--;
		a->namespace = text;
	}
	return true;
}

/* ---- entry points ---- */

static bool no_configuration(struct kubeconfig_reading *r)
{
	struct str missing = buf_take(&r->missing, r->arena);

	r->absent = true;
	if (missing.n)
		return kubeconfig_fail(r, (struct span){ 0 },
			"no cluster is configured: %.*s does not exist; set KUBECONFIG or pass --kubeconfig FILE",
		                       STR_ARG(missing));
	return kubeconfig_fail(r, (struct span){ 0 },
		"no cluster is configured: neither KUBECONFIG nor HOME is set; pass --kubeconfig FILE");
}

/* in a pod without a kubeconfig, --context must not silently select the pod's own cluster */
static bool has_no_context(struct kubeconfig_reading *r)
{
	struct str name = r->options->context;

	return !name.n || kubeconfig_fail(r, (struct span){ 0 },
		"context '%.*s' does not exist: the pod has no kubeconfig, and its service account has no contexts; "
		"set KUBECONFIG or leave --context out", STR_ARG(name));
}

static void choose_namespace(const struct kubeconfig_options *o, struct kubeconfig_access *a)
{
	if (o->namespace.n)
		a->namespace = o->namespace;
	else if (o->program_namespace.n)
		a->namespace = o->program_namespace;
	a->namespace_is_default = !a->namespace.n;
	if (!a->namespace.n)
		a->namespace = STR("default");
}

static bool read_access(struct kubeconfig_reading *r, struct kubeconfig_access *a)
{
	struct kubeconfig_entry context = { 0 };
	bool empty = true;

	if (!kubeconfig_files(r))
		return false;
	for (size_t i = 0; i < r->nfiles; i++)
		empty = empty && !r->files[i].root;
	if (empty && !r->options->file.p && in_cluster(r->options, r->arena))
		return has_no_context(r) && read_account(r, a);
	if (!r->nfiles)
		return no_configuration(r);
	return find_context(r, &context) && read_context(r, &context, a);
}

bool kubeconfig_access(struct arena *a, const struct kubeconfig_options *o, struct kubeconfig_access *ret,
	struct str *warnings, struct str *why)
{
	struct kubeconfig_reading r = { .arena = a, .options = o, .sources = { .arena = a, .next = 1 } };
	bool ok;

	*ret = (struct kubeconfig_access){ 0 };
	ok = read_access(&r, ret);
	ret->absent = r.absent;
	if (ok || r.absent)
		choose_namespace(o, ret);
	*warnings = buf_take(&r.warnings, a);
	*why = r.why;
	buf_release(&r.warnings);
	buf_release(&r.missing);
	return ok;
}

bool kubeconfig_contexts(struct arena *a, const struct kubeconfig_options *o, struct kubeconfig_names *ret,
	struct str *why)
{
	struct kubeconfig_reading r = { .arena = a, .options = o, .sources = { .arena = a, .next = 1 } };
	bool ok = kubeconfig_files(&r);

	if (ok) {
		*ret = kubeconfig_list(&r, "contexts");
		ret->current = kubeconfig_scalar(&r, "current-context");
	}
	*why = r.why;
	buf_release(&r.warnings);
	buf_release(&r.missing);
	return ok;
}
