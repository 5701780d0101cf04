/*
 * code.h - what is fixed about the code of replicas: names, sizes, and the script of the step that unpacks it.
 */
#ifndef TRAINC_PLAN_CODE_H
#define TRAINC_PLAN_CODE_H

#include "plan/plan.h"

/* Where the step finds the parts of the archive. */
#define CODE_PARTS_AT "/.trainc/code"
#define CODE_LABEL STR("trainc.dev/code")

enum {
	CODE_PART = 180000,             /* bytes in one ConfigMap */
	CODE_PARTS = 5,
	CODE_PACKED = CODE_PART * CODE_PARTS,
	CODE_SHORT = 12,                /* digits of an id in names and labels */
	CODE_MUCH = 200 << 20           /* bytes for all replicas of a role that are worth a line in `plan` */
};

/*
 * $1 is the id, $2 the directory, and $3 the size of the archive. The archive is checked before anything of it is
 * unpacked: the pod template decides which code runs, and not who may write ConfigMaps. Nor do these fill the disk of
 * the node, because no more than the size is written before the check.
 */
#define CODE_SCRIPT "set -e; cat " CODE_PARTS_AT "/part-* | gzip -dc | head -c \"$3\" > \"$2/.trainc.tar\"\n" \
	"echo \"$1  $2/.trainc.tar\" | sha256sum -c - >/dev/null || " \
	"{ rm -f \"$2/.trainc.tar\"; echo \"code: the archive is not $1\" >&2; exit 65; }\n" \
	"tar -xf \"$2/.trainc.tar\" -C \"$2\"; rm \"$2/.trainc.tar\""

/* The first digits of an id. */
static inline struct str code_short(const struct plan_code *c) { return (struct str){ c->id.p, CODE_SHORT }; }

/* The init container that unpacks the code of R; false for other containers. */
static inline bool code_unpacks(const struct plan_role *r, const struct plan_container *c)
{
	return r->code && c->init && str_is(c->name, "code");
}

#endif
