#!/bin/bash
# wheel.sh - the wheel in DIST: it installs without a network in a new environment of every Python that is here, its
# programs start and find each other, and the module does what tests/python/api.py expects.
. "$(dirname "$0")/dist.inc"
unset TRAINC TRAINC_LIBRARY PYTHONPATH
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

check "there are wheels for two C libraries and two machines" test "$(ls "$DIST"/trainc-*-py3-none-*linux*.whl | wc -l)" = 4
wheel=$(ls "$DIST"/trainc-*-py3-none-manylinux*_"$(uname -m)".whl)
cat >"$scratch/inspect.py" <<-'END'
	import base64, hashlib, sys, zipfile
	wheel = zipfile.ZipFile(sys.argv[1])
	names = wheel.namelist()
	info = [n for n in names if n.endswith("/RECORD")][0].split("/")[0]
	rows = dict(line.split(",", 1) for line in wheel.read(info + "/RECORD").decode().splitlines())
	assert sorted(rows) == sorted(names), set(rows) ^ set(names)
	for name, row in rows.items():
	    if name != info + "/RECORD":
	        digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
	        assert row == f"sha256={digest},{len(wheel.read(name))}", name
	assert len({i.date_time for i in wheel.infolist()}) == 1
	metadata = wheel.read(info + "/METADATA").decode()
	assert "License-Expression: Apache-2.0\n" in metadata and "\nRequires-Dist" not in metadata
	tags = [line[5:] for line in wheel.read(info + "/WHEEL").decode().splitlines() if line.startswith("Tag: ")]
	assert ".".join(t.split("-")[2] for t in tags) == sys.argv[1].rsplit("-", 1)[1][:-4], tags
	for text in ("LICENSE", "NOTICE", "THIRD-PARTY.txt"):
	    assert f"License-File: {text}\n" in metadata and f"{info}/licenses/{text}" in names, text
	assert "trainc/py.typed" in names
END
newest_symbol() { # newest_symbol LIBRARY: none is newer than glibc 2.17
	readelf -V "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | { read -r newest; printf 'GLIBC_2.17\n%s\n' "$newest" | sort -CVr; }
}
for one in "$DIST"/trainc-*-py3-none-*linux*.whl; do
	tag=${one##*-py3-none-} tag=${tag%.whl} machine=x86_64
	case $tag in *aarch64) machine=aarch64 ;; esac
	unpacked=$scratch/$tag
	check "$tag: at most 8 MB" test "$(stat -c %s "$one")" -le 8000000
	check "... RECORD, tags, licences, one time" python3 "$scratch/inspect.py" "$one"
	python3 -m zipfile -e "$one" "$unpacked"
	test -d "$scratch/tar-$machine" || { mkdir "$scratch/tar-$machine" && tar -xzf "$(ls "$DIST"/trainc-*-linux-"$machine".tar.gz)" -C "$scratch/tar-$machine" --strip-components=1; }
	check "... the programs are those of the archive" sh -c "cmp '$scratch/tar-$machine/bin/trainc' '$unpacked'/*.data/scripts/trainc &&
		cmp '$scratch/tar-$machine/libexec/trainc/trainc-cluster' '$unpacked'/*.data/data/libexec/trainc/trainc-cluster"
	library=$unpacked/trainc/libtrainc.so.0
	check "... the library is for that machine" sh -c "readelf -h '$library' | tr A-Z- a-z_ | grep 'machine:.*$machine'"
	check "... needs that of C alone" sh -c "! readelf -dW '$library' | grep NEEDED | grep -vE '\[(libc\.so|libc\.so\.6|libm\.so\.6|ld-linux.*)\]'"
	case $tag in
	manylinux*) check "... no symbol newer than glibc 2.17" newest_symbol "$library" ;;
	musllinux*) check "... nothing of glibc" sh -c "! readelf -V '$library' | grep GLIBC" ;;
	esac
	check "... exports only the door" sh -c "! nm -D --defined-only '$library' | grep -vE ' (T trainc_[a-z_]+|A TRAINC_0)'"
	check "... has its name, and no relocation of code" sh -c "readelf -dW '$library' | grep -q 'SONAME.*libtrainc.so.0' && ! readelf -dW '$library' | grep TEXTREL"
	check "... contains no directory of this machine" sh -c "! strings '$library' | grep -F '$PWD'"
done
# No Python with musl is here; a program with musl's loader calls the library.
compiler=$SOURCES/$(uname -m)-linux-musl/bin/cc
if test -x "$compiler" && test -e "/lib/ld-musl-$(uname -m).so.1"; then
	calls() {
		local library
		library=$(ls -d "$scratch/musllinux"*_"$(uname -m)")/trainc/libtrainc.so.0
		printf '#include <stdio.h>\nconst char *trainc_version(void);\nint main(void) { puts(trainc_version()); }\n' >"$scratch/calls.c"
		"$compiler" -dynamic "$scratch/calls.c" "$library" -o "$scratch/calls" && LD_LIBRARY_PATH=$(dirname "$library") "$scratch/calls" | grep -q '[0-9]\.[0-9]'
	}
	check "a program with musl calls the library" calls
else
	echo "skip the library with musl: musl's loader is not here"
fi
if python3 -m auditwheel --version >/dev/null 2>&1; then
	check "auditwheel agrees with the tag" sh -c "python3 -m auditwheel show '$wheel' | tr '\n' ' ' | grep -q 'manylinux_2_17'"
fi

quick=
for python in $(ls ~/.pyenv/versions/*/bin/python3 2>/dev/null | sort -V) /usr/bin/python3; do
	"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
	version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	test ! -d "$scratch/$version" || continue
	check "Python $version: a new environment" "$python" -m venv "$scratch/$version"
	here=$scratch/$version
	check "Python $version: pip installs it without a network" "$here/bin/pip" install -q --no-index --no-deps --no-build-isolation "$wheel"
	check "Python $version: the program runs" "$here/bin/trainc" version
	check "Python $version: it finds the other half" sh -c "KUBECONFIG=/dev/null '$here/bin/trainc' list 2>&1 | grep -v libexec"
	check "Python $version: python -m trainc" "$here/bin/python" -m trainc version
	check "Python $version: the module" "$here/bin/python" tests/python/api.py "$here/bin/trainc" $quick
	quick=--quick
done
here=$(ls -d "$scratch"/3.* | head -n 1)
check "man pages and completions" test -s "$here/share/man/man1/trainc.1" -a -s "$here/share/bash-completion/completions/trainc"
check "pip --target" sh -c "'$here/bin/pip' install -q --no-index --target '$scratch/target' '$wheel' && PYTHONPATH='$scratch/target' \
	python3 -m trainc version && PYTHONPATH='$scratch/target' python3 -c 'import trainc; print(trainc.version())'"
if python3 -c 'import pygments' 2>/dev/null; then
	check "Pygments finds the lexer" sh -c "PYTHONPATH='$scratch/target' python3 -c 'from pygments.lexers import get_lexer_for_filename as g; assert g(\"a.tj\").name == \"trainc\"'"
fi
before=$("$here/bin/python" -c 'import sys; print(sys.prefix)')
check "pip uninstall" "$here/bin/pip" uninstall -q -y trainc
check "... leaves nothing" sh -c "! find '$before' -name '*trainc*' | grep ."
# the lines of the README and of docs/install.md, where the files are in the directory dist
mkdir "$scratch/reader" && ln -s "$DIST" "$scratch/reader/dist" && cp examples/01-torch-data-parallel/mnist.tj "$scratch/reader"
python3 -m venv "$scratch/reader/venv"
sed -n 's/^\(pip install [^#]*\)#.*/\1/p' README.md >"$scratch/pip" && grep -o '`pip install [^`]*`' docs/install.md | tr -d '`' >>"$scratch/pip"
sed -n 's/.* or: \(uvx .*\)/\1/p' README.md >"$scratch/uvx" && grep -o '`uvx --[^`]*`' docs/install.md | tr -d '`' | sed 's/job\.tj/mnist.tj/' >>"$scratch/uvx"
while read -r line; do
	check "$line" sh -c "cd '$scratch/reader' && PATH=$scratch/reader/venv/bin:\$PATH && $line && trainc check mnist.tj && pip uninstall -q -y trainc"
done < <(grep -v '^pip install trainc' "$scratch/pip")
check "the documents have these lines" test "$(wc -l <"$scratch/pip")" -ge 2
while command -v uvx >/dev/null && read -r line; do
	check "$line" sh -c "cd '$scratch/reader' && $line"
done <"$scratch/uvx"
for tool in uv pipx; do
	command -v $tool >/dev/null || continue
	case $tool in
	uv) check "uvx trainc" uvx --offline --from "$wheel" trainc version ;;
	pipx) check "pipx" env PIPX_HOME="$scratch/pipx" PIPX_BIN_DIR="$scratch/pipx-bin" sh -c "pipx install -q '$wheel' && '$scratch/pipx-bin/trainc' version" ;;
	esac
done
end
