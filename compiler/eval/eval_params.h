/*
 * eval_params.h - converts text, and the trees of parameter files, to values of a parameter's type. Both report errors
 * as TJ0403 unless another code is more precise.
 */
#ifndef TRAINC_EVAL_EVAL_PARAMS_H
#define TRAINC_EVAL_EVAL_PARAMS_H

#include "data/data.h"
#include "eval/internal.h"

/*
 * The value of TEXT, parsed as an expression of type T. AT is its span in its source. NULL, without a report, when it
 * is not such an expression.
 */
const struct value *param_text(struct eval *ev, struct str text, struct span at, const struct type *t);
/*
 * The key of M as it is written in the file, if it has no quotes: `on` and `n` may be names of fields, although YAML
 * reads them as booleans.
 */
struct str param_key(const struct sources *sources, const struct data_member *m);
/*
 * Converts D to a value of type T; VALUE_BAD after reporting errors with PATH. TOP: D is the value of the parameter
 * itself, whose text needs no quotes.
 */
const struct value *param_data(struct eval *ev, const struct data *d, const struct type *t, struct str path, bool top);

#endif
