/*
 * code_tree.h - the files of a directory that a snapshot takes, and those that rules leave out.
 */
#ifndef TRAINC_CODE_CODE_TREE_H
#define TRAINC_CODE_CODE_TREE_H

#include <sys/stat.h>

#include "code/code_rules.h"

enum tree_kind { TREE_FILE, TREE_LINK, TREE_DIRECTORY, TREE_OTHER };

/* A file or link that is taken. */
struct tree_entry {
	struct str path;                /* relative to the directory of the code */
	enum tree_kind kind;            /* TREE_FILE or TREE_LINK */
	bool executable;
	uint64_t size;                  /* of a file; 0 for a link */
	struct str target;              /* of a link */
	/* what the file was when its size was read */
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

/* What is left out; a directory includes all that is below it. */
struct tree_left {
	struct str path, rule;          /* rule: ".gitignore:3", "exclude", ".git", "not a file" */
	struct str text;                /* the rule as written; may be empty */
	enum tree_kind kind;
};

/* Something because of which no snapshot can be made. */
enum tree_fault { FAULT_NONE, FAULT_UNREADABLE, FAULT_LINK, FAULT_NAME, FAULT_MANY, FAULT_SIZE, FAULT_SECRET,
	FAULT_CHANGED };
struct tree_problem {
	enum tree_fault fault;
	struct str path, why;           /* why: the end of a sentence; for a link, its target */
};

enum { TREE_FILES = 20000, TREE_VISITS = 1000000, TREE_OWN = 8 };

/* A file or directory that trainc itself writes, and the name of the rule because of which it is never taken. */
struct tree_own {
	dev_t device;
	ino_t inode;
	const char *rule;
};

struct code_tree {
	struct arena *arena;
	/* set by the caller: an open descriptor of the directory, and its path and that of its project */
	int root;
	struct str dir;                 /* the directory, relative to the project; empty if it is the project */
	struct str project;             /* path of the project on this machine */
	struct str state;               /* trainc's own directory, which is never taken: an absolute path, or empty */
	const struct str *outputs;      /* files and directories that the command writes */
	const struct str *exclude, *include;
	size_t noutputs, nexclude, ninclude;
	/* results; `entries` are in byte order of their paths */
	struct tree_entry *entries;
	size_t n;
	struct tree_left *left;
	size_t nleft;
	struct str *directories;        /* those that were read; empty for the root */
	size_t ndirectories;
	struct tree_problem *problems;
	size_t nproblems;
	uint64_t bytes;                 /* sum of all sizes */
	bool *included;                 /* for each element of `include`: it matched something */
	/* the rest is the walk's own */
	size_t visits;
	struct tree_own own[TREE_OWN];
	size_t nown;
	const struct rules *excludes, *includes;
};

/* Walks the directory. Nothing is read except file names, links, and files of rules. */
void tree_walk(struct code_tree *t);

/*
 * Opens the file of an entry, through no link on the whole path. Returns -1 with the reason in errno, which is ENOENT
 * if the path is not that of a file any more.
 */
int tree_open(const struct code_tree *t, struct str path);

/* Adds a problem, at most 100 of each kind. */
void tree_report(struct code_tree *t, enum tree_fault fault, struct str path, struct str why);

/* Finds the entry of that path; NULL if it is not taken. */
const struct tree_entry *tree_find(const struct code_tree *t, struct str path);
/* Finds what leaves out PATH: its own entry, or that of a directory above it; NULL if there is none. */
const struct tree_left *tree_left_find(const struct code_tree *t, struct str path);

#endif
