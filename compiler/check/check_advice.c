/*
 * check_advice.c - adds help to a type error when the value as written and the expected type together show what was
 * meant.
 */
#include "check/context.h"
#include "check/library_device.h"

#include <stdlib.h>

#include "base/buf.h"

enum { LONGEST = 100 };                 /* maximum length of a replacement that help proposes */

struct advice {
	struct check *check;
	struct diag *diag;
	const struct node *found;
	/* `words`: the source text of `found`; `text`: if that is a plain string, its content, otherwise empty */
	struct str words, text;
	const struct site *site;
};

static void without_quotes(struct advice *a)
{
	struct diags *ds = a->check->diags;

	diag_help(ds, a->diag, "write %.*s without quotes", STR_ARG(a->text));
	diag_fix(ds, a->diag, a->found->span, a->text, "remove the quotes");
}

/* ---- devices ---- */

static bool has_accelerators(const struct module *m)
{
	for (size_t i = 0; i < m->values.n; i++)
		if (((const struct decl *)m->values.entries[i].value)->kind == DECL_ACCELERATOR)
			return true;
	return false;
}

/*
 * The import of the module that declares the accelerator DEVICE (*RET_EXACT is set), or else of any module with
 * accelerators.
 */
static const struct decl *device_module(struct advice *a, struct str device, bool *ret_exact)
{
	const struct map *values = &a->check->at.module->values;
	const struct decl *any = NULL;

	for (size_t i = 0; i < values->n; i++) {
		const struct decl *d = values->entries[i].value;
		const struct module *m = d->kind == DECL_IMPORT ? d->node->u.import.module : NULL;
		const struct decl *named = m && device.n ? map_get(&m->values, device) : NULL;
		*ret_exact = named && named->kind == DECL_ACCELERATOR;
		if (*ret_exact)
			return d;
		if (m && !any && has_accelerators(m))
			any = d;
	}
	return any;
}

/* The name under which 'trainc explain' lists a module of the library; empty for other modules. */
struct str module_topic(const struct module *m)
{
	return str_starts(m->dotted, STR("std.")) ? (struct str){ m->dotted.p + 4, m->dotted.n - 4 } : STR("");
}

/*
 * The name under which to look up the imported module: its topic in 'trainc explain', or else the name that the import
 * binds.
 */
static struct str topic_of(const struct decl *import)
{
	struct str topic = module_topic(import->node->u.import.module);

	return topic.n ? topic : import->name;
}

/* Splits "h100:8", "8xh100" or "h100 x 8" into the name of the product and the number. */
static void split_device(struct str text, struct str *ret_name, struct str *ret_number)
{
	static const char digits[] = "0123456789", between[] = " x*:=,";
	size_t front = strspn(text.p ? text.p : "", digits), end = text.n, back;

	*ret_name = text;
	if (front && front < text.n && strchr(between, text.p[front])) {
		size_t gap = strspn(text.p + front, between);
		*ret_number = (struct str){ text.p, front };
		*ret_name = (struct str){ text.p + front + gap, text.n - front - gap };
		return;
	}
	while (end && strchr(digits, text.p[end - 1]))
		end--;
	back = end;
	while (back && strchr(between, text.p[back - 1]))
		back--;
	if (!back || back == end || end == text.n)
		return;
	*ret_number = (struct str){ text.p + end, text.n - end };
	*ret_name = (struct str){ text.p, back };
}

/* Reads a device from { type = "h100", count = 8 }. */
static void device_of_record(struct check *c, const struct node *body, struct str *ret_name, struct str *ret_number)
{
	static const char *const names[] = { "type", "name", "kind", "model", "device" },
		*const numbers[] = { "count", "number", "num", "devices" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct node *n = body_member(body, names[i]);
		struct str text;
		if (n && node_static_text(n, &text))
			*ret_name = text;
	}
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const struct node *n = body_member(body, numbers[i]);
		if (n && n->kind == NODE_INT)
			*ret_number = node_words(c, n);
	}
}

static bool is_device(const struct node *n)
{
	return n->type && n->type->kind == TYPE_ACCELERATOR;
}

void help_import_device(struct check *c, struct diag *d, struct str module, struct str call)
{
	diag_help(c->diags, d, "write 'import std.%.*s' at the top of the file and '%.*s.%.*s' here", STR_ARG(module),
		STR_ARG(module), STR_ARG(call));
}

static void device(struct advice *a)
{
	struct diags *ds = a->check->diags;
	bool exact = false;
	struct str module, name = a->text, number = a->found->kind == NODE_INT ? a->words : STR("1");
	if (a->found->kind == NODE_LIST && a->found->u.list.n == 1 && is_device(a->found->u.list.at[0])) {
		struct str only = node_words(a->check, a->found->u.list.at[0]);
		diag_help(ds, a->diag, "write %.*s without brackets", STR_ARG(only));
		diag_fix(ds, a->diag, a->found->span, only, "remove the brackets");
		return;
	}
	if (a->found->kind == NODE_BODY)
		device_of_record(a->check, a->found, &name, &number);
	else
		split_device(a->text, &name, &number);
	name = str_lower(a->check->arena, name);        /* accelerators have names in lower case */
	const struct decl *import = device_module(a, name, &exact);

	if (exact) {
		struct str call = str_printf(a->check->arena, "%.*s.%.*s(%.*s)", STR_ARG(import->name), STR_ARG(name),
			STR_ARG(number));
		diag_help(ds, a->diag, "write '%.*s' with the number of devices", STR_ARG(call));
		diag_fix(ds, a->diag, a->found->span, call, "write '%.*s'", STR_ARG(call));
	} else if (import)
		diag_help(ds, a->diag, "write '%.*s.DEVICE(%.*s)'; 'trainc explain %.*s' lists the devices",
			STR_ARG(import->name), STR_ARG(number), STR_ARG(topic_of(import)));
	else if ((name = library_device(name, &module)).n)
		help_import_device(a->check, a->diag, module,
			str_printf(a->check->arena, "%.*s(%.*s)", STR_ARG(name), STR_ARG(number)));
	else
		diag_help(ds, a->diag, "import the module of the device, and write 'MODULE.DEVICE(%.*s)'",
			STR_ARG(number));
}

/* An accelerator that can serve in an example. */
static struct str some_device(const struct module *m)
{
	for (size_t i = 0; i < m->values.n; i++) {
		const struct decl *d = m->values.entries[i].value;
		if (d->kind == DECL_ACCELERATOR && d->name.p[0] != '_')
			return d->name;
	}
	return STR("DEVICE");
}

void advise_device(struct check *c, struct diag *d, const struct module *m, struct str name)
{
	const struct map *values = &c->at.module->values;
	struct str device = some_device(m), shown = STR("MODULE");
	struct str topic = module_topic(m);

	for (size_t i = 0; i < values->n; i++) {
		const struct decl *import = values->entries[i].value;
		if (import->kind == DECL_IMPORT && import->node->u.import.module == m)
			shown = import->name;
	}
	diag_help(c->diags, d, "name the product, such as '%.*s.%.*s'", STR_ARG(shown), STR_ARG(device));
	if (topic.n)
		diag_help(c->diags, d, "'trainc explain %.*s' lists them", STR_ARG(topic));
	struct str resource = name.n ? library_counted(topic) : name;
	if (resource.n)
		diag_help(c->diags, d, "or declare another one in the file, accelerator %.*s(count: int(1..8)) { "
			"resource = \"%.*s\", per_pod = count }, and write '%.*s' without '%.*s.'", STR_ARG(name),
			STR_ARG(resource), STR_ARG(name), STR_ARG(shown));
}

/*
 * The accelerator that a name or a member refers to, looked up without reporting anything; NULL when it is something
 * else.
 */
static struct decl *accelerator_of(struct check *c, const struct node *n)
{
	struct decl *d = NULL;
	if (n->kind == NODE_NAME) {
		d = scope_peek(c, n->u.name.text);
	} else if (n->kind == NODE_MEMBER && n->u.member.base->kind == NODE_NAME) {
		const struct decl *import = scope_peek(c, n->u.member.base->u.name.text);
		if (import && import->kind == DECL_IMPORT && import->node->u.import.module)
			d = map_get(&import->node->u.import.module->values, n->u.member.name);
	}
	return d && d->kind == DECL_ACCELERATOR ? d : NULL;
}

/*
 * Reads a topology at P, such as 2x2x4: returns the length of its text and stores the number of its chips in
 * *RET_CHIPS; returns 0 if P is not at a topology.
 */
static size_t topology_at(const char *p, long long *ret_chips)
{
	size_t n = strspn(p, "0123456789x");
	long long chips = 1;

	for (size_t i = 0; i < n; i++) {
		size_t digits = strspn(p + i, "0123456789");
		if (!digits || digits > 4)
			return 0;
		chips *= strtoll(p + i, NULL, 10);
		i += digits;
	}
	*ret_chips = chips;
	return n && memchr(p, 'x', n) ? n : 0;
}

struct str topology_example(const struct decl *device, long long chips, long long *ret_chips)
{
	struct str best = STR("");

	for (size_t i = 0; i < device->doc.n; i++) {
		long long have = 0;
		bool starts = i == 0 || device->doc.p[i - 1] == ' ' || device->doc.p[i - 1] == '\n';
		size_t n = starts ? topology_at(device->doc.p + i, &have) : 0;
		if (n && have <= chips && (!best.n || have > *ret_chips)) {
			best = (struct str){ device->doc.p + i, n };
			*ret_chips = have;
		}
	}
	return best;
}

/* Reports tpu.v5p-128, which names a slice by a number: slices are named by their topology. */
static void report_topology_needed(struct check *c, struct node *n, const struct decl *device, struct str words,
	long long count)
{
	long long chips = 0;
	struct str example = topology_example(device, count, &chips);
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "'%.*s' needs the topology of its slice",
		STR_ARG(words));

	diag_note(c->diags, d, device->span, "declared here");
	if (example.n)
		diag_help(c->diags, d, "write '%.*s(%.*s)' for %lld chips", STR_ARG(words), STR_ARG(example), chips);
	else
		diag_help(c->diags, d, "write '%.*s(TOPOLOGY)'; 'trainc explain' shows the topologies of the device",
			STR_ARG(words));
}

/* Marks the declaration that the first name of NODE refers to as used. */
static void use_mention(struct check *c, const struct node *node)
{
	while (node->kind == NODE_MEMBER)
		node = node->u.member.base;
	decl_use(c, scope_peek(c, node->u.name.text));
}

bool report_uncalled_accelerator(struct check *c, struct node *n, const struct node *base, const struct node *count)
{
	struct decl *device = accelerator_of(c, base);
	if (!device)
		return false;
	struct str words = node_words(c, base), number = node_words(c, count);
	decl_type(c, device);                   /* computes the types of its arguments as well */
	bool topology = device->nformals && device->formals[0]->type && device->formals[0]->type->kind == TYPE_TOPOLOGY;
	if (topology && count->kind == NODE_INT) {
		report_topology_needed(c, n, device, words, (long long)count->u.integer.value);
		use_mention(c, base);
		return true;
	}
	struct str call = str_printf(c->arena, "%.*s(%.*s)", STR_ARG(words), STR_ARG(number));
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "write the number of devices in parentheses");
	diag_help(c->diags, d, "write '%.*s'", STR_ARG(call));
	diag_fix(c->diags, d, n->span, call, "write '%.*s'", STR_ARG(call));
	use_mention(c, base);
	return true;
}

static void topology(struct advice *a)
{
	size_t n = strspn(a->text.p ? a->text.p : "", "0123456789x");

	if (a->text.n >= 3 && n >= a->text.n && memchr(a->text.p, 'x', a->text.n))
		without_quotes(a);
	else
		diag_help(a->check->diags, a->diag, "a topology is written 4x4, or 2x2x4 with three sides");
}

/* ---- roles and conditions ---- */

/* The name of a role for use in an example: of another one than the role around it, if there is one. */
static struct str some_role(struct check *c)
{
	const struct scope *s = scope_around(c, SCOPE_JOB), *around = scope_around(c, SCOPE_ROLE);
	const struct decl *self = around ? around->self : NULL;
	s = s ? s : scope_around(c, SCOPE_FRAMEWORK);
	for (size_t i = 0; s && i < s->names.n; i++) {
		const struct decl *d = s->names.entries[i].value;
		if (d->kind == DECL_ROLE && d != self)
			return d->name;
	}
	return self ? STR("ROLE") : STR("worker");
}

void help_roles(struct check *c, struct diag *d)
{
	const struct scope *s = scope_around(c, SCOPE_JOB);
	struct str names = STR("");
	s = s ? s : scope_around(c, SCOPE_FRAMEWORK);
	for (size_t i = 0; s && i < s->names.n; i++) {
		const struct decl *role = s->names.entries[i].value;
		if (role->kind == DECL_ROLE)
			names = str_printf(c->arena, "%.*s%s%.*s", STR_ARG(names), names.n ? ", " : "",
				STR_ARG(role->name));
	}
	if (names.n)
		diag_help(c->diags, d, "the roles are: %.*s", STR_ARG(names));
}

/*
 * Proposes conditions: 'success' of a job takes done(ROLE); a role that waits for another also takes started(ROLE) or
 * ready(ROLE).
 */
static void advise_condition(struct advice *a)
{
	struct check *c = a->check;
	bool role = a->found->type->kind == TYPE_ROLE;
	const struct decl *named = str_is_word(a->text) ? scope_peek(c, a->text) : NULL;
	struct str name = role ? a->words : named && named->kind == DECL_ROLE ? a->text : some_role(c);

	const struct scope *around = scope_around(c, SCOPE_ROLE);

	if (around && around->self && str_eq(name, around->self->name))
		name = some_role(c);            /* a role cannot wait for itself */
	if (!str_is(a->site->name, "success")) {
		diag_help(c->diags, a->diag, "write 'ready(%.*s)', 'started(%.*s)' or 'done(%.*s)'", STR_ARG(name),
			STR_ARG(name), STR_ARG(name));
		return;
	}
	struct str call = str_printf(c->arena, "done(%.*s)", STR_ARG(name));
	diag_help(c->diags, a->diag, "write '%.*s'", STR_ARG(call));
	if (role)
		diag_fix(c->diags, a->diag, a->found->span, call, "write '%.*s'", STR_ARG(call));
}

/* ---- volumes, maps ---- */

/* Lists the functions whose result has a certain type: "pvc(...), scratch(...)". */
static struct str makers(struct check *c, const char *result)
{
	struct str text = STR("");
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct function_row *f = schema_function((enum function)i);
		if (str_ends(str_of(f->signature), str_of(result)))
			text = str_printf(c->arena, "%.*s%s%s%s", STR_ARG(text), text.n ? ", " : "", f->name,
				*f->signature == '(' ? "(...)" : "");
	}
	return text;
}

/* Is TEXT one of the names in MADE, and a function that is written without arguments, such as pack? */
static bool is_constant_of(struct str text, struct str made)
{
	for (size_t i = 0; i < FUNCTIONS && text.n; i++) {
		const struct function_row *f = schema_function((enum function)i);
		if (str_is(text, f->name))
			return *f->signature != '(' && memmem(made.p, made.n, text.p, text.n);
	}
	return false;
}

/* Names the functions that make a value of the built-in record type WANT. */
static void made(struct advice *a, const struct type *want)
{
	struct str name = want->record->name,
		all = makers(a->check, str_printf(a->check->arena, "-> %.*s", STR_ARG(name)).p);

	if (is_constant_of(a->text, all))
		without_quotes(a);
	else if (all.n)
		diag_help(a->check->diags, a->diag, "a %.*s is made by %.*s", STR_ARG(name), STR_ARG(all));
	else if (str_is(name, "security"))
		diag_help(a->check->diags, a->diag,
			"write security = \"restricted\", or settings in a block, such as security { run_as = 1000 }");
}

static void advise_volume(struct advice *a)
{
	struct diags *ds = a->check->diags;
	struct str all = makers(a->check, "-> volume");

	bool name = a->site->name.n && a->site->name.p[0] != '/';

	if (a->text.n && memmem(a->text.p, a->text.n, "://", 3))
		diag_help(ds, a->diag,
			"an object store cannot be mounted: mount a claim, or pass the address, 'env { DATA = %.*s }'",
			STR_ARG(a->words));
	else if (name && memmem(a->site->name.p, a->site->name.n, "://", 3))
		diag_help(ds, a->diag, "an object store cannot be mounted: mount a claim, or pass the address, "
			"'env { DATA = \"%.*s\" }'", STR_ARG(a->site->name));
	else if (a->text.n && a->text.p[0] == '/' && name)
		diag_help(ds, a->diag, "the path comes first: \"%.*s\" = pvc(\"%.*s\")", STR_ARG(a->text),
			STR_ARG(a->site->name));
	else if (!a->text.n)
		diag_help(ds, a->diag, "write one of %.*s", STR_ARG(all));
	else if (a->text.p[0] == '/')
		diag_help(ds, a->diag,
			"write 'host_path(\"%.*s\")' for a directory of the node, 'pvc(\"...\")' for a claim",
			STR_ARG(a->text));
	else
		diag_help(ds, a->diag, "write 'pvc(\"%.*s\")' for a claim of this name", STR_ARG(a->text));
}

/* Appends `"A=1"` or `{ name = "A", value = "1" }` as `A = "1"`; false for any other form. */
static bool put_entry(struct check *c, struct buf *out, const struct node *n)
{
	struct str text, key, value;
	if (node_static_text(n, &text)) {
		const char *equals = memchr(text.p, '=', text.n);
		if (!equals)
			return false;
		key = (struct str){ text.p, (size_t)(equals - text.p) };
		value = (struct str){ equals + 1, text.n - key.n - 1 };
		if (memchr(value.p, '"', value.n) || memchr(value.p, '\\', value.n) || memchr(value.p, '\n', value.n))
			return false;
		value = str_printf(c->arena, "\"%.*s\"", STR_ARG(value));
	} else {
		const struct node *name = body_member(n, "name"), *v = name ? body_member(n, "value") : NULL;
		bool certain = v || (name && n->u.body.items.n == 1);   /* a variable without a value is empty */
		if (!name || !node_static_text(name, &key))
			return false;
		value = v ? source_text(c->program->sources, v->span) : certain ? STR("\"\"") :
			env_reference(c, n, &certain);
		if (!certain)
			return false;
	}
	if (!str_is_word(key) || value.n > LONGEST)
		return false;
	buf_printf(out, "%s%.*s = %.*s", out->n ? ", " : "", STR_ARG(key), STR_ARG(value));
	return true;
}

/* One variable or a list of variables, rewritten as the items of a body; empty when N is something else. */
static struct str entries(struct check *c, const struct node *n)
{
	struct buf out = { 0 };
	bool all = n->kind == NODE_LIST ? n->u.list.n != 0 : put_entry(c, &out, n);
	for (size_t i = 0; n->kind == NODE_LIST && all && i < n->u.list.n; i++)
		all = put_entry(c, &out, n->u.list.at[i]);
	struct str text = all && out.n <= LONGEST ? buf_take(&out, c->arena) : STR("");
	buf_release(&out);
	return text;
}

/* Appends `http = 6006`; false when N is not a port number. */
static bool put_numbered(struct check *c, struct buf *out, struct str name, const struct node *n)
{
	struct str number = n->kind == NODE_INT ? node_words(c, n) : STR("");

	if (!str_is_word(name) || (!number.n && (n->kind != NODE_STRING || !node_static_text(n, &number))))
		return false;
	if (!number.n || number.n > 5 || strspn(number.p, "0123456789") < number.n)
		return false;
	buf_printf(out, "%s%.*s = %.*s", out->n ? ", " : "", STR_ARG(name), STR_ARG(number));
	return true;
}

/*
 * Appends a port, which is given as a number or as an element of `ports` of a Kubernetes container. The first port
 * without a name is called http, since most of them serve a web page.
 */
static bool put_port(struct check *c, struct buf *out, const struct node *n)
{
	static const char *const fields[] = { "containerPort", "port", "number" };
	const struct node *named = n->kind == NODE_BODY ? body_member(n, "name") : NULL;
	struct str name = STR("http");

	if (n->kind != NODE_BODY)
		return !out->n && put_numbered(c, out, name, n);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		const struct node *number = body_member(n, fields[i]);
		if (number && (named ? node_static_text(named, &name) : !out->n))
			return put_numbered(c, out, name, number);
	}
	return false;
}

/* One port or a list of ports, rewritten as the items of a body; stops at the first element of another form. */
static struct str port_items(struct check *c, const struct node *n)
{
	struct buf out = { 0 };
	bool more = n->kind != NODE_LIST && put_port(c, &out, n);
	for (size_t i = 0; n->kind == NODE_LIST && (i == 0 || more) && i < n->u.list.n; i++)
		more = put_port(c, &out, n->u.list.at[i]);
	struct str text = out.n <= LONGEST ? buf_take(&out, c->arena) : STR("");
	buf_release(&out);
	return text;
}

/* Proposes a map where the value is a list as Kubernetes writes it. */
static void advise_map(struct advice *a, const struct type *elem)
{
	struct check *c = a->check;
	struct str name = a->site->name, written = entries(c, a->found);
	elem = type_strip_pod(type_strip_optional(elem));
	bool variables = elem->kind == TYPE_ENV_VALUE || type_is_text(elem);
	struct str numbered = elem->port ? port_items(c, a->found) : STR("");
	const char *entry = elem->kind == TYPE_VOLUME ? "\"/data\" = pvc(\"name\")" : elem->port ? "http = 8000" :
	                    elem->kind == TYPE_ENV_VALUE ? "NAME = \"value\"" :
	                    str_is(name, "files") ? "\"/etc/app.conf\" = \"text\"" : variables ? "key = \"value\""
	                    	: NULL;

	if (elem->kind == TYPE_LIST && elem->or_one && name.n) {
		diag_help(c->diags, a->diag, "name the label of the nodes: %.*s { \"kubernetes.io/hostname\" = %.*s }",
			STR_ARG(name), STR_ARG(a->words));
	} else if (variables && written.n && name.n) {
		diag_help(c->diags, a->diag, "write '%.*s { %.*s }'", STR_ARG(name), STR_ARG(written));
		diag_fix(c->diags, a->diag, a->found->span, str_printf(c->arena, "{ %.*s }", STR_ARG(written)),
			"write a map");
	} else if (numbered.n && name.n) {
		diag_help(c->diags, a->diag, "write '%.*s { %.*s }'", STR_ARG(name), STR_ARG(numbered));
	} else if (entry && name.n) {
		diag_help(c->diags, a->diag, "write '%.*s { %s }'", STR_ARG(name), entry);
	}
}

/* ---- ranges for replicas ---- */

/* Finds the two numbers in "2:4", "2..4", "2-4", "2 to 4" or "2, 4". */
static bool numbers_in(struct str s, struct str *ret_lo, struct str *ret_hi)
{
	static const char digits[] = "0123456789";
	size_t lo = strspn(s.p ? s.p : "", digits), gap = lo + strcspn(s.p ? s.p + lo : "", digits);

	if (!lo || gap >= s.n || gap + strspn(s.p + gap, digits) < s.n)
		return false;
	*ret_lo = (struct str){ s.p, lo };
	*ret_hi = (struct str){ s.p + gap, s.n - gap };
	struct str between = { s.p + lo, gap - lo };
	while (between.n && between.p[0] == ' ')
		between = (struct str){ between.p + 1, between.n - 1 };
	while (between.n && between.p[between.n - 1] == ' ')
		between.n--;
	return str_is(between, ":") || str_is(between, "..") || str_is(between, "...") || str_is(between, "-") ||
	       str_is(between, "to") || str_is(between, ",");
}

/* Finds the ends of a range in another notation: 2..4, [2, 4], { min = 2, max = 4 }, range(2, 4). */
static bool ends_of(struct check *c, const struct node *n, struct str *ret_lo, struct str *ret_hi)
{
	const struct node *lo = NULL, *hi = NULL;
	struct str text;

	if (n->kind == NODE_STRING)
		return node_static_text(n, &text) && numbers_in(text, ret_lo, ret_hi);
	if (n->kind == NODE_RANGE) {
		lo = n->u.op.left;
		hi = n->u.op.right;
	} else if (n->kind == NODE_LIST && n->u.list.n == 2) {
		lo = n->u.list.at[0];
		hi = n->u.list.at[1];
	} else if (n->kind == NODE_BODY) {
		lo = body_member(n, "min");
		hi = body_member(n, "max");
	} else if (n->kind == NODE_CALL && n->u.call.args.n == 2) {
		struct node *const *args = n->u.call.args.at;
		lo = args[0]->kind == NODE_ARG ? args[0]->u.arg.value : NULL;
		hi = args[1]->kind == NODE_ARG ? args[1]->u.arg.value : NULL;
	}
	if (!lo || !hi || (lo->kind != NODE_INT && lo->kind != NODE_NAME) ||
	    (hi->kind != NODE_INT && hi->kind != NODE_NAME))
		return false;
	*ret_lo = node_words(c, lo);
	*ret_hi = node_words(c, hi);
	return true;
}

static void advise_elastic(struct advice *a)
{
	struct str lo, hi, range;

	if (!ends_of(a->check, a->found, &lo, &hi))
		return;
	range = str_cat(a->check->arena, lo, STR(":"), hi);
	diag_help(a->check->diags, a->diag, "write %.*s", STR_ARG(range));
	diag_fix(a->check->diags, a->diag, a->found->span, range, "write %.*s", STR_ARG(range));
}

/* Does the function's name suggest a range? Other calls with two numbers, such as pow(2, 3), mean something else. */
static bool names_range(struct str function)
{
	static const char *const words[] = { "elastic", "between", "interval", "autoscale", "scale", "minmax",
		"min_max", "from_to", "Range", "replicas" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(function, words[i]))
			return true;
	return false;
}

bool report_elastic_call(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	const struct node *callee = n->u.call.callee;
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : &type_bad;
	struct str lo, hi;
	bool range = core->kind == TYPE_ELASTIC || (core->kind == TYPE_INT && str_is(site->name, "replicas"));

	if (!range || callee->kind != NODE_NAME || scope_peek(c, callee->u.name.text) ||
		!names_range(callee->u.name.text) || !ends_of(c, n, &lo, &hi))
		return false;
	struct diag *d = diag_report(c->diags, TJ0302, n->span,
		"a range of replicas is two numbers with ':' between them");
	struct str text = str_cat(c->arena, lo, STR(":"), hi);
	diag_help(c->diags, d, "write %.*s", STR_ARG(text));
	diag_fix(c->diags, d, n->span, text, "write %.*s", STR_ARG(text));
	return true;
}

/* `gang = true`: proposes the kinds of gang to choose from. */
static void advise_gang_kind(struct advice *a, const struct type *want)
{
	struct diags *ds = a->check->diags;
	bool yes = a->found->kind == NODE_BOOL && a->found->u.boolean;

	for (size_t i = 0; a->found->kind == NODE_BOOL && a->site->name.n && i < want->n; i++) {
		struct str word = want->words[i];
		if (str_is(word, "none") == yes)
			continue;
		if (yes) {
			diag_help(ds, a->diag,
				"write which one, as in '%.*s = \"%.*s\"'; 'trainc explain %.*s' explains the choices",
				STR_ARG(a->site->name), STR_ARG(word), STR_ARG(a->site->name));
		} else {
			diag_help(ds, a->diag, "write \"none\"");
			diag_fix(ds, a->diag, a->found->span, STR("\"none\""), "write \"none\"");
		}
		return;
	}
}

/* Proposes the only element of a list such as `[4]`, where the type wants 4. */
static bool only_element(struct advice *a, const struct type *want)
{
	const struct node *n = a->found, *element = n->kind == NODE_LIST && n->u.list.n == 1 ? n->u.list.at[0] : NULL;
	bool amount = element && (element->kind == NODE_INT || element->kind == NODE_FLOAT ||
		element->kind == NODE_QUANTITY);

	if (!amount || !element->type || type_fit(want, element->type) != FIT_OK)
		return false;
	struct str words = node_words(a->check, element);
	diag_help(a->check->diags, a->diag, "write %.*s without brackets", STR_ARG(words));
	diag_fix(a->check->diags, a->diag, n->span, words, "remove the brackets");
	return true;
}

/* Proposes the short form of a taint instead of { key = "gpu", value = "a", effect = "NoSchedule" }. */
static bool advise_toleration(struct advice *a)
{
	struct check *c = a->check;
	const struct node *key = a->found->kind == NODE_BODY ? body_member(a->found, "key") : NULL;
	const struct node *value = key ? body_member(a->found, "value") : NULL,
		*effect = key ? body_member(a->found, "effect") : NULL;
	struct str k, v = STR(""), e = STR("");

	if (!key || !node_static_text(key, &k) || (value && !node_static_text(value, &v)) ||
	    (effect && !node_static_text(effect, &e)))
		return false;
	struct str text = str_printf(c->arena, "\"%.*s%s%.*s%s%.*s\"", STR_ARG(k), v.n ? "=" : "", STR_ARG(v),
		e.n ? ":" : "", STR_ARG(e));
	diag_help(c->diags, a->diag, "write %.*s", STR_ARG(text));
	diag_fix(c->diags, a->diag, a->found->span, text, "write %.*s", STR_ARG(text));
	return true;
}

/* Proposes one joined text instead of a list. */
static void joined(struct advice *a, const struct type *want)
{
	struct check *c = a->check;
	const struct node *n = a->found;

	if (n->type->kind != TYPE_LIST && n->type->kind != TYPE_EMPTY)
		return;
	if (c->at.node && a->site->name.n) {
		struct str key = str_is_word(a->site->name) ? a->site->name :
			str_cat(c->arena, STR("\""), a->site->name, STR("\""));
		diag_help(c->diags, a->diag, "one of several values is a field of its own: node_in { %.*s = %.*s }",
			STR_ARG(key), STR_ARG(a->words));
		return;
	}
	if (n->kind == NODE_LIST && n->u.list.n == 1 && n->u.list.at[0]->kind != NODE_SPREAD) {
		struct str one = source_text(c->program->sources, n->u.list.at[0]->span);
		diag_help(c->diags, a->diag, "write %.*s without brackets", STR_ARG(one));
		diag_fix(c->diags, a->diag, n->span, one, "remove the brackets");
	} else if (want->kind == TYPE_STRING) {
		struct str joined = words_joined(c, a->words, n->type);
		if (!joined.n || str_starts(joined, STR("join([")))
			diag_help(c->diags, a->diag, "write '%.*s'", STR_ARG(joined.n ? joined :
				str_printf(c->arena, "json(%.*s)", STR_ARG(a->words))));
		else
			diag_help(c->diags, a->diag, "write '%.*s' or 'lines(%.*s)'", STR_ARG(joined),
				STR_ARG(a->words));
	}
}

bool report_swapped(struct check *c, const struct node *call)
{
	struct nodes args = call->u.call.args;
	const struct node *first, *second;

	if (args.n != 2 || args.at[0]->kind != NODE_ARG || args.at[1]->kind != NODE_ARG || args.at[0]->u.arg.name.p ||
	    args.at[1]->u.arg.name.p)
		return false;
	first = args.at[0]->u.arg.value;
	second = args.at[1]->u.arg.value;
	if (first->kind != NODE_STRING || second->kind == NODE_STRING)
		return false;
	struct str callee = node_words(c, call->u.call.callee), a = node_words(c, first), b = node_words(c, second);
	struct str both = str_printf(c->arena, "(%.*s, %.*s)", STR_ARG(b), STR_ARG(a));
	struct diag *d = diag_report(c->diags, TJ0318, call->u.call.args_span,
		"the arguments of '%.*s' are the other way round", STR_ARG(callee));
	diag_help(c->diags, d, "write '%.*s%.*s'", STR_ARG(callee), STR_ARG(both));
	if (source_text(c->program->sources, first->span).n == a.n &&
	    source_text(c->program->sources, second->span).n == b.n)
		diag_fix(c->diags, d, call->u.call.args_span, both, "swap them");
	return true;
}

void advise_record(struct check *c, struct diag *d, struct str field, struct str type)
{
	if (schema_find(BLOCK_ROLE, field))
		diag_help(c->diags, d, "for fields of a role declare it as 'let NAME: Role = { ... }'");
	else
		diag_help(c->diags, d, "give the record a declared type with the field '%.*s: %.*s', as in 'type T { "
			"... }' and 'let x: T = { ... }'",
		STR_ARG(field), STR_ARG(type));
}

/* Proposes numbers instead of the texts "137" and "128-255". */
static void codes(struct advice *a)
{
	struct str lo, hi, range = a->text;

	if (strspn(range.p, "0123456789") == range.n) {
		without_quotes(a);
		return;
	}
	if (!numbers_in(range, &lo, &hi) || memchr(range.p, ',', range.n))
		return;
	range = str_cat(a->check->arena, lo, STR(".."), hi);
	diag_help(a->check->diags, a->diag, "write %.*s without quotes", STR_ARG(range));
	diag_fix(a->check->diags, a->diag, a->found->span, range, "write %.*s", STR_ARG(range));
}

/*
 * Proposes exit codes instead of reasons such as retry_on = ["OOMKilled"], which retry policies of Kubernetes and
 * clouds use.
 */
static void reason(struct advice *a)
{
	static const char *const killed[] = { "OOMKilled", "OOM", "oom", "Killed", "SIGKILL" },
		*const moved[] = { "Evicted", "Preempted", "Preempting", "NodeLost", "NodeShutdown",
			"DisruptionTarget" };
	const char *code = "1..255";

	if (!a->text.n)
		return;
	if (a->text.p[0] >= '0' && a->text.p[0] <= '9') {
		codes(a);
		return;
	}
	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
		if (str_is(a->text, moved[i])) {
			diag_help(a->check->diags, a->diag,
				"'retry_on' lists exit codes, not reasons; a replica that its node loses is replaced "
				"without it");
			return;
		}
	for (size_t i = 0; i < sizeof killed / sizeof *killed; i++)
		if (str_is(a->text, killed[i]))
			code = "137";
	diag_help(a->check->diags, a->diag, "'retry_on' lists exit codes, not reasons: 'retry_on = [%s]'%s", code,
		*code == '1' && code[1] == '3'
			? " for a container that was killed, for example when it ran out of memory" : "");
}

void advise_instead(struct check *c, struct diag *d, const struct node *n, const struct type *want,
	const struct site *site)
{
	struct advice a = { .check = c, .diag = d, .found = n, .words = node_words(c, n), .site = site };

	if (n->kind != NODE_STRING || !node_static_text(n, &a.text))
		a.text = STR("");
	if (want->kind == TYPE_RANGE || (want->kind == TYPE_LIST && want->elem->kind == TYPE_RANGE))
		reason(&a);
	if (want->kind == TYPE_LIST && want->or_one && want->elem->kind == TYPE_RECORD)
		want = want->elem;
	if (d->help.n || advise_source(c, d, n, want) || only_element(&a, want) ||
	    (want->kind == TYPE_STRING && advise_toleration(&a)))
		return;
	switch (want->kind) {
	case TYPE_ENUM: advise_gang_kind(&a, want); break;
	case TYPE_ACCELERATOR: device(&a); break;
	case TYPE_TOPOLOGY: topology(&a); break;
	case TYPE_CONDITION: advise_condition(&a); break;
	case TYPE_VOLUME: advise_volume(&a); break;
	case TYPE_MAP: advise_map(&a, want->elem); break;
	case TYPE_ELASTIC: advise_elastic(&a); break;
	case TYPE_RECORD: made(&a, want); break;
	case TYPE_DURATION: diag_help(c->diags, d, "a duration is a number with ms, s, min, h or d: 90min, 36h"); break;
	case TYPE_MEMORY: diag_help(c->diags, d, "memory is written 64Gi (64 x 2^30 bytes) or 64G (64 x 10^9)"); break;
	case TYPE_CPU: diag_help(c->diags, d, "CPUs are written 8, 0.5 or 500m"); break;
	case TYPE_ROLE:
		if (str_is_word(a.text))
			without_quotes(&a);
		break;
	case TYPE_INT:
		if (a.text.n && (str_starts(site->name, STR("run_as")) || str_is(site->name, "fs_group")))
			diag_help(c->diags, d, "write the number: in the image, 'id %s %.*s' prints it",
				str_is(site->name, "run_as") ? "-u" : "-g", STR_ARG(a.text));
		break;
	case TYPE_BOOL:
		if (a.text.n && word_elsewhere(a.text))
			diag_help(c->diags, d, "write %s", word_elsewhere(a.text));
		if (n->kind == NODE_INT && n->u.integer.value <= 1)
			diag_help(c->diags, d, "write '%s'", n->u.integer.value ? "true" : "false");
		break;
	default:
		if (type_is_text(want) && want->kind != TYPE_ENUM)
			joined(&a, want);
	}
}

/* ---- probes as Kubernetes writes them: `ready { httpGet { path = "/health", port = 8000 } }` ---- */

struct str probe_port(const struct check *c, const struct node *number)
{
	for (const struct scope *s = c->at.scope; s && number->kind == NODE_INT; s = s->parent) {
		const struct node *ports = s->body ? body_member(s->body, "ports") : NULL;
		for (size_t i = 0; ports && ports->kind == NODE_BODY && i < ports->u.body.items.n; i++) {
			const struct node *item = ports->u.body.items.at[i];
			const struct node *v = item->kind == NODE_SET ? item->u.item.value : NULL;
			if (v && v->kind == NODE_INT && v->u.integer.value == number->u.integer.value)
				return item->u.item.key.text;
		}
	}
	return (struct str){ 0 };
}

/* The name of the port of a probe; *RET_DECLARE gets the declaration that it needs, or an empty text. */
static struct str probe_port_name(struct check *c, const struct node *port, struct str *ret_declare)
{
	struct str name = STR("http"), known = port ? probe_port(c, port) : (struct str){ 0 };

	*ret_declare = (struct str){ 0 };
	if (known.n || (port && port->kind == NODE_STRING && node_static_text(port, &name)))
		return known.n ? known : name;
	*ret_declare = str_printf(c->arena, "; declare 'ports { http = %.*s }'",
		STR_ARG((port && port->kind == NODE_INT ? node_words(c, port) : STR("8000"))));
	return name;
}

static void help_call(struct check *c, struct diag *d, struct str key, const struct node *of)
{
	const struct node *port = of->kind == NODE_BODY ? body_member(of, "port") : NULL,
		*path = of->kind == NODE_BODY ? body_member(of, "path") : NULL,
		*command = of->kind == NODE_BODY ? body_member(of, "command") : NULL;
	struct str where = STR("/"), declare, name;

	if (path)
		node_static_text(path, &where);
	if (str_is(key, "exec")) {
		struct str words = command ? source_text(c->program->sources, command->span) :
			STR("[\"test\", \"-f\", \"/tmp/ready\"]");
		diag_help(c->diags, d, "write 'ready = exec(%.*s)'", STR_ARG(words));
		return;
	}
	name = probe_port_name(c, port, &declare);
	if (str_is(key, "tcpSocket") || str_is(key, "tcp"))
		diag_help(c->diags, d, "write 'ready = tcp(\"%.*s\")'%.*s", STR_ARG(name), STR_ARG(declare));
	else
		diag_help(c->diags, d, "write 'ready = http(\"%.*s\", \"%.*s\")'%.*s", STR_ARG(name),
			STR_ARG(where), STR_ARG(declare));
}

bool probe_report(struct check *c, struct node *body)
{
	static const char *const blocks[] = { "httpGet", "tcpSocket", "http", "tcp", "exec", "grpc" };

	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		const struct node *v = item->kind == NODE_SET || item->kind == NODE_EXTEND ? item->u.item.value : NULL;
		for (size_t k = 0; v && k < sizeof blocks / sizeof *blocks; k++) {
			struct str key = item->u.item.key.text;
			if (!str_is(key, blocks[k]) || (v->kind != NODE_BODY && k > 1 && k < 5))
				continue;
			struct diag *d = diag_report(c->diags, TJ0202, item->u.item.key.span,
				"a probe has no field '%.*s' with a body", STR_ARG(key));
			help_call(c, d, key, v);
			return true;
		}
	}
	return false;
}
