#!/bin/sh
# output_dir.sh - one file per object, in a directory that trainc owns.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

check() {       # check WHAT COMMAND...
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $what"
	else
		failed=$((failed + 1))
		echo "FAIL $what"
	fi
}
compile() { "$TRAINC" compile "$@" 2>"$dir/err"; }
names_are() { test "$(cd "$1" && ls)" = "$2"; }
refused() { compile --output-dir "$1" tests/emit/indexed.tj; test $? -eq 3; }
said() { grep -q "$1" "$dir/err"; }
same_as_stream() { compile "$2" | cmp -s - "$1"; }
joined() {      # the files, joined into one stream
	first=1
	for f in "$1"/*.yaml; do
		test -n "$first" || echo ---
		first=
		cat "$f"
	done
}

compile --output-dir "$dir/new" tests/emit/unrolled.tj
check 'a new directory' names_are "$dir/new" '001-service-ring-demo.yaml
002-job-ring-demo-worker-0.yaml
003-job-ring-demo-worker-1.yaml
004-job-ring-demo-worker-2.yaml
005-job-ring-demo-worker-3.yaml
006-job-ring-demo-worker-4.yaml'
joined "$dir/new" >"$dir/joined"
check 'the files are the stream, cut' same_as_stream "$dir/joined" tests/emit/unrolled.tj

echo mine >"$dir/new/README"
compile --output-dir "$dir/new" tests/emit/indexed.tj
check 'stale files of ours go, others stay' names_are "$dir/new" '001-service-mnist-ddp.yaml
002-job-mnist-ddp-worker.yaml
README'
compile --output-dir "$dir/new" tests/emit/indexed.tj tests/emit/elastic.tj
check 'several programs are numbered through' names_are "$dir/new" '001-service-mnist-ddp.yaml
002-job-mnist-ddp-worker.yaml
003-service-resnet-elastic.yaml
004-job-resnet-elastic-worker.yaml
README'

mkdir "$dir/empty" "$dir/theirs"
compile --output-dir "$dir/empty" tests/emit/indexed.tj
check 'an empty directory is taken' test -f "$dir/empty/002-job-mnist-ddp-worker.yaml"
echo x >"$dir/theirs/001-service-x.yaml"
check 'a directory with files of others is refused' refused "$dir/theirs"
check 'and the reason is said' said 'files that trainc did not write'
check 'and nothing in it is touched' names_are "$dir/theirs" 001-service-x.yaml
check 'a file is no directory' refused "$dir/err"
check 'a directory that cannot be made is refused' refused "$dir/none/below"
printf '../joined\n001-service-y.yaml\n' >>"$dir/new/.trainc-objects"
compile --output-dir "$dir/new" tests/emit/indexed.tj
check 'names outside of the directory are never removed' test -f "$dir/joined"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
