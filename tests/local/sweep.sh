#!/bin/sh
# sweep.sh - --parallel N: at most N runs of a sweep go on at once, and each is started in its turn.
. "$(dirname "$0")/local.inc"
clean_up_runs

cat >sweep.tj <<END
for i in range(6) job "t-\${i}" {
  image = "registry.example.com/test:1"
  role a {
    grace   = 1s
    command = ["sh", "-c", "mkdir $work/at-\${i}; ls -d $work/at-* | wc -l >>$work/seen; sleep 0.2; rmdir $work/at-\${i}; exit \${if i == 2 then 3 else 0}"]
  }
}
END
for command in 'run --local' 'apply --local --for=complete'; do
	rm -f seen
	# shellcheck disable=SC2086
	run 8 $command --parallel 2 sweep.tj
	holds test "$(wc -l <seen)" -eq 6
	holds test "$(sort -n seen | tail -n 1)" -le 2
	holds grep -qE '^RUN +STATE +TIME +CAUSE' .err
	holds test "$(sed -n '/^RUN  /,$p' .err | grep -c ' Succeeded  ')" -eq 5
	holds grep -qE '^t-2 +Failed +[0-9.]+ s +a-0 failed: exit code 3' .err
	run 0 delete --local --yes --all
done

# the same command goes on with what an interrupted one left
cat >long.tj <<END
for i in range(3) job "l-\${i}" {
  image = "registry.example.com/test:1"
  role a { grace = 1s, command = ["sh", "-c", "test -e $work/go || exec sleep 600"] }
}
END
"$TRAINC" apply --local --for=complete --parallel 1 long.tj >out 2>err </dev/null &
command=$!
suspended() { "$TRAINC" list --local 2>/dev/null | grep -c ' Suspended ' | grep -qx "$1"; }
before 10 suspended 2
kill -TERM $command
wait $command
holds test $? -eq 143
before 10 suspended 2
touch go
run 0 delete --local --yes --force l-0
run 0 apply --local --for=complete --parallel 1 long.tj
run 0 list --local; holds test "$(grep -c ' Succeeded ' .out)" -eq 3
# the table has all runs, also those that had ended before
ended() { sed -n '/^RUN  /,$p' .err | grep -c ' Succeeded ' | grep -qx 3; }
run 0 apply --local --for=complete --parallel 1 long.tj; holds ended
run 0 delete --local --yes l-1
run 0 apply --local --for=complete --parallel 1 long.tj; holds ended
run 0 apply --local --for=complete --parallel 1 -o json long.tj
json '[r["name"] for r in d["runs"]]' "['l-0', 'l-1', 'l-2']"
run 0 delete --local --yes --all

run 2 run --local --parallel 0 sweep.tj; says err "--parallel needs a number of runs from 1 to 10000, found '0'"
run 2 run --local --parallel many sweep.tj
run 2 run --local --parallel -1 sweep.tj
run 2 apply --local --parallel 2 sweep.tj; says err "--parallel needs a command that stays until the end"
run 2 run --local --detach --parallel 2 sweep.tj
sed 's/role a/suspend = true\n  role a/' sweep.tj >held.tj
run 2 run --local --parallel 2 held.tj; says err "--parallel cannot hold job 't-0' back: the program suspends it"
holds test ! -e state/runs/t-0
end
