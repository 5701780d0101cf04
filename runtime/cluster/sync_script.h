/*
 * sync_script.h - the script that `trainc sync` runs in the container of a replica, beside the script that starts the
 * program (CODE_LOOP).
 *
 * It says on standard output what it has found and done, and reads from standard input: the packed archive, then `go`.
 * Until `go` arrives, nothing has changed but the directory .trainc/new, which it removes if it has to give up. A
 * script that gives up reads its input to the end; otherwise the connection would be reset, and its status lost.
 *
 *     have ID     the code that is there; `none` if the program was not started by CODE_LOOP
 *     ready       everything is prepared. The next line of the input decides
 *     changed N   the files are replaced; N of them differ
 *     running     the program runs again
 *     failed      it has given up; the reason is on standard error
 */
#ifndef TRAINC_RUNTIME_CLUSTER_SYNC_SCRIPT_H
#define TRAINC_RUNTIME_CLUSTER_SYNC_SCRIPT_H

#include "plan/code.h"

enum { SYNC_REFUSED = 65 };             /* exit status of the script when it has changed nothing */

/*
 * $1 is the directory of the code, $2 the wanted id (`-`: the code stays as it is), $3 and $4 the sizes of the packed
 * archive and of the archive, $5 the grace period in seconds, and $6 says when to restart the program: `changed`,
 * `always` or `never`.
 */
#define SYNC_SCRIPT \
	"c=$1 id=$2 d=$1/.trainc n=$1/.trainc/new\n" \
	"give_up() { echo failed; echo \"$1\" >&2; cat >/dev/null; test -z \"$mine\" || rm -rf \"$n\"; exit 65; }\n" \
	"go() { echo ready; read -r line; test \"$line\" = go || give_up 'nothing was changed'; }\n" \
	"mine= have=$(cat \"$d/id\" 2>/dev/null)\n" \
	"nap() { sleep 0.1 2>/dev/null || sleep 1; i=$((i + 1)); }\n" \
	"i=0; while test ! -e \"$d/pid\" && test \"$i\" -lt 20; do nap; done\n" \
	"test -e \"$d/pid\" || { echo 'have none'; give_up 'the program was not started for sync'; }\n" \
	"test ! -e \"$d/waits\" || test \"$6\" = never || have=partial\n" \
	"echo \"have ${have:-unknown}\"\n" \
	SYNC_PREPARE SYNC_SWAP SYNC_RESTART

/* Unpacks the archive beside the code, and finds out whether it can take the place of the code. */
#define SYNC_PREPARE \
	"if test \"$id\" != - && test \"$id\" != \"$have\"; then\n" \
	"  if ! mkdir \"$n\" 2>/dev/null; then\n" \
	"    test ! -d \"$n\" || test -s \"$n/pid\" || sleep 1\n" \
	"    ! kill -0 \"$(cat \"$n/pid\" 2>/dev/null)\" 2>/dev/null || give_up 'another sync is under way'\n" \
	"    rm -rf \"$n\"; mkdir \"$n\" || give_up \"cannot write into $d\"\n" \
	"  fi\n" \
	"  echo $$ > \"$n/pid\"; mine=1; trap 'rm -rf \"$n\"' EXIT; trap 'exit 130' HUP INT TERM\n" \
	"  head -c \"$3\" > \"$n/tgz\" && gzip -dc \"$n/tgz\" 2>/dev/null | head -c \"$4\" > \"$n/tar\"\n" \
	"  echo \"$2  $n/tar\" | sha256sum -c - >/dev/null 2>&1 || give_up \"what arrived is not code $2\"\n" \
	"  mkdir \"$n/tree\" && tar -xf \"$n/tar\" -C \"$n/tree\" || give_up 'cannot unpack the code'\n" \
	"  cd \"$n/tree\" && " CODE_LIST " > \"$n/files\" || give_up 'cannot list the code'\n" \
	"  touch \"$d/files\"\n" \
	"  old() { cut -c67- \"$d/files\" | grep -Fxq -- \"$1\"; }\n" \
	"  find . -type d > \"$n/dirs\"; while IFS= read -r f; do\n" \
	"    if test -d \"$c/$f\" && test ! -L \"$c/$f\"; then\n" \
	"      test -w \"$c/$f\" || give_up \"cannot write into $c/$f\"\n" \
	"    elif test -e \"$c/$f\" || test -L \"$c/$f\"; then\n" \
	"      old \"$f\" || give_up \"$c/$f is not a directory\"\n" \
	"    fi\n" \
	"  done < \"$n/dirs\"\n" \
	"  cut -c67- \"$n/files\" > \"$n/names\"; while IFS= read -r f; do\n" \
	"    test -d \"$c/$f\" && test ! -L \"$c/$f\" || continue\n" \
	"    find \"$c/$f\" ! -type d > \"$n/inside\"; while IFS= read -r i; do\n" \
	"      old \"./${i#\"$c/./\"}\" || give_up \"$c/$f is a directory in which the program has written\"\n" \
	"    done < \"$n/inside\"\n" \
	"  done < \"$n/names\"\n" \
	"  changed=$(sort \"$d/files\" \"$n/files\" | uniq -u | cut -c67- | sort -u | grep -c .)\n" \
	"  cut -c67- \"$d/files\" | sort > \"$n/before\"; sort \"$n/names\" > \"$n/after\"\n" \
	"  sort \"$n/after\" \"$n/after\" \"$n/before\" | uniq -u > \"$n/gone\"; rm -rf \"$n/tree\" \"$n/tgz\"\n" \
	"  go\n"

/*
 * Replaces the code. Until all of it is there and the program runs it, the noted id is none, so that the same command
 * completes what was begun. `waits` says that a program still runs the code of before. The directory .trainc/new keeps
 * another sync away until the end.
 */
#define SYNC_SWAP \
	"  cd \"$c\" && echo partial > \"$d/id\" || give_up \"cannot write into $d\"\n" \
	"  while IFS= read -r f; do rm -f \"$f\" && rmdir -p \"${f%/*}\" 2>/dev/null; done < \"$n/gone\"\n" \
	"  while IFS= read -r f; do\n" \
	"    if test -d \"$f\" && test ! -L \"$f\"; then find \"$f\" -depth -type d -exec rmdir {} \\;; fi\n" \
	"  done < \"$n/names\"\n" \
	"  tar -xf \"$n/tar\" -C \"$c\" && mv -f \"$n/files\" \"$d/files\" ||\n" \
	"    { echo failed; echo 'the code was not replaced completely' >&2; cat >/dev/null; exit 66; }\n" \
	"  rm -f \"$n/tar\"; : > \"$d/waits\"; test \"$6\" != never || echo \"$id\" > \"$d/id\"\n" \
	"  echo \"changed $changed\"; test \"$6\" != never || { cat >/dev/null; exit 0; }\n" \
	"else\n" \
	"  go\n" \
	"  test \"$6\" = always || { cat >/dev/null; exit 0; }\n" \
	"fi\n"

/* Ends the program, and waits until CODE_LOOP has started it again. */
#define SYNC_RESTART \
	"p=$(cat \"$d/pid\"); rm -f \"$d/pid\"; : > \"$d/again\"\n" \
	"send() { kill -\"$1\" -- \"-$p\" 2>/dev/null || kill -\"$1\" \"$p\" 2>/dev/null; }\n" \
	"send TERM; i=0; while kill -0 \"$p\" 2>/dev/null && test \"$i\" -lt \"$5\"0; do nap; done; send KILL\n" \
	"i=0; while test ! -e \"$d/pid\" && test \"$i\" -lt 100; do nap; done\n" \
	"test -e \"$d/pid\" && kill -0 \"$(cat \"$d/pid\")\" 2>/dev/null ||\n" \
	"  { echo failed; echo 'the program did not start again' >&2; cat >/dev/null; exit 66; }\n" \
	"rm -f \"$d/waits\"; test \"$id\" = - || echo \"$id\" > \"$d/id\"\n" \
	"echo running; cat >/dev/null\n"

#endif
