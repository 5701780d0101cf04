#!/bin/sh
# libraries.sh CC HALFLIBS - prints a row for each library in the programs, for linked.c:
#   LIBRARY(name, version, package, version of the package, license, static in, shared in)
# The version is that of the headers, which belong to the library that is linked. The package is that of Debian which
# holds the library, as its version tells which fixes of security are in; both are empty on other systems.
set -eu
export LC_ALL=C
cc=$1 halflibs=$2
case $halflibs in
*-Bstatic*) half_static=trainc-cluster half_shared= ;;
*) half_static= half_shared=trainc-cluster ;;
esac

# macro HEADER NAME: the text of a macro of a header, without quotes and blanks.
macro() {
	printf '#include <%s>\nVALUE %s\n' "$1" "$2" | $cc -E -P - 2>/dev/null | sed -n 's/^VALUE //p' | tr -d '" '
}
# package FILE: the package that holds a library, and its version.
package() {
	file=$(readlink -f "$($cc -print-file-name="$1")") || return 0
	name=$(dpkg-query -S "$file" 2>/dev/null | sed -n '1s/[:,].*//p') || return 0
	test -z "$name" || dpkg-query -W -f '${Package} ${Version}\n' "$name" 2>/dev/null | head -n 1
}
# row NAME VERSION FILE LICENSE STATIC SHARED
row() {
	held=$(package "$3")
	printf 'LIBRARY("%s", "%s", "%s", "%s", "%s", "%s", "%s")\n' "$1" "$2" "${held% *}" "${held#* }" "$4" "$5" "$6"
}
half() { row "$1" "$2" "$3" "$4" "$half_static" "$half_shared"; }

gnu='LGPL-3.0-or-later OR GPL-2.0-or-later'
unistring=$(printf '%d' "$(macro unistring/version.h _LIBUNISTRING_VERSION)" 2>/dev/null) || unistring=0
yaml=$(pkg-config --modversion yaml-0.1 2>/dev/null) || yaml=
half curl "$(macro curl/curlver.h LIBCURL_VERSION)" libcurl.a curl
half openssl "$(macro openssl/opensslv.h OPENSSL_FULL_VERSION_STR)" libssl.a Apache-2.0
half nghttp2 "$(macro nghttp2/nghttp2ver.h NGHTTP2_VERSION)" libnghttp2.a MIT
half libidn2 "$(macro idn2.h IDN2_VERSION)" libidn2.a "$gnu"
half libunistring "$((unistring / 65536)).$((unistring / 256 % 256))" libunistring.a "$gnu"
row zlib "$(macro zlib.h ZLIB_VERSION)" libz.a Zlib "trainc${half_static:+ trainc-cluster}" "$half_shared"
row libyaml "$yaml" libyaml.a MIT "trainc${half_static:+ trainc-cluster}" "$half_shared"
row glibc "$(macro features.h __GLIBC__).$(macro features.h __GLIBC_MINOR__)" libc.a LGPL-2.1-or-later trainc trainc-cluster
row libgcc "$($cc -dumpfullversion 2>/dev/null || $cc -dumpversion)" libgcc.a 'GPL-3.0-or-later WITH GCC-exception-3.1' 'trainc trainc-cluster' ''
