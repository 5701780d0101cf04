/*
 * defaults.h - the values that a job or role has although its text does not set them: they come from a framework, the
 * project or the language.
 */
#ifndef TRAINC_LSP_DEFAULTS_H
#define TRAINC_LSP_DEFAULTS_H

#include "lsp/server.h"

struct lsp_defaults {
	/* what a framework or the project decided, in brief: "queue research, restart on-failure" */
	struct str decided;
	struct str all;                 /* one line for each value, as a program would set it: restart = "never" */
};

struct lsp_defaults defaults_of_job(struct arena *a, const struct analysis *an, const struct plan_job *j);
/* Returns the defaults of role R, as defaults_of_job() does for a job. */
struct lsp_defaults defaults_of_role(struct arena *a, const struct analysis *an, const struct plan_role *r);
/* Formats LINES, the member `all` of defaults, for display; empty if LINES is empty. */
struct str defaults_text(struct arena *a, struct str lines);

#endif
