package nodes

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// fleetCommand makes a call of ccdir-fleet on the laptop, or with far on the node. The laptop's ssh knows the node.
func (r *rig) fleetCommand(far bool, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.Context(), filepath.Join(bin, "ccdir-fleet"), args...)
	cmd.Dir = r.dir
	home := r.near.Home
	if far {
		home = r.far.Home
	}
	cmd.Env = []string{"CCDIR_HOME=" + home, "HOME=" + home, "PATH=" + r.file("bin") + ":" + os.Getenv("PATH"), "SHELL=/bin/sh"}
	return cmd
}

// startFleet starts a verb that stays, and waits until it prints a line. end kills it.
func (r *rig) startFleet(far bool, args ...string) (end func()) {
	r.Helper()
	cmd := r.fleetCommand(far, args...)
	log, err := os.OpenFile(r.file("fleet.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		r.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.Fatal(err)
	}
	end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	r.Cleanup(end)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		data, _ := os.ReadFile(log.Name())
		r.Fatalf("ccdir-fleet %s: %q, %v\n%s", strings.Join(args, " "), line, err, data)
	}
	return end
}

func (r *rig) read(name string) string {
	r.Helper()
	data, err := os.ReadFile(r.file(name))
	if err != nil {
		r.Fatal(err)
	}
	return string(data)
}

func (r *rig) fleet(far bool, args ...string) string {
	r.Helper()
	out, err := r.fleetCommand(far, args...).Output()
	if err != nil {
		data, _ := os.ReadFile(r.file("fleet.log"))
		r.Fatalf("ccdir-fleet %s: %v\n%s", strings.Join(args, " "), err, data)
	}
	return strings.TrimSpace(string(out))
}

// fleetTask is a task of the fleet as the laptop sees it.
func (r *rig) fleetTask(id string) (t api.Task) {
	r.Helper()
	out, _, code := r.run("task", "show", "--fleet", "--json", id)
	if code == 0 {
		r.decode(out, &t)
	}
	return t
}

// TestFleetFromNothing: the example of docs/fleet.md. The node keeps the queue on its loopback and runs tasks; the
// laptop joins through ssh, gives tasks and runs some. Each is done once, where it was meant to be, also when
// joins, daemons and the server are killed meanwhile.
func TestFleetFromNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := os.Mkdir(r.file("bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Fatal(err)
	}
	r.write("bin/ssh", "#!/bin/sh\nexec "+ssh+" -F "+r.file("ssh_config")+" \"$@\"\n", 0o755)
	r.path = r.file("bin") + ":" + os.Getenv("PATH")
	r.write("ssh_config", strings.ReplaceAll(r.read("ssh_config"), "Host box", "Host box hub"), 0o600)

	endServer := r.startFleet(true, "serve", "--listen", "127.0.0.1:0")
	url, err := os.ReadFile(filepath.Join(r.far.State, "fleet", "address"))
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(strings.TrimSpace(string(url)), "nats://")
	r.write("me", r.fleet(true, "invite", "me", "--asks"), 0o600)
	r.write("far.invitation", r.fleet(true, "invite", "gpu1"), 0o600)
	endFar := r.startFleet(true, "join", r.read("far.invitation"), "--label", "gpu", "--slots", "2")
	endNear := r.startFleet(false, "join", r.read("me"), "--via", "ssh://hub")
	joined := func() bool {
		var f api.Fleet
		out, err := r.fleetCommand(false, "status", "--json").Output()
		if err == nil {
			r.decode(string(out), &f)
		}
		return err == nil && len(f.Nodes) == 2 && f.Nodes[0].Away.IsZero() && f.Nodes[1].Away.IsZero()
	}
	r.until("two machines", joined)
	if out, err := r.fleetCommand(false, "join").CombinedOutput(); err == nil || !strings.Contains(string(out), "takes part already") {
		t.Errorf("a second join of one machine: %v %s", err, out)
	}

	add := func(args ...string) string {
		return strings.TrimSpace(r.ok(append([]string{"task", "add", "--fleet", "-a", "demo", "-C", r.dir}, args...)...))
	}
	done := func(id, node string) {
		t.Helper()
		var got api.Task
		r.until("task "+id, func() bool { got = r.fleetTask(id); return got.State.Ended() })
		if got.State != api.TaskDone || node != "" && got.Place != node {
			t.Errorf("%s is %s on %q, wanted on %q: %s", id, got.State, got.Place, node, got.Reason)
		}
	}
	there, here := add("--needs", "gpu", "say there"), add("--node", "me", "say here")
	done(there, "gpu1")
	done(here, "me")
	if log := r.ok("task", "logs", "--fleet", there); !strings.Contains(log, "there") {
		t.Errorf("the log of a task on another machine: %q", log)
	}

	// What takes part is killed; the tasks that were given meanwhile are done all the same.
	endNear()
	waits := add("--node", "me", "say later")
	endFar()
	second := add("--needs", "gpu", "say again")
	endServer()
	for _, pid := range append(r.processes("daemon", r.far.Home), r.processes("daemon", r.near.Home)...) {
		kill(pid)
	}
	r.startFleet(true, "serve", "--listen", address) // where the invitations say
	r.startFleet(true, "join", "--label", "gpu")
	r.startFleet(false, "join")
	done(waits, "me")
	done(second, "gpu1")
	for home, want := range map[string]int{r.near.Home: 2, r.far.Home: 2} {
		cmd := r.command("task", "ls", "--json")
		cmd.Env[0] = "CCDIR_HOME=" + home
		out, err := cmd.Output()
		var list []api.Task
		r.decode(string(out), &list)
		if err != nil || len(list) != want {
			t.Errorf("a machine's own queue has %d tasks, %v; wanted %d\n%s", len(list), err, want, out)
		}
	}
	r.patchOfFleet(add, done)
}

// patchOfFleet: what a task changes in its work tree on the node comes back as a patch.
func (r *rig) patchOfFleet(add func(...string) string, done func(id, node string)) {
	r.Helper()
	if err := os.Mkdir(r.file("repo"), 0o755); err != nil {
		r.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.CommandContext(r.Context(), "git", append([]string{"-C", r.file("repo")}, args...)...).CombinedOutput(); err != nil {
			r.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	id := add("--needs", "gpu", "-C", r.file("repo"), "-w", ".", "await result.txt\nsay written")
	tree := ""
	r.until("the task to wait in its work tree", func() bool {
		cmd := r.command("ls", "--json")
		cmd.Env[0] = "CCDIR_HOME=" + r.far.Home
		out, _ := cmd.Output()
		var list []api.Session
		r.decode(string(out), &list)
		for _, s := range list {
			if s.Branch == "ccdir/"+id+"-1" && s.State == api.StateWorking {
				tree = s.CWD
			}
		}
		return tree != ""
	})
	if err := os.WriteFile(filepath.Join(tree, "part"), []byte("the result\n"), 0o600); err != nil {
		r.Fatal(err)
	}
	if err := os.Rename(filepath.Join(tree, "part"), filepath.Join(tree, "result.txt")); err != nil {
		r.Fatal(err)
	}
	done(id, "gpu1")
	patch := r.ok("task", "patch", "--fleet", id)
	if !strings.Contains(patch, "diff --git a/result.txt b/result.txt\n") || !strings.Contains(patch, "\n+the result") {
		r.Errorf("the patch is %q", patch)
	}
}
