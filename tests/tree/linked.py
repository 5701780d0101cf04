"""linked.py BUILD - see linked.sh."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1])
usual = not any(word in build.name for word in ("asan", "cover", "fuzz"))
passed = failed = skipped = 0


def check(what, holds, more=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {what} {more}")


def skip(what):
    global skipped
    skipped += 1
    print(f"skip {what}")


def out(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, **more).stdout


about = json.loads(out(build / "trainc", "version", "-o", "json"))
libraries = {row["name"]: row for row in about["libraries"]}
NAMES = ["curl", "openssl", "nghttp2", "libidn2", "libunistring", "zlib", "libyaml", "glibc", "libgcc"]
check("the libraries", list(libraries) == NAMES, libraries.keys())

# ---- what the libraries themselves say, in the bytes of the programs ----
PRINTED = {"curl": b"CLIENT libcurl %s", "openssl": b"OpenSSL %s ", "nghttp2": b"%s", "zlib": b"inflate %s ", "libidn2": b"%s", "libyaml": b"%s"}
programs = {"trainc": (build / "trainc").read_bytes(), "trainc-cluster": (build / "libexec/trainc/trainc-cluster").read_bytes()}
for name, row in libraries.items():
    check(f"{name}: a version", re.fullmatch(r"[0-9]+(\.[0-9]+)+[a-z0-9.]*", row["version"]), row["version"])
    for program in row["in"] if usual else []:
        if name in PRINTED:
            check(f"{name} in {program}", PRINTED[name] % row["version"].encode() in programs[program], row["version"])

# ---- the packages ----
if shutil.which("dpkg-query"):
    for name, row in libraries.items():
        check(f"{name}: a package", row.get("package"), row)
        installed = out("dpkg-query", "-W", "-f", "${Version}\n", row.get("package", "-")).split("\n")[0]
        check(f"{name}: its version", row.get("packageVersion") == installed, installed)
        check(f"{name}: the same version", row["version"] in installed, installed)
else:
    skip("no dpkg: packages are not compared")

# ---- which are linked in, and which are shared ----
if usual:
    needed = out("readelf", "-dW", build / "libexec/trainc/trainc-cluster")
    check("trainc-cluster shares the C library", "[libc.so.6]" in needed and libraries["glibc"]["sharedBy"] == ["trainc-cluster"])
    check("trainc-cluster shares nothing else", set(re.findall(r"NEEDED.*\[(.*?)\]", needed)) <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}, needed)
    check("trainc shares nothing", "NEEDED" not in out("readelf", "-dW", build / "trainc") and libraries["glibc"]["in"] == ["trainc"])
    # objects that the linker takes only from such a library
    for program, symbols in {"trainc": ["yaml_parser_parse"], "trainc-cluster": ["yaml_parser_parse", "curl_multi_perform", "SSL_connect",
                                                                                "nghttp2_session_mem_recv", "inflate", "idn2_lookup_ul"]}.items():
        names = out("nm", build / ("trainc" if program == "trainc" else "libexec/trainc/trainc-cluster"))
        for symbol in symbols:
            check(f"{program}: {symbol}", re.search(rf" T {symbol}$", names, re.M))

# ---- the text and the commit ----
text = out(build / "trainc", "version", "--libraries")
for name, row in libraries.items():
    check(f"{name} in the text", f"{name} {row['version']}" in text, text)
    check(f"{name} in no other text", f"{name} " not in out(build / "trainc", "version"))
commit = out("git", "rev-parse", "HEAD").strip() if os.path.exists(".git") else ""
said = about.get("commit", "")
check("the commit", re.fullmatch(r"([0-9a-f]{40}(-dirty)?)?", said), said)
if commit:
    check("the commit is one of this repository", subprocess.run(["git", "cat-file", "-e", said[:40]]).returncode == 0, said)

# ---- no path of this machine ----
if usual:
    here = os.getcwd().encode()
    for file in ("trainc", "libexec/trainc/trainc-cluster", "libtrainc.a", "libcluster.a"):
        check(f"{file}: no path of the build directory", here not in (build / file).read_bytes())
    archive = out("ar", "tv", build / "libtrainc.a").splitlines()
    check("libtrainc.a: no time, no owner", archive and all(" 0/0 " in line and "1970" in line for line in archive), archive[:1])

# ---- SPDX ----
with tempfile.TemporaryDirectory() as scratch:
    copy = pathlib.Path(scratch)
    (copy / "libexec/trainc").mkdir(parents=True)
    for file in ("trainc", "libexec/trainc/trainc-cluster"):
        (copy / file).symlink_to((build / file).resolve())
    subprocess.run([".ci/sbom", scratch], check=True, capture_output=True)
    first = (copy / "trainc.spdx.json").read_text()
    subprocess.run([".ci/sbom", scratch], check=True, capture_output=True, env=dict(os.environ, TZ="Asia/Tokyo", LC_ALL="C"))
    check("SPDX: the same twice", (copy / "trainc.spdx.json").read_text() == first)
spdx = json.loads(first)
ids = [p["SPDXID"] for p in spdx["packages"]]
check("SPDX: version", spdx["spdxVersion"] == "SPDX-2.3" and spdx["dataLicense"] == "CC0-1.0" and spdx["SPDXID"] == "SPDXRef-DOCUMENT")
check("SPDX: time", re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", spdx["creationInfo"]["created"]))
check("SPDX: namespace", re.fullmatch(r"https://[^#\s]+-[0-9a-f-]{36}", spdx["documentNamespace"]))
check("SPDX: packages", ids == ["SPDXRef-trainc", "SPDXRef-trainc-cluster"] + [f"SPDXRef-{n}" for n in NAMES], ids)
check("SPDX: identifiers", all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids) and len(set(ids)) == len(ids))
for package in spdx["packages"]:
    check(f"SPDX: {package['name']}", {"name", "versionInfo", "downloadLocation", "licenseDeclared", "copyrightText"} <= package.keys()
          and package["filesAnalyzed"] is False)
linked = {(r["spdxElementId"], r["relatedSpdxElement"]) for r in spdx["relationships"] if r["relationshipType"] in ("STATIC_LINK", "DYNAMIC_LINK")}
wanted = {(f"SPDXRef-{p}", f"SPDXRef-{n}") for n, row in libraries.items() for p in row["in"] + row["sharedBy"]}
check("SPDX: relationships", linked == wanted and all(r["spdxElementId"] in ids + ["SPDXRef-DOCUMENT"] for r in spdx["relationships"]))

# ---- an old library is found: with a list of packages that has a newer one, an equal one, and none ----
with tempfile.TemporaryDirectory() as scratch:
    row = libraries["curl"]
    for version, status in (("999:1", 1), (row.get("packageVersion", "1"), 0), ("", 0)):
        lines = f"Installed: 1\n  Candidate: {version}\n 500 archive main Packages" if version else ""
        pathlib.Path(scratch, "apt-cache").write_text(f'#!/bin/sh\ntest "$2" != libcurl4-openssl-dev || echo "{lines}"\n')
        os.chmod(pathlib.Path(scratch, "apt-cache"), 0o755)
        if not shutil.which("dpkg-query"):
            continue
        done = subprocess.run([".ci/libraries", str(build / "trainc")], capture_output=True, text=True, env=dict(os.environ, PATH=scratch + ":" + os.environ["PATH"]))
        check(f"libraries, archive with '{version}'", done.returncode == status and ("FAIL curl" in done.stdout) == (status == 1), done.stdout)

print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
sys.exit(1 if failed else 0)
