#!/bin/sh
# secrets.sh - runs the commands that a help shows for generated Secrets, unchanged.
. "$(dirname "$0")/cli.inc"

# commands: the commands in a help, without the text around them.
commands() { sed -n '/^ *make the ssh-keypair/,/--from-file/p' "$work/.err" | sed 1d; }

# keypair NAMESPACE-FIELD WORDS: the Secret that the commands would create is WORDS.
keypair() {
	cat >keys.tj <<-END
		job "ring" {
		  image = "registry.example.com/ml/ring:1.0"
		  $1
		  role a { cpu = 1, memory = 1Gi, mounts { "/root/.ssh" = generated("ssh-keypair") } }
		}
	END
	run 0 compile keys.tj
	says out "name: ring-ssh-keypair"
	says err "kubectl does not create everything that job 'ring' needs [TJ0817]"
	commands >commands
	rm -rf made
	PATH=$work/bin:$PATH sh -e commands >"$work/.err" 2>&1 || fail "the commands fail"
	holds test "$(cat made/words)" = "$2"
	holds test "$(cd made/keys && echo *)" = "authorized_keys config id_ed25519 id_ed25519.pub"
	same made/keys/authorized_keys made/keys/id_ed25519.pub
	holds test "$(ssh-keygen -y -P '' -f made/keys/id_ed25519 | cut -d' ' -f1,2)" = "$(cut -d' ' -f1,2 made/keys/id_ed25519.pub)"
	printf 'StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n' >want; same made/keys/config want
	holds test ! -e keys
}

if command -v ssh-keygen >/dev/null; then
	mkdir bin
	cat >bin/kubectl <<-'END'
		#!/bin/sh
		mkdir made && cp -r keys made/keys && echo "$*" >made/words
	END
	chmod +x bin/kubectl
	keypair '' "create secret generic ring-ssh-keypair --from-file=keys"
	keypair 'namespace = "ml"' "create secret generic ring-ssh-keypair -n ml --from-file=keys"
else
	skip "no ssh-keygen"
fi

# the object to delete is in the job's namespace
cat >end.tj <<-'END'
	job "ring" {
	  image     = "registry.example.com/ml/ring:1.0"
	  namespace = "ml"
	  role a { cpu = 1, memory = 1Gi }
	  aux  b { image = "registry.example.com/ml/board:1.0" }
	}
END
run 0 compile end.tj
says err "'kubectl delete job,deployment -n ml -l trainc.dev/job=ring'"
run 0 compile --target pods end.tj
says err "'kubectl delete pod,job,deployment -n ml -l trainc.dev/job=ring'"
end
