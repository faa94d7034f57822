#!/bin/sh
# Installs ccdir for the user who runs it, without sudo: the newest release, or the archive
# in which this script lies. What is fetched is compared with the release's checksums before
# anything is installed, and each program takes the place of the old one at once: sessions
# that run go on.
#
#   sh install.sh [--prefix DIR] [--version V] [--from URL]    install (DIR is ~/.local)
#   sh install.sh --newest                                     print the newest version
#   sh install.sh --uninstall [--prefix DIR]                   remove the programs
#
# `ccdir update` runs it again.
set -eu

FROM=${CCDIR_RELEASES:-@RELEASES@} # where releases are: https://…/releases, or a directory
PREFIX=${PREFIX:-$HOME/.local}
VERSION='' DO=install

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

while [ $# -gt 0 ]; do
	case $1 in
	--prefix | --version | --from)
		[ $# -ge 2 ] || fail "$1 needs a value"
		case $1 in
		--prefix) PREFIX=$2 ;;
		--version) VERSION=${2#v} ;;
		--from) FROM=$2 ;;
		esac
		shift
		;;
	--newest) DO=newest ;;
	--unpacked) DO=unpacked ;;
	--uninstall) DO=uninstall ;;
	-h | --help)
		sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
		exit 0
		;;
	*) fail "unknown argument $1; see --help" ;;
	esac
	shift
done
case $PREFIX in /*) ;; *) fail "--prefix must be an absolute path: $PREFIX" ;; esac

# fetch PATH FILE copies FROM/PATH into FILE.
fetch() {
	case $FROM in
	/*) cp "$FROM/$1" "$2" 2>/dev/null || fail "$FROM/$1 cannot be read" ;;
	https://* | http://127.0.0.1:* | http://localhost:*)
		if command -v curl >/dev/null 2>&1; then
			curl -fsSL --retry 2 -o "$2" "$FROM/$1" || fail "$FROM/$1 cannot be fetched"
		elif command -v wget >/dev/null 2>&1; then
			wget -q -O "$2" "$FROM/$1" || fail "$FROM/$1 cannot be fetched"
		else
			fail "neither curl nor wget is installed: fetch the archive yourself, unpack it, and run its install.sh"
		fi
		;;
	*) fail "no place of releases is known: give it with --from https://… (or a directory), or unpack an archive and run its install.sh" ;;
	esac
}

# sum FILE prints the SHA-256 of a file.
sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1"
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 "$1"
	else
		fail "neither sha256sum nor shasum is installed: nothing can be verified"
	fi | cut -d ' ' -f 1
}

system() {
	os=$(uname -s) arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there are no programs for $os: build them with Go (make install)" ;;
	esac
	case $arch in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there are no programs for $arch: build them with Go (make install)" ;;
	esac
}

# release fetches the checksums and finds the archive for this machine in them.
release() {
	system
	path=latest/download
	[ -z "$VERSION" ] || path=download/v$VERSION
	fetch "$path/checksums.txt" "$work/checksums.txt"
	line=$(grep "  ccdir_[^ /]*_${os}_${arch}\.tar\.gz\$" "$work/checksums.txt") || fail "the release has no archive for $os on $arch"
	[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "the checksums name several archives for $os on $arch"
	archive=${line#*  }
	wanted=${line%% *}
	version=${archive#ccdir_}
	version=${version%_"${os}"_"${arch}".tar.gz}
	[ -z "$VERSION" ] || [ "$VERSION" = "$version" ] || fail "the checksums are of version $version, not $VERSION"
}

# put MODE FROM TO installs a file in one step.
put() {
	mkdir -p "${3%/*}"
	cp "$2" "${3%/*}/.new.${3##*/}"
	chmod "$1" "${3%/*}/.new.${3##*/}"
	mv -f "${3%/*}/.new.${3##*/}" "$3"
}

remove() {
	rm -f "$PREFIX/share/man/man1/ccdir.1" "$PREFIX"/share/man/man1/ccdir-*.1
	[ "$1" = pages ] && return
	rm -f "$PREFIX/bin/ccdir" "$PREFIX/bin/ccdir-daemon" "$PREFIX/bin/ccdir-shim" "$PREFIX/bin/ccdir-fleet" \
		"$PREFIX/share/bash-completion/completions/ccdir" "$PREFIX/share/zsh/site-functions/_ccdir" "$PREFIX/share/fish/vendor_completions.d/ccdir.fish"
	rm -rf "$PREFIX/share/doc/ccdir" "$PREFIX/share/ccdir"
}

# unpacked installs what lies beside this script.
unpacked() {
	"$here/ccdir" --version >/dev/null 2>&1 || fail "the programs of $here do not run here: is the archive for this system?"
	remove pages
	for file in "$here"/man/*.1; do put 644 "$file" "$PREFIX/share/man/man1/${file##*/}"; done
	for file in LICENSE NOTICE CHANGELOG.md; do put 644 "$here/$file" "$PREFIX/share/doc/ccdir/$file"; done
	for file in systemd/ccdir.service launchd/ccdir.plist; do put 644 "$here/contrib/$file" "$PREFIX/share/doc/ccdir/contrib/$file"; done
	put 644 "$here/completions/ccdir.bash" "$PREFIX/share/bash-completion/completions/ccdir"
	put 644 "$here/completions/_ccdir" "$PREFIX/share/zsh/site-functions/_ccdir"
	put 644 "$here/completions/ccdir.fish" "$PREFIX/share/fish/vendor_completions.d/ccdir.fish"
	put 755 "$here/install.sh" "$PREFIX/share/ccdir/install.sh"
	printf 'script\nfrom %s\n' "$FROM" >"$PREFIX/share/ccdir/.new.installed-by"
	mv -f "$PREFIX/share/ccdir/.new.installed-by" "$PREFIX/share/ccdir/installed-by"
	for program in ccdir-fleet ccdir-shim ccdir-daemon ccdir; do put 755 "$here/$program" "$PREFIX/bin/$program"; done
	echo "installed $("$PREFIX/bin/ccdir" --version) in $PREFIX/bin"
	case ":$PATH:" in *":$PREFIX/bin:"*) ;; *) echo "$PREFIX/bin is not in your PATH: add it to run ccdir by its name" ;; esac
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ "$DO" = install ] && [ -z "$VERSION" ] && [ -x "$here/ccdir-shim" ] && [ -d "$here/completions" ] && DO=unpacked
case $DO in
unpacked)
	unpacked
	exit 0
	;;
uninstall)
	remove all
	echo "removed ccdir from $PREFIX. Sessions that run go on; settings and state are where they were."
	exit 0
	;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
release
if [ "$DO" = newest ]; then
	echo "$version"
	exit 0
fi
fetch "$path/$archive" "$work/$archive"
[ "$(sum "$work/$archive")" = "$wanted" ] || fail "$archive is not what the release's checksums say: nothing was installed"
mkdir "$work/unpacked"
tar -xzf "$work/$archive" -C "$work/unpacked"
sh "$work/unpacked/${archive%.tar.gz}/install.sh" --unpacked --prefix "$PREFIX" --from "$FROM"
