/*
 * credential.c - the current credential: fixed, from a file that is renewed, or from a plugin. Its values are in their
 * own arena, which is replaced with each change, so that a process that follows a run for weeks does not accumulate old
 * tokens.
 */
#include "runtime/cluster/credential.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/file.h"
#include "runtime/cluster/credential_plugin.h"
#include "base/words.h"

#define TOKEN_FILE_AGE (50 * NS_PER_SECOND)     /* somewhat less than the minute after which the file must be read
						 * again */

struct credential {
	struct loop *loop;
	const struct kubeconfig_access *access;
	bool stdin_free;
	struct arena arena;             /* memory of `value` */
	struct credential_value value;
	bool known;                     /* `value` is filled in */
	bool stale;                     /* `value` was refused, or must be read for the first time */
	int64_t read_at;                /* loop_now() of the last reading of the token file */
	int64_t expiry;                 /* when `value` expires, in real time; 0: never */
	struct arena run_arena;         /* memory of the last run of the plugin */
	struct credential_run *run;
	unsigned runs;
	struct str failure;             /* why the plugin failed for good and is not started again; empty: the plugin
					 * has not failed for good */
	struct credential_wait *first, **last;
	struct credential_wait *answering;      /* requests that waited and are now getting the result */
};

static bool has_plugin(const struct credential *c) { return c->access->exec.command.n != 0; }

struct credential *credential_new(struct loop *l, const struct kubeconfig_access *access, bool stdin_free)
{
	struct credential *c = memory_resize(NULL, sizeof *c);

	*c = (struct credential){ .loop = l, .access = access, .stdin_free = stdin_free, .stale = true };
	c->last = &c->first;
	if (!access->tls)
		return c;               /* without TLS, client credentials are not sent */
	c->value = (struct credential_value){ .token = access->token, .basic_user = access->basic_user,
		.basic_password = access->basic_password, .certificate = access->certificate, .key = access->key,
		.generation = 1, .certificate_generation = 1 };
	return c;
}

void credential_release(struct credential *c)
{
	if (!c)
		return;
	if (c->run)
		credential_run_cancel(c->run);
	arena_release(&c->arena);
	arena_release(&c->run_arena);
	free(c);
}

/* ---- token files ---- */

static bool token_is_sound(struct str *token)
{
	while (token->n && isspace((unsigned char)token->p[token->n - 1]))
		token->n--;
	for (size_t i = 0; i < token->n; i++)
		if ((unsigned char)token->p[i] <= ' ' || token->p[i] == 0x7f)
			return false;
	return token->n > 0;
}

/* Reads the token file when that is due; false with an explanation in WHY if no token is available. */
static bool read_token_file(struct credential *c, struct arena *a, struct str *why)
{
	struct str path = c->access->token_file, token = STR("");

	if (c->known && !c->stale && loop_now(c->loop) - c->read_at < TOKEN_FILE_AGE)
		return true;
	c->read_at = loop_now(c->loop);
	c->stale = false;
	bool ok = file_read(a, path, &token, why);
	if (ok && !token_is_sound(&token)) {
		*why = STR("it holds no token");
		ok = false;
	}
	if (!ok) {
		*why = str_printf(a, "cannot read the token file %.*s: %.*s", STR_ARG(path), STR_ARG(*why));
		return c->known || c->value.token.n;    /* continue with the last good value */
	}
	c->known = true;
	if (!str_eq(token, c->value.token)) {
		token = str_copy(a, token);
		arena_reset(&c->arena);
		c->value.token = str_copy(&c->arena, token);
		c->value.generation++;
	}
	return true;
}

/* ---- plugins ---- */

/* Calls every waiting request. If a request asks again during its call, it is put at the end of the queue. */
static void answer_all(struct credential *c, const struct credential_value *value, struct str why)
{
	struct credential_wait *w;

	c->answering = c->first;
	c->first = NULL;
	c->last = &c->first;
	while ((w = c->answering)) {
		c->answering = w->next;
		w->waiting = false;
		w->ready(w, value, why);
	}
}

static void plugin_done(void *to, const struct credential_answer *answer, struct str why)
{
	struct credential *c = to;

	c->run = NULL;
	if (!answer) {
		c->failure = why;
		answer_all(c, NULL, why);
		return;
	}
	bool same = str_eq(answer->certificate, c->value.certificate) && str_eq(answer->key, c->value.key);
	struct credential_value next = { .generation = c->value.generation + 1,
		.certificate_generation = c->value.certificate_generation + !same };

	arena_reset(&c->arena);
	next.token = str_copy(&c->arena, answer->token);
	next.certificate = str_copy(&c->arena, answer->certificate);
	next.key = str_copy(&c->arena, answer->key);
	c->value = next;
	c->expiry = answer->expiry;
	c->known = true;
	c->stale = false;
	answer_all(c, &c->value, STR(""));
}

static void wait_for_plugin(struct credential *c, struct credential_wait *w)
{
	struct str why = STR("");

	if (c->failure.n) {
		w->ready(w, NULL, c->failure);
		return;
	}
	if (!c->run) {
		arena_release(&c->run_arena);
		c->runs++;
		c->run = credential_run_start(c->loop, &c->run_arena, c->access, c->stdin_free, plugin_done, c, &why);
		if (!c->run) {
			c->failure = why;
			w->ready(w, NULL, why);
			return;
		}
	}
	w->waiting = true;
	w->next = NULL;
	*c->last = w;
	c->last = &w->next;
}

/* ---- functions for the transport ---- */

void credential_get(struct credential *c, struct credential_wait *w)
{
	struct arena scratch = { 0 };
	struct str why = STR("");

	if (c->access->tls && c->access->token_file.n) {
		bool ok = read_token_file(c, &scratch, &why);
		w->ready(w, ok ? &c->value : NULL, ok ? STR("") : why);
	} else if (c->access->tls && has_plugin(c) &&
	           (c->run || c->stale || (c->expiry && clock_real() >= c->expiry))) {
		wait_for_plugin(c, w);
	} else {
		w->ready(w, &c->value, STR(""));
	}
	arena_release(&scratch);
}

/* Removes W from the list at *AT, if the list contains W. */
static void unlink_wait(struct credential_wait **at, struct credential_wait *w)
{
	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
}

void credential_forget(struct credential *c, struct credential_wait *w)
{
	if (!w->waiting)
		return;
	unlink_wait(&c->first, w);
	unlink_wait(&c->answering, w);
	for (c->last = &c->first; *c->last; c->last = &(*c->last)->next)
		;
	w->waiting = false;
}

bool credential_refused(struct credential *c, unsigned generation)
{
	if (!c->access->tls || (!c->access->token_file.n && !has_plugin(c)))
		return false;
	if (generation == c->value.generation && !c->run)
		c->stale = true;
	return true;
}

unsigned credential_plugin_runs(const struct credential *c) { return c->runs; }
