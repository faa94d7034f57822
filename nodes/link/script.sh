best='' bestkey='' old=''
try() {
	[ -n "$1" ] && [ -f "$1" ] && [ -x "$1" ] || return 0
	if key=$("$1" bridge --check $protocols </dev/null 2>/dev/null); then
		case $key in
		"ccdir-bridge "*) ;;
		*) return 0 ;;
		esac
		if [ -z "$best" ] || expr "$key" \> "$bestkey" >/dev/null; then
			best=$1 bestkey=$key
		fi
	elif [ -z "$old" ]; then
		old=$("$1" version </dev/null 2>/dev/null | sed -n '1s/.* //p' | tr -cd '0-9A-Za-z.+-')
	fi
}
look() {
	best='' bestkey=''
	if [ -n "$program" ]; then
		try "$program"
		return
	fi
	for p in "$HOME"/.local/share/ccdir/*/ccdir-shim; do try "$p"; done
	for d in "$HOME/.local/bin" "$HOME/bin" "$HOME/go/bin" /usr/local/bin /opt/homebrew/bin /usr/bin; do
		if [ -f "$d/ccdir-shim" ]; then try "$d/ccdir-shim"; else try "$d/ccdir"; fi
	done
	try "$(command -v ccdir-shim 2>/dev/null)"
	[ -n "$best" ] || try "$(command -v ccdir 2>/dev/null)"
}
receive() {
	d=$HOME/.local/share/ccdir/$1
	t=$HOME/.local/share/ccdir/.new-$nonce
	rm -rf "$t"
	umask 077
	mkdir -p "$t" || return 1
	while read -r name size sum; do
		[ "$name" = end ] && break
		echo "ccdir-link $nonce next $name"
		head -c "$size" | gzip -dc >"$t/$name" || return 1
		got=$({ sha256sum "$t/$name" 2>/dev/null || shasum -a 256 "$t/$name"; } | cut -d' ' -f1)
		[ "$got" = "$sum" ] || { echo "ccdir-link $nonce bad $name"; return 1; }
		chmod 700 "$t/$name"
	done
	rm -rf "$d.old"
	[ ! -d "$d" ] || mv "$d" "$d.old"
	mv "$t" "$d" || return 1
	rm -rf "$d.old"
}
main() {
	look
	if [ -z "$best" ] || [ "$install" = true ]; then
		echo "ccdir-link $nonce none $(uname -s) $(uname -m) $old"
		read -r verb version || exit 0
		[ "$verb" = install ] || exit 0
		receive "$version" || exit 1
		program=$HOME/.local/share/ccdir/$version/ccdir-shim
		look
		[ -n "$best" ] || { echo "ccdir-link $nonce bad program"; exit 1; }
	fi
	exec "$best" bridge "$nonce"
}
