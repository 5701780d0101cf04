/*
 * code_rules.h - which files a snapshot leaves out: the rules of .gitignore and .trainignore, and lists with their
 * syntax.
 */
#ifndef TRAINC_CODE_CODE_RULES_H
#define TRAINC_CODE_CODE_RULES_H

#include "code/glob.h"

struct rule {
	struct glob glob;
	struct str text;                /* the rule as written, without blanks at its end */
	bool negated;                   /* it begins with '!': what it matches is taken */
	bool directory;                 /* it ends with '/': it matches directories only */
	unsigned line;                  /* number of its line or element, from 1 */
};

/* Rules of one file, or of one list of the program. */
struct rules {
	const struct rules *outer;      /* rules that are asked when none of these matches; NULL after the last */
	struct str base;                /* directory of the rules, relative to the project; empty for the project */
	struct str name;                /* path of the file, relative to the project; or "exclude", "include" */
	bool lines;                     /* the rules have lines: a message names FILE:LINE */
	struct rule *at;
	size_t n;
};

/* Reads the text of a file of rules exactly as git does. The rules borrow TEXT. */
struct rules *rules_read(struct arena *a, const struct rules *outer, struct str base, struct str name, struct str text);
/* Makes rules of a list, each of whose elements is a line of such a file. */
struct rules *rules_of_list(struct arena *a, const struct rules *outer, struct str base, struct str name,
	const struct str *list, size_t n);

/*
 * Finds the rule that decides about PATH, relative to the project: the last one that matches in the nearest rules that
 * have one. Returns NULL if none matches; otherwise *RET_OF are the rules that contain it.
 */
const struct rule *rules_find(const struct rules *rules, struct str path, bool directory, const struct rules **ret_of);

/* May a rule that is not negated match below the directory PATH? */
bool rules_reach_below(const struct rules *rules, struct str path);

/* The name of a rule for messages: ".gitignore:3", or "exclude". */
struct str rules_name(struct arena *a, const struct rules *of, const struct rule *rule);

#endif
