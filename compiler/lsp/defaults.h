/*
 * defaults.h - what a job or a role has although its text does not set it: from a framework, the project or the
 * language.
 */
#ifndef TRAINC_LSP_DEFAULTS_H
#define TRAINC_LSP_DEFAULTS_H

#include "lsp/server.h"

struct lsp_defaults {
	struct str decided;             /* by a framework or the project: "queue research, restart on-failure" */
	struct str all;                 /* a line for each, as the program would set it: restart = "never" */
};

struct lsp_defaults defaults_of_job(struct arena *a, const struct analysis *an, const struct plan_job *j);
/* As defaults_of_job(), for the role R. */
struct lsp_defaults defaults_of_role(struct arena *a, const struct analysis *an, const struct plan_role *r);
/* The text that shows LINES, the `all` of defaults; empty without any. */
struct str defaults_text(struct arena *a, struct str lines);

#endif
