#!/bin/sh
# fix.sh - check --fix: edits remove mistakes and add none.
. "$(dirname "$0")/cli.inc"

# With every program of tests/mistakes: see fix.py.
cp -R "$root/tests/mistakes" mistakes
holds python3 "$root/tests/cli/fix.py" "$TRAINC" "$root/tests/mistakes" mistakes

# An edit that would cause another error is skipped and reported; the others are made.
cat >refused.tj <<-'END'
	job "a" {
	  image = "registry.example.com/tools/hello:1.0"
	  role main { command = ["hello"], cpus = 1, ram = 64Gi, memory = 64Gi }
	}
END
run 1 check --fix refused.tj; says err "fixed 1 in refused.tj"
says err "refused.tj:3: not fixed, because the fix would cause another error: change it to 'memory'"
holds grep -q 'cpu = 1, ram = 64Gi, memory = 64Gi' refused.tj

# Byte order marks of editors and line endings of an old Mac.
printf '\357\273\277job "a" {\r  image = "registry.example.com/a:1"\r  role main { command = ["a"] }\r}\r' >mac.tj
run 1 check mac.tj; says err "the lines of this text end with CR, as on an old Mac"; holds test "$(grep -c 'error:' .err)" -eq 1
run 0 check --fix mac.tj; run 0 check mac.tj; silent err
printf '\357\273\277job "a" {\n  image = "registry.example.com/a:1"\n  role main { command = ["a"] }\n}\n' >mark.tj
run 0 check --fix mark.tj; holds test "$(head -c 3 mark.tj)" = job

# An imported file is fixed with the program and reported separately; mistakes that an edit reveals are fixed too.
cat >part.tj <<-'END'
	let text = 'a'
	fn more(n: int) : int = n + 1
END
cat >whole.tj <<-'END'
	import "part.tj" as part

	job "a" {
	  image = "registry.example.com/tools/hello:1.0"
	  role main { command = ["hello", part.text], replcas = part.more(1), env { MODE = 'fast' } }
	}
END
run 0 check --fix whole.tj; says err "fixed 2 in part.tj"; says err "fixed 2 in whole.tj"
cp whole.tj once.tj
run 0 check --fix whole.tj; silent err
same whole.tj once.tj

# A fixed error may reveal others, so that there are more than before: that is reported.
cat >hidden.tj <<-'END'
	job "a" {
	  imag = "registry.example.com/tools/hello:1.0"
	  role main { command = ["hello"], raw container { tty = 4, stdin = 5 } }
	}
END
run 1 check --fix hidden.tj; says err "fixed 1 in hidden.tj"; says err "the fixed errors hid others: there was 1 before, 2 are left"
run 1 check --fix hidden.tj; holds test "$(grep -c 'hid errors' "$work/.err")" -eq 0

# A job without its first line: no edit turns its field into a name.
cat >headless.tj <<-'END'
	job
	  image = "registry.example.com/tools/hello:1.0"
	  role main { command = ["hello"] }
	}
END
cp headless.tj before
run 1 check --fix headless.tj; says err "expected a string after 'job', found 'image'"
same headless.tj before

# An edit that conflicts with another one is tried again afterwards, so a second run finds nothing to do.
cat >wreck.tj <<-'END'
	job "words": tensorflow.cluster_spec {
	  ps = { replicas = 2, memory = 4Gi }
	}
	job "name {
	job "bare" {
	    env {
	job "bare" {
	  role {
	  }
	  role worker {
	    sidecar { image = "registry = { "team" = ads }
	  role hello {
	    env {9
	    }
	  } 
	}
	}
	}
END
run 1 check --fix wreck.tj
cp wreck.tj once.tj
run 1 check --fix wreck.tj
same wreck.tj once.tj

# Standard input is read once and not written.
holds test "$(printf 'job "a" { image = "a:1", replcas = 2 }\n' | "$TRAINC" check --fix - 2>&1 | grep -c 'did you mean')" -eq 1

# A file that cannot be written is reported with status 3, and nothing is lost.
bad locked.tj
cp locked.tj before
mkdir closed && mv locked.tj closed && chmod a-w closed
if test "$(id -u)" -ne 0; then
	run 3 check --fix closed/locked.tj; says err "cannot write 'closed/locked.tj'"
	same closed/locked.tj before
fi
end
