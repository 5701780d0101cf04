/*
 * rules_text.c - reports credentials in a program, references to variables that nothing expands, and images that may
 * change while a job is running (TJ0712, TJ0714, TJ0718, TJ0815).
 */
#include "eval/internal.h"
#include "lower/lower_rules.h"

#include <ctype.h>

/* ---- credentials ---- */

static bool looks_secret(struct str name)
{
	static const char *const words[] = { "TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "ACCESS_KEY",
		"PRIVATE_KEY", "CREDENTIAL" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct str w = str_of(words[i]);
		if (str_ends(name, w) && (name.n == w.n || name.p[name.n - w.n - 1] == '_'))
			return true;
	}
	return false;
}

static bool is_number_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
			return false;
	return s.n > 0;
}

static bool is_token_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Is WORD a token that begins with PREFIX, followed by at least N characters? */
static bool is_token(struct str word, struct str prefix, size_t n)
{
	return word.n >= prefix.n + n && str_starts(word, prefix);
}

/* The kind of the first access key in a text or, without an access key, of the first access token; otherwise NULL. */
static const char *token_kind(struct str s)
{
	const char *kind = NULL;
	for (size_t i = 0, end; i < s.n; i = end + 1) {
		for (end = i; end < s.n && is_token_char(s.p[end]);)
			end++;
		struct str word = { s.p + i, end - i };
		if (is_token(word, STR("AKIA"), 16))
			return "an access key";
		if (is_token(word, STR("hf_"), 20) || is_token(word, STR("ghp_"), 30) || is_token(word, STR("sk-"), 20))
			kind = "an access token";
	}
	return kind;
}

/* Is it a JWT: header.payload.signature in base64url, the first two beginning with {" ? */
static bool is_jwt(struct str s)
{
	size_t dots = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.')
			dots++;
		else if (!isalnum((unsigned char)s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
			return false;
	}
	return dots == 2 && s.n > 40 && str_starts(s, STR("eyJ"));
}

/* The kind of credential that a text looks like; NULL: it looks like no credential. */
static const char *credential(struct str s)
{
	if (s.n < 20)
		return NULL;
	if (memmem(s.p, s.n, "-----BEGIN ", 11) && memmem(s.p, s.n, "PRIVATE KEY-----", 16))
		return "a private key";
	const char *kind = token_kind(s);
	return kind ? kind : is_jwt(s) ? "a signed token" : NULL;
}

static void shaped(struct job *j, struct str text, struct span at)
{
	const char *kind = credential(text);
	if (!kind)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0718, at, "this text is shaped like %s", kind);
	diag_help(job_diags(j), d,
		"keep it in a Secret and write secret(\"name\", \"key\") in 'env', or mount it with secret_files");
}

static void env_literals(struct job *j, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nenv; i++) {
		const struct plan_env *e = &c->env[i];
		if (e->kind != ENV_TEXT || e->per_replica || e->text.n != 1 || e->text.at[0].kind != PIECE_TEXT)
			continue;
		struct str v = e->text.at[0].u.text;
		if (credential(v)) {
			shaped(j, v, e->from);
			continue;
		}
		if (e->framework || !looks_secret(e->name) || !v.n || is_number_text(v) || v.p[0] == '/' ||
			str_is(v, "true") || str_is(v, "false"))
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0712, e->from,
			"'%.*s' looks like a credential written in the program", STR_ARG(e->name));
		diag_help(job_diags(j), d, "use secret(\"name\", \"key\")");
	}
}

/* ---- looking up the variables of a container ---- */

struct seen_variables {
	struct job *job;
	const struct plan_container *container;
	struct map index;               /* name -> position + 1; made on first use */
	bool *secret;                   /* for each variable: it contains a credential */
	bool shell;                     /* a shell may read the command and the arguments */
};

/* Does an entry contain a credential? A reference is always to an earlier entry, for which the answer is known. */
static bool holds_secret(const struct seen_variables *vs, size_t entry)
{
	const struct plan_env *e = &vs->container->env[entry];
	for (size_t i = 0; e->kind == ENV_TEXT && i < e->text.n; i++) {
		size_t other = e->text.at[i].kind == PIECE_ENV ?
			(size_t)(uintptr_t)map_get(&vs->index, e->text.at[i].u.text) : 0;
		if (other && vs->secret[other - 1])
			return true;
	}
	return e->kind == ENV_SECRET;
}

/* 1 + the index of the variable with that name; 0 if no variable has that name. */
static size_t position(struct seen_variables *vs, struct str name)
{
	const struct plan_container *c = vs->container;
	struct arena *a = eval_work(vs->job->ev);
	if (!vs->secret) {
		vs->secret = ARENA_ARRAY(a, bool, c->nenv);
		for (size_t i = 0; i < c->nenv; i++) {
			vs->secret[i] = holds_secret(vs, i);
			map_put(&vs->index, a, c->env[i].name, (void *)(uintptr_t)(i + 1));
		}
	}
	return (size_t)(uintptr_t)map_get(&vs->index, name);
}

/* ---- $(NAME) and $NAME in plain text (TJ0714) ---- */

static const char word_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* Finds the next $(NAME) or $NAME from *P on and moves *P past it; false if the text contains no more of them. */
static bool next_lookalike(const char **p, const char *end, struct str *ret_name, struct str *ret_whole)
{
	for (const char *dollar; *p < end && (dollar = memchr(*p, '$', (size_t)(end - *p))); *p = dollar + 1) {
		bool parens = dollar + 1 < end && dollar[1] == '(';
		const char *name = dollar + 1 + parens, *stop = name;
		while (stop < end && strchr(word_characters, *stop) && *stop)
			stop++;
		if (stop == name || (parens && (stop == end || *stop != ')')))
			continue;
		*ret_name = (struct str){ name, (size_t)(stop - name) };
		*ret_whole = (struct str){ dollar, (size_t)(stop + parens - dollar) };
		*p = stop;
		return true;
	}
	return false;
}

/* Does the name look like that of a variable, such as PATH or OUT_DIR? Other text after '$' may mean something else. */
static bool usual_variable(struct str name)
{
	return name.n > 1 && strspn(name.p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= name.n &&
		!isdigit((unsigned char)name.p[0]);
}

/* The expression for what a variable of launchers or of pods usually holds; NULL for other variables. */
static const char *usual_meaning(struct str name)
{
	static const char *const meanings[][2] = {
		{ "RANK", "pod.index" }, { "NODE_RANK", "pod.index" }, { "GROUP_RANK", "pod.index" },
		{ "JOB_COMPLETION_INDEX", "pod.index" }, { "POD_INDEX", "pod.index" }, { "HOSTNAME", "pod.name" },
		{ "POD_NAME", "pod.name" }, { "POD_IP", "pod.ip" }, { "NODE_NAME", "pod.node" },
		{ "WORLD_SIZE", "self.replicas" }, { "NNODES", "self.replicas" }, { "MASTER_ADDR", "self.host(0)" },
		{ "POD_NAMESPACE", "cluster.namespace" }, { "LOCAL_RANK", "" }, { "LOCAL_WORLD_SIZE", "" },
	};

	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (str_is(name, meanings[i][0]))
			return meanings[i][1];
	return NULL;
}

/*
 * Adds help for a variable of launchers or of pods. With a framework, a launcher may set it for each of its processes,
 * so that no argument can have it.
 */
static void help_usual(struct job *j, struct diag *d, struct str name, const char *meaning)
{
	bool each = j->framework && (str_ends(name, STR("RANK")) || str_ends(name, STR("WORLD_SIZE")));

	if (*meaning && !each) {
		diag_help(job_diags(j), d, "write ${%s}", meaning);
		return;
	}
	diag_help(job_diags(j), d, "a launcher sets it for each of its processes: the program reads it from its own "
		"environment, not from an argument");
	if (*meaning)
		diag_help(job_diags(j), d, "for the whole replica write ${%s}", meaning);
}

/* Reports $(NAME) or $NAME in a text where nothing expands it. */
static void report_unexpanded(struct job *j, const struct text *t, struct str whole, struct str name)
{
	const char *meaning = usual_meaning(name);
	struct diag *d = diag_report(job_diags(j), TJ0714, t->from,
		"'%.*s' is plain text here: nothing replaces it with a value", STR_ARG(whole));
	bool path = str_is(name, "PATH") || str_ends(name, STR("PATH"));
	if (meaning)
		help_usual(j, d, name, meaning);
	else if (path)
		diag_help(job_diags(j), d,
			"the image's own value is not known here: write all of it, or start the program "
			"with [\"sh\", \"-c\", \"%.*s=...:$%.*s exec ...\"]", STR_ARG(name), STR_ARG(name));
	else
		diag_help(job_diags(j), d,
			"set it in 'env' and write ${pod.env(\"%.*s\")}, or start the program in a shell",
			STR_ARG(name));
}

/*
 * Checks a text for references to variables. Only the first KNOWN variables are defined before it. SHELL: a shell may
 * read it, which expands $NAME.
 */
static void reference_lookalike(struct seen_variables *vs, size_t known, const struct text *t, bool shell)
{
	struct job *j = vs->job;
	for (size_t i = 0; i < t->n; i++) {
		struct str s = t->at[i].kind == PIECE_TEXT ? t->at[i].u.text : STR(""), name, whole;
		const char *p = s.p;
		while (next_lookalike(&p, s.p + s.n, &name, &whole)) {
			bool parens = whole.p[1] == '(';
			if (shell && !parens)
				continue;
			size_t at = position(vs, name);
			if ((!at || at > known) && usual_variable(name) && !(parens && shell)) {
				report_unexpanded(j, t, whole, name);
				return;
			}
			if (!at || at > known)
				continue;
			struct diag *d = diag_report(job_diags(j), TJ0714, t->from,
				parens ? "'%.*s' is plain text here" : "'%.*s' is plain text here: no shell reads it",
				STR_ARG(whole));
			diag_help(job_diags(j), d, "to use the variable write ${pod.env(\"%.*s\")}", STR_ARG(name));
			if (shell)
				diag_help(job_diags(j), d, "in the script of a shell write $%.*s", STR_ARG(name));
			return;
		}
	}
}

static bool is_shell_word(struct str s)
{
	const char *slash = s.n ? memrchr(s.p, '/', s.n) : NULL;
	if (slash)
		s = (struct str){ slash + 1, s.n - (size_t)(slash + 1 - s.p) };
	bool option = s.n > 1 && s.n < 6 && s.p[0] == '-' && s.p[s.n - 1] == 'c';       /* such as sh -c, bash -lc,
											 * python -c */
	return option || (s.n >= 2 && str_ends(s, STR("sh")));
}

static bool is_shell(const struct text *t)
{
	return t->n == 1 && t->at[0].kind == PIECE_TEXT && is_shell_word(t->at[0].u.text);
}

/* May a shell read the words of the command? Without a command the image decides. */
static bool has_shell(const struct plan_container *c)
{
	const struct plan_texts *lists[] = { &c->command, &c->args };
	bool shell = !c->command.n && !c->command.per_replica;
	for (size_t k = 0; k < 2; k++) {
		const struct plan_texts *list = !lists[k]->n && lists[k]->per_replica ? &lists[k]->per_replica[0] :
			lists[k];
		for (size_t i = 0; i < list->n; i++)
			shell = shell || is_shell(&list->at[i]);
	}
	return shell;
}

/* ---- pod.env("NAME") in command and args (TJ0705, TJ0711) ---- */

/* Reports a variable of a whole Secret in an argument; one of several objects may be from a ConfigMap. */
static void see_source(struct seen_variables *vs, struct str name, struct span at)
{
	const struct plan_container *c = vs->container;

	for (size_t i = 0; i < c->nsources; i++)
		if (!c->sources[i].secret)
			return;
	struct diag *d = diag_report(job_diags(vs->job), TJ0711, at,
		"'%.*s' comes from a Secret, which cannot be put in an argument", STR_ARG(name));
	diag_note(job_diags(vs->job), d, c->sources[0].from, "its keys are variables here");
	diag_help(job_diags(vs->job), d,
		"anyone who can list processes can read arguments: let the program read the variable");
}

static void see_variable(struct seen_variables *vs, struct str name, struct span at)
{
	struct job *j = vs->job;
	size_t i = position(vs, name);
	struct diag *d;
	if (!i && vs->container->nsources) {
		see_source(vs, name, at);
	} else if (!i) {
		d = diag_report(job_diags(j), TJ0705, at, "'%.*s' is not defined in this container", STR_ARG(name));
		diag_help(job_diags(j), d,
			"define it in 'env' of the same container; a variable of the image needs a shell: \"$%.*s\"",
			STR_ARG(name));
	} else if (vs->secret[i - 1]) {
		d = diag_report(job_diags(j), TJ0711, at, "'%.*s' holds a secret, which cannot be put in an argument",
			STR_ARG(name));
		diag_note(job_diags(j), d, vs->container->env[i - 1].name_at, "defined here");
		diag_help(job_diags(j), d,
			"anyone who can list processes can read arguments: let the program read the variable");
	}
}

static void see_texts(struct seen_variables *vs, const struct plan_texts *list)
{
	if (!list->n && list->per_replica)
		list = &list->per_replica[0];
	for (size_t i = 0; i < list->n; i++) {
		const struct text *t = &list->at[i];
		for (size_t k = 0; k < t->n; k++)
			if (t->at[k].kind == PIECE_ENV)
				see_variable(vs, t->at[k].u.text, t->from);
		reference_lookalike(vs, vs->container->nenv, t, vs->shell);
		for (size_t k = 0; k < t->n; k++)
			if (t->at[k].kind == PIECE_TEXT)
				shaped(vs->job, t->at[k].u.text, t->from);
	}
}

/* ---- images (TJ0815) ---- */

static void check_image(struct job *j, const struct plan_container *c, struct map *seen)
{
	struct str name = c->image.value, tag = { 0 };
	if (!c->image.set || j->options->here || memchr(name.p, '@', name.n))
		return;
	for (size_t i = name.n; i-- > 0 && name.p[i] != '/';)
		if (name.p[i] == ':') {
			tag = (struct str){ name.p + i + 1, name.n - i - 1 };
			break;
		}
	if ((tag.p && !str_is(tag, "latest")) || map_put(seen, j->ev->arena, name, j) ||
		!in_user_text(j->ev, c->image.from))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0815, c->image.from,
		tag.p ? "'%.*s' can change while the job runs" :
		"'%.*s' has no tag, so it can change while the job runs",
		STR_ARG(name));
	diag_help(job_diags(j), d, "pin a tag or a digest");
}

/* ---- commands that the kubelet runs: probes and hooks (TJ0714) ---- */

struct words {                          /* the words of a command */
	struct str *at;
	struct span *from;
	size_t n;
};

/*
 * The command as the script of a shell, in which the reference WHOLE to NAME, in word AT, is written $NAME instead of
 * $(NAME).
 */
static struct str in_shell(struct arena *a, const struct words *w, size_t at, struct str whole, struct str name)
{
	struct str all = STR("");
	for (size_t i = 0; i < w->n; i++) {
		struct str s = w->at[i];
		if (i == at && whole.p[1] == '(')
			s = str_printf(a, "%.*s$%.*s%.*s", (int)(whole.p - s.p), s.p, STR_ARG(name),
				(int)(s.p + s.n - (whole.p + whole.n)), whole.p + whole.n);
		all = str_printf(a, "%.*s%s%.*s", STR_ARG(all), i ? " " : "", STR_ARG(s));
	}
	return all;
}

/* Reports a variable in a command without a shell: Kubernetes does not replace $(NAME) in probes and hooks. */
static void run_words(struct seen_variables *vs, const struct words *w)
{
	struct arena *a = eval_work(vs->job->ev);
	struct str name, whole;
	for (size_t i = 0; i < w->n; i++)
		if (is_shell_word(w->at[i]))
			return;
	for (size_t i = 0; i < w->n; i++) {
		const char *p = w->at[i].p;
		while (p && next_lookalike(&p, w->at[i].p + w->at[i].n, &name, &whole)) {
			if (!usual_variable(name) && !position(vs, name))
				continue;
			struct diag *d = diag_report(job_diags(vs->job), TJ0714, w->from[i],
				"'%.*s' is plain text here: no shell reads this command", STR_ARG(whole));
			struct str script = in_shell(a, w, i, whole, name);
			if (script.n < 80 && !memchr(script.p, '"', script.n) && !memchr(script.p, '\n', script.n))
				diag_help(job_diags(vs->job), d, "write [\"sh\", \"-c\", \"%.*s\"]", STR_ARG(script));
			else
				diag_help(job_diags(vs->job), d, "start the command in a shell: [\"sh\", \"-c\", ...]");
			return;
		}
	}
}

static void probe_words(struct seen_variables *vs, const struct plan_probe *p)
{
	struct arena *a = eval_work(vs->job->ev);
	size_t n = p && p->kind == PROBE_EXEC ? p->ncommand : 0;
	struct words w = { ARENA_ARRAY(a, struct str, n), ARENA_ARRAY(a, struct span, n), n };
	for (size_t i = 0; i < n; i++) {
		w.at[i] = p->command[i].value;
		w.from[i] = p->command[i].from;
	}
	run_words(vs, &w);
}

/* Checks the words of `exec { command = [...] }` in a probe or hook of a raw block. */
static void raw_words(struct seen_variables *vs, const struct data *action)
{
	struct arena *a = eval_work(vs->job->ev);
	const struct data *exec = action ? data_get(action, STR("exec")) : NULL,
		*command = exec ? data_get(exec, STR("command")) : NULL;
	size_t n = command && command->kind == DATA_LIST ? command->u.list.n : 0;
	struct words w = { ARENA_ARRAY(a, struct str, n), ARENA_ARRAY(a, struct span, n), n };
	for (size_t i = 0; i < n; i++) {
		const struct data *word = command->u.list.at[i];
		w.at[i] = word->kind == DATA_STRING ? word->u.string : STR("");
		w.from[i] = word->from;
	}
	run_words(vs, &w);
}

static void commands_of_kubelet(struct seen_variables *vs)
{
	static const char *const probes[] = { "readinessProbe", "livenessProbe", "startupProbe" },
		*const hooks[] = { "preStop", "postStart" };
	const struct data *raw = vs->container->raw, *lifecycle = raw ? data_get(raw, STR("lifecycle")) : NULL;
	probe_words(vs, vs->container->ready);
	for (size_t i = 0; raw && i < sizeof probes / sizeof *probes; i++)
		raw_words(vs, data_get(raw, str_of(probes[i])));
	for (size_t i = 0; lifecycle && i < sizeof hooks / sizeof *hooks; i++)
		raw_words(vs, data_get(lifecycle, str_of(hooks[i])));
}

static void check_container_texts(struct job *j, const struct plan_container *c, struct map *images)
{
	struct seen_variables vs = { .job = j, .container = c, .shell = has_shell(c) };
	env_literals(j, c);
	for (size_t i = 0; i < c->nenv; i++)
		if (c->env[i].kind == ENV_TEXT && !c->env[i].framework)
			reference_lookalike(&vs, i, &c->env[i].text, false);
	see_texts(&vs, &c->command);
	see_texts(&vs, &c->args);
	commands_of_kubelet(&vs);
	check_image(j, c, images);
}

void rules_text(struct job *j)
{
	struct map images = { 0 };
	for (size_t i = 0; i < j->plan->nroles; i++) {
		const struct plan_role *r = &j->plan->roles[i];
		if (r->max == 0)
			continue;
		check_container_texts(j, &r->main, &images);
		for (size_t k = 0; k < r->nsidecars; k++)
			check_container_texts(j, &r->sidecars[k], &images);
		for (size_t k = 0; k < r->ninits; k++)
			check_container_texts(j, &r->inits[k], &images);
		for (size_t k = 0; k < r->nfiles; k++)
			for (size_t p = 0; p < r->files[k].text.n; p++)
				if (r->files[k].text.at[p].kind == PIECE_TEXT)
					shaped(j, r->files[k].text.at[p].u.text, r->files[k].from);
	}
}
