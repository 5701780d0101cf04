/*
 * frame.c - names, slots, and what slots read. A slot is evaluated once, when it is first needed. While it is being
 * evaluated it is on a chain (`outer`), so needing it again is a cycle, and the chain shows the path of the cycle.
 *
 * Every slot remembers what its evaluation read, because a check that fails is reported where the user wrote the value
 * that decided it. Reading a slot whose text the user wrote counts as reading that text. Reading a let, or a slot whose
 * text is in the library, counts as reading everything that the slot has read.
 *
 * A slot that has read `pod` or `self` is only valid for one replica index or role, and is evaluated again for another.
 */
#include "check/check_schema.h"
#include "eval/internal.h"

struct frame *frame_new(struct eval *ev, struct frame *parent)
{
	struct frame *f = ARENA_NEW(eval_work(ev), struct frame);

	f->parent = parent;
	return f;
}

static struct binding *bind(struct eval *ev, struct frame *f, const struct decl *d)
{
	struct binding *b = ARENA_NEW(eval_work(ev), struct binding);

	b->decl = d;
	ARENA_PUSH(eval_work(ev), f->at, f->n, b);
	return b;
}

static struct slot *bind_done(struct eval *ev, struct frame *f, const struct decl *d, const struct value *v)
{
	struct binding *b = bind(ev, f, d);

	b->slot.state = SLOT_DONE;
	b->slot.value = v;
	b->slot.transparent = true;
	return &b->slot;
}

void frame_bind(struct eval *ev, struct frame *f, const struct decl *d, const struct value *v)
{
	bind_done(ev, f, d, v);
}

void frame_bind_pass(struct eval *ev, struct frame *f, const struct decl *d, const struct value *v)
{
	bind_done(ev, f, d, v)->of_pass = true;
}

void frame_bind_lazy(struct eval *ev, struct frame *f, const struct decl *d, struct node *expr, struct frame *in)
{
	struct binding *b = bind(ev, f, d);

	b->expr = expr;
	b->frame = in;
	b->slot.what = d->name;
	b->slot.at = expr->span;
	b->slot.argument = d->kind == DECL_FORMAL;
	b->slot.transparent = d->kind == DECL_LET;
}

/* ---- reads ---- */

enum { MOST_READS = 64 };               /* maximum number of reads that are kept for a slot; with more, messages would
					 * not improve */

static void add_read(struct eval *ev, struct reads *to, struct read r)
{
	if (!to || !span_known(r.at))
		return;
	for (size_t i = 0; i < to->n; i++)
		if (to->at[i].at.start == r.at.start && to->at[i].at.end == r.at.end) {
			to->at[i] = r;
			return;
		}
	if (to->n < MOST_READS)
		ARENA_PUSH(eval_work(ev), to->at, to->n, r);
}

void eval_read(struct eval *ev, struct span at, struct str what, const struct value *v)
{
	add_read(ev, ev->reads, (struct read){ .at = at, .what = what, .value = v });
}

void eval_read_words(struct eval *ev, struct span at, struct str what, const struct value *v)
{
	add_read(ev, ev->reads, (struct read){ .at = at, .what = what, .value = v, .words = true });
}

static void read_slot(struct eval *ev, const struct slot *s)
{
	struct read own = { s->at, s->what, s->value, s->argument, s->transparent, false };
	bool user = s->what.p && in_user_text(ev, s->at);

	if (!ev->reads)
		return;
	if (user && (!s->transparent || s->reads.n == 0)) {
		add_read(ev, ev->reads, own);
		return;
	}
	for (size_t i = 0; i < s->reads.n; i++)
		add_read(ev, ev->reads, s->reads.at[i]);
	if (!user && s->what.p && !s->transparent)
		add_read(ev, ev->reads, own);
}

/* ---- slots ---- */

enum { LONGEST_PATH = 32 };             /* maximum number of slots of a cycle that a message names */

/* The list field of a role or job whose name is in WHAT ("w.tolerate"); NULL when that is not a list field. */
static const struct field *list_field_of(struct str what)
{
	const char *dot = what.n ? memrchr(what.p, '.', what.n) : NULL;
	struct str name = dot ? (struct str){ dot + 1, what.n - (size_t)(dot + 1 - what.p) } : STR("");
	const struct field *f = schema_find(BLOCK_ROLE, name);

	return f && strncmp(f->type, "list[", 5) == 0 ? f : NULL;
}

static void report_slot_cycle(struct eval *ev, struct slot *s)
{
	const struct slot *chain[LONGEST_PATH];
	size_t n = 0;
	struct buf path = { 0 };

	for (const struct slot *r = ev->running; r && r != s; r = r->outer)
		if (n < LONGEST_PATH)
			chain[n++] = r;
	buf_str(&path, s->what);
	for (size_t i = n; i-- > 0;)
		buf_printf(&path, " \xE2\x86\x92 %.*s", STR_ARG(chain[i]->what));
	buf_printf(&path, " \xE2\x86\x92 %.*s", STR_ARG(s->what));
	struct diag *d = eval_report(ev, TJ0405, s->at, "'%.*s' depends on itself: %.*s", STR_ARG(s->what),
		STR_ARG(buf_text(&path)));
	for (size_t i = n; i-- > 0 && n - i < 8;)
		diag_note(ev->diags, d, chain[i]->at, "'%.*s' is made from this", STR_ARG(chain[i]->what));
	const struct field *field = n == 0 ? list_field_of(s->what) : NULL;
	if (field)
		diag_help(ev->diags, d, "'%s += [...]' extends the value that the field would otherwise "
			"have", field->name);
	else
		diag_help(ev->diags, d, "give one of them a value that does not depend on the others");
	buf_release(&path);
}

/*
 * Is the value of the slot valid for the current replica and role? The role matters for `pod`, too, because `pod.host`
 * differs between roles.
 */
static bool still_good(const struct eval *ev, const struct slot *s)
{
	return (!s->read_pod || s->pod_index == ev->pod_index) &&
		(!(s->read_pod || s->read_self) || (s->self == ev->self && s->job == ev->job));
}

bool slot_enter(struct eval *ev, struct slot *s)
{
	if (s->state == SLOT_RUNNING) {
		report_slot_cycle(ev, s);
		s->value = &value_bad;
		return false;
	}
	if (s->state == SLOT_DONE && still_good(ev, s)) {
		ev->pod_reads += s->read_pod;
		ev->self_reads += s->read_self;
		ev->copy_reads += s->read_copy;
		ev->pass_reads += s->of_pass;
		read_slot(ev, s);
		return false;
	}
	s->state = SLOT_RUNNING;
	s->outer = ev->running;
	s->outer_reads = ev->reads;
	s->pod_before = ev->pod_reads;
	s->self_before = ev->self_reads;
	s->copy_before = ev->copy_reads;
	s->reads.n = 0;
	s->reads.at = NULL;
	ev->running = s;
	ev->reads = &s->reads;
	return true;
}

const struct value *slot_leave(struct eval *ev, struct slot *s, const struct value *v)
{
	s->state = SLOT_DONE;
	s->value = v;
	s->read_pod = ev->pod_reads != s->pod_before;
	s->read_self = ev->self_reads != s->self_before;
	s->read_copy = ev->copy_reads != s->copy_before;
	s->pod_index = ev->pod_index;
	s->self = ev->self;
	s->job = ev->job;
	ev->running = s->outer;
	ev->reads = s->outer_reads;
	read_slot(ev, s);
	return v;
}

/* ---- names ---- */

static struct binding *find_binding(struct frame *f, const struct decl *d)
{
	for (; f; f = f->parent)
		for (size_t i = 0; i < f->n; i++)
			if (f->at[i]->decl == d)
				return f->at[i];
	return NULL;
}

const struct value *eval_local(struct eval *ev, struct frame *f, const struct decl *d)
{
	struct binding *b = find_binding(f, d);

	if (!b)                         /* an error in the declaration was already reported */
		return &value_bad;
	if (!slot_enter(ev, &b->slot))
		return b->slot.value;
	return slot_leave(ev, &b->slot, eval_named(ev, b->frame, b->expr, d->name));
}

/* A function of the library that is called may bring lets of its module: there may be more slots than before. */
struct slot *eval_slot(struct eval *ev, const struct decl *d)
{
	if (d->slot >= ev->nglobals) {
		struct slot **more = ARENA_ARRAY(ev->arena, struct slot *, ev->program->nslots);
		if (ev->nglobals)
			memcpy(more, ev->globals, ev->nglobals * sizeof *more);
		ev->globals = more;
		ev->nglobals = ev->program->nslots;
	}
	if (!ev->globals[d->slot])
		ev->globals[d->slot] = ARENA_NEW(ev->arena, struct slot);
	return ev->globals[d->slot];
}

const struct slot *eval_known_slot(const struct eval *ev, const struct decl *d)
{
	return d->global && d->slot < ev->nglobals ? ev->globals[d->slot] : NULL;
}

const struct value *eval_global(struct eval *ev, const struct decl *d)
{
	struct slot *s = eval_slot(ev, d);
	struct node *binding = d->node;

	if (!s->what.p) {
		s->what = d->name;
		s->at = binding->u.binding.value ? binding->u.binding.value->span : d->span;
		s->transparent = d->kind == DECL_LET;
	}
	if (!slot_enter(ev, s))
		return s->value;
	/* the value of a file's let is kept longer than the job that needs it */
	ev->lasting++;
	const struct value *v = d->kind == DECL_PARAM ? param_value(ev, d)
		: eval_named(ev, NULL, binding->u.binding.value, d->name);
	ev->lasting--;
	if (s->reads.n)                 /* copied, because the slot outlives the job that needs it */
		s->reads.at = memcpy(ARENA_ARRAY(ev->arena, struct read, s->reads.n), s->reads.at,
			s->reads.n * sizeof(*s->reads.at));
	return slot_leave(ev, s, v);
}
