/*
 * plan_svg.c - writes `trainc plan -o svg`, a drawing of each job. A role is a band with its replicas and their
 * devices. On the right there is a lane for each port that is mentioned in a role's texts: it starts at the roles
 * that name the port and ends with an arrow at the role that listens on it.
 */
#include "plan/print.h"
#include "plan/totals.h"

enum {
	MARGIN = 24, BAND = 640, HEAD = 62, BOX = 56, GAP = 8, SLOT = 18, LANE = 20, SHOWN = 8, DEVICES = 8,
	RIGHT = MARGIN + BAND, FOOT = 16
};

/* A lane of the drawing: a port that a role listens on, and the roles that name it. */
struct lane {
	unsigned role;
	const struct plan_port *port;   /* the port; NULL if only the host is named */
	bool *from;                     /* for each role, by its position in plan_job.roles: does it name the port? */
};

struct drawing {
	struct arena arena;
	const struct plan_job *job;
	struct buf *out;
	struct lane *lanes;
	size_t nlanes;
	/* names[SOURCE * nroles + TARGET]: does the role SOURCE name a host of the role TARGET? */
	bool *names;
	bool *reaches;                  /* the same for ports: does SOURCE name a port of TARGET? */
	/* for each role: position and height of its band, and the next free slot at its right edge */
	int64_t *top, *height, *slot;
};

/* ---- which role names hosts and ports of which ---- */

static struct lane *lane_of(struct drawing *d, unsigned role, const struct plan_port *port)
{
	for (size_t i = 0; i < d->nlanes; i++)
		if (d->lanes[i].role == role && d->lanes[i].port == port)
			return &d->lanes[i];
	struct lane new = { .role = role, .port = port, .from = arena_alloc(&d->arena, d->job->nroles * sizeof(bool)) };
	memset(new.from, 0, d->job->nroles * sizeof(bool));
	ARENA_PUSH(&d->arena, d->lanes, d->nlanes, new);
	return &d->lanes[d->nlanes - 1];
}

static void measure_text(struct drawing *d, unsigned role, const struct text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct piece *p = &t->at[i];
		size_t pair = role * d->job->nroles + p->u.peer.role;
		if (p->kind == PIECE_HOST)
			d->names[pair] = true;
		if (p->kind != PIECE_PORT)
			continue;
		lane_of(d, p->u.peer.role, plan_find_port(&d->job->roles[p->u.peer.role], p->u.peer.port))->from[role] =
			true;
		d->reaches[pair] = true;
	}
}

static void read_texts(struct drawing *d, unsigned role, const struct plan_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		measure_text(d, role, &t->at[i]);
	for (int64_t i = 0; t->per_replica && i < d->job->roles[role].max; i++)
		for (size_t k = 0; k < t->per_replica[i].n; k++)
			measure_text(d, role, &t->per_replica[i].at[k]);
}

/* Reads a text, or the texts of all replicas. */
static void read_each(struct drawing *d, unsigned role, const struct text *text, const struct text *per_replica)
{
	if (!per_replica)
		measure_text(d, role, text);
	for (int64_t i = 0; per_replica && i < d->job->roles[role].max; i++)
		if (!text_is_absent(&per_replica[i]))
			measure_text(d, role, &per_replica[i]);
}

static void read_container(struct drawing *d, unsigned role, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nenv; i++)
		if (c->env[i].kind == ENV_TEXT)
			read_each(d, role, &c->env[i].text, c->env[i].per_replica);
	read_texts(d, role, &c->command);
	read_texts(d, role, &c->args);
}

static void measure_role(struct drawing *d, unsigned role)
{
	const struct plan_role *r = &d->job->roles[role];

	read_container(d, role, &r->main);
	for (size_t i = 0; i < r->nsidecars; i++)
		read_container(d, role, &r->sidecars[i]);
	for (size_t i = 0; i < r->ninits; i++)
		read_container(d, role, &r->inits[i]);
	for (size_t i = 0; i < r->nfiles; i++)
		read_each(d, role, &r->files[i].text, r->files[i].per_replica);
}

/*
 * Adds lanes to roles of which only hosts are named: the lane ends at the role's only port, or at no particular port.
 */
static void read_hosts(struct drawing *d)
{
	size_t n = d->job->nroles;

	for (unsigned from = 0; from < n; from++)
		for (unsigned to = 0; to < n; to++) {
			const struct plan_container *c = &d->job->roles[to].main;
			if (d->names[from * n + to] && !d->reaches[from * n + to] && d->job->roles[to].max)
				lane_of(d, to, c->nports == 1 ? &c->ports[0] : NULL)->from[from] = true;
		}
}

/* ---- shapes ---- */

static void put_label(struct drawing *d, int64_t x, int64_t y, const char *class, struct str s)
{
	buf_printf(d->out, "<text x=\"%lld\" y=\"%lld\" class=\"%s\">", (long long)x, (long long)y, class);
	buf_markup(d->out, s);
	buf_z(d->out, "</text>\n");
}

static void put_rect(struct drawing *d, int64_t x, int64_t y, int64_t width, int64_t height, const char *class)
{
	buf_printf(d->out, "<rect x=\"%lld\" y=\"%lld\" width=\"%lld\" height=\"%lld\" rx=\"%d\" class=\"%s\"/>\n",
		(long long)x, (long long)y,
		(long long)width, (long long)height, width > 10 ? 4 : 1, class);
}

/* Draws one replica: its number and a square for each of its devices. */
static void draw_replica(struct drawing *d, const struct plan_role *r, int64_t i, int64_t x, int64_t y)
{
	int64_t devices = r->accelerator ? r->accelerator->per_pod : 0;

	put_rect(d, x, y, BOX, BOX, i < r->min ? "replica" : "replica maybe");
	put_label(d, x + BOX / 2, y + 18, "number", str_int(&d->arena, i));
	if (devices > DEVICES) {
		put_label(d, x + BOX / 2, y + 42, "small middle",
			str_printf(&d->arena, "%lld dev.", (long long)devices));
		return;
	}
	for (int64_t k = 0; k < devices; k++)
		put_rect(d, x + 8 + k % 4 * 11, y + 28 + k / 4 * 12, 8, 8, "device");
}

static void put_replicas(struct drawing *d, const struct plan_role *r, int64_t y)
{
	int64_t x = MARGIN + 16, shown = r->max > SHOWN ? SHOWN - 2 : r->max;

	for (int64_t i = 0; i < shown; i++, x += BOX + GAP)
		draw_replica(d, r, i, x, y);
	if (r->max > SHOWN) {
		put_label(d, x + BOX / 2, y + BOX / 2 + 4, "number", STR("\xE2\x80\xA6"));
		draw_replica(d, r, r->max - 1, x + BOX + GAP, y);
	}
}

static struct str cpu_text(struct arena *a, const struct plan_role *r)
{
	struct plan_quantity q = plan_pod_cpu(r);

	return q.set ? str_cat(a, STR("cpu "), quantity_text(a, q.value), STR("")) : STR("");
}

static struct str memory_text(struct arena *a, const struct plan_role *r)
{
	struct plan_quantity q = plan_pod_memory(r);

	return q.set ? str_cat(a, STR("memory "), quantity_text(a, q.value), STR("")) : STR("");
}

static struct str facts(struct drawing *d, const struct plan_role *r)
{
	struct str cpu = plan_kinds_text(&d->arena, r, cpu_text), memory = plan_kinds_text(&d->arena, r, memory_text);
	struct buf text = { 0 };

	if (r->accelerator)
		buf_printf(&text, "%lld %.*s, ", (long long)r->accelerator->per_pod, STR_ARG(r->accelerator->resource));
	if (cpu.n)
		buf_printf(&text, "%.*s, ", STR_ARG(cpu));
	if (memory.n)
		buf_printf(&text, "%.*s, ", STR_ARG(memory));
	for (size_t i = 0; i < r->main.nports; i++)
		buf_printf(&text, "port %.*s %lld, ", STR_ARG(r->main.ports[i].name), (long long)r->main.ports[i].port);
	if (r->start_after)
		buf_printf(&text, "after %.*s, ", STR_ARG(plan_condition_text(&d->arena, d->job, r->start_after)));
	text.n -= text.n ? 2 : 0;
	struct str s = buf_take(&text, &d->arena);
	buf_release(&text);
	return s;
}

static void draw_role(struct drawing *d, unsigned role)
{
	const struct plan_role *r = &d->job->roles[role];
	int64_t y = d->top[role];
	struct str count = r->elastic ? str_printf(&d->arena, "%lld to %lld", (long long)r->min, (long long)r->max) :
		str_int(&d->arena, r->max);

	if (plan_is_sliced(r))
		count = str_printf(&d->arena, "%lld in %lld slices", (long long)r->max, (long long)r->slices);

	put_rect(d, MARGIN, y, BAND, d->height[role], r->aux ? "role aux" : "role");
	put_label(d, MARGIN + 16, y + 24, "name", str_printf(&d->arena, "%s%.*s \xC3\x97 %.*s", r->aux ? "aux " : "",
		STR_ARG(r->name), STR_ARG(count)));
	put_label(d, MARGIN + 16, y + 44, "small", facts(d, r));
	put_replicas(d, r, y + HEAD - 6);
}

/* ---- lanes ---- */

static int64_t next_slot(struct drawing *d, unsigned role)
{
	return d->top[role] + 14 + SLOT * d->slot[role]++;
}

static struct str lane_label(struct drawing *d, const struct lane *l)
{
	struct buf text = { 0 };
	const char *between = " from ";

	if (l->port)
		buf_printf(&text, "%.*s %lld", STR_ARG(l->port->name), (long long)l->port->port);
	else
		buf_z(&text, "host");
	for (size_t i = 0; i < d->job->nroles; i++)
		if (l->from[i]) {
			buf_printf(&text, "%s%.*s", between, STR_ARG(d->job->roles[i].name));
			between = ", ";
		}
	struct str s = buf_take(&text, &d->arena);
	buf_release(&text);
	return s;
}

static void put_lane(struct drawing *d, size_t number)
{
	const struct lane *l = &d->lanes[number];
	long long x = RIGHT + 18 + LANE * (int64_t)number, to = next_slot(d, l->role);

	for (unsigned i = 0; i < d->job->nroles; i++) {
		if (!l->from[i])
			continue;
		long long y = next_slot(d, i);
		buf_printf(d->out, "<path d=\"M%d %lldH%lldV%lld\" class=\"line\"/>\n", RIGHT, y, x, to);
	}
	buf_printf(d->out, "<path d=\"M%lld %lldH%d\" class=\"line\" marker-end=\"url(#arrow)\"/>\n", x, to, RIGHT + 2);
	put_label(d, RIGHT + 18 + LANE * (int64_t)d->nlanes, to + 4, "small", lane_label(d, l));
}

/*
 * The number of slots at the right edge of a role: one for each lane that ends there, and one for each lane that
 * starts there.
 */
static int64_t places(const struct drawing *d, unsigned role)
{
	int64_t n = 0;

	for (size_t i = 0; i < d->nlanes; i++)
		n += (d->lanes[i].role == role) + d->lanes[i].from[role];
	return n;
}

static int64_t layout(struct drawing *d, int64_t y)
{
	for (unsigned i = 0; i < d->job->nroles; i++) {
		int64_t least = HEAD + BOX + 8, wanted = 20 + SLOT * places(d, i);
		if (!d->job->roles[i].max)
			continue;
		d->top[i] = y;
		d->height[i] = wanted > least ? wanted : least;
		y += d->height[i] + GAP * 2;
	}
	return y;
}

/* ---- a job ---- */

static void draw_head(struct drawing *d, int64_t y)
{
	struct plan_totals t = plan_totals(&d->arena, d->job);
	struct buf text = { 0 };

	buf_printf(&text, "%lld pod%s", (long long)t.pods, t.pods == 1 ? "" : "s");
	for (size_t i = 0; i < t.ndevices; i++) {
		buf_z(&text, ", ");
		buf_str(&text, plan_device_text(&d->arena, &t.devices[i]));
	}
	if (d->job->success)
		buf_printf(&text, "; succeeds on %.*s",
			STR_ARG(plan_condition_text(&d->arena, d->job, d->job->success)));
	put_label(d, MARGIN, y + 28, "title", str_printf(&d->arena, "%.*s%s%.*s", STR_ARG(d->job->name),
		d->job->framework.n ? ": " : "",
		STR_ARG(d->job->framework)));
	put_label(d, MARGIN, y + 48, "small", buf_text(&text));
	buf_release(&text);
}

static bool *flags(struct drawing *d, size_t n)
{
	bool *set = arena_alloc(&d->arena, n * sizeof(bool) + 1);

	memset(set, 0, n * sizeof(bool));
	return set;
}

/* Draws the job below Y; returns the position below it. *WIDTH is the width that the job needs. */
static int64_t draw_job(const struct plan_job *job, int64_t y, int64_t *width, struct buf *out)
{
	struct drawing d = { .job = job, .out = out };
	size_t n = job->nroles;

	d.names = flags(&d, n * n);
	d.reaches = flags(&d, n * n);
	d.top = arena_alloc(&d.arena, (3 * n + 1) * sizeof(int64_t));
	memset(d.top, 0, (3 * n + 1) * sizeof(int64_t));
	d.height = d.top + n;
	d.slot = d.height + n;
	for (unsigned i = 0; i < n; i++)
		measure_role(&d, i);
	read_hosts(&d);
	draw_head(&d, y);
	y = layout(&d, y + 64);
	for (unsigned i = 0; i < n; i++)
		if (job->roles[i].max)
			draw_role(&d, i);
	for (size_t i = 0; i < d.nlanes; i++) {
		int64_t needed = RIGHT + 18 + LANE * (int64_t)d.nlanes + 7 * (int64_t)lane_label(&d, &d.lanes[i]).n +
			MARGIN;
		*width = needed > *width ? needed : *width;
		put_lane(&d, i);
	}
	arena_release(&d.arena);
	return y + FOOT;
}

static const char style[] =
	"<style>\n"
	"svg{font:13px system-ui,sans-serif;--ink:#1c2330;--dim:#5b6472;--band:#f3f5f8;--edge:#c3cad4;--box:#fff;"
		"--mark:#2563b0;--line:#7a4fb5;background:#fff}\n"
	"@media(prefers-color-scheme:dark){svg{--ink:#e6e9ee;--dim:#a4adba;--band:#1d232c;--edge:#434c59;--box:#2a323d;"
		"--mark:#6ca8f0;--line:#b99af0;background:#12161c}}\n"
	"text{fill:var(--ink)}.title{font-size:18px;font-weight:600}.name{font-weight:600}.small{font-size:12px;"
		"fill:var(--dim)}\n"
	".number,.middle{text-anchor:middle}.role{fill:var(--band);stroke:var(--edge)}.aux{stroke-dasharray:6 4}"
		".replica{fill:var(--box);stroke:var(--edge)}\n"
	".maybe{stroke-dasharray:3 3}.device{fill:var(--mark)}.line{fill:none;stroke:var(--line);stroke-width:1.5}"
		".head{fill:var(--line)}\n"
	"</style>\n"
	"<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
		"orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" class=\"head\"/></marker></defs>\n";

void plan_print_svg(const struct plan *plan, struct buf *out)
{
	struct buf body = { 0 };
	int64_t y = 0, width = RIGHT + MARGIN;

	for (size_t i = 0; i < plan->njobs; i++)
		y = draw_job(&plan->jobs[i], y, &width, &body);
	buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%lld\" height=\"%lld\" viewBox=\"0 0 %lld "
		"%lld\" role=\"img\">\n"
		"<title>Roles, replicas, devices and connections</title>\n", (long long)width, (long long)y,
		(long long)width, (long long)y);
	buf_z(out, style);
	buf_str(out, buf_text(&body));
	buf_z(out, "</svg>\n");
	buf_release(&body);
}
