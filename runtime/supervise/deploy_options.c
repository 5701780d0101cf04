/* deploy_options.c - what --manifest does with each option, and the rules about their values. */
#include "runtime/supervise/deploy_options.h"

#include "kube/limits.h"
#include "runtime/supervise/manifest.h"

enum {
	NAME_MOST = 52,                 /* a StatefulSet adds a hash of up to 11 characters in labels, which have 63 */
	REPLICAS_MOST = 100, PORT_MOST = 65535, LISTEN_PORT = 8081, PROBES_PORT = 8082
};

enum use {
	USE_HERE,                       /* for the objects or this process, or the argument is written in any case */
	USE_ONLY,                       /* as USE_HERE, and the option is refused without --manifest */
	USE_THERE,                      /* becomes an argument of the process in the cluster */
	USE_NOWHERE                     /* refused; `why` says why */
};

#define CONNECTS "the controller in the cluster connects with its ServiceAccount"

static const struct option_use {
	enum option option;
	enum use use;
	const char *why;
} uses[] = {
	{ OPTION_MANIFEST, USE_HERE, NULL }, { OPTION_OUTPUT, USE_HERE, NULL }, { OPTION_COLOR, USE_HERE, NULL },
	{ OPTION_HELP, USE_HERE, NULL }, { OPTION_NAMESPACE, USE_HERE, NULL }, { OPTION_LISTEN, USE_HERE, NULL },
	{ OPTION_PROBES, USE_HERE, NULL }, { OPTION_LEASE, USE_HERE, NULL }, { OPTION_TOTAL_SHARDS, USE_HERE, NULL },
	{ OPTION_SHARD, USE_HERE, NULL },               /* shard_read() refuses it */
	{ OPTION_POLICY, USE_HERE, NULL },              /* the command refuses both */
	{ OPTION_IMAGE, USE_ONLY, NULL }, { OPTION_NAME, USE_ONLY, NULL }, { OPTION_REPLICAS, USE_ONLY, NULL },
	{ OPTION_PRIORITY_CLASS, USE_ONLY, NULL }, { OPTION_METRICS_FROM, USE_ONLY, NULL },
	{ OPTION_MONITOR, USE_ONLY, NULL },
	{ OPTION_KUBEFLOW, USE_THERE, NULL }, { OPTION_KINDS, USE_THERE, NULL },
	{ OPTION_ANCESTORS, USE_THERE, NULL },
	{ OPTION_ALL_NAMESPACES, USE_THERE, NULL }, { OPTION_NAMESPACE_SELECTOR, USE_THERE, NULL },
	{ OPTION_MEMORY, USE_THERE, NULL },
	{ OPTION_OPERATOR, USE_THERE, NULL }, { OPTION_GANG, USE_THERE, NULL },
	{ OPTION_DOMAIN, USE_THERE, NULL },
	{ OPTION_INIT_IMAGE, USE_THERE, NULL }, { OPTION_DELIVERY_IMAGE, USE_THERE, NULL },
	{ OPTION_RETRY_TIMEOUT, USE_THERE, NULL }, { OPTION_VERBOSE, USE_THERE, NULL },
	{ OPTION_KUBECONFIG, USE_NOWHERE, CONNECTS }, { OPTION_CONTEXT, USE_NOWHERE, CONNECTS },
	{ OPTION_AS, USE_NOWHERE, CONNECTS },
};

static const struct option_use *use_of(enum option option)
{
	static const struct option_use unknown = { .use = USE_NOWHERE, .why = "it concerns only this process" };

	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
		if (uses[i].option == option)
			return &uses[i];
	return &unknown;
}

bool deploy_options_absent(struct session *s)
{
	for (size_t i = 0; i < s->options->ngiven; i++) {
		enum option o = s->options->given[i].option;
		if (use_of(o)->use == USE_ONLY) {
			session_say(s, "--%s is about the objects of --manifest: add --manifest", option_row(o)->word);
			return false;
		}
	}
	return true;
}

void deploy_options_carry(struct session *s, void (*add)(void *to, struct str argument), void *to)
{
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		const struct option_row *row = option_row(uses[i].option);
		struct str value = option_value(s->options, uses[i].option);
		if (uses[i].use != USE_THERE || !option_given(s->options, uses[i].option))
			continue;
		add(to, value.n ? str_printf(s->arena, "--%s=%.*s", row->word, STR_ARG(value))
			: str_printf(s->arena, "--%s", row->word));
	}
}

/* ---- values ---- */

static bool has_no_refused(struct session *s)
{
	for (size_t i = 0; i < s->options->ngiven; i++) {
		const struct option_use *u = use_of(s->options->given[i].option);
		if (u->use == USE_NOWHERE) {
			session_say(s, "--%s cannot be combined with --manifest: %s",
				option_row(s->options->given[i].option)->word, u->why);
			return false;
		}
	}
	return true;
}

/* Reads the name of the installation, which is also that of a Service: a DNS label that begins with a letter. */
static bool read_installation(struct session *s, struct str *ret)
{
	if (!option_given(s->options, OPTION_NAME))
		return true;
	*ret = option_value(s->options, OPTION_NAME);
	if (ret->n && ret->n <= NAME_MOST && kube_dns_label(*ret) && !(ret->p[0] >= '0' && ret->p[0] <= '9'))
		return true;
	session_say(s, "--name is a name of at most %d lower-case letters, digits and '-' that begins with a letter, "
		"found '%.*s'", NAME_MOST, STR_ARG(*ret));
	return false;
}

/* Reads the name of another object. */
static bool read_object_name(struct session *s, enum option o, struct str *ret)
{
	if (!option_given(s->options, o))
		return true;
	*ret = option_value(s->options, o);
	if (ret->n && ret->n <= LIMIT_NAME && kube_object_name(*ret))
		return true;
	session_say(s, "--%s is the name of an object, found '%.*s'", option_row(o)->word, STR_ARG(*ret));
	return false;
}

static bool option_number(struct str text, unsigned most, unsigned *ret)
{
	unsigned n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || n > most)
			return false;
		n = n * 10 + (unsigned)(text.p[i] - '0');
	}
	*ret = n;
	return text.n && n >= 1 && n <= most;
}

static bool read_replicas(struct session *s, struct deploy_options *d)
{
	struct str text = option_value(s->options, OPTION_REPLICAS), shards;

	d->replicas = 2;
	if (!option_given(s->options, OPTION_REPLICAS))
		return true;
	shards = option_value(s->options, OPTION_TOTAL_SHARDS);
	if (shards.n && !str_is(shards, "1")) {
		session_say(s, "--replicas cannot be combined with --total-shards: each shard has one pod; for pods "
			"that stand by, scale the StatefulSet");
		return false;
	}
	if (option_number(text, REPLICAS_MOST, &d->replicas))
		return true;
	session_say(s, "--replicas is a number from 1 to %d, found '%.*s'", REPLICAS_MOST, STR_ARG(text));
	return false;
}

/* Reads the port of an address. The kubelet and Prometheus connect from outside of the pod, so it names no host. */
static bool read_port(struct session *s, enum option o, unsigned otherwise, unsigned *ret)
{
	struct str address = option_value(s->options, o), host;
	size_t colon = address.n;

	*ret = otherwise;
	if (!option_given(s->options, o))
		return true;
	while (colon && address.p[colon - 1] != ':')
		colon--;
	host = (struct str){ address.p, colon ? colon - 1 : 0 };
	bool all = !host.n || str_is(host, "0.0.0.0") || str_is(host, "[::]");
	if (all && option_number((struct str){ address.p + colon, address.n - colon }, PORT_MOST, ret))
		return true;
	session_say(s, "--%s with --manifest is a port such as :%u, because connections come from outside the pod; "
		"found '%.*s'", option_row(o)->word, otherwise, STR_ARG(address));
	return false;
}

static bool read_ports(struct session *s, struct deploy_options *d)
{
	if (!read_port(s, OPTION_LISTEN, LISTEN_PORT, &d->listen) ||
	    !read_port(s, OPTION_PROBES, PROBES_PORT, &d->probes))
		return false;
	if (d->listen != d->probes)
		return true;
	session_say(s, "--listen and --probes need different ports, found %u twice", d->listen);
	return false;
}

/* Does the image name a version? An image without a tag is that with the tag `latest`. */
static bool names_version(struct str image)
{
	size_t slash = image.n, colon;

	while (slash && image.p[slash - 1] != '/')
		slash--;
	for (colon = slash; colon < image.n && image.p[colon] != ':' && image.p[colon] != '@'; colon++)
		continue;
	return colon < image.n && !str_is((struct str){ image.p + colon, image.n - colon }, ":latest");
}

static bool read_image(struct session *s, struct deploy_options *d)
{
	d->image = option_value(s->options, OPTION_IMAGE);
	if (!d->image.n)
		session_say(s, "--manifest needs --image, the controller's image in a registry from which your nodes "
			"pull: --image REGISTRY/trainc:TAG (docs/supervise.md shows how to build it)");
	else if (!names_version(d->image))
		session_say(s, "--image '%.*s' does not name a version, so a new pod could run another program than "
			"the pod before it: add a tag other than 'latest', or a digest", STR_ARG(d->image));
	return d->image.n && names_version(d->image);
}

static bool read_metrics_from(struct session *s, struct deploy_options *d)
{
	for (size_t i = 0; i < s->options->ngiven; i++) {
		const struct given *g = &s->options->given[i];
		if (g->option != OPTION_METRICS_FROM)
			continue;
		if (!g->value.n || g->value.n > LIMIT_LABEL || !kube_dns_label(g->value)) {
			session_say(s, "--metrics-from is the name of a namespace, found '%.*s'", STR_ARG(g->value));
			return false;
		}
		ARENA_PUSH(s->arena, d->metrics_from, d->nmetrics_from, g->value);
	}
	return true;
}

bool deploy_options_read(struct session *s, struct deploy_options *ret)
{
	struct str monitor = option_value(s->options, OPTION_MONITOR);

	*ret = (struct deploy_options){ .name = STR(MANIFEST_NAME),
		.monitor = !monitor.n ? NULL : str_is(monitor, "pod") ? "podmonitor" : "servicemonitor" };
	if (!has_no_refused(s) || !read_image(s, ret) || !read_installation(s, &ret->name))
		return false;
	ret->lease = ret->name;
	return read_object_name(s, OPTION_LEASE, &ret->lease) &&
		read_object_name(s, OPTION_PRIORITY_CLASS, &ret->priority) && read_replicas(s, ret) &&
		read_ports(s, ret) && read_metrics_from(s, ret);
}
