/*
 * complain.h - shared by the messages about syntax.
 */
#ifndef TRAINC_SYNTAX_HELP_COMPLAIN_H
#define TRAINC_SYNTAX_HELP_COMPLAIN_H

#include "syntax/fields.h"
#include "syntax/parse_state.h"

/* What may follow a token of the kind PREVIOUS: "'=', ':' or '{'". */
struct str expected_text(struct arena *a, const bool expected[PARSE_KINDS], int previous);

/* A syntax error: the token that was found, and the tokens that could be there. */
struct fault {
	struct parse *p;
	const struct token *at;         /* the array of tokens */
	size_t i;                       /* the offending token, or the one that follows an implied line end */
	size_t item;                    /* the first token of its item or declaration */
	struct token found;
	int previous;                   /* kind of the token before the offending one */
	bool line_end;                  /* the offending token is the end of a line */
	const bool *expected;
};

/* Does the word begin a block with a name: role, sidecar? */
bool is_block(struct str word);
/* The messages, most specific first; each returns true if it has reported the error. */
bool complain_misplaced(struct fault *f);       /* reports import, param or assert in a body */
bool complain_exchange(struct fault *f);        /* reports a word and a brace in the wrong order */
bool complain_word(struct fault *f);            /* reports TJ0113 */
bool complain_colon(struct fault *f);           /* reports a colon after a key, as in YAML (TJ0111) */
bool complain_set(struct fault *f);             /* reports {"a", "b"} and `project { name }` */
bool complain_loop(struct fault *f);            /* reports a loop after a job, or with a colon */
bool complain_local(struct fault *f);           /* reports a let inside an expression */
bool complain_value(struct fault *f);           /* reports TJ0103 and TJ0104 */
bool complain_words(struct fault *f);           /* reports text without quotes and lists without brackets */
bool complain_body(struct fault *f);            /* reports TJ0112 */
bool complain_head_colon(struct fault *f);      /* reports a colon after the head of a block */
bool complain_separator(struct fault *f);       /* reports TJ0105 */
void complain_plain(struct fault *f);           /* reports TJ0102 */

/* Add help to an existing message; each returns true if it has added some. */
bool help_habit(struct fault *f, struct diag *d);               /* helps with a construct of another language */
bool help_update(struct fault *f, struct diag *d);              /* helps with `tolerate -= [...]` and
								 * `tolerate.append(...)` */
bool help_optional(struct fault *f, struct diag *d);            /* helps with `int or none` and `Option<int>` */
bool help_function(struct fault *f, struct diag *d);            /* helps with `lambda x: x` and `x => x` */
/* Is the error the star of `[*a, b]`, which inserts a list in Python? */
bool fault_is_splat(const struct fault *f);
bool help_sign(struct fault *f, struct diag *d);                /* helps with `a ++ b`, `[*a]`, `1,000` */
bool help_comment(struct fault *f, struct diag *d);             /* helps with another language's comment */
bool help_prefix(struct fault *f, struct diag *d);              /* helps with f"..." */
/* Helps with a title where a name belongs, and with a name where text belongs. */
bool help_title(struct fault *f, struct diag *d);
bool help_import(struct fault *f, struct diag *d);
bool help_name(struct fault *f, struct diag *d);                /* helps with names and keys that contain signs */
bool help_entry(struct fault *f, struct diag *d);               /* helps with entries of maps as Kubernetes writes them
								 */
bool help_pair(struct fault *f, struct diag *d);                /* helps with `replicas = 2 to 4` and `replicas = (2,
								 * 4)` */
void help_declaration(struct fault *f, struct diag *d);         /* helps with words that do not begin a declaration */
/* Does S consist only of letters and '_'? */
bool letters_only(struct str s);

struct str fault_text(const struct fault *f, size_t i);         /* returns the text of a token, shortened */
/* The span of the tokens from I on that are written without blanks and can be a name: `wide-deep`, `std.mpi`. */
struct span fault_joined(const struct fault *f, size_t i);
struct span fault_span(const struct fault *f);
/* The value of the item, to the end of its line, as text in quotes; empty when it was probably not meant as text. */
struct str fault_quoted(struct fault *f);
/*
 * The text from token I to the end of its line or item, for "write 'x = ...'"; empty when it is too long for a message.
 */
struct str fault_rest(const struct fault *f, size_t i);
/*
 * The lines `- a` from the token FIRST on as the elements of a list, `"a", "b"`; empty when a line has more than one
 * value.
 */
struct str fault_dashes(const struct fault *f, size_t first);
/* Skips the lines that belong to the broken item: those that are indented deeper than its first line. */
void fault_skip_block(struct fault *f);

#endif
