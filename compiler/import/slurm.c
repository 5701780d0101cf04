/*
 * slurm.c - reads batch scripts with #SBATCH lines: the script runs on every node of a job over the library's
 * slurm.batch. The options become the pod template of a Job, which is then read like one of a manifest; options that
 * have no counterpart in Kubernetes are reported.
 */
#include "import/import_set.h"
#include "import/import_tree.h"
#include "import/slurm.h"

#include <ctype.h>

#include "base/quantity.h"
#include "kube/limits.h"

#define SCRIPT "/etc/slurm/job.sh"

struct sbatch {
	struct import *im;
	const struct source *source;
	struct str name, image, workdir;
	int64_t nodes, tasks, per_node, cpus, devices, all_devices, first, last;
	int64_t memory, per_cpu;        /* in MiB */
	int64_t seconds;
	bool array;
	size_t errors;                  /* errors before this script */
	struct span at;                 /* position of the option that is being read */
};

bool slurm_is_script(struct str text)
{
	return str_starts(text, STR("#!")) && memmem(text.p, text.n, "\n#SBATCH ", 9);
}

/* ---- values ---- */

/*
 * Reads the number that TEXT begins with; returns -1 if TEXT does not begin with a number. *REST gets the remaining
 * text.
 */
static int64_t leading_number(struct str text, struct str *rest)
{
	int64_t n = 0;
	size_t i = 0;

	for (; i < text.n && i < 9 && isdigit((unsigned char)text.p[i]); i++)
		n = 10 * n + (text.p[i] - '0');
	*rest = (struct str){ text.p + i, text.n - i };
	return i ? n : -1;
}

static int64_t read_count(struct sbatch *s, struct str value)
{
	struct str rest;
	int64_t n = leading_number(value, &rest);

	if (n < 1)
		diag_report(s->im->diags, TJ1103, s->at, "'%.*s' is not a number of at least 1", STR_ARG(value));
	return n < 1 ? 1 : n;
}

/* Reads an amount such as "4G" or "512", which is in MiB without a unit. */
static int64_t mebibytes(struct sbatch *s, struct str value)
{
	struct str rest;
	int64_t n = leading_number(value, &rest);
	char unit = rest.n ? (char)toupper((unsigned char)*rest.p) : 'M';

	if (n < 0 || !strchr("KMGT", unit)) {
		diag_report(s->im->diags, TJ1103, s->at, "'%.*s' is not an amount of memory", STR_ARG(value));
		return 0;
	}
	return unit == 'K' ? (n + 1023) / 1024 : unit == 'M' ? n : unit == 'G' ? n * 1024 : n * 1024 * 1024;
}

/* Reads a duration: minutes, minutes:seconds, hours:minutes:seconds, or days-hours[:minutes[:seconds]]. */
static int64_t read_slurm_time(struct sbatch *s, struct str value)
{
	int64_t part[3] = { 0 }, days = -1;
	struct str rest = value;
	size_t n = 0;

	for (; n < 3 && rest.n; n++) {
		if ((part[n] = leading_number(rest, &rest)) < 0)
			break;
		if (rest.n && *rest.p == '-' && days < 0 && !n) {
			days = part[0];
			n--;            /* after the days, the next part is hours */
		} else if (!rest.n || *rest.p != ':') {
			n++;
			break;
		}
		rest = (struct str){ rest.p + 1, rest.n - 1 };
	}
	if (rest.n || !n) {
		diag_report(s->im->diags, TJ1103, s->at, "'%.*s' is not a time", STR_ARG(value));
		return 0;
	}
	if (days >= 0)
		return ((days * 24 + part[0]) * 60 + part[1]) * 60 + part[2];
	return n == 1 ? part[0] * 60 : n == 2 ? part[0] * 60 + part[1] : (part[0] * 60 + part[1]) * 60 + part[2];
}

/* Reads a number of devices from "a100:4" or "4": the number after the last colon. */
static int64_t read_device_count(struct sbatch *s, struct str value)
{
	const char *colon = memrchr(value.p, ':', value.n);

	return read_count(s, colon ? (struct str){ colon + 1, value.n - (size_t)(colon - value.p) - 1 } : value);
}

static void array(struct sbatch *s, struct str value)
{
	struct str rest;

	s->array = true;
	s->first = s->last = leading_number(value, &rest);
	if (s->first >= 0 && rest.n && *rest.p == '-')
		s->last = leading_number((struct str){ rest.p + 1, rest.n - 1 }, &rest);
	if (rest.n && *rest.p == '%') {
		import_left_out(s->im, s->at, rest, "all tasks start when there is room for them");
		rest.n = 0;
	}
	if (s->first < 0 || s->last < s->first || rest.n)
		diag_report(s->im->diags, TJ1103, s->at, "the array '%.*s' is not a range of whole numbers",
			STR_ARG(value));
}

/* ---- options ---- */

static void name(struct sbatch *s, struct str value)
{
	struct str lower = str_lower(s->im->arena, value);
	char *p = arena_copy(s->im->arena, lower.p, lower.n);

	for (size_t i = 0; i < lower.n; i++)
		if (!isalnum((unsigned char)p[i]))
			p[i] = '-';
	s->name = (struct str){ p, lower.n };
	if (s->name.n && isdigit((unsigned char)*p))    /* host names begin with a letter */
		s->name = str_cat(s->im->arena, STR("job-"), s->name, STR(""));
}

/* The option --job-name; a name that the shell of the user completes is not known here. */
static void name_option(struct sbatch *s, struct str value)
{
	if (value.n && memchr(value.p, '$', value.n))
		import_left_out(s->im, s->at, STR("job-name"),
			"its text is not known here: the job has the name of the file");
	else
		name(s, value);
}

/* Handles the option KEY; returns false if this function does not know it. */
static bool known(struct sbatch *s, struct str key, struct str value)
{
	if (str_is(key, "job-name") || str_is(key, "J"))
		name_option(s, value);
	else if (str_is(key, "nodes") || str_is(key, "N"))
		s->nodes = read_count(s, value);
	else if (str_is(key, "ntasks") || str_is(key, "n"))
		s->tasks = read_count(s, value);
	else if (str_is(key, "ntasks-per-node"))
		s->per_node = read_count(s, value);
	else if (str_is(key, "cpus-per-task") || str_is(key, "c"))
		s->cpus = read_count(s, value);
	else if (str_is(key, "mem"))
		s->memory = mebibytes(s, value);
	else if (str_is(key, "mem-per-cpu"))
		s->per_cpu = mebibytes(s, value);
	else if ((str_is(key, "gres") && str_starts(value, STR("gpu"))) || str_is(key, "gpus-per-node"))
		s->devices = str_is(value, "gpu") ? 1 : read_device_count(s, value);
	else if (str_is(key, "gpus") || str_is(key, "G"))
		s->all_devices = read_device_count(s, value);
	else if (str_is(key, "time") || str_is(key, "t"))
		s->seconds = read_slurm_time(s, value);
	else if (str_is(key, "chdir") || str_is(key, "D"))
		s->workdir = value;
	else if (str_is(key, "container-image"))
		s->image = value;
	else if (str_is(key, "array") || str_is(key, "a"))
		array(s, value);
	else
		return false;
	return true;
}

static struct str trimmed_word(struct str text)
{
	while (text.n && isspace((unsigned char)*text.p))
		text = (struct str){ text.p + 1, text.n - 1 };
	while (text.n && isspace((unsigned char)text.p[text.n - 1]))
		text.n--;
	if (text.n > 1 && (*text.p == '"' || *text.p == '\'') && text.p[text.n - 1] == *text.p)
		text = (struct str){ text.p + 1, text.n - 2 };
	return text;
}

/*
 * Takes the next word of a line, without quotes around the word or its value; returns an empty text at the end, or
 * where a comment begins.
 */
static struct str next_word(struct str *line)
{
	struct str rest = trimmed_word(*line);
	size_t n = 0;
	char quote = 0;

	for (; n < rest.n && (quote || !isspace((unsigned char)rest.p[n])); n++) {
		char c = rest.p[n];
		quote = quote ? (c == quote ? 0 : quote) : c == '"' || c == '\'' ? c : 0;
	}
	*line = (struct str){ rest.p + n, rest.n - n };
	return n && *rest.p == '#' ? (struct str){ 0 } : (struct str){ rest.p, n };
}

/* Reads the options of a line: `--name=value`, `--name value`, `-Nvalue` or `-N value`. */
static void option(struct sbatch *s, struct str line)
{
	for (struct str text = next_word(&line); text.n; text = next_word(&line)) {
		bool full = str_starts(text, STR("--"));
		size_t from = full ? 2 : 1, n = from;
		if (str_is(text, "hetjob") || str_is(text, "packjob")) {
			struct diag *d = diag_report(s->im->diags, TJ1106, s->at,
				"a job of several components, each with its own options, is not imported");
			diag_help(s->im->diags, d, "import each component as a script of its own, "
				"and make one job of their roles");
			return;
		}
		if (text.n < 2 || *text.p != '-') {
			diag_report(s->im->diags, TJ1103, s->at, "'%.*s' is not an option of sbatch", STR_ARG(text));
			return;
		}
		while (n < text.n && (full ? text.p[n] != '=' : n < 2))
			n++;
		struct str key = { text.p + from, n - from }, value = { text.p + n, text.n - n }, rest = line,
			next = next_word(&rest);
		if (full && value.n)
			value = (struct str){ value.p + 1, value.n - 1 };
		if (!value.n && next.n && *next.p != '-') {
			value = next;
			line = rest;
		}
		if (!known(s, key, trimmed_word(value)))
			import_left_out(s->im, s->at, key,
				"Kubernetes has no such option: 'queue', 'priority' and 'node' of the job say where it "
				"runs, and 'trainc logs' what it printed");
	}
}

/* Reads all options; only those before the first command count. */
static void options(struct sbatch *s)
{
	struct str text = s->source->text;

	for (size_t i = 0; i < text.n;) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		struct str line = { text.p + i, newline ? (size_t)(newline - text.p) - i : text.n - i };
		if (trimmed_word(line).n && *line.p != '#')
			return;
		if (str_starts(line, STR("#SBATCH "))) {
			s->at = (struct span){ s->source->base + (uint32_t)i,
				s->source->base + (uint32_t)(i + line.n) };
			option(s, (struct str){ line.p + 8, line.n - 8 });
		}
		i += line.n + 1;
	}
}

/* ---- the script ---- */

/* The image that all calls of srun in the script name; empty if none or different ones do. */
static struct str step_image(struct str text)
{
	static const char option[] = "--container-image";
	struct str found = { 0 };

	for (size_t i = 0; i + sizeof option < text.n; i++) {
		size_t at = i + sizeof option - 1, end;
		if (memcmp(text.p + i, option, sizeof option - 1) != 0 || (text.p[at] != '=' && text.p[at] != ' '))
			continue;
		at += strspn(text.p + at + 1, "\"' ") + 1;
		end = at + strcspn(text.p + at, " \t\n\"'\\");
		struct str one = { text.p + at, end - at };
		if (!one.n || memchr(one.p, '$', one.n) || (found.n && !str_eq(found, one)))
			return (struct str){ 0 };
		found = one;
	}
	return found;
}

/* Does the line load software of the machines of a Slurm cluster? */
static bool loads_software(struct str line)
{
	static const char *const starts[] = { "module load ", "module add ", "ml ", "spack load ", "conda activate ",
		"mamba activate ", "micromamba activate " };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (str_starts(line, str_of(starts[i])))
			return true;
	return (str_starts(line, STR("source ")) || str_starts(line, STR(". "))) &&
		memmem(line.p, line.n, "activate", 8);
}

/* Reports lines that mean nothing in a container. */
static void look_at_lines(struct sbatch *s)
{
	struct str text = s->source->text;

	for (size_t i = 0, n; i < text.n; i += n + 1) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		n = newline ? (size_t)(newline - text.p) - i : text.n - i;
		struct str line = trimmed_word((struct str){ text.p + i, n });
		if (!loads_software(line))
			continue;
		uint32_t from = s->source->base + (uint32_t)(line.p - text.p);
		struct diag *d = diag_report(s->im->diags, TJ1111, (struct span){ from, from + (uint32_t)line.n },
			"'%.*s' loads software of the machines of a Slurm cluster; here the script runs in a container",
			STR_ARG(line));
		diag_help(s->im->diags, d, "put the software into the image, and remove the line");
	}
}

/* ---- the job ---- */

static const struct data *slurm_text(struct sbatch *s, struct str text) { return tree_text(s->im->arena, text, s->at); }

/* Makes a pod template with the resources that the options request on each node. */
static const struct data *slurm_template(struct sbatch *s, int64_t per_node, int64_t gpus)
{
	struct arena *a = s->im->arena;
	int64_t cpus = s->cpus ? s->cpus * per_node : 0,
		memory = s->memory ? s->memory : s->per_cpu * (cpus ? cpus : per_node);
	const struct data *container = tree_with(a, NULL, "name", slurm_text(s, STR("main")), s->at), *requests = NULL,
		*limits = NULL, *resources = NULL, *command, *pod;

	container = tree_with(a, container, "image", slurm_text(s, s->image), s->at);
	command = tree_append(a, tree_one(a, slurm_text(s, STR("bash"))), tree_one(a, slurm_text(s, STR(SCRIPT))));
	container = tree_with(a, container, "command", command, s->at);
	if (s->workdir.n)
		container = tree_with(a, container, "workingDir", slurm_text(s, s->workdir), s->at);
	if (cpus)
		requests = tree_with(a, requests, "cpu", tree_int(a, cpus, s->at), s->at);
	if (memory) {
		requests = tree_with(a, requests, "memory", slurm_text(s, str_printf(a, "%lldMi", (long long)memory)),
			s->at);
		limits = tree_with(a, limits, "memory", slurm_text(s, str_printf(a, "%lldMi", (long long)memory)),
			s->at);
	}
	if (gpus)
		limits = tree_with(a, limits, "nvidia.com/gpu", tree_int(a, gpus, s->at), s->at);
	resources = requests ? tree_with(a, resources, "requests", requests, s->at) : resources;
	resources = limits ? tree_with(a, resources, "limits", limits, s->at) : resources;
	if (resources)
		container = tree_with(a, container, "resources", resources, s->at);
	pod = tree_with(a, NULL, "restartPolicy", slurm_text(s, STR("Never")), s->at);
	return tree_with(a, NULL, "spec", tree_with(a, pod, "containers", tree_one(a, container), s->at), s->at);
}

static struct expr *slurm_framework(struct sbatch *s, int64_t per_node)
{
	struct arena *a = s->im->arena;
	struct expr *call = expr_call(a, STR("slurm.batch"));

	if (per_node != 1)
		lines_set(a, &call->items, STR("tasks"), expr_int(a, per_node), s->at);
	if (s->array)
		lines_set(a, &call->items, STR("first_task"), expr_int(a, s->first), s->at);
	return call;
}

/*
 * Returns the job's default name, which is the name of the file: "train" for "train.sbatch". A script that has no file
 * is called "sbatch", as Slurm calls it.
 */
static struct str script_name(struct sbatch *s)
{
	struct str path = s->source->name;
	const char *slash = memrchr(path.p, '/', path.n), *dot;

	if (path.n && path.p[0] == '<')
		return STR("sbatch");
	if (slash)
		path = (struct str){ slash + 1, path.n - (size_t)(slash - path.p) - 1 };
	dot = memrchr(path.p, '.', path.n);
	name(s, dot && dot != path.p ? (struct str){ path.p, (size_t)(dot - path.p) } : path);
	return s->name;
}

static bool ready(struct sbatch *s)
{
	struct diag *d;

	if (!s->name.n)
		s->name = script_name(s);
	if (!s->image.n)
		s->image = step_image(s->source->text);
	if (!s->image.n) {
		d = diag_report(s->im->diags, TJ1107, s->at, "the script names no image");
		diag_help(s->im->diags, d, "name the image that has its programs: add a line '#SBATCH "
			"--container-image=IMAGE', or import with --image IMAGE");
	}
	if (s->array && s->nodes > 1)
		diag_report(s->im->diags, TJ1106, s->at,
			"an array of jobs with several nodes each cannot be one job; import it without '--array', and "
			"write a job for each task");
	if (!kube_dns_label(s->name)) {
		d = diag_report(s->im->diags, TJ1105, s->at, "'%.*s' cannot be the name of a job", STR_ARG(s->name));
		diag_help(s->im->diags, d, "name it: add a line '#SBATCH --job-name=NAME'; names have small letters, "
			"digits and '-'");
	}
	return s->im->diags->errors == s->errors;
}

static void write_slurm(struct sbatch *s, struct imported *job)
{
	struct arena *a = s->im->arena;
	struct set set = { .m = { .im = s->im, .kind = STR("script"), .name = s->name, .at = s->at, .name_at = s->at,
		.object = slurm_text(s, s->source->text) }, .job = job, .n = 1 };
	int64_t per_node = s->per_node ? s->per_node : s->tasks ? (s->tasks + s->nodes - 1) / s->nodes : 1;
	int64_t gpus = s->devices ? s->devices : (s->all_devices + s->nodes - 1) / s->nodes,
		replicas = s->array ? s->last - s->first + 1 : s->nodes;
	struct set_role role = { .name = STR("node"), .template = slurm_template(s, per_node, gpus), .place = s->at,
		.count_at = s->at, .jobs = 1, .per = replicas };

	set.roles = &role;
	set_words(&set);
	job_use(s->im, job, STR("slurm"));
	set.body = job_new(&set.m, job, slurm_framework(s, per_node));
	if (s->seconds) {
		struct quantity q = { .nano = (int128)s->seconds * QUANTITY_UNIT };
		lines_set(a, set.body, STR("timeout"), expr_text(a, duration_text(a, q)), s->at);
	}
	lines_set(a, lines_block(a, set.body, STR("files"), s->at), STR("\"" SCRIPT "\""),
		expr_string(a, s->source->text), s->at);
	if (!set_role_open(&set, &role))
		return;
	set_finish(&set);
	look_at_lines(s);
	if (replicas > 1 && !s->array)
		diag_report(s->im->diags, TJ1111, s->at,
			"Slurm runs the script on the first node; here it runs on every node, and 'srun' starts the "
			"tasks of its own node");
}

bool slurm_read(struct import *im, const struct source *source, struct imported *job)
{
	struct sbatch s = { .im = im, .source = source, .errors = im->diags->errors, .image = im->options.image,
		.nodes = 1, .at = { source->base, source->base + 2 } };

	options(&s);
	/* the position of the first line, so that comments about the whole script are kept */
	s.at = (struct span){ source->base, source->base + 2 };
	if (!ready(&s))
		return false;
	write_slurm(&s, job);
	return job->job != NULL;
}
