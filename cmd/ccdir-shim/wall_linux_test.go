package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
			h := startHost(t, walled(t, mechanism), "/bin/sh", "-c", `read -r pid comm state parent group session terminal rest < /proc/$$/stat; echo $pid $parent $session $((terminal >> 8)) > seen; kill -STOP $$; trap 'echo polite > end; kill -9 $$' TERM; echo up > up; read x`)
			if !h.ready.Walled {
				t.Error("the host does not say that its process is walled")
			}
			read := func(name string) string {
				var data []byte
				eventually(t, name, func() bool { data, _ = os.ReadFile(filepath.Join(h.spec.CWD, name)); return len(data) > 0 })
				return strings.TrimSpace(string(data))
			}
			if got, want := read("seen"), fmt.Sprintf("%d %d %d %d", h.ready.PID, h.ready.HostPID, h.ready.PID, pseudoterminal); got != want {
				t.Errorf("pid, parent, session and the terminal's kind are %q, want %q", got, want)
			}
			read("up") // it was stopped, and goes on
			if children := childrenOf(t, h.ready.HostPID); !slices.Equal(children, []int{h.ready.PID}) {
				t.Errorf("the host's children are %v, want %d alone", children, h.ready.PID)
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

// pseudoterminal is the major number of such terminals.
const pseudoterminal = 136

// childrenOf are the processes whose parent a process is.
func childrenOf(t *testing.T, pid int) (children []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Fatal("no process is listed", err)
	}
	for _, file := range files {
		data, _ := os.ReadFile(file) // it may have ended
		var parent int
		_, rest, _ := strings.Cut(string(data), ") ")
		if _, err := fmt.Sscanf(rest, "%1s %d", new(string), &parent); err == nil && parent == pid {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			children = append(children, child)
		}
	}
	return children
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
