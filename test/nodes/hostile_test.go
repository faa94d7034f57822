package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileNode: a node whose bridge was replaced cannot open connections here, print to the
// terminal or make the link grow; the person is told and the link goes on trying.
func TestHostileNode(t *testing.T) {
	greeting := `{"mux":[1,1],"version":"9.9.9\u001b[2J","system":"x","home":"/","program":"/x","server":{"pid":1,"version":"9.9.9\u001b]52;c;eA==\u0007","revision":1,"keys":true}}`
	for name, then := range map[string]string{
		"opens a stream":     `printf '\001\000\000\000\001\013\000\000daemon.sock'; cat >/dev/null`,
		"a frame of 16 MiB":  `printf '\001\000\000\000\002\377\377\377'; head -c 20000000 /dev/zero; cat >/dev/null`,
		"zeros without end":  `cat /dev/zero`,
		"nothing more":       `exec cat >/dev/null`,
		"escape sequences":   `printf '\033[2J\033]0;x\007'; cat >/dev/null`,
		"a flood of pongs":   `while :; do printf '\000\000\000\000\006\010\000\00012345678'; done`,
		"a flood of pings":   `while :; do printf '\000\000\000\000\005\010\000\00012345678'; done`,
		"no line, but noise": ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they mostly wait until the link gives up
			r := newRig(t)
			say := "echo \"ccdir-link $1 " + strings.ReplaceAll(strings.ReplaceAll(greeting, `\`, `\\\\`), `"`, `\"`) + "\"\n"
			if name == "no line, but noise" {
				say, then = "", "cat /dev/zero | tr '\\0' 'x'"
			}
			shim := r.write("evil", "#!/bin/sh\nif [ \"$2\" = --check ]; then echo 'ccdir-bridge 999999'; exit; fi\nshift\n"+say+then+"\n", 0o700)
			out, errs, _ := r.run(append([]string{"node", "add", "--yes", "box", "box", "--program", shim, "--"}, r.sshOptions...)...)
			list, listErrs, _ := r.run("node", "ls")
			_, callErrs, code := r.run("ls", "--node", "box", "--json")
			if code == 0 {
				t.Error("a call succeeded")
			}
			if all := out + errs + list + listErrs + callErrs; strings.ContainsAny(all, "\x1b\x07") {
				t.Errorf("control characters reach the terminal: %q", all)
			}
			s, ok := r.status()
			if !ok {
				t.Fatal("the link has ended")
			}
			data, err := os.ReadFile(filepath.Join("/proc", itoa(s.PID), "status"))
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(data), "VmHWM:")
			if kb := strings.Fields(rest)[0]; len(kb) > 5 {
				t.Errorf("the link's memory grew to %s KiB", kb)
			}
		})
	}
}
