/*
 * cmd_import.c - makes programs from the manifests of other systems, in files or in a cluster. When any manifest is
 * refused, nothing is written: otherwise some of a cluster's jobs would be missing, and nobody would notice.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/file.h"
#include "base/file_place.h"
#include "diag/near_file.h"
#include "import/import.h"
#include "command/session.h"
#include "runtime/command/backend.h"

static unsigned operator_version(const struct session *s)
{
	struct str version = option_value(s->options, OPTION_OPERATOR);

	return str_is(version, "1.7") ? 7 : str_is(version, "1.9") ? 9 : 0;
}

/* maximum bytes of a file, enough for 90,000 small jobs, of which at most 10,000 are imported */
enum { MANIFESTS_LARGEST = 32 << 20 };

/* Adds a help for a directory: how to import it as a chart, as a kustomization, or as a directory of manifests. */
static void help_directory(struct session *s, struct trainc *c, struct diag *d, struct str path)
{
	static const char *const customized[] = { "kustomization.yaml", "kustomization.yml", "Kustomization" };
	struct diags *ds = &c->diags;

	if (!s->reader->exists)
		return;
	if (s->reader->exists(s->reader->context, path_join(&c->arena, path, STR("Chart.yaml")))) {
		diag_help(ds, d, "it is a Helm chart: 'helm template %.*s | trainc import -'", STR_ARG(path));
		return;
	}
	for (size_t i = 0; i < sizeof customized / sizeof *customized; i++)
		if (s->reader->exists(s->reader->context, path_join(&c->arena, path, str_of(customized[i])))) {
			diag_help(ds, d, "it is a kustomization: 'kubectl kustomize %.*s | trainc import -'",
				STR_ARG(path));
			return;
		}
	bool slash = str_ends(path, STR("/"));
	diag_help(ds, d, "name its files: 'trainc import %.*s%s*.yaml'", STR_ARG(path), slash ? "" : "/");
}

static void read_file(struct session *s, struct trainc *c, struct import *im, struct str path)
{
	struct str text, why;

	if (!reader_text(s->reader, &c->arena, path, MANIFESTS_LARGEST, &text, &why)) {
		struct diag *d = report_no_reading(&c->diags, s->reader, path, why, ".yaml .yml .json .sbatch .sh");
		if (str_is(why, "is a directory"))
			help_directory(s, c, d, path);
		return;
	}
	if (str_ends(path, STR(".tj"))) {
		struct diag *d = diag_report(&c->diags, TJ1102, (struct span){ 0, 0 },
			"'%.*s' is a trainc program, not a manifest", STR_ARG(path));
		diag_help(&c->diags, d, "'trainc compile %.*s' writes its objects", STR_ARG(path));
		return;
	}
	struct source *source = source_add(&c->sources, str_is(path, "-") ? STR("<stdin>") : path, text);
	if (source)
		import_read(im, source);
	else
		diag_report(&c->diags, TJ0001, (struct span){ 0, 0 }, "cannot read '%.*s': too much text",
			STR_ARG(path));
}

/* The file name of a job: its name, with a number if an earlier job has the same name. */
static struct str job_file_name(struct session *s, struct map *seen, struct str name)
{
	struct str base = name;

	for (unsigned i = 2; map_get(seen, base); i++)
		base = str_printf(s->arena, "%.*s-%u", STR_ARG(name), i);
	map_put(seen, s->arena, base, s);
	return str_printf(s->arena, "%.*s.tj", STR_ARG(base));
}

struct program_text {
	struct str name, text;          /* the name in the directory of the option --output-dir */
};

/* Does the file already exist with a different text? A program that somebody has edited since is not overwritten. */
static bool is_other(struct session *s, int directory, const struct program_text *file)
{
	struct str text, why;
	struct stat st;

	if (fstatat(directory, str_copy(s->arena, file->name).p, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
		return false;
	return !file_read_in(s->arena, directory, file->name, &text, &why) || !str_eq(text, file->text);
}

static bool replace_files(struct session *s, const struct program_text *files, size_t n, struct str path, int directory)
{
	struct str why;
	bool ok = true;

	for (size_t i = 0; i < n && !option_given(s->options, OPTION_FORCE); i++) {
		if (!is_other(s, directory, &files[i]))
			continue;
		session_say(s, "'%.*s/%.*s' already exists", STR_ARG(path), STR_ARG(files[i].name));
		session_say(s, "--force replaces it; nothing is written");
		return false;
	}
	session_hold_signals(true);
	for (size_t i = 0; i < n && ok; i++) {
		ok = file_replace_in(s->arena, directory, files[i].name, files[i].text, &why);
		if (!ok)
			session_say(s, "cannot write '%.*s/%.*s': %.*s", STR_ARG(path), STR_ARG(files[i].name),
				STR_ARG(why));
	}
	session_hold_signals(false);
	return ok;
}

static bool write_files(struct session *s, const struct program_text *files, size_t n, struct str path)
{
	struct str why;
	bool made;
	int directory = file_place_directory(s->arena, path, &made, &why);

	if (directory < 0) {
		session_say(s, "cannot make '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
		return false;
	}
	bool ok = replace_files(s, files, n, path, directory);
	close(directory);
	return ok;
}

/* Makes the programs of all jobs that are not refused, and reports errors in the others. */
static struct program_text *make_files(struct session *s, struct import *im, size_t *ret_n)
{
	struct program_text *files = ARENA_ARRAY(s->arena, struct program_text, import_count(im));
	struct map seen = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < import_count(im); i++) {
		struct buf out = { 0 };
		if (import_program(im, (int64_t)i, &out)) {
			files[n].name = job_file_name(s, &seen, import_name(im, i));
			files[n++].text = str_copy(s->arena, buf_text(&out));
		}
		buf_release(&out);
	}
	*ret_n = n;
	return files;
}

static struct import *new_import(struct session *s, struct trainc *c)
{
	struct import_options options = { .operator_minor = operator_version(s),
		.image = option_value(s->options, OPTION_IMAGE),
		.separate = option_given(s->options, OPTION_OUTPUT_DIR) };

	c->diags.deny_warnings = option_given(s->options, OPTION_DENY_WARNINGS);
	return import_new(&c->arena, &c->sources, &c->diags, options);
}

struct import *session_import(struct session *s, struct trainc *c)
{
	struct import *im = new_import(s, c);

	for (size_t i = 0; i < s->options->noperands; i++)
		read_file(s, c, im, s->options->operands[i]);
	import_finish(im);
	return im;
}

/* Reads the jobs of the cluster. Returns false, with an exit status, after reporting what is wrong. */
static bool import_live(struct session *s, struct trainc *c, struct import *im, int *ret_status)
{
	const struct backend *b = backend_of(s);
	struct manifest_text *texts;
	size_t n = 0;

	*ret_status = STATUS_USAGE;
	if (!b || !b->begin(s, ret_status))
		return false;
	bool ok = b->manifests(s, &texts, &n, ret_status);
	for (size_t i = 0; ok && i < n; i++) {
		struct source *source = source_add(&c->sources, texts[i].name, texts[i].text);
		if (source)
			import_read(im, source);
		else
			diag_report(&c->diags, TJ0001, (struct span){ 0, 0 }, "cannot read '%.*s': too much text",
				STR_ARG(texts[i].name));
	}
	b->end(s);
	import_finish(im);
	return ok;
}

/* Reports combinations of options and operands that are not allowed. */
static bool is_whole(struct session *s)
{
	bool live = option_given(s->options, OPTION_FROM_CLUSTER), all = option_given(s->options, OPTION_ALL);

	if (!live && !session_offline(s))
		return false;
	if (!live && !s->options->noperands)
		session_say(s, "import needs at least one manifest: trainc import MANIFEST...; jobs of a cluster: "
			"trainc import --from-cluster NAME");
	else if (live && !all && !s->options->noperands)
		session_say(s, "import --from-cluster needs the names of jobs, as NAME or KIND/NAME, or --all");
	else if (all && s->options->noperands)
		session_say(s, "--all imports all jobs; leave out '%.*s', or --all", STR_ARG(s->options->operands[0]));
	else if (option_given(s->options, OPTION_ALL_NAMESPACES) && !all)
		session_say(s, "--all-namespaces needs --all; one job: --namespace NAME");
	else
		return true;
	return false;
}

/* Writes the programs to files, or to standard output. */
static int put_programs(struct session *s, struct trainc *c, struct import *im)
{
	struct str directory = option_value(s->options, OPTION_OUTPUT_DIR);
	struct programs one = { .at = &c, .n = 1 };
	struct program_text *files = NULL;
	struct buf out = { 0 };
	size_t n = 0;
	int status = STATUS_DONE;

	if (directory.p)
		files = make_files(s, im, &n);
	else if (diags_ok(&c->diags))
		import_program(im, IMPORT_ALL, &out);
	session_report(s, &one, false);
	if (!one.ok)
		status = STATUS_PROGRAM;
	if (n && !write_files(s, files, n, directory))
		status = STATUS_OUTPUT;
	else if (n && !one.ok)
		session_say(s, "%zu program%s written to '%.*s'; what is refused is reported above", n,
			n > 1 ? "s are" : " is", STR_ARG(directory));
	else if (!files && one.ok)
		session_write(s, buf_text(&out));
	buf_release(&out);
	return status;
}

int cmd_import(struct session *s)
{
	struct trainc *c;
	int status = STATUS_USAGE;

	if (!is_whole(s))
		return status;
	c = trainc_open_reader(s->reader);
	if (!option_given(s->options, OPTION_FROM_CLUSTER)) {
		status = put_programs(s, c, session_import(s, c));
	} else {
		struct import *im = new_import(s, c);
		if (import_live(s, c, im, &status))
			status = put_programs(s, c, im);
	}
	trainc_close(c);
	return status;
}
