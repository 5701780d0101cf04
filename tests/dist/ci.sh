#!/bin/bash
# ci.sh - the files for CI in DIST: the scripts of the action with variables as GitHub sets them, the component, the hooks
# of pre-commit, and the list of what is inside. Parts whose tools are not here are left out, and counted.
. "$(dirname "$0")/dist.inc"

# ---- GitHub ----
action=$DIST/ci/action
check "no input is a part of a script" python3 - "$action/action.yml" <<-'END'
	import sys, yaml
	action = yaml.safe_load(open(sys.argv[1]))
	assert action["runs"]["using"] == "composite" and set(action["inputs"]) >= {"version", "files", "command", "args", "sarif", "annotations"}
	for step in action["runs"]["steps"]:
	    assert "${{" not in step["run"] and step["shell"] and "uses" not in step, step
END
check "nothing is left to fill in" sh -c "! grep -rE '@[A-Z_0-9]+@' '$DIST/ci'"
check "the version is ours" grep -q "default: \"$version\"" "$action/action.yml"
sum=$(sha256sum "$DIST/trainc-$version-linux-$(uname -m).tar.gz" | cut -d' ' -f1)
check "the checksum is that of the archive" grep -q "$sum" "$action/action.yml"
host=$scratch/host
mkdir -p "$host/temp" "$scratch/work/sub"
: >"$host/path"
install() { env RUNNER_TEMP="$host/temp" GITHUB_PATH="$host/path" TRAINC_VERSION="$version" TRAINC_SHA256="${1:-$sum}" HOME="$host" TRAINC_RELEASE_URL="$DIST" sh "$action/install"; }
check "a wrong checksum is refused" sh -c "! env RUNNER_TEMP='$host/temp' GITHUB_PATH='$host/path' TRAINC_VERSION='$version' TRAINC_SHA256=00 HOME='$host' \
	TRAINC_RELEASE_URL='$DIST' sh '$action/install' && test ! -e '$host/temp/trainc'"
check "a checksum of another machine is not enough" sh -c "! env RUNNER_TEMP='$host/temp' GITHUB_PATH='$host/path' TRAINC_VERSION='$version' \
	TRAINC_SHA256=other:$sum HOME='$host' TRAINC_RELEASE_URL='$DIST' sh '$action/install' && test ! -e '$host/temp/trainc'"
check "the action installs trainc for the next steps" install "other:00 $(uname -m):$sum"
path=$(cat "$host/path")
check "... in a directory that it adds to PATH" test -x "$path/trainc"
cp examples/01-torch-data-parallel/mnist.tj "$scratch/work/good.tj"
cp examples/01-torch-data-parallel/mnist.tj "$scratch/work/sub/same name.tj"
action() { # action STATUS TEXT NAME=VALUE...: the step in the working directory; TEXT occurs in its output
	local status=$1 text=$2 said
	shift 2
	said=$(cd "$scratch/work" && env PATH="$path:$PATH" "$@" sh "$action/run" 2>&1)
	test $? = "$status" || { echo "not $status: $said"; return 1; }
	case $said in *"$text"*) ;; *) echo "said: $said"; return 1 ;; esac
}
check "two files with one job are no conflict" action 0 "" TRAINC_COMMAND=check
echo 'job "a" {' >"$scratch/work/bad.tj"
check "a wrong program is annotated" action 1 "::error file=bad.tj,line=1" TRAINC_COMMAND=check
check "... only if annotations are wanted" action 1 "bad.tj:1:" TRAINC_COMMAND=check TRAINC_ANNOTATIONS=false
check "files are patterns" action 0 "" TRAINC_FILES="go*.tj"
check "an input is no command" action 1 "" TRAINC_FILES='$(touch hacked);touch hacked' TRAINC_ARGS=''
check "... nothing ran" test ! -e "$scratch/work/hacked"
check "arguments" action 0 "" TRAINC_FILES=good.tj TRAINC_ARGS="--target jobset"
check "an unknown command" action 2 "::error::" TRAINC_COMMAND=delete
check "compile" action 0 "kind: Job" TRAINC_COMMAND=compile TRAINC_FILES=good.tj
echo 'import   std.nvidia' >"$scratch/work/ugly.tj"
check "fmt" action 1 "::error file=ugly.tj" TRAINC_COMMAND=fmt TRAINC_FILES=ugly.tj
check "test" action 0 "" TRAINC_COMMAND=test TRAINC_FILES=good.tj
check "SARIF of all files" action 1 "" TRAINC_SARIF=out.sarif
check "... is one log" python3 - "$scratch/work/out.sarif" <<-'END'
	import json, sys
	log = json.load(open(sys.argv[1]))
	assert log["version"] == "2.1.0" and len(log["runs"]) == 4, len(log["runs"])
	assert any(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad.tj" for run in log["runs"] for r in run["results"])
END
mkdir "$scratch/empty"
nothing() { (cd "$scratch/empty" && PATH=$path:$PATH sh "$action/run"); }
check "a repository without programs is no error" nothing

# ---- Argo CD, Flux ----
cat >"$scratch/plugin.py" <<-'END'
	import os, subprocess, sys, yaml
	dist, program, version = sys.argv[1:]
	gitops = dist + "/ci/gitops/"
	plugin = yaml.safe_load(open(gitops + "argocd/plugin.yaml"))["spec"]
	assert plugin["version"] == "v" + version
	os.chdir(os.path.dirname(program))
	assert os.path.basename(program) == plugin["discover"]["fileName"]
	command = plugin["generate"]["command"]
	twice = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
	assert twice[0] == twice[1] and b"kind: Job" in twice[0], "the objects are the same each time"
	pod = yaml.safe_load(open(gitops + "argocd/repo-server.yaml"))["spec"]["template"]["spec"]
	own = {v["name"] for v in pod["volumes"]} | {"var-files", "plugins"}      # the last two are those of Argo CD
	assert {m["name"] for m in pod["containers"][0]["volumeMounts"]} == own
	assert pod["containers"][0]["image"] == "trainc:" + version
	kinds = [d["kind"] for d in yaml.safe_load_all(open(gitops + "flux/source.yaml"))]
	assert kinds == ["OCIRepository", "Kustomization"], kinds
END
mkdir "$scratch/application"
printf 'job "hello" { image = "debian:12", command = ["true"], role worker { replicas = 2 } }\n' >"$scratch/application/trainc.tj"
check "the plugin of Argo CD compiles a directory; Flux has its objects" env PATH="$path:$PATH" python3 "$scratch/plugin.py" "$DIST" "$scratch/application/trainc.tj" "$version"

# ---- GitLab; schemas ----
check "the component reports Code Quality" python3 - "$DIST/ci/gitlab/trainc.yml" <<-'END'
	import sys, yaml
	spec, jobs = yaml.safe_load_all(open(sys.argv[1]))
	assert "files" in spec["spec"]["inputs"] and jobs["trainc"]["artifacts"]["reports"]["codequality"] == "gl-code-quality-report.json"
END
python=python3
if test -n "${CHECKS_VENV:-}"; then python=$CHECKS_VENV/bin/python; fi
if "$python" -m check_jsonschema --version >/dev/null 2>&1; then
	check "the action is valid" "$python" -m check_jsonschema --builtin-schema vendor.github-actions "$action/action.yml"
	sed '1,/^---$/d; s/\$\[\[[^]]*\]\]/x/g' "$DIST/ci/gitlab/trainc.yml" >"$scratch/gitlab.yml"
	check "the component is valid" "$python" -m check_jsonschema --builtin-schema vendor.gitlab-ci "$scratch/gitlab.yml"
else
	skip "schemas of GitHub and GitLab: check-jsonschema is not here"
fi
if "$python" -m zizmor --version >/dev/null 2>&1; then
	check "zizmor finds nothing in the action" "$python" -m zizmor --offline --no-progress "$action/action.yml"
fi

# ---- pre-commit ----
hooks=$DIST/ci/pre-commit
check "hooks" python3 - "$hooks/.pre-commit-hooks.yaml" <<-'END'
	import re, sys, yaml
	hooks = yaml.safe_load(open(sys.argv[1]))
	assert [h["id"] for h in hooks] == ["trainc-check", "trainc-fmt", "trainc-test"]
	assert all(h["language"] == "python" and re.search(h["files"], "a/b.tj") and not re.search(h["files"], "a.tjx") for h in hooks)
END
check "they depend on this version" grep -q "trainc==$version" "$hooks/pyproject.toml"
if "$python" -m pre_commit --version >/dev/null 2>&1; then
	cp -r "$hooks" "$scratch/hooks"
	(cd "$scratch/hooks" && git init -q && git add -A && git -c user.name=a -c user.email=a@example.com commit -qm hooks)
	repository=$scratch/repository
	mkdir "$repository"
	(cd "$repository" && git init -q && cp "$scratch/work/good.tj" . && git add -A)
	hook() { (cd "$repository" && git add -A && PRE_COMMIT_HOME=$scratch/pre-commit PIP_FIND_LINKS=$(cd "$OLDPWD" && realpath "$DIST") "$python" -m pre_commit try-repo "$scratch/hooks" "$1" --all-files); }
	check "pre-commit: a good file passes" hook trainc-check
	cp "$scratch/work/ugly.tj" "$repository"
	hook trainc-fmt >/dev/null 2>&1
	check "pre-commit: fmt repairs a file" grep -qx 'import std.nvidia' "$repository/ugly.tj"
	rm "$repository/ugly.tj"
	cp "$scratch/work/bad.tj" "$repository"
	bad() { ! hook trainc-check >"$scratch/bad" 2>&1 && grep -q "bad.tj:1:" "$scratch/bad"; }
	check "pre-commit: a bad file fails" bad
else
	skip "pre-commit is not here"
fi

# ---- what is inside ----
check "the SBOM lists the files, and what the lock lists" python3 - "$DIST" "trainc-$version.spdx.json" .ci/dist/lock <<-'END'
	import hashlib, json, os, sys
	dist, name, lock = sys.argv[1:]
	document = json.load(open(os.path.join(dist, name)))
	files = {f["fileName"]: f["checksums"][1]["checksumValue"] for f in document["files"]}
	there = {"./" + os.path.relpath(os.path.join(at, n), dist) for at, _, names in os.walk(dist) for n in names} - {"./" + name, "./" + name.replace("spdx", "intoto"), "./SHA256SUMS"}
	assert set(files) == there, set(files) ^ there
	for path, digest in files.items():
	    assert hashlib.sha256(open(os.path.join(dist, path), "rb").read()).hexdigest() == digest, path
	rows = [line.split() for line in open(lock) if line.strip() and not line.startswith("#")]
	inside = {p["name"]: p for p in document["packages"]}
	for row in rows:
	    package = inside.pop(row[4])
	    assert (package["versionInfo"], package["licenseConcluded"], package["checksums"][0]["checksumValue"]) == (row[5], row[6], row[3])
	    assert package["externalRefs"][0]["referenceLocator"].startswith("pkg:")
	assert inside.pop("trainc")
	scripts = json.load(open("grammar/editors/vscode/node/package-lock.json"))["packages"]
	scripts = {p.split("node_modules/")[-1]: one["version"] for p, one in scripts.items() if p and "esbuild" not in p}
	assert {n: p["versionInfo"] for n, p in inside.items()} == scripts and len(scripts) > 4, set(inside) ^ set(scripts)
	assert all(p["externalRefs"][0]["referenceLocator"] == f"pkg:npm/{n}@{p['versionInfo']}" for n, p in inside.items())
END
check "the statement of provenance names every file, the commit and the packages" python3 - "$DIST" "trainc-$version.intoto.json" .ci/dist/lock <<-'END'
	import json, re, sys
	dist, name, lock = sys.argv[1:]
	statement = json.load(open(f"{dist}/{name}"))
	assert statement["_type"] == "https://in-toto.io/Statement/v1" and statement["predicateType"] == "https://slsa.dev/provenance/v1"
	sums = dict(reversed(line.rstrip("\n").split("  ", 1)) for line in open(f"{dist}/SHA256SUMS"))
	del sums[name]
	assert {s["name"]: s["digest"]["sha256"] for s in statement["subject"]} == sums
	build = statement["predicate"]["buildDefinition"]
	assert all(re.match("https?://", address) for address in (build["buildType"], statement["predicate"]["runDetails"]["builder"]["id"]))
	rows = [line.split() for line in open(lock) if line.strip() and not line.startswith("#")]
	sources, packages = build["resolvedDependencies"][:-len(rows)], build["resolvedDependencies"][-len(rows):]
	assert [p["digest"]["sha256"] for p in packages] == [row[3] for row in rows]
	assert len(sources) == 1 and re.fullmatch("[0-9a-f]{40}", sources[0]["digest"]["gitCommit"]), sources
END
if "$python" -c 'import spdx_tools' 2>/dev/null; then
	check "the tools of SPDX agree" "$python" -m spdx_tools.spdx.clitools.pyspdxtools -i "$DIST/trainc-$version.spdx.json"
else
	skip "spdx-tools is not here"
fi
end
