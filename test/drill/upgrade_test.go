package drill

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/programs"
)

const newerVersion = "9.8.7"

// from is where an older version's programs are; this version is "the newer build" then.
var from = flag.String("from", "", "`directory` with ccdir, ccdir-daemon and ccdir-shim of an older version, for TestUpgrade")

// TestUpgrade: a newer build replaces the running one, and the daemon is restarted. The
// older hosts continue; an attached grid, a held permission request and a running task
// are not affected; grids, doctor and list report the older hosts.
func TestUpgrade(t *testing.T) {
	r, bin := upgradable(t)
	newer := t.TempDir()
	if err := programs.BuildVersion(newer, newerVersion); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := r.start(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := r.untilJoined(ctx); err != nil {
		t.Fatal(err)
	}
	held := holdRequest(t, r)
	var request api.Request
	await(ctx, t, "the request to be held", func() (bool, error) {
		list, err := r.client.Approvals(ctx)
		if len(list) == 1 {
			request = list[0]
		}
		return len(list) == 1, err
	})
	task := addLongTask(ctx, t, r)
	var tried api.Task
	await(ctx, t, "the task to run", func() (bool, error) {
		var err error
		tried, err = r.client.Task(ctx, task)
		return tried.State == api.TaskRunning, err
	})

	for _, name := range []string{programs.Ccdir, programs.Shim, programs.Daemon} { // as an installation does
		if err := os.Rename(filepath.Join(newer, name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	verb(ctx, t, r, "daemon", "restart")
	if srv, err := r.looker.Health(ctx); err != nil || srv.Version != newerVersion {
		t.Fatalf("after the restart: %+v, %v", srv, err)
	}
	ends, err := r.untilJoined(ctx) // the grids attached before
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range ends {
		t.Logf("grid %d shows what the new daemon says %s after the restart was asked for", i+1, at.Sub(began).Round(time.Millisecond))
	}
	if len(ends) != grids || r.grids[0].ended() || r.grids[1].ended() {
		t.Errorf("%d grids stayed attached", len(ends))
	}
	if err := r.sameSessions(ctx); err != nil {
		t.Error(err)
	}
	for _, p := range r.lines {
		if err := r.follow(ctx, p); err != nil {
			t.Error(err)
		}
	}
	older(ctx, t, r)
	answerHeld(ctx, t, r, request, held)
	if after, err := r.client.WaitTask(ctx, task, nil, patience); err != nil || after.State != api.TaskDone || after.Attempt != 1 || after.Session != tried.Session {
		t.Errorf("the task was %+v\nand is %+v, %v", tried, after, err)
	}
	// A restart of the session takes the new version.
	if _, err := r.client.RestartSession(ctx, r.marker.ID); err != nil {
		t.Fatal(err)
	}
	if v, err := r.client.Session(ctx, r.marker.ID); err != nil || v.HostVersion != newerVersion {
		t.Errorf("restarted: %+v, %v", v, err)
	}
}

// upgradable is a drill whose programs can be replaced. Its client reports the newer
// version.
func upgradable(t *testing.T) (*run, string) {
	t.Helper()
	bin := t.TempDir()
	var err error
	if *from == "" {
		err = programs.Build(bin)
	} else {
		err = os.CopyFS(bin, os.DirFS(*from))
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := prepare(Options{Exe: filepath.Join(bin, programs.Ccdir), Home: t.TempDir(), Env: os.Environ(), Seed: 1, Log: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Whichever version is installed now ends it.
		for _, g := range r.grids {
			if g != nil {
				g.kill()
			}
		}
		if r.hooks != nil {
			r.hooks.stop()
		}
		if r.bridge != nil {
			r.bridge.stop()
		}
		if r.making != nil {
			r.making.stop()
		}
		cmd := exec.Command(r.Exe, "daemon", "stop", "--kill-sessions")
		cmd.Env = r.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("cleaning up: %v\n%s", err, out)
		}
		r.client.Close()
		r.looker.Close()
	})
	return r, bin
}

// holdRequest makes a permission request as an agent's hook does; the channel gets the
// hook's output after the answer.
func holdRequest(t *testing.T, r *run) <-chan string {
	t.Helper()
	env, err := os.ReadFile(filepath.Join(r.Home, "probe.env"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(client.ShimPath(r.Exe), "hook", "PermissionRequest")
	cmd.Env = append(append([]string{}, r.Env...), strings.Split(strings.TrimSpace(string(env)), "\n")...)
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"PermissionRequest","session_id":"drill","tool_name":"Bash","tool_input":{"command":"ls"}}`)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	go func() {
		_ = cmd.Wait() // its output tells
		done <- out.String()
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return done
}

// answerHeld allows the request, which must be the same one as before, and checks the
// hook's output.
func answerHeld(ctx context.Context, t *testing.T, r *run, was api.Request, held <-chan string) {
	t.Helper()
	await(ctx, t, "the request to be held again", func() (bool, error) {
		list, err := r.client.Approvals(ctx)
		return len(list) == 1 && list[0].ID == was.ID, err
	})
	verb(ctx, t, r, "approve", was.ID)
	select {
	case out := <-held:
		if !strings.Contains(out, `"allow"`) {
			t.Errorf("the hook says %q", out)
		}
	case <-ctx.Done():
		t.Error("the hook does not end")
	}
}

// addLongTask gives the queue a task that takes some seconds.
func addLongTask(ctx context.Context, t *testing.T, r *run) string {
	t.Helper()
	list, err := r.client.AddTasks(ctx, []api.NewTask{{Prompt: "think 10s", CWD: r.Home, Env: r.Env}})
	if err != nil {
		t.Fatal(err)
	}
	return list[0].ID
}

// older checks that grids, doctor and list report the older hosts.
func older(ctx context.Context, t *testing.T, r *run) {
	t.Helper()
	out := verb(ctx, t, r, "doctor", "--json")
	var d struct {
		Checks []struct{ Name, Status, Detail, Hint string } `json:"checks"`
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range d.Checks {
		found = found || c.Name == "hosts" && c.Status == "warn" && strings.Contains(c.Detail, "marker") || strings.Contains(c.Detail, "("+api.Version+")")
	}
	if !found {
		t.Errorf("doctor does not tell of older hosts:\n%s", out)
	}
	await(ctx, t, "the grid to tell of the newer daemon", func() (bool, error) {
		return strings.Contains(strings.Join(strings.Fields(r.grids[1].text()), " "), "the daemon is ccdir "+newerVersion+" now"), nil
	})
	g, err := attach(r.Exe, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	defer g.kill()
	await(ctx, t, "a new grid to tell of older hosts", func() (bool, error) {
		return strings.Contains(strings.Join(strings.Fields(g.text()), " "), fmt.Sprintf("on hosts of another version than %s", newerVersion)), nil
	})
}

// verb runs a verb of ccdir and returns what it prints.
func verb(ctx context.Context, t *testing.T, r *run, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, r.Exe, args...)
	cmd.Env = r.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && args[0] != "doctor" {
		t.Fatalf("ccdir %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

func await(ctx context.Context, t *testing.T, what string, done func() (bool, error)) {
	t.Helper()
	if err := until(ctx, "not in time: "+what, done); err != nil {
		t.Fatal(err)
	}
}
