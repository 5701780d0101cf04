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
	CODE_ID = 64,                   /* digits of an id */
	CODE_SHORT = 12,                /* digits of an id in names and labels */
	CODE_MUCH = 200 << 20           /* bytes for all replicas of a role that are worth a line in `plan` */
};

enum code_dirty { CODE_UNKNOWN, CODE_CLEAN, CODE_DIRTY };

/*
 * $1 is the id, $2 the directory, and $3 the size of the archive. The archive is checked before anything of it is
 * unpacked: the pod template decides which code runs, and not who may write ConfigMaps. Nor do these fill the disk of
 * the node, because no more than the size is written before the check.
 */
#define CODE_SCRIPT_OF(archive) "set -e; cat " archive " | gzip -dc | head -c \"$3\" > \"$2/.trainc.tar\"\n" \
	"echo \"$1  $2/.trainc.tar\" | sha256sum -c - >/dev/null || " \
	"{ rm -f \"$2/.trainc.tar\"; echo \"code: the archive is not $1\" >&2; exit 65; }\n" \
	"tar -xf \"$2/.trainc.tar\" -C \"$2\"; rm \"$2/.trainc.tar\""

#define CODE_SCRIPT CODE_SCRIPT_OF(CODE_PARTS_AT "/part-*")

/* On a claim the archive is one file, whose name is its id; `apply` and `trainc code --upload` write it. */
#define CODE_FILES "trainc-code"
#define CODE_FILE CODE_FILES "/$1.tar.gz"
#define CODE_SCRIPT_CLAIM "test -f " CODE_PARTS_AT "/" CODE_FILE " || { echo \"code: the claim has no " CODE_FILE \
	"; 'trainc code --upload' writes it\" >&2; exit 66; }\n" CODE_SCRIPT_OF(CODE_PARTS_AT "/" CODE_FILE)

/*
 * Lists the files and links below the working directory, but not .trainc: 64 digits that change with the content, two
 * blanks, and the path.
 */
#define CODE_LIST "{ find . -path ./.trainc -prune -o -type f -exec sha256sum {} +\n" \
	"find . -path ./.trainc -prune -o -type l -print | while IFS= read -r f; do\n" \
	"  echo \"$(readlink \"$f\" | sha256sum | cut -c-64)  $f\"\n" \
	"done; }"

/*
 * The step for code that `trainc sync` may replace: it also notes which code there is. If the step runs again in the
 * same pod, the code that is there stays, because it may have been replaced.
 */
#define CODE_SCRIPT_SYNC_OF(script) "test ! -e \"$2/.trainc/id\" || exit 0\n" script "\n" \
	"cd \"$2\"; mkdir -p .trainc; chmod 777 .trainc\n" \
	CODE_LIST " > .trainc/files; echo \"$1\" > .trainc/id"

/*
 * Starts the main program of a role whose code may be replaced, and starts it again if it ends while the file `again`
 * exists. $1 is the directory of the code; the words of the program follow. TERM and INT are passed on to the process
 * group of the program, both as TERM: a shell starts programs in the background with INT ignored. After them the
 * program never starts again, and an exit status of 0 becomes 143: Kubernetes would count a pod that ends with 0 after
 * an eviction as a success.
 */
#define CODE_LOOP "d=$1/.trainc; shift; p= stop= run=\n" \
	"mkdir -p \"$d\"; rm -rf \"$d/again\" \"$d/pid\" \"$d/new\"\n" \
	"pass() {\n" \
	"  stop=1\n" \
	"  test -z \"$p\" || kill -TERM -- \"-$p\" 2>/dev/null || kill -TERM \"$p\" 2>/dev/null\n" \
	"}\n" \
	"trap pass TERM INT\n" \
	"if command -v setsid >/dev/null 2>&1; then run=setsid; fi\n" \
	"while :; do\n" \
	"  $run \"$@\" <&0 &\n" \
	"  p=$!; echo \"$p\" > \"$d/pid.new\" && mv -f \"$d/pid.new\" \"$d/pid\"\n" \
	"  test -z \"$stop\" || pass\n" \
	"  wait \"$p\" 2>/dev/null; s=$?\n" \
	"  while kill -0 \"$p\" 2>/dev/null; do wait \"$p\" 2>/dev/null; s=$?; done\n" \
	"  if test -n \"$stop\"; then test \"$s\" -ne 0 || s=143; exit \"$s\"; fi\n" \
	"  test -e \"$d/again\" || exit \"$s\"\n" \
	"  rm -f \"$d/again\"\n" \
	"done"

/* In the place of an id: the replicas of a run of this machine see the directory itself. */
#define CODE_LIVE STR("live")

/* The id of the code that replicas should have: that of the program, or of the last `trainc sync`. */
static inline struct str code_now(const struct plan_code *c) { return c->synced.n ? c->synced : c->id; }
static inline struct str code_now_short(const struct plan_code *c)
{
	return (struct str){ code_now(c).p, CODE_SHORT };
}
/* The first digits of an id. */
static inline struct str code_short(const struct plan_code *c) { return (struct str){ c->id.p, CODE_SHORT }; }

/* Are two roles' code the same, at the same place, from the same carrier? */
static inline bool code_is_same(const struct plan_code *a, const struct plan_code *b)
{
	return str_eq(a->id, b->id) && str_eq(a->at, b->at) && str_eq(a->claim.value, b->claim.value);
}

/* The init container that unpacks the code of R; false for other containers. */
static inline bool code_unpacks(const struct plan_role *r, const struct plan_container *c)
{
	return r->code && c->init && str_is(c->name, "code");
}

#endif
