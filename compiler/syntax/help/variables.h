/*
 * variables.h - finds environment variables as Kubernetes writes them, before the text is parsed.
 */
#ifndef TRAINC_SYNTAX_HELP_VARIABLES_H
#define TRAINC_SYNTAX_HELP_VARIABLES_H

#include "syntax/token.h"

/* Reports every list `env = [{name: A, value: b}]`, and makes an empty map of it. */
void variables_in_tokens(struct tokens *ts);

#endif
