package shell

import "strings"

// handlers add the commands that a program runs. The program's own part is added before the
// call.
var handlers map[string]func(*walker, *call)

func init() { // a literal would refer to itself
	handlers = map[string]func(*walker, *call){
		"eval": progEval, "source": progSource, ".": progSource, "trap": progTrap, "alias": progAlias,
		"cd": progCd, "chdir": progCd, "pushd": progCd, "popd": progCd,
		"xargs": progXargs, "find": progFind, "fd": progFd, "git": progGit, "awk": progAwk, "gawk": progAwk, "sed": progSed,
		"ssh": progSSH, "make": progMake, "apply_patch": progPatch, "applypatch": progPatch,
		"su": progDashC, "script": progDashC, "emulate": progDashC, "machinectl": progDashC, "scriptlive": progDashC,
		"read": progReads, "mapfile": progReads, "readarray": progReads, "printf": progReads, "getopts": progReads, "vared": progReads,
		"test": progReads, "[": progReads, "unset": progReads, "wait": progReads, "return": progReads, "exit": progReads, "shift": progReads, "break": progReads, "continue": progReads,
		"integer": progReads, "float": progReads, "set": progSet, "shopt": progSet, "rename": progRename,
	}
	for name, t := range traits {
		if t&shell != 0 {
			handlers[name] = progShell
		}
	}
	for name := range interpreters {
		handlers[name] = progInterpreter
	}
	for name := range set("psql mysql mariadb sqlite3 duckdb") {
		handlers[name] = progSQL
	}
	for name := range wrappers {
		if handlers[name] == nil {
			handlers[name] = progWrapper
		}
	}
	for name := range set("tmux screen crontab zmodload bind complete compgen enable fc history emacs emacsclient nc ncat netcat socat telnet zargs sched autoload setopt unsetopt zstyle gnuplot edit pico flatpak kotlin dart") {
		handlers[name] = progOpaque
	}
	for name := range codeOptions {
		if handlers[name] == nil {
			handlers[name] = progCodeOptions
		}
	}
}

func set(names string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(names) {
		out[n] = true
	}
	return out
}

// interpreters run code that is opaque if it is given inline or on standard input. The value
// has the letters of the options for inline code.
var interpreters = map[string]string{
	"python": "ci", "python2": "ci", "python3": "ci", "pypy": "ci", "pypy3": "ci", "ipython": "ci",
	"perl": "eEMmd", "ruby": "e", "node": "epi", "nodejs": "epi", "bun": "ep", "deno": "", "php": "rBREd",
	"lua": "ei", "luajit": "ei", "tclsh": "c", "wish": "", "expect": "c", "osascript": "e", "groovy": "e",
	"julia": "eE", "rscript": "e", "r": "e", "ghc": "e", "runghc": "", "elixir": "e", "erl": "e", "scala": "e", "guile": "c",
	"clojure": "e", "bb": "e", "sbcl": "", "racket": "e", "ocaml": "e", "swift": "e", "raku": "e", "gjs": "c", "tsx": "ep", "ts-node": "ep",
	"bc": "", "dc": "e", "octave": "", "gdb": "", "lldb": "o", "jshell": "", "irb": "", "psql": "c", "mysql": "e", "mariadb": "e", "sqlite3": "", "duckdb": "c",
	"iex": "e", "ghci": "e", "utop": "e", "coffee": "ep", "qjs": "e", "babel-node": "ep", "hy": "ci", "pry": "e", "clj": "eM", "mongosh": "", "mongo": "", "lftp": "ce", "ftp": "", "ed": "", "ex": "c", "at": "", "batch": "", "m4": "",
}

// otherNames maps further names of a program to the one in the tables.
var otherNames = map[string]string{
	"bsdtar": "tar", "bmake": "make", "remake": "make", "gawk": "awk", "mawk": "awk", "nawk": "awk", "original-awk": "awk", "igawk": "awk",
	"hub": "git", "nvim": "vim", "vi": "vim", "view": "vim", "vimdiff": "vim", "rvim": "vim", "gvim": "vim", "fdfind": "fd",
	"podman": "docker", "nerdctl": "docker", "sudoedit": "sudo", "sudo-rs": "sudo", "pnpx": "npx", "bunx": "npx", "uvx": "npx",
	"prename": "rename", "file-rename": "rename", "perl-rename": "rename", "remsh": "ssh", "rsh": "ssh", "mosh": "ssh", "autossh": "ssh", "dbclient": "ssh", "-": "noglob",
}

// wrapper describes a program whose arguments are options, then a command.
type wrapper struct {
	// values are the letters and long names of options whose value is the next word.
	values string
	// skip is the number of words between options and command.
	skip int
	// transparent: it needs no allow rule, the command does.
	transparent bool
	// script: the command is one string, or its words joined, for a shell.
	script bool
	// assigns: NAME=value words may come before the command.
	assigns bool
	// loose: the options are too many to list, or long ones may have one dash. suffixes tries
	// every word.
	loose bool
}

// wrappers by name. A mistake about an option cannot hide a command from deny or ask, because
// suffixes tries every word behind a wrapper.
var wrappers = map[string]*wrapper{
	"command": {transparent: true}, "builtin": {transparent: true}, "noglob": {transparent: true}, "nocorrect": {transparent: true},
	"exec":    {values: "a"},
	"time":    {values: "f o format output", transparent: true},
	"nice":    {values: "n adjustment", transparent: true},
	"nohup":   {transparent: true},
	"timeout": {values: "k s kill-after signal", skip: 1, transparent: true},
	"stdbuf":  {values: "i o e input output error", transparent: true},
	"setsid":  {transparent: true}, "ionice": {values: "c n p P u class classdata pid"}, "chrt": {values: "T P D", skip: 1}, "taskset": {skip: 1},
	"env":    {values: "u S C P unset chdir split-string argv0 a", assigns: true},
	"sudo":   {values: "u g p C r t T U h D R a c user group prompt chdir chroot host role type other-user close-from command-timeout", assigns: true},
	"doas":   {values: "u C", assigns: true},
	"pkexec": {values: "user"}, "run0": {values: "u g D user group"}, "gosu": {skip: 1}, "su-exec": {skip: 1}, "runuser": {values: "u g G", script: false},
	"chroot": {values: "userspec groups", skip: 1}, "unshare": {values: "S G R w map-user map-group root wd setuid setgid propagation"},
	"nsenter": {values: "t S G target setuid setgid", loose: true}, "fakeroot": {values: "l s i b lib"}, "firejail": {loose: true}, "strace": {loose: true}, "caffeinate": {values: "t w"}, "linux64": {}, "linux32": {}, "setarch": {skip: 1},
	"busybox": {}, "toybox": {}, "coreutils": {}, "repeat": {skip: 1}, "unbuffer": {}, "watch": {values: "n interval q equexit", script: true}, "entr": {}, "parallel": {loose: true, script: true}, "hyperfine": {loose: true, script: true}, "watchexec": {loose: true, script: true},
	"poetry": {loose: true}, "pipenv": {loose: true},
	"nix-shell": {loose: true, script: true}, "dumb-init": {}, "catchsegv": {}, "jobs": {}, "rlwrap": {}, "faketime": {skip: 1}, "eatmydata": {}, "torsocks": {}, "proxychains": {}, "proxychains4": {}, "sg": {skip: 1, script: true}, "newgrp": {skip: 1},
}

// trait is a property of a program. A program can have several.
type trait uint32

const (
	noFiles      trait = 1 << iota // looks at no file, or only at names and attributes
	names                          // of the files in its arguments it shows name and attributes, of directories the names in them
	reads                          // only reads the files in its arguments
	changes                        // creates, changes or removes the files in its arguments, whatever is in them
	mayChange                      // changes some of the files in its arguments, with some options
	fillsDirs                      // puts files into a directory in its arguments, or removes them from there
	recursive                      // reads everything below a directory without an option
	inputFiles                     // takes names of files from standard input, or reads files that are named there
	textFirst                      // the first argument is a pattern or a mode
	patternFirst                   // the first argument that is no option is a pattern or a program
	selects                        // prints some of its input lines unchanged, unless given files to read
	data                           // only reads files in its arguments, so that words from standard input cannot make it do anything else
	copies                         // gives a file another name
	optionNames                    // has an option that runs something, which a file named like it would be taken for
	packages                       // runs a project's programs with the arguments behind their names; package names among them are not programs
	shell                          // runs its input, a -c argument or a file as a shell script
	posix                          // a shell whose scripts Parse can read
	startsShell                    // runs a shell if no command is given
	sources                        // reads files that a source text on standard input names
	scripted                       // takes its script on standard input even if a file is named, which is a database or a document
)

// has reports whether a program has a trait.
func has(program string, t trait) bool { return traits[program]&t != 0 }

// traits of programs. Programs without a row are taken for the worst: they may read and
// change every file in their arguments, and run every program.
var traits = func() map[string]trait {
	out := map[string]trait{}
	for _, row := range []struct {
		traits   trait
		programs string
	}{
		{noFiles, `echo printf print basename dirname du df kill pkill pgrep which type hash export unset set read let alias trap eval pwd cd chdir pushd popd test [
			true false : sleep find fd git exit return shift break continue wait jobs umask id uname seq expr tmux screen history readlink realpath`},
		{names, `ls stat`},
		{reads, `cat tac zcat bzcat xzcat zstdcat lz4cat zless zmore zgrep colordiff sdiff diff3 hexyl glow pygmentize wget head tail less more most bat batcat nl od
			hexdump hd strings grep egrep fgrep rg ag ack awk cut sort wc diff cmp comm paste join fold fmt pr column rev base64 base32 basenc tar zip jq
			yq curl tr md5sum sha1sum sha256sum b2sum file stat ls look readarray shuf expand unexpand uuencode pandoc xmllint envsubst cksum sum shasum sha224sum
			sha384sum tsort ptx ul colrm bzgrep xzgrep zdiff zcmp bzdiff xzdiff bzless xzless bzmore xzmore lzcat zstdless ccat lolcat delta difft icdiff micro hx
			lp lpr cpp gcc cc clang unzip date ugrep`},
		{reads | mayChange, `rclone gpg ffmpeg cpio pax ar convert magick sops age iconv code open xdg-open 7z 7za 7zz sqlite3 openssl xargs uniq xxd`},
		{reads | changes, `rename sed cp mv ln dd gzip bzip2 xz zstd tee vim nano emacs ed scp rsync split csplit install gunzip dos2unix unix2dos ditto patch`},
		{changes, `rm rmdir unlink truncate touch shred mkdir chmod chown chgrp srm wipe setfacl chattr xattr sponge mktemp mkfifo mknod`},
		{fillsDirs, `cp mv rm rmdir ln install rsync scp tar unzip curl wget patch split csplit ditto rename`},
		{recursive, `rg ag ack ugrep tar zip rsync rclone ditto pax 7z 7za 7zz`},
		{inputFiles, `tar cpio pax zip 7z 7za 7zz rsync xargs`},
		{inputFiles | sources, `cpp gcc cc clang as ar ld tcc nasm yasm xmllint pandoc`},
		{textFirst, `tr chmod chown chgrp look chattr`},
		{patternFirst, `ack ag ugrep awk egrep fgrep grep jq rg sed yq`},
		{selects, `sort uniq head tail`},
		{data, `grep egrep fgrep wc cat head tail ls file stat basename dirname du md5sum sha1sum sha256sum sha512sum echo`},
		{copies, `cp ln mv install link`},
		{optionNames, `tar rsync scp sftp sort zip rg less more man vim split install gcc cc clang rustc sed`},
		{packages, `go cargo npm yarn pnpm`},
		{shell, `sh bash dash zsh ksh ksh93 mksh ash rbash fish csh tcsh yash hush busybox-sh posh oksh pdksh elvish nu pwsh xonsh`},
		{posix, `sh bash dash zsh ksh ksh93 mksh ash rbash yash hush posh oksh pdksh`},
		{startsShell, `sudo doas chroot unshare nsenter run0 pkexec newgrp sg setarch linux32 linux64 runuser su fakeroot firejail`},
		{scripted, `mongosh mongo lftp ftp irb iex ghci utop jshell sbcl pry ed ex gdb lldb at batch bc dc m4`},
	} {
		for name := range strings.FieldsSeq(row.programs) {
			out[name] |= row.traits
		}
	}
	return out
}()

// recursiveLetters are, by program, the options that make it work on everything below a
// directory.
var recursiveLetters = map[string]string{"grep": "rR", "egrep": "rR", "fgrep": "rR", "cp": "rRa", "scp": "r", "diff": "r", "colordiff": "r", "zgrep": "rR", "gzip": "r", "gunzip": "r", "zstd": "r", "srm": "rR", "wipe": "rR", "chattr": "R", "ls": "R", "rm": "rR", "chmod": "R", "chown": "R", "chgrp": "R", "setfacl": "R", "rsync": "ra"}
