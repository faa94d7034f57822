package cli_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/test/programs"
)

// bin holds the programs, built once for all tests the way they ship.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.Main(func(dir string) { bin = dir }, m.Run))
}

func exe() string { return filepath.Join(bin, "ccdir") }

// TestScripts runs testdata/script: the whole program, each script in a
// CCDIR_HOME of its own. At the end of each nothing may be left.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds:                commands,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// setup gives a script its home and takes care of what it leaves.
func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	p, err := paths.New(func(key string) string {
		if key == "CCDIR_HOME" {
			return home
		}
		return ""
	}, os.Getuid())
	if err != nil {
		return err
	}
	for _, dir := range []string{p.Config, filepath.Dir(p.Runtime)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	env.Setenv("CCDIR_HOME", home)
	env.Setenv("HOME", home)
	env.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	env.Setenv("SHELL", "/bin/sh")
	env.Setenv("TERM", "xterm-256color")
	env.Setenv("LANG", "C.UTF-8")
	env.Setenv("BIN", bin)
	env.Setenv("SOCKET", p.Socket())
	env.Setenv("RUNTIME", p.Runtime)
	env.Setenv("STATE", p.State)
	env.Setenv("CONFIG", p.ConfigFile())
	env.Defer(func() { leaveNothing(env.T().(errorer), p) })
	return nil
}

// errorer is the part of testing.TB that says what went wrong.
type errorer interface {
	Errorf(format string, args ...any)
}

// leaveNothing stops what a script started and fails it if anything is left.
func leaveNothing(t errorer, p paths.Paths) {
	defer os.RemoveAll(p.Runtime)
	if _, err := os.Stat(p.State); err == nil {
		cmd := exec.Command(exe(), "daemon", "stop", "--kill-sessions")
		cmd.Env = []string{"CCDIR_HOME=" + p.Home, "HOME=" + p.Home, "PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("stopping the daemon: %v\n%s%s", err, out, logTail(p))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), untilTimeout)
	defer cancel()
	var left []string
	for {
		left = append(processesOf(p.Home), socketsIn(p.Runtime)...)
		if len(left) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("left behind:\n%s\n%s", strings.Join(left, "\n"), logTail(p))
			killAll(p.Home)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func logTail(p paths.Paths) string {
	data, err := os.ReadFile(p.DaemonLog())
	if err != nil {
		return ""
	}
	return "daemon's log: " + string(data[max(0, len(data)-2000):])
}

func socketsIn(dir string) []string {
	left, _ := filepath.Glob(filepath.Join(dir, "*.sock")) // the pattern is constant
	return left
}

// newClient talks to the daemon of a script.
func newClient(p paths.Paths) *client.Client {
	return client.New(client.Options{Paths: p, UID: -1})
}
