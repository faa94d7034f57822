package faults

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/test/drill"
	"ccdir/test/programs"
	"ccdir/wire"
)

// bin holds the programs, built with their fail points.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ccdir-faults")
	if err == nil {
		err = programs.BuildFaulty(dir)
	}
	if err != nil {
		panic(err)
	}
	bin = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is one installation with its own daemon.
type world struct {
	*testing.T
	paths  paths.Paths
	env    []string
	client *client.Client
	faults string // the directory that switches fail points on
}

// newWorld makes one whose daemon is not started yet. config may be "". home may
// name an empty directory.
func newWorld(t *testing.T, home, config string) *world {
	t.Helper()
	if home == "" {
		var err error
		if home, err = os.MkdirTemp("", "cf"); err != nil { // a socket's name must be short
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(home) })
	}
	p, err := paths.New(func(k string) string { return map[string]string{"CCDIR_HOME": home}[k] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, paths: p, faults: t.TempDir()}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CCDIR_") {
			w.env = append(w.env, kv)
		}
	}
	w.env = append(w.env, "CCDIR_HOME="+home, "CCDIR_FAULTS="+w.faults)
	if err := os.MkdirAll(p.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.ConfigFile(), []byte("kill_grace = \"300ms\"\nfast_path = false\n"+config), 0o600); err != nil {
		t.Fatal(err)
	}
	w.client = client.New(client.Options{Paths: p, UID: -1, Exe: w.exe(), Env: w.env, Name: "faults"})
	t.Cleanup(w.end)
	return w
}

func (w *world) exe() string { return filepath.Join(bin, programs.Ccdir) }

// end ends everything.
func (w *world) end() {
	out, err := w.command("daemon", "stop", "--kill-sessions").CombinedOutput()
	if err != nil {
		w.Errorf("cleaning up: %v\n%s", err, out)
	}
	w.client.Close()
	if w.Failed() {
		log, _ := os.ReadFile(w.paths.DaemonLog())
		w.Logf("the daemon's log ends:\n%s", log[max(0, len(log)-3000):])
	}
	_ = os.RemoveAll(w.paths.Runtime)
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(w.exe(), args...)
	cmd.Env, cmd.Dir = w.env, w.paths.Home
	return cmd
}

// verb runs a verb of ccdir; ok: it must succeed.
func (w *world) verb(ok bool, args ...string) string {
	w.Helper()
	cmd := w.command(args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	if ok != (err == nil) {
		w.Fatalf("ccdir %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), stderr.String())
	}
	if !ok {
		text := strings.TrimSpace(stderr.String())
		if text == "" || strings.Contains(text, "\n") {
			w.Errorf("ccdir %s says no line, but %q", strings.Join(args, " "), text)
		}
		return text
	}
	return strings.TrimSpace(out.String())
}

// start starts the daemon and returns its pid.
func (w *world) start() int {
	w.Helper()
	srv, err := w.client.Connect(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return srv.PID
}

// sh starts a session that runs a script.
func (w *world) sh(name, script string) api.Session {
	w.Helper()
	s, err := w.try(name, script)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

func (w *world) try(name, script string) (api.Session, error) {
	return w.client.CreateSession(w.Context(), api.NewSession{Name: name, Argv: []string{"/bin/sh", "-c", script}, CWD: w.paths.Home, Env: w.env})
}

// text is the screen of a session.
func (w *world) text(ref string) string {
	w.Helper()
	out, err := w.client.Output(w.Context(), ref, wire.OutputParams{Format: "text", Scrollback: true})
	if err != nil {
		w.Fatal(err)
	}
	return out.Text
}

// until polls a condition of other processes, which announce no events.
func (w *world) until(what string, cond func() bool) {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); !cond(); {
		if time.Now().After(deadline) {
			w.Fatal("not in time: ", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// echoes checks that a session of `cat` answers, as a user would notice.
func (w *world) echoes(ref, word string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	if err := w.client.Input(ctx, ref, api.RawInput{Data: []byte(word + "\n")}); err != nil {
		w.Fatalf("%s does not take input: %v", ref, err)
	}
	w.until(ref+" echoes", func() bool { return strings.Count(w.text(ref), word) >= 2 })
	w.Logf("%s echoed after %s", ref, time.Since(began).Round(time.Millisecond))
}

// events are all events, without a gap.
func (w *world) events() []api.Event {
	w.Helper()
	var all []api.Event
	for since := int64(0); ; since = all[len(all)-1].Seq {
		list, err := w.client.Events(w.Context(), client.EventFilter{Since: since, Limit: 500})
		if err != nil {
			w.Fatal(err)
		}
		for _, e := range list {
			if n := len(all); n > 0 && e.Seq != all[n-1].Seq+1 {
				w.Fatalf("event %d where event %d belongs", e.Seq, all[n-1].Seq+1)
			}
			all = append(all, e)
		}
		if len(list) == 0 {
			return all
		}
	}
}

// hook calls a hook of a session, as its agent does.
func (w *world) hook(s api.Session, name, payload string) error {
	token, err := os.ReadFile(filepath.Join(w.paths.SessionDir(s.ID), paths.TokenFile))
	if err != nil {
		return err
	}
	cmd := exec.Command(client.ShimPath(w.exe()), "hook", name)
	cmd.Env = append(append([]string{}, w.env...), api.EnvSession+"="+s.ID, api.EnvToken+"="+string(token),
		api.EnvSocket+"="+w.paths.Socket(), api.EnvDir+"="+w.paths.SessionDir(s.ID))
	cmd.Stdin = strings.NewReader(payload)
	return cmd.Run()
}

// post makes a hook call and reports whether the daemon acknowledged it; a hook process
// does not report that.
func (w *world) post(s api.Session, name, id, payload string) error {
	token, err := os.ReadFile(filepath.Join(w.paths.SessionDir(s.ID), paths.TokenFile))
	if err != nil {
		return err
	}
	transport := drill.HookTransport(w.paths.Socket(), 1)
	defer transport.CloseIdleConnections()
	return drill.HookCall{Session: s.ID, Token: string(token), Hook: name, ID: id, Payload: payload}.Post(w.Context(), transport)
}

// agent starts a session whose hooks count.
func (w *world) agent(name string) api.Session {
	w.Helper()
	s, err := w.client.CreateSession(w.Context(), api.NewSession{Name: name, Agent: "claude", Argv: []string{"/bin/sh", "-c", "exec cat"}, CWD: w.paths.Home, Env: w.env})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// says fails unless an error is one line with all of the words.
func (w *world) says(err error, words ...string) {
	w.Helper()
	if err == nil {
		w.Fatalf("no error; want one with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			w.Errorf("the error %q does not say %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		w.Errorf("the error is no line: %q", err)
	}
}

// said makes an error of a verb's output.
func said(text string) error { return errors.New(text) }

// kill9 kills a process; what must follow is waited for by the caller.
func (w *world) kill9(pid int) {
	w.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		w.Fatal(err)
	}
}
