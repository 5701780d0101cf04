/*
 * ready.c - lowers `ready = tcp("http")` and similar probes. A probe names a port of its own container, so it is
 * lowered when the ports are in the plan.
 */
#include "lower/lower.h"

#include "diag/suggest.h"
#include "eval/plan_value.h"

static const struct value *probe_member(const struct value *probe, const char *name)
{
	const struct value *v = value_get(probe, str_of(name));
	return v && v->kind != VALUE_NONE ? v : NULL;
}

static bool has_port(const struct plan_container *c, struct str name)
{
	for (size_t i = 0; i < c->nports; i++)
		if (str_eq(c->ports[i].name, name))
			return true;
	return false;
}

static void report_port(struct lowering *l, const struct plan_container *c, struct str name, struct span at)
{
	struct suggest s;
	struct diag *d = diag_report(l->ev->diags, TJ0514, at,
		c != &l->plan->main ? "sidecar '%.*s' has no port '%.*s'" :
		"role '%.*s' has no port '%.*s'", STR_ARG((c == &l->plan->main ? l->role->name : c->name)),
		STR_ARG(name));
	suggest_init(&s, l->ev->arena, name);
	for (size_t i = 0; i < c->nports; i++)
		suggest_add(&s, c->ports[i].name);
	struct str help = suggest_or_list(&s, "its ports are");
	if (name.n && name.p[0] == '/')
		diag_help(l->ev->diags, d, "the first argument is a port, the second one the path: write "
			"http(\"%.*s\", \"%.*s\")", STR_ARG(c->nports ? c->ports[0].name : STR("http")), STR_ARG(name));
	if (name.n && name.p[0] == '/' && c->nports)
		return;
	if (help.n)
		diag_help(l->ev->diags, d, "%.*s", STR_ARG(help));
	else if (name.n && name.p[0] >= '0' && name.p[0] <= '9')
		diag_help(l->ev->diags, d,
			"refer to a port by its name: declare 'ports { http = %.*s }', and write \"http\"",
			STR_ARG(name));
	else
		diag_help(l->ev->diags, d, "declare it: ports { %.*s = 8000 }", STR_ARG(name.n && name.p[0] == '/' ?
			STR("http") : name));
}

/* Sets *RET to the time that a container has to become ready, in whole seconds; an hour by default. */
static bool start_time(struct lowering *l, const struct value *probe, struct span at, int64_t *ret)
{
	enum { HOUR = 3600 };
	const struct value *within = probe_member(probe, "within");
	*ret = HOUR;
	if (!within || within->kind != VALUE_QUANTITY)
		return true;
	*ret = (int64_t)(within->u.quantity.nano / QUANTITY_UNIT);
	if (*ret >= 1)
		return true;
	struct diag *d = diag_report(l->ev->diags, TJ0311, at, "'within' is less than a second");
	diag_help(l->ev->diags, d,
		"write the longest time that the program may take to start, for example within = 10min");
	return false;
}

void lower_ready(struct lowering *l, const struct value *v, struct span at, struct plan_container *c)
{
	struct plan_probe *p = ARENA_NEW(l->ev->arena, struct plan_probe);
	if (v->kind != VALUE_MAP)
		return;
	const struct value *tcp = probe_member(v, "tcp"), *http = probe_member(v, "http"),
		*path = probe_member(v, "path"), *exec = probe_member(v, "exec");
	const struct value *port = tcp ? tcp : http;
	p->from = at;
	if (!start_time(l, v, at, &p->within))
		return;
	if (!tcp + !http + !exec != 2) {
		struct diag *d = diag_report(l->ev->diags, TJ0302, at, "'ready' needs exactly one check");
		diag_help(l->ev->diags, d,
			"write tcp(\"PORT\"), http(\"PORT\", path = \"/health\") or exec([\"COMMAND\"])");
		return;
	}
	p->kind = tcp ? PROBE_TCP : http ? PROBE_HTTP : PROBE_EXEC;
	if (exec)
		p->command = value_strs(l->ev, exec, &p->ncommand);
	if (exec && !p->ncommand) {
		struct diag *d = diag_report(l->ev->diags, TJ0302, at, "'exec' needs a command");
		diag_help(l->ev->diags, d, "write its words: exec([\"test\", \"-f\", \"/tmp/ready\"])");
		return;
	}
	if (port && (port->kind != VALUE_STRING || !has_port(c, port->u.string))) {
		if (port->kind == VALUE_STRING && !l->role->torn && !l->job->checks_failed)
			report_port(l, c, port->u.string, at);
		return;
	}
	p->port = port ? port->u.string : STR("");
	p->path = path && path->kind == VALUE_STRING ? path->u.string : STR("/");
	c->ready = p;
}
