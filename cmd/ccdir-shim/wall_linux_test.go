package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/sandbox"
	"ccdir/sandbox/wall"
	"ccdir/wire"
)

// walled gives a host's spec a plan of the profile worktree.
func walled(t testing.TB, mechanism string) func(*exec.Cmd, *wire.HostSpec) {
	return func(_ *exec.Cmd, spec *wire.HostSpec) {
		home := t.TempDir()
		spec.CWD = filepath.Join(home, "work")
		if err := os.Mkdir(spec.CWD, 0o700); err != nil {
			t.Fatal(err)
		}
		profile, err := sandbox.Find(sandbox.Worktree, nil)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := sandbox.Make(profile, sandbox.Place{Home: home, Dir: spec.CWD, Private: filepath.Join(spec.Dir, "private"), Programs: []string{filepath.Dir(program)}, OS: "linux"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(plan.For(wall.Able(t.Context()), mechanism))
		if err != nil {
			t.Fatal(err)
		}
		spec.Wall = filepath.Join(spec.Dir, "wall.json")
		if err := os.WriteFile(spec.Wall, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostWalled: behind a wall, too, the process that the host names is the program itself, a
// child of the host and the leader of its terminal's session, and its end is reported as it was.
func TestHostWalled(t *testing.T) {
	able := wall.Able(t.Context())
	for _, mechanism := range []string{sandbox.Bubblewrap, sandbox.Landlock} {
		t.Run(mechanism, func(t *testing.T) {
			if !strings.Contains(strings.Join(able.Mechanisms(), " "), mechanism) {
				t.Skipf("this machine has no %s: %s", mechanism, able.Why)
			}
			h := startHost(t, walled(t, mechanism), "/bin/sh", "-c", `echo $$ $PPID $(ps -o sid= -o tty= -p $$) > seen; kill -STOP $$; trap 'echo polite > end; kill -9 $$' TERM; echo up > up; read x`)
			if !h.ready.Walled {
				t.Error("the host does not say that its process is walled")
			}
			read := func(name string) string {
				var data []byte
				eventually(t, name, func() bool { data, _ = os.ReadFile(filepath.Join(h.spec.CWD, name)); return len(data) > 0 })
				return strings.TrimSpace(string(data))
			}
			if got, want := read("seen"), fmt.Sprintf("%d %d %d pts/", h.ready.PID, h.ready.HostPID, h.ready.PID); !strings.HasPrefix(got, want) && !strings.HasPrefix(got, strings.TrimSuffix(want, "pts/")+"?") {
				t.Errorf("pid, parent, session and terminal are %q, want %q", got, want)
			}
			read("up") // it was stopped, and goes on
			if children, _ := exec.Command("pgrep", "-P", fmt.Sprint(h.ready.HostPID)).Output(); strings.TrimSpace(string(children)) != fmt.Sprint(h.ready.PID) {
				t.Errorf("the host's children are %q, want %d alone", children, h.ready.PID)
			}
			if err := syscall.Kill(-h.ready.PID, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if got := read("end"); got != "polite" {
				t.Errorf("the end is %q", got)
			}
			var final wire.Final
			eventually(t, "the exit record", func() bool {
				data, _ := os.ReadFile(filepath.Join(h.spec.Dir, "final.json"))
				return json.Unmarshal(data, &final) == nil
			})
			if final.Signal != "KILL" {
				t.Errorf("the exit record is %+v", final)
			}
		})
	}
}

// TestHostWalledRefuses: a program that is not there behind the wall does not run outside of it.
func TestHostWalledRefuses(t *testing.T) {
	able := wall.Able(t.Context())
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, mechanism := range able.Mechanisms() {
		sockets := t.TempDir()
		if err := os.Chmod(sockets, 0o700); err != nil {
			t.Fatal(err)
		}
		spec := wire.HostSpec{Session: "abc12345", Dir: t.TempDir(), Socket: filepath.Join(sockets, "h"), Ticket: "t", Argv: []string{outside}, Cols: 80, Rows: 24}
		walled(t, mechanism)(nil, &spec)
		in, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "host")
		cmd.Stdin = strings.NewReader(string(in))
		out, _ := cmd.Output()
		if !strings.Contains(string(out), "not there behind the sandbox worktree") {
			t.Errorf("%s: %s", mechanism, out)
		}
	}
}

// BenchmarkHostWalled is how long a host takes until its process runs, without and with walls.
func BenchmarkHostWalled(b *testing.B) {
	for _, mechanism := range []string{"", sandbox.Bubblewrap, sandbox.Landlock} {
		b.Run("by-"+mechanism, func(b *testing.B) {
			for range b.N {
				h := startHost(b, func(c *exec.Cmd, s *wire.HostSpec) {
					if b.StopTimer(); mechanism != "" {
						walled(b, mechanism)(c, s)
					}
					b.StartTimer()
				}, "/bin/cat")
				b.StopTimer()
				_ = syscall.Kill(h.ready.PID, syscall.SIGKILL)
				_ = h.cmd.Wait()
				h.ready.PID = 0
				b.StartTimer()
			}
		})
	}
}
