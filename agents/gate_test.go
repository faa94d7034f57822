package agents_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// fakeShim is a program that does what a hook process may do.
const fakeShim = `#!/bin/sh
case $HOW in
fine) cat; echo said >&2 ;;
killed) kill -9 $$ ;;
half) printf '{"half'; kill -9 $$ ;;
fails) exit 1 ;;
late) echo $$ >pid; exec sleep 1000 ;;
stopped) echo $$ >pid; kill -STOP $$ ;;
esac
`

// TestGate: whatever happens to the hook process, its call is refused with a reason where a policy
// is in force, and left to the agent where none is.
func TestGate(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"sh", "bash", "dash", "zsh", "busybox"} {
		program, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		for _, how := range []string{"fine", "killed", "half", "fails", "late", "stopped", "missing"} {
			for _, loss := range []string{"ask", "deny", "none", "", "env"} {
				if (how == "late" || how == "stopped") && loss != "ask" && loss != "none" {
					continue // a second each
				}
				t.Run(strings.Join([]string{shell, how, loss}, " "), func(t *testing.T) {
					t.Parallel()
					gated(t, program, how, loss)
				})
			}
		}
	}
}

func gated(t *testing.T, shell, how, loss string) {
	dir := t.TempDir()
	shim := filepath.Join(dir, "it's a shim")
	if how != "missing" {
		if err := os.WriteFile(shim, []byte(fakeShim), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOW=" + how, api.EnvDir + "=" + dir}
	open := loss == "none" || loss == ""
	switch loss {
	case "env": // the session's directory has no such file any more
		env = append(env, api.EnvOnLoss+"=ask")
	case "":
	default:
		if err := os.WriteFile(filepath.Join(dir, paths.LossFile), []byte(loss), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gate := agents.Gate{Shim: shim, Hook: "BeforeIt", Form: api.GateOutput, Limit: 10 * time.Minute}
	line := gate.Command()
	if how == "late" || how == "stopped" { // what the shell waits, the hook's own limit and room for a busy machine
		line = strings.Replace(line, "set -- 615 ", "set -- 1 ", 1)
	}
	args := []string{"-c", line}
	if filepath.Base(shell) == "busybox" {
		args = append([]string{"sh"}, args...)
	}
	cmd := exec.Command(shell, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(`{"payload":true}`)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs // Run ends when nobody holds them any more
	_ = cmd.Run()
	code := cmd.ProcessState.ExitCode()
	switch {
	case how == "fine":
		if code != 0 || out.String() != `{"payload":true}` || errs.String() != "said\n" {
			t.Errorf("exit code %d, printed %q and %q", code, &out, &errs)
		}
	case open && code != 0:
		t.Errorf("exit code %d without a policy, said %q", code, &errs)
	case !open && (code != 2 || !strings.Contains(errs.String(), "ccdir")):
		t.Errorf("exit code %d, said %q", code, &errs)
	}
	noted, _ := os.ReadFile(filepath.Join(dir, paths.SpoolDir, paths.SpoolGate))
	if want := map[bool]string{true: "BeforeIt\n"}[code == 2]; string(noted) != want {
		t.Errorf("noted %q, not %q", noted, want)
	}
}
