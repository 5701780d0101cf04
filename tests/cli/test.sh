#!/bin/sh
# test.sh - `trainc test` runs test declarations.
. "$(dirname "$0")/cli.inc"

cat >nodes.tj <<-'END'
	import std.single

	## How many steps.
	param steps: int(1..100) = 1
	## Where it runs.
	param stage: enum("dev", "prod") = "dev"
	profile prod {
	  stage = "prod"
	  steps = 50
	}
	check steps != 13 else "steps = 13 brings bad luck"

	job "run-${stage}": single.task {
	  image = "registry.example.com/tools/hello:1.0"
	  cpu = 1
	  memory = 1Gi
	  env { STEPS = steps, STAGE = stage }
	}

	test "defaults" {
	  check env("task", 0).STEPS == "1" else "one step"
	  check roles.task.replicas == 1 else "one replica"
	}
	test "the profile" {
	  profile = "prod"
	  check env("task", 0).STEPS == "50" else "fifty steps"
	  check env("task", 0).STAGE == "prod" else "production"
	}
	test "parameters" {
	  profile = "prod"
	  set { steps = 4 }
	  set { stage = "dev" }
	  check env("task", 0).STEPS == "4" else "four steps, not ${env("task", 0).STEPS}"
	  check env("task", 0).STAGE == "dev" else "development"
	}
	test "what is refused" {
	  set { steps = 13 }
	  check fails("TJ0408") else "thirteen is refused"
	  check not fails("TJ0311") else "for the right reason"
	}
	test "an object" {
	  check object("Job", "run-dev-task").spec.completions == 1 else "one completion"
	}
END
run 0 test nodes.tj
says out "ok nodes.tj: the profile"
holds test "$(tail -n 1 .out)" = "5 passed, 0 failed"
silent err

sed 's/else "fifty steps"/else "fifty steps, please"/; s/STEPS == "50"/STEPS == "51"/' nodes.tj >wrong.tj
run 1 test wrong.tj
says out "FAIL wrong.tj: the profile"
says err "error: fifty steps, please [TJ0408]"
holds test "$(tail -n 1 .out)" = "4 passed, 1 failed"

# a test that expects no failure fails with the compiler's message
cat >>nodes.tj <<-'END'
	test "unexpected" {
	  set { steps = 13 }
	  check roles.task.replicas == 1 else "never asked"
	}
END
run 1 test nodes.tj; says err "steps = 13 brings bad luck"; says out "FAIL nodes.tj: unexpected"
run 1 test nodes.tj wrong.tj; holds test "$(tail -n 1 .out)" = "9 passed, 2 failed"

# an evaluation that fails does not affect other tests, and a test with parameters does not evaluate the others
good shared.tj
cat >>shared.tj <<-'END'
	param n: int = 1
	fn far(i: int) -> int = [1, 2][i + 4]
	# about the first
	test "first" { check far(n) == 1 else "first" }
	test "second" { check far(n) == 1 else "second" }
	let near = n                    # behind it
	test "third" { check near == 1 else "third" }
	test "fourth" {
	  set { n = 3 }
	  check near == 3 else "fourth"
	}
	test "fifth" { check near == 2 else "the fifth" }
	test "sixth" { check near == 1 else "sixth" }
	test "seventh" { set { n = 7 }, check near == 8 else "the seventh" }
END
run 1 test shared.tj; holds test "$(tail -n 1 .out)" = "3 passed, 4 failed"
holds test "$(grep -c 'TJ0321' .err)" -eq 2
says err "the fifth"; says err "shared.tj:18:"; says err "the seventh"

# tests cost nothing in other commands
run 0 compile wrong.tj
good none.tj; run 0 test none.tj; holds test "$(cat .out)" = "0 passed, 0 failed"
bad bad.tj; run 1 test bad.tj; says err "[TJ0202]"
run 1 test absent.tj; says err "[TJ0001]"

# the examples' own tests
for program in "$root"/examples/*/*.tj; do
	grep -q '^test ' "$program" || continue
	run 0 test "$program"
done
end
