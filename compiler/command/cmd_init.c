/*
 * cmd_init.c - writes a first program with comments into the user's directory. The program is the example in the
 * documentation of the framework that the user named. Comments above its fields and roles explain them; they come from
 * the vocabulary and the framework's declaration. The program is compiled before it is written.
 */
#include "base/file.h"
#include "check/check_schema.h"
#include "command/session.h"
#include "diag/suggest.h"
#include "explain/library.h"
#include "syntax/flat.h"
#include "syntax/format.h"
#include "syntax/parse.h"

static const char file_name[] = "job.tj";

/* The program for `init` without a framework: its processes need not find each other. */
static const char plain[] =
	"job \"hello\" {\n"
	"  image = \"busybox:1.37\"\n"
	"\n"
	"  role main {\n"
	"    command  = [\"sh\", \"-c\", \"echo hello from $HOSTNAME\"]\n"
	"    replicas = 1\n"
	"    cpu      = 100m\n"
	"    memory   = 64Mi\n"
	"  }\n"
	"}\n";

/* ---- which framework ---- */

struct search {
	struct session *session;
	struct str wanted;
	struct suggest near;
	const struct library_module *module;    /* the module of the framework that was found */
	struct library_item item;
	struct buf found;               /* the matching names, separated by commas */
	unsigned n;
	bool part;                      /* part of a module's name is enough to match */
};

/*
 * Compares a declaration of a module with the wanted name. `module.name` also matches std.module.name. A bare name
 * matches if no other module declares it; the name of a module matches if the module has only one framework.
 */
static void compare_item(void *to, const struct library_module *m, const struct library_item *item)
{
	struct search *s = to;
	struct str full = str_printf(s->session->arena, "std.%.*s.%.*s", STR_ARG(m->name), STR_ARG(item->name));
	struct str name = { full.p + 4, full.n - 4 };

	suggest_add(&s->near, name);
	suggest_add(&s->near, m->name);
	bool exact = str_eq(s->wanted, full) || str_eq(s->wanted, name);
	bool part = s->part && s->wanted.n > 2 && memmem(m->name.p, m->name.n, s->wanted.p, s->wanted.n);
	if (!exact && !part && !str_eq(s->wanted, item->name) && !str_eq(s->wanted, m->name) &&
	    !str_eq(s->wanted, (struct str){ full.p, full.n - item->name.n - 1 }))
		return;
	if (exact)
		s->n = 0;
	if (exact || !s->module) {
		s->module = m;
		s->item = *item;
	}
	buf_printf(&s->found, "%s%.*s", s->n++ ? ", " : "", STR_ARG(name));
}

/* Finds the framework. If no framework or several match, reports that and returns false. */
static bool find_framework(struct search *s)
{
	suggest_init(&s->near, s->session->arena, s->wanted);
	library_frameworks(s->session->arena, compare_item, s);
	if (!s->n) {
		s->part = true;
		library_frameworks(s->session->arena, compare_item, s);
	}
	bool exact = s->n == 1;
	if (s->n > 1) {
		session_say(s->session, "'%.*s' may be %.*s; write one of them", STR_ARG(s->wanted),
			STR_ARG(buf_text(&s->found)));
	} else if (!s->n) {
		struct str help = suggest_sentence(&s->near);
		session_say(s->session, "unknown framework '%.*s'; %.*s", STR_ARG(s->wanted),
		            STR_ARG(help.n ? help : STR("'trainc explain' lists the modules that have them")));
	}
	return exact;
}

/* ---- the program ---- */

struct init_writing {
	struct arena *arena;
	const struct flat *flat;        /* pieces of the example's text, each on one line */
	const struct node *framework;   /* the framework, or NULL */
	struct map told;                /* names of fields whose documentation has already been written */
	struct buf *out;
};

/* Writes a text as a comment: "# " before each line. */
static void put_program_comment(struct buf *out, struct str text)
{
	while (text.n) {
		const char *newline = memchr(text.p, '\n', text.n);
		struct str line = { text.p, newline ? (size_t)(newline - text.p) : text.n };
		buf_printf(out, "#%s%.*s\n", line.n ? " " : "", STR_ARG(line));
		text = (struct str){ text.p + line.n + (newline != NULL), text.n - line.n - (newline != NULL) };
	}
}

/* Has the framework a role whose size can change? A program without a framework may have one. */
static bool is_elastic(const struct init_writing *w)
{
	const struct nodes *items = w->framework ? &w->framework->u.blueprint_decl.body->u.body.items : NULL;
	bool typed = false;

	for (size_t i = 0; items && i < items->n; i++) {
		const struct node *role = items->at[i];
		for (size_t k = 0; role->kind == NODE_BLOCK && k < role->u.block.body->u.body.items.n; k++) {
			const struct node *field = role->u.block.body->u.body.items.at[k];
			const struct node *type = field->kind == NODE_FIELD ? field->u.field.type : NULL;
			if (!type || !str_is(field->u.field.key.text, "replicas"))
				continue;
			typed = true;
			if (type->kind == NODE_TYPE_REF && type->u.type_ref.depth && str_is(type->u.type_ref.path[0],
				"elastic"))
				return true;
		}
	}
	return !typed;
}

static void put_field_doc(struct init_writing *w, enum block block, struct str name)
{
	const struct field *f = schema_find(block, name);

	if (!f || map_get(&w->told, name))
		return;
	map_put_const(&w->told, w->arena, name, f);
	const char *range = f->id == FIELD_REPLICAS && !is_elastic(w) ? strstr(f->doc, ", or a range") : NULL;
	put_program_comment(w->out, range ? str_printf(w->arena, "%.*s.", (int)(range - f->doc), f->doc) :
		str_of(f->doc));
}

/* Returns the framework's documentation of one of its roles: the comment above the role, or above its `replicas`. */
static struct str role_doc(const struct init_writing *w, struct str name)
{
	const struct nodes *items = w->framework ? &w->framework->u.blueprint_decl.body->u.body.items :
		&(struct nodes){ 0 };

	for (size_t i = 0; i < items->n; i++) {
		const struct node *role = items->at[i];
		if (role->kind != NODE_BLOCK || !str_eq(role->u.block.name, name))
			continue;
		if (role->u.block.doc.n)
			return role->u.block.doc;
		const struct nodes *fields = &role->u.block.body->u.body.items;
		for (size_t k = 0; k < fields->n; k++)
			if (fields->at[k]->kind == NODE_FIELD)
				return fields->at[k]->u.field.doc;
	}
	return STR("");
}

/* Returns the head of a job or block up to the brace, such as: job "train": module.name(a = 4). */
static struct str init_head(const struct init_writing *w, const struct node *block, const struct node *body)
{
	return flat_text(w->flat, (struct span){ block->span.start, body->span.start });
}

static void put_items(struct init_writing *w, enum block block, const struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_BLOCK) {
			buf_z(w->out, i ? "\n" : "");
			put_program_comment(w->out, role_doc(w, item->u.block.name));
			buf_printf(w->out, "%.*s {\n", STR_ARG(init_head(w, item, item->u.block.body)));
			put_items(w, str_is(item->u.block.word, "cell") ? BLOCK_CELL : BLOCK_ROLE, item->u.block.body);
			buf_z(w->out, "}\n");
			continue;
		}
		if (item->kind == NODE_SET || item->kind == NODE_EXTEND)
			put_field_doc(w, block, item->u.item.key.text);
		buf_printf(w->out, "%.*s\n", STR_ARG(flat_text(w->flat, item->span)));
	}
}

/* Writes the names of the framework's arguments: " and its arguments: slots, ssh_port". */
static void put_arguments(struct buf *out, const struct library_item *item)
{
	for (size_t i = 0; i < item->formals->n; i++)
		buf_printf(out, "%s%.*s", i ? ", " : " and its arguments: ",
			STR_ARG(item->formals->at[i]->u.binding.name));
}

static const char commands[] =
	"  trainc check job.tj        what is wrong with it, if anything\n"
	"  trainc plan job.tj         what would run\n"
	"  trainc env job.tj          the environment that every process gets\n"
	"  trainc run --local job.tj  its processes on this machine\n"
	"  trainc compile job.tj      the objects for a cluster\n",
	cluster_commands[] =
	"  trainc check job.tj    what is wrong with it, if anything\n"
	"  trainc plan job.tj     what would run\n"
	"  trainc env job.tj      the environment that every process gets\n"
	"  trainc compile job.tj  the objects for a cluster; it cannot run on this machine,\n"
	"                         because a container of the framework runs the program of an image\n";

/* What is known about the program that is about to be written. */
struct first_program {
	bool attended;                  /* plain Jobs cannot run it to completion */
	bool image_only;                /* a container of it has an image and no command */
};

static const char *commands_for(const struct first_program *p) { return p->image_only ? cluster_commands : commands; }

static void put_program_head(struct init_writing *w, const struct search *s, const struct first_program *p)
{
	struct str doc = s ? s->item.doc : STR("Processes that need not know each other.\n");
	const char *newline = memchr(doc.p, '\n', doc.n);

	put_program_comment(w->out, (struct str){ doc.p, newline ? (size_t)(newline - doc.p) : doc.n });
	buf_z(w->out, "#\n");
	put_program_comment(w->out, str_of(commands_for(p)));
	buf_z(w->out, "#\n");
	if (!s) {
		buf_z(w->out, "# 'trainc explain role' lists what a role may have, 'trainc explain' the modules of the "
			"library: frameworks\n"
		              "# and accelerators.\n\n");
		return;
	}
	buf_printf(w->out, "# 'trainc explain %.*s.%.*s' describes the framework", STR_ARG(s->module->name),
		STR_ARG(s->item.name));
	put_arguments(w->out, &s->item);
	buf_z(w->out, ".\n# 'trainc explain role' lists what a role may have, 'trainc explain' the modules of the "
		"library: frameworks\n"
	              "# and accelerators.\n\n");
	buf_printf(w->out, "import std.%.*s\n\n", STR_ARG(s->module->name));
}

/* Returns the formatted program. S is NULL if it has no framework. */
static struct str program_of(struct arena *a, const struct search *s, struct str example, const struct first_program *p)
{
	struct library_module text = { .name = STR("example") };
	struct buf rough = { 0 }, out = { 0 };

	text.sources.arena = text.names.arena = text.diags.arena = a;
	text.diags.sources = &text.sources;
	const struct source *source = source_add(&text.sources, text.name, example);
	const struct node *file = parse_source(a, &text.names, &text.diags, source);
	const struct node *job = file->u.file.decls.at[0];
	struct init_writing w = { a, flat_new(a, source), s ? s->item.blueprint : NULL, { 0 }, &rough };
	put_program_head(&w, s, p);
	if (p->attended)
		put_program_comment(&rough, STR("Plain Jobs cannot run this job to completion by themselves; "
			"'trainc plan' lists what is left to you.\nallow TJ0817: 'trainc run' starts it"));
	buf_printf(&rough, "%.*s {\n", STR_ARG(init_head(&w, job, job->u.job.body)));
	put_items(&w, BLOCK_JOB, job->u.job.body);
	buf_z(&rough, "}\n");
	format_source(a, &text.names, &text.diags, source_add(&text.sources, str_of(file_name), buf_text(&rough)),
		&out);
	struct str program = buf_take(&out, a);
	buf_release(&out);
	buf_release(&rough);
	return program;
}

/* ---- compiling the program that is about to be written ---- */

static bool program_read(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct str *program = context;

	if (!str_is(path, file_name)) {
		*why = STR("no such file");
		return false;
	}
	*ret = str_copy(a, *program);
	return true;
}

static bool program_exists(void *context, struct str path)
{
	(void)context;
	return str_is(path, file_name);
}

static bool has_image_only(const struct plan *plan)
{
	for (size_t i = 0; i < plan->njobs; i++)
		for (size_t k = 0; k < plan->jobs[i].nroles; k++) {
			const struct plan_role *r = &plan->jobs[i].roles[k];
			for (size_t c = 0; c < r->ninits; c++)
				if (!r->inits[c].command.n && !r->inits[c].command.per_replica)
					return true;
			for (size_t c = 0; c < r->nsidecars; c++)
				if (!r->sidecars[c].command.n && !r->sidecars[c].command.per_replica)
					return true;
		}
	return false;
}

static struct first_program look_at(struct session *s, struct str program)
{
	struct reader reader = { &program, program_read, program_exists, NULL, NULL, NULL };
	struct str operand = str_of(file_name);
	struct options options = { .command = COMMAND_COMPILE, .operands = &operand, .noperands = 1 };
	struct session inner = { .arena = s->arena, .options = &options, .reader = &reader };
	struct programs all;
	struct first_program ret = { 0 };

	if (!session_compile(&inner, &all))
		return ret;
	trainc_check(all.at, all.n, true);
	for (size_t i = 0; i < all.at[0]->diags.n; i++)
		ret.attended = ret.attended || all.at[0]->diags.at[i]->code == TJ0817;
	ret.image_only = has_image_only(&all.at[0]->plan);
	session_release(&all);
	return ret;
}

/* ---- the command ---- */

static int write_program(struct session *s, struct str program, struct str what, const struct first_program *p)
{
	struct str why;

	session_hold_signals(true);
	bool ok = file_create(s->arena, str_of(file_name), program, &why);
	session_hold_signals(false);
	if (!ok) {
		session_say(s, "cannot write '%s': %.*s", file_name, STR_ARG(why));
		return STATUS_OUTPUT;
	}
	session_write(s, str_printf(s->arena, "wrote %s, a program %.*s; look at it, then\n\n%s", file_name,
		STR_ARG(what), commands_for(p)));
	return STATUS_DONE;
}

int cmd_init(struct session *s)
{
	struct search search = { .session = s, .wanted = option_value(s->options, OPTION_FRAMEWORK) };
	bool framework = search.wanted.p;
	struct str example = str_of(plain), what = STR("without a framework");

	if (framework && !find_framework(&search)) {
		buf_release(&search.found);
		return STATUS_USAGE;
	}
	buf_release(&search.found);
	if (framework) {
		example = library_example(s->arena, search.item.doc);
		what = str_printf(s->arena, "for %.*s.%.*s", STR_ARG(search.module->name), STR_ARG(search.item.name));
	}
	const struct search *found = framework ? &search : NULL;
	struct first_program known = { 0 };
	struct str program = program_of(s->arena, found, example, &known);

	known = look_at(s, program);
	if (known.attended || known.image_only)
		program = program_of(s->arena, found, example, &known);
	return write_program(s, program, what, &known);
}
