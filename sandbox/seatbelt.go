package sandbox

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Seatbelt is the plan as a profile for macOS' sandbox-exec: everything is refused that is not
// listed, later rules win. tmp is the directory of temporary files.
func (p Plan) Seatbelt(tmp string) string {
	var b strings.Builder
	say := func(lines ...string) {
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	rules := map[string]string{} // the longer path decides, so it comes later
	rule := func(head string, paths []string) {
		for _, path := range paths {
			rules[path] = "(" + head + " (subpath " + strconv.Quote(path) + "))"
		}
	}
	say("(version 1)", "(deny default)",
		"(allow process-fork)", "(allow process-exec)", "(allow signal (target same-sandbox))", "(allow process-info* (target same-sandbox))",
		"(allow sysctl-read)", "(allow mach-lookup)", "(allow ipc-posix-sem)", "(allow pseudo-tty)", "(allow system-socket)",
		`(allow file-read-metadata (literal "/") (literal "/tmp") (literal "/var") (literal "/private") (literal "/etc"))`,
		`(allow file-read* file-write* file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))`)
	read, write := p.Read, append(append([]string{}, p.Write...), tmp)
	for _, c := range Caches {
		write = append(write, filepath.Join(p.Private, c.Name))
	}
	if g := p.Git; g.Linked() {
		read = append(append([]string{}, read...), g.Common)
		for _, name := range strings.Fields("objects refs logs lfs") {
			write = append(write, filepath.Join(g.Common, name))
		}
		write = append(write, filepath.Join(g.Common, "packed-refs.lock"))
	}
	rule("allow file-read*", read)
	rule("allow file-read* file-write*", write)
	rule("deny file-write*", p.Keep)
	rule("deny file-read* file-write*", p.Hidden)
	paths := slices.Sorted(maps.Keys(rules))
	slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, path := range paths {
		say(rules[path])
	}
	for _, dir := range p.Sockets {
		say("(allow file-read* network-outbound (subpath " + strconv.Quote(dir) + "))")
	}
	switch p.Network {
	case NetworkAll:
		say("(allow network*)")
	case NetworkLoopback, NetworkHosts:
		say(`(allow network* (local ip "localhost:*"))`, `(allow network-outbound (remote ip "localhost:*"))`)
	}
	return b.String()
}
