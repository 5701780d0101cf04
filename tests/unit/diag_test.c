/*
 * diag_test.c - the collection of diagnostics: order, duplicates, muted warnings, denied warnings, `# allow`
 * comments.
 */
#include "diag/diag.h"

#include "diag/render.h"
#include "unit.h"

struct fixture {
	struct arena arena;
	struct sources sources;
	struct diags diags;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	f->sources.arena = &f->arena;
	f->diags.arena = &f->arena;
	f->diags.sources = &f->sources;
}

/* The position of the nth occurrence (from 0) of a word in a source. */
static struct span place(const struct source *s, const char *word, unsigned nth)
{
	const char *at = s->text.p - 1;

	do
		at = strstr(at + 1, word);
	while (at && nth--);
	uint32_t start = at ? s->base + (uint32_t)(at - s->text.p) : 0;
	return (struct span){ start, start + (uint32_t)strlen(word) };
}

static struct source *add(struct fixture *f, const char *name, const char *text)
{
	return source_add(&f->sources, str_of(name), str_of(text));
}

/* Lists the diagnostics, one per line: "TJ0201 message". */
static struct str listing(struct fixture *f)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < f->diags.n; i++) {
		const struct diag *d = f->diags.at[i];
		buf_printf(&b, "%s %s %.*s\n", d->severity == SEVERITY_ERROR ? "E" : "W", diag_code_name(d->code),
			STR_ARG(d->message));
	}
	struct str text = buf_take(&b, &f->arena);
	buf_release(&b);
	return text;
}

static void order_and_repeats(void)
{
	struct fixture f;
	fixture_init(&f);
	struct source *root = add(&f, "a.tj", "one two three\n"), *other = add(&f, "b.tj", "four\n");

	diag_report(&f.diags, TJ0201, place(other, "four", 0), "in the second file");
	diag_report(&f.diags, TJ0201, place(root, "three", 0), "later");
	diag_report(&f.diags, TJ0202, place(root, "one", 0), "early, first said");
	diag_report(&f.diags, TJ0201, place(root, "one", 0), "early, then said");
	diag_report(&f.diags, TJ0202, place(root, "one", 0), "early, first said");
	diag_report(&f.diags, TJ0001, (struct span){ 0, 0 }, "no place at all");
	diag_report(&f.diags, TJ0815, place(root, "two", 0), "image '%s'", "x:latest");
	CHECK(f.diags.errors == 6 && f.diags.warnings == 1);
	CHECK(!diags_ok(&f.diags));
	diags_finish(&f.diags);
	CHECK_TEXT(listing(&f), "E TJ0001 no place at all\n"
	                        "E TJ0202 early, first said\n"
	                        "E TJ0201 early, then said\n"
	                        "W TJ0815 image 'x:latest'\n"
	                        "E TJ0201 later\n"
	                        "E TJ0201 in the second file\n");
	CHECK(f.diags.errors == 5 && f.diags.warnings == 1);
	arena_release(&f.arena);
}

static void muting(void)
{
	struct fixture f;
	fixture_init(&f);
	struct source *s = add(&f, "a.tj", "one\n");

	f.diags.muted = 1;
	struct diag *d = diag_report(&f.diags, TJ0201, place(s, "one", 0), "speculative");
	diag_label(&f.diags, d, "label");
	diag_note(&f.diags, d, place(s, "one", 0), "note");
	diag_help(&f.diags, d, "help");
	diag_fix(&f.diags, d, place(s, "one", 0), STR("two"), "fix");
	diag_report(&f.diags, TJ0815, place(s, "one", 0), "a warning does not count");
	f.diags.muted = 0;
	CHECK(f.diags.n == 0 && f.diags.errors == 0 && f.diags.muted_errors == 1);
	CHECK(diags_ok(&f.diags));
	d = diag_report(&f.diags, TJ0201, place(s, "one", 0), "real");
	CHECK(d->label.n == 0 && !d->notes && d->help.n == 0 && !d->fixes);
	arena_release(&f.arena);
}

static void help_is_one_line(void)
{
	struct fixture f;
	fixture_init(&f);
	struct source *s = add(&f, "a.tj", "one\n");
	struct diag *d = diag_report(&f.diags, TJ0201, place(s, "one", 0), "x");

	diag_help(&f.diags, d, "%s", "");
	CHECK(d->help.n == 0);
	diag_help(&f.diags, d, "did you mean '%s'?", "on");
	diag_help(&f.diags, d, "or remove it");
	CHECK_TEXT(d->help, "did you mean 'on'? or remove it");
	diag_help(&f.diags, d, "or both");
	CHECK_TEXT(d->help, "did you mean 'on'? or remove it; or both");
	arena_release(&f.arena);
}

static void denial(void)
{
	struct fixture f;
	fixture_init(&f);
	struct source *s = add(&f, "a.tj", "one\n");

	f.diags.deny_warnings = true;
	diag_report(&f.diags, TJ0815, place(s, "one", 0), "warned");
	CHECK(diags_ok(&f.diags));      /* warnings are only turned into errors at the end, so compilation continues */
	diags_finish(&f.diags);
	CHECK(f.diags.errors == 1 && f.diags.warnings == 0 && f.diags.at[0]->denied);
	arena_release(&f.arena);
}

static void a_file_of_noise(void)
{
	struct fixture f;
	fixture_init(&f);
	struct source *s = add(&f, "a.tj", "one\n");

	for (unsigned i = 0; i < DIAGS_KEPT + 5; i++)
		diag_report(&f.diags, TJ0201, place(s, "one", 0), "number %u", i);
	CHECK(f.diags.n == DIAGS_KEPT);
	diags_finish(&f.diags);
	CHECK(f.diags.errors == DIAGS_KEPT + 5);
	arena_release(&f.arena);
}

/*
 * If an error comes after more warnings than are kept, it is still reported, because it is the reason for the
 * failure.
 */
static void an_error_behind_noise(void)
{
	struct fixture f;
	fixture_init(&f);
	struct source *s = add(&f, "a.tj", "one\n");

	for (unsigned i = 0; i < DIAGS_KEPT + 5; i++)
		diag_report(&f.diags, TJ0815, place(s, "one", 0), "number %u", i);
	diag_report(&f.diags, TJ0201, place(s, "one", 0), "the error");
	diags_finish(&f.diags);
	CHECK(f.diags.errors == 1 && f.diags.warnings == DIAGS_KEPT + 5);
	CHECK(f.diags.n == DIAGS_KEPT + 1 && str_is(f.diags.at[DIAGS_KEPT]->message, "the error"));
	arena_release(&f.arena);
}

/* Returns the diagnostics that are left when a warning or error CODE is reported at each `X` of TEXT. */
static struct str allowed(struct fixture *f, const char *text, enum diag_code code)
{
	fixture_init(f);
	struct source *s = add(f, "a.tj", text);
	unsigned n = 0;

	for (const char *x = text; (x = strchr(x, 'X')); x++)
		n++;
	for (unsigned i = 0; i < n; i++)
		diag_report(&f->diags, code, place(s, "X", i), "here");
	diags_finish(&f->diags);
	return listing(f);
}

static void allow(void)
{
	struct fixture f;

	CHECK_TEXT(allowed(&f, "X   # allow TJ0815: tested with latest\n", TJ0815), "");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "# allow TJ0815: tested with latest\nX\nX\n", TJ0815), "W TJ0815 here\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "# allow TJ0815: one\n  # allow TJ0619: two\nX\n", TJ0815),
	           "W TJ1009 this '# allow TJ0619' silences nothing\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "# allow image-not-pinned: by its short name\nX\n", TJ0815), "");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "X # allow TJ0815\n", TJ0815), "W TJ1009 this '# allow TJ0815' gives no reason\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "X # allow TJ0815:  \n", TJ0815), "W TJ1009 this '# allow TJ0815' gives no reason\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "X # allow TJ0619: another code\n", TJ0815),
	           "W TJ0815 here\nW TJ1009 this '# allow TJ0619' silences nothing\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "y # allow TJ0815: nothing here\nX\n", TJ0815),
	           "W TJ1009 this '# allow TJ0815' silences nothing\nW TJ0815 here\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "y # allow TJ9999: who knows\n", TJ0815), "W TJ1009 unknown diagnostic 'TJ9999'\n");
	arena_release(&f.arena);
	/* errors cannot be allowed, and a comment is not reported as unused if an error prevented its warning */
	CHECK_TEXT(allowed(&f, "X # allow TJ0201: please\n", TJ0201),
	           "E TJ0201 here\nW TJ1009 'TJ0201' is an error, and errors cannot be silenced\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "X\ny # allow TJ0815: hidden by the error above\n", TJ0201), "E TJ0201 here\n");
	arena_release(&f.arena);
	/* prose after `# allow`, and text in strings, does not allow anything */
	CHECK_TEXT(allowed(&f, "y # allow shadowing of names\n\"# allow TJ0815: x\" X\n", TJ0815), "W TJ0815 here\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "a = \"\"\"\n # allow TJ0815: text\n \"\"\"\nX\n", TJ0815), "W TJ0815 here\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "a = \"a \\\" # b\" # allow TJ0815: after a string\n# X", TJ0815),
	           "W TJ1009 this '# allow TJ0815' silences nothing\nW TJ0815 here\n");
	arena_release(&f.arena);
	CHECK_TEXT(allowed(&f, "# allow TJ0815: nothing follows", TJ0815),
		"W TJ1009 this '# allow TJ0815' silences nothing\n");
	arena_release(&f.arena);
}

static void codes(void)
{
	enum diag_code code, again;

	CHECK(diag_code_find(STR("tj0502"), &code) && code == TJ0502);
	CHECK(diag_code_find(STR("role-replicas"), &code) && code == TJ0502);
	CHECK(!diag_code_find(STR("TJ0510"), &code) && !diag_code_find(STR(""), &code));
	CHECK(diag_severity(TJ0815) == SEVERITY_WARNING && diag_severity(TJ0502) == SEVERITY_ERROR);
	bool unique = true, spelt = true;
	for (size_t i = 0; i < DIAG_CODES; i++) {
		const char *slug = diag_slug((enum diag_code)i);
		unique = unique && diag_code_find(str_of(slug), &again) && again == (enum diag_code)i;
		spelt = spelt && strspn(slug, "abcdefghijklmnopqrstuvwxyz-") == strlen(slug) && strlen(slug) > 3 &&
			strlen(slug) < 28;
	}
	CHECK(unique);
	CHECK(spelt);
}

int main(void)
{
	order_and_repeats();
	muting();
	help_is_one_line();
	denial();
	a_file_of_noise();
	an_error_behind_noise();
	allow();
	codes();
	return unit_end();
}
