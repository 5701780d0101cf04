/*
 * builtin.h - the built-in functions. builtin.c evaluates the arguments, checks that they are known as far as the
 * function needs, and calls one of the functions declared here.
 */
#ifndef TRAINC_EVAL_BUILTIN_H
#define TRAINC_EVAL_BUILTIN_H

#include "check/check_schema.h"
#include "eval/internal.h"

#define BUILTIN(name) const struct value *builtin_##name(struct arguments *a)

/* lists, numbers: builtin_list.c, builtin_number.c */
BUILTIN(len); BUILTIN(range); BUILTIN(sorted); BUILTIN(unique); BUILTIN(flatten); BUILTIN(find);
BUILTIN(keys); BUILTIN(values); BUILTIN(has);
BUILTIN(sum); BUILTIN(product); BUILTIN(min); BUILTIN(max);
BUILTIN(abs); BUILTIN(ceil_div); BUILTIN(round); BUILTIN(float); BUILTIN(int);
BUILTIN(bytes); BUILTIN(seconds); BUILTIN(millis);
/* text: builtin_text.c */
BUILTIN(str); BUILTIN(join); BUILTIN(split); BUILTIN(lines); BUILTIN(replace); BUILTIN(trim); BUILTIN(pad);
BUILTIN(cut); BUILTIN(lower); BUILTIN(upper); BUILTIN(starts_with); BUILTIN(ends_with); BUILTIN(matches);
BUILTIN(json); BUILTIN(sha256); BUILTIN(has_digest); BUILTIN(tag);
/* command lines: builtin_commands.c, builtin_options.c */
BUILTIN(commands);
BUILTIN(options);
/* volumes, references, conditions, tests: builtin_object.c */
BUILTIN(pvc); BUILTIN(scratch); BUILTIN(secret_files); BUILTIN(config_files); BUILTIN(host_path); BUILTIN(nfs);
BUILTIN(csi);
BUILTIN(generated);
BUILTIN(own_claim);
BUILTIN(secret); BUILTIN(config); BUILTIN(secret_env); BUILTIN(config_env);
BUILTIN(done); BUILTIN(ready); BUILTIN(started);
BUILTIN(tcp); BUILTIN(http); BUILTIN(exec); BUILTIN(near); BUILTIN(prefer);
BUILTIN(env); BUILTIN(object); BUILTIN(fails);

/* Argument I as a text, a bool or an int; FALLBACK if it was not given. */
struct str argument_text(const struct arguments *a, size_t i, const char *fallback);
bool argument_bool(const struct arguments *a, size_t i, bool fallback);
int64_t argument_int(const struct arguments *a, size_t i, int64_t fallback);
/* The span of argument I, for messages. */
struct span argument_at(const struct arguments *a, size_t i);

/*
 * The condition of KIND about the cell or the copy that is the first argument: of any copy, of LEAST copies if that is
 * not NULL, or of as many as the cell needs.
 */
const struct value *cell_condition(struct arguments *a, enum condition_kind kind, bool any, const struct value *least);

#endif
