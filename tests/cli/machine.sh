#!/bin/sh
# machine.sh - JSON lines and SARIF: the properties that their readers rely on.
. "$(dirname "$0")/cli.inc"
cat >wrong.tj <<-'END'
	import std.nvidia

	## Größe.
	param nodes: int(1..4) = 9
	job "größe": single.tsk {
	  image = "registry.example.com/tools/hello:latest"
	  role main { replcas = 2, memory = 64, cpu = 1 }
	}
END
bad bad.tj

run 1 check --format json wrong.tj bad.tj; silent err
cp .out lines
cat >lines.py <<-'END'
	import json
	keys = {"code", "slug", "severity", "message", "spans", "notes", "help", "fixes"}
	found = [json.loads(line) for line in open("lines", encoding="utf-8")]
	assert len(found) >= 4
	for d in found:
	    assert keys <= set(d) <= keys | {"denied"}, d
	    assert d["severity"] in ("error", "warning")
	    assert sum(s["primary"] for s in d["spans"]) == (1 if d["spans"] else 0)
	    for s in d["spans"]:
	        if s["file"].startswith("std/"):
	            continue
	        raw = open(s["file"], "rb").read()
	        before = raw[: s["offset"]].decode()
	        assert s["line"] == before.count("\n") + 1, s
	        assert s["column"] == len(before.rsplit("\n", 1)[-1]) + 1, s
	        inside = raw[s["offset"] : s["offset"] + s["length"]].decode()
	        assert s["end_line"] == s["line"] + inside.count("\n"), s
	        if "\n" not in inside:
	            assert s["end_column"] == s["column"] + len(inside), s
	    for fix in d["fixes"]:
	        assert fix["title"] and fix["edits"]
END
holds python3 lines.py

run 1 check --format sarif wrong.tj bad.tj; silent err
cp .out log.sarif
cat >sarif.py <<-'END'
	import json
	log = json.load(open("log.sarif", encoding="utf-8"))
	assert log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"]
	assert len(log["runs"]) == 2
	for run in log["runs"]:
	    driver = run["tool"]["driver"]
	    assert driver["name"] == "trainc" and driver["version"]
	    rules = driver["rules"]
	    assert len({r["id"] for r in rules}) == len(rules)
	    assert run["results"] and run["columnKind"] == "unicodeCodePoints"
	    for result in run["results"]:
	        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
	        assert result["message"]["text"] and result["level"] in ("error", "warning")
	        for location in result["locations"]:
	            physical = location["physicalLocation"]
	            assert physical["artifactLocation"]["uri"] in ("wrong.tj", "bad.tj")
	            assert physical["region"]["startLine"] >= 1 and physical["region"]["startColumn"] >= 1
	        for fix in result.get("fixes", []):
	            assert fix["artifactChanges"][0]["replacements"][0]["deletedRegion"]["byteLength"] >= 0
END
holds python3 sarif.py

# --fix makes the safe edits, and reports how many and what is left
run 0 check --fix bad.tj; says err "fixed 1 in bad.tj"
holds grep -q 'replicas = 2' bad.tj
run 0 check bad.tj; silent err
cp wrong.tj before.tj
run 1 check --fix wrong.tj; says err "[TJ0303]"
holds test "$(grep -c replcas wrong.tj)" -eq 0
# ranges and variables in the syntax of other tools
cp "$root/tests/mistakes/elastic.tj" "$root/tests/mistakes/variables.tj" .
run 0 check --fix elastic.tj; says err "fixed 7 in elastic.tj"
holds test "$(grep -c 'replicas = 2:4,' elastic.tj)" -eq 7
run 1 check --fix variables.tj
holds grep -q 'NCCL_DEBUG = "INFO"$' variables.tj
holds grep -q 'NCCL_SOCKET_IFNAME = "eth0,eth1"' variables.tj
holds grep -q 'KEY = secret("w", "k")$' variables.tj
run 1 check variables.tj; says err ":17:26: error: unexpected character '~'"
holds test "$(grep -c error: .err)" -eq 6      # something that may be text is not edited
end
