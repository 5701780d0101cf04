/* why.h - explains the state of a run: `trainc why`, with and without saved objects. */
#ifndef TRAINC_RUNTIME_COMMAND_WHY_H
#define TRAINC_RUNTIME_COMMAND_WHY_H

#include "command/session.h"
#include "runtime/run/run_state.h"

/*
 * Appends the explanation of RUN at the time NOW, as text or, with `-o json`, as a document. WHERE is that of
 * advice_find().
 */
void why_explain(struct session *s, const char *where, const struct run_state *run, int64_t now, struct buf *out);
/* Writes explanations to standard output. */
void why_print(struct session *s, struct str text);

#endif
