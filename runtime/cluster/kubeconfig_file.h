/*
 * kubeconfig_file.h - shared by the kubeconfig readers: the files in their order, and the fields of their entries with
 * their positions for messages. kubeconfig_file.c reads files and finds entries, kubeconfig_user.c reads a user,
 * kubeconfig.c reads a cluster and everything else.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_KUBECONFIG_FILE_H
#define TRAINC_RUNTIME_CLUSTER_KUBECONFIG_FILE_H

#include "base/buf.h"
#include "base/source.h"
#include "runtime/cluster/kubeconfig.h"

struct kubeconfig_file {
	struct str path, directory;
	const struct data *root;        /* NULL: an empty file */
};

/* The state of reading a set of files. */
struct kubeconfig_reading {
	struct arena *arena;
	const struct kubeconfig_options *options;
	struct sources sources;
	struct kubeconfig_file *files;
	size_t nfiles;
	struct buf missing;             /* paths that do not exist, for the message that no file was found */
	struct buf warnings;            /* warnings as whole lines */
	bool absent;                    /* nothing configures a cluster */
	struct str why;                 /* explanation of an error, set by the function that fails */
};

/* An entry of one of the three lists, from the first file that has the name. */
struct kubeconfig_entry {
	const struct kubeconfig_file *file;     /* file that contains the entry; NULL: no file contains the entry */
	const struct data *body;        /* the `cluster`, `user` or `context` of the entry; NULL if the entry lacks
					 * it */
	struct str name;
};

/*
 * Reports an error: sets `why` to "PATH:LINE: ..." for the position AT, or to the message alone if AT has no position.
 * Returns false.
 */
bool kubeconfig_fail(struct kubeconfig_reading *r, struct span at, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));

/* Reads the files that the options name. At this point it is not an error if no file exists. */
bool kubeconfig_files(struct kubeconfig_reading *r);
/* Looks up NAME in the lists PLURAL ("clusters") of all files; the body is under SINGULAR. */
struct kubeconfig_entry kubeconfig_find(const struct kubeconfig_reading *r, const char *plural, const char *singular,
	struct str name);
/* The names in the lists PLURAL of all files, each once, in the order of the files. */
struct kubeconfig_names kubeconfig_list(const struct kubeconfig_reading *r, const char *plural);
/* The value of the first scalar NAME that is not empty. */
struct str kubeconfig_scalar(const struct kubeconfig_reading *r, const char *name);

/* ---- fields of an entry; RET is unchanged if the field is absent or null ---- */

bool kubeconfig_text(struct kubeconfig_reading *r, const struct data *map, const char *name, struct str *ret);
bool kubeconfig_flag(struct kubeconfig_reading *r, const struct data *map, const char *name, bool *ret);
bool kubeconfig_texts(struct kubeconfig_reading *r, const struct data *map, const char *name, struct str **ret,
	size_t *ret_n);
/*
 * Reads bytes that are given in base64 as NAME-data or as the file NAME, relative to the directory of FILE; it is an
 * error to give both. RET is PEM.
 */
bool kubeconfig_bytes(struct kubeconfig_reading *r, const struct kubeconfig_file *file, const struct data *map,
	const char *name, struct str *ret);
/* PATH relative to the directory of FILE. */
struct str kubeconfig_path(const struct kubeconfig_reading *r, const struct kubeconfig_file *file, struct str path);

/* ---- kubeconfig_user.c ---- */

/* Reads the user ENTRY into A. */
bool kubeconfig_user(struct kubeconfig_reading *r, const struct kubeconfig_entry *entry, struct kubeconfig_access *a);

#endif
