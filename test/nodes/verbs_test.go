package nodes

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ccdir/api"
)

// TestVerbs: a node is added, its sessions and tasks are used by NODE/NAME, --node, CCDIR_NODE
// and --all, and JSON says where each is. Forwarding is forbidden, as it is on many machines.
func TestVerbs(t *testing.T) {
	r := newRig(t, "AllowTcpForwarding no", "AllowStreamLocalForwarding no", "AllowAgentForwarding no", "X11Forwarding no", "MaxSessions 1")
	if out := r.addHere(); !strings.Contains(out, "online") {
		t.Errorf("node add says %q", out)
	}
	id := strings.TrimPrefix(r.ok("new", "-n", "api", "-e", "NAMED=yes", "box/", "--", "sh", "-c", "env; cat"), "box/")
	r.ok("new", "-n", "api", "--", "cat") // the same name here
	list := r.nodes()
	if len(list) != 1 || list[0].Name != "box" || list[0].SSH != "box" || list[0].State != "online" || list[0].RTT == nil || list[0].Sessions != 1 || list[0].LastSeen == nil || list[0].Version != api.Version {
		t.Errorf("node ls: %+v", list)
	}
	var all []struct{ Node, ID, Name string }
	r.decode(r.ok("ls", "--all", "--json"), &all)
	if len(all) != 2 || all[0].Node != "" || all[1].Node != "box" || all[1].ID != id || all[1].Name != "api" {
		t.Errorf("ls --all: %+v", all)
	}
	r.ok("keys", "box/api", "h", "i", "Enter")
	r.until("the echo", func() bool { return strings.Contains(r.ok("output", "box/"+id), "hi\nhi") })
	if out := r.ok("output", "api"); strings.Contains(out, "hi") {
		t.Error("keys for the node's session came here")
	}
	env := r.ok("output", "box/api", "--scrollback")
	if strings.Contains(env, "LAPTOP_TOKEN") || !strings.Contains(env, "NAMED=yes") || !strings.Contains(env, r.far.Home) {
		t.Errorf("the session's environment:\n%s", env)
	}
	var one struct{ Node, ID string }
	r.decode(r.ok("show", "box/api", "--json"), &one)
	if one.Node != "box" || one.ID != id {
		t.Errorf("show: %+v", one)
	}
	r.decode(r.ok("show", "api", "--node", "box", "--json"), &one)
	if one.ID != id {
		t.Errorf("--node: %+v", one)
	}
	cmd := r.command("show", "api", "--json")
	cmd.Env = append(cmd.Env, "CCDIR_NODE=box")
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), id) {
		t.Errorf("CCDIR_NODE: %v %s", err, out)
	}
	r.severalNodes(id)
	r.tasks()
	r.mistakes()
	r.ok("kill", "--force", "box/api")
	r.ok("wait", "box/api", "--state", "exited")
	r.ok("rm", "box/api")
	r.ok("node", "rm", "box")
	if out := r.ok("node", "ls", "--json"); out != "[]" {
		t.Errorf("after node rm: %s", out)
	}
	if _, running := r.status(); running {
		t.Error("the link runs after node rm")
	}
}

// severalNodes: one call about sessions of two machines, and the events of both.
func (r *rig) severalNodes(id string) {
	r.Helper()
	r.ok("rename", "box/api", "api2")
	r.ok("rename", "box/api2", "api")
	var list []struct{ Node, ID string }
	r.decode(r.ok("restart", "api", "box/api", "--json"), &list)
	if len(list) != 2 || list[0].Node != "" || list[1].Node != "box" || list[1].ID != id {
		r.Errorf("restart: %+v", list)
	}
	nodes := map[string]int{}
	for line := range strings.Lines(r.ok("events", "--all", "--json")) {
		var e struct{ Node string }
		r.decode(line, &e)
		nodes[e.Node]++
	}
	if nodes[""] == 0 || nodes["box"] == 0 || len(nodes) != 2 {
		r.Errorf("events --all: %v", nodes)
	}
	if out := r.ok("approvals", "--all", "--json"); out != "[]" {
		r.Errorf("approvals --all: %s", out)
	}
	if out := r.ok("ls", "--all", "-q"); !strings.Contains(out, "\nbox/"+id) {
		r.Errorf("ls --all -q: %s", out)
	}
}

// tasks: the node's own queue.
func (r *rig) tasks() {
	r.Helper()
	var made []struct{ Node, ID string }
	r.decode(r.ok("task", "add", "--node", "box", "-a", "demo", "run ls", "--json"), &made)
	var task struct {
		Node, ID, CWD string
		Env           []string
	}
	r.decode(r.ok("task", "show", "box/"+made[0].ID, "--json"), &task)
	if task.Node != "box" || task.CWD != os.Getenv("HOME") {
		r.Errorf("task show: %+v", task)
	}
	if out := r.ok("task", "ls", "--json"); out != "[]" {
		r.Errorf("the task is in this machine's queue: %s", out)
	}
	r.ok("task", "cancel", "box/"+made[0].ID)
	if ref := r.ok("task", "add", "--node", "box", "-a", "demo", "x"); !strings.HasPrefix(ref, "box/") || !strings.Contains(r.ok("task", "cancel", ref), "cancelled") {
		r.Errorf("task add prints %q", ref)
	}
}

// mistakes are told in one line, with what to do.
func (r *rig) mistakes() {
	r.Helper()
	for _, test := range []struct {
		code int
		want string
		args []string
	}{
		{1, "no node \"nowhere\"", []string{"show", "nowhere/api"}},
		{1, "no node \"nowhere\"", []string{"ls", "--node", "nowhere"}},
		{1, "names a node and nothing on it", []string{"show", "box/"}},
		{1, "no session", []string{"show", "box/nothing"}},
		{2, "this machine only", []string{"config", "get", "--node", "box"}},
		{2, "given twice", []string{"show", "--node", "other", "box/api"}},
		{2, "cannot name a node", []string{"node", "add", "Bad/Name"}},
		{2, "a node needs ssh", []string{"node", "add", "--yes", "bad", "two words"}},
	} {
		_, errs, code := r.run(test.args...)
		if code != test.code || !strings.Contains(errs, test.want) || strings.Count(errs, "\n") != 1 {
			r.Errorf("%v: exit %d, %q", test.args, code, errs)
		}
	}
}

// TestEnvironment: what the laptop's shell has is in no session, task or restored session there.
func TestEnvironment(t *testing.T) {
	r := newRig(t)
	r.addHere()
	r.ok("new", "-n", "s", "box/", "--", "sh", "-c", "env; cat")
	r.ok("task", "add", "--node", "box", "-a", "demo", "x")
	r.ok("restart", "box/s")
	found := ""
	_ = walk(r.far.Home, func(path string, data []byte) {
		if strings.Contains(string(data), "do-not-travel") {
			found += path + "\n"
		}
	})
	if found != "" {
		t.Errorf("the laptop's variable is in files of the node:\n%s", found)
	}
	for _, pid := range r.processes("host", r.far.Home) {
		if data, err := os.ReadFile("/proc/" + itoa(pid) + "/environ"); err == nil && strings.Contains(string(data), "do-not-travel") {
			t.Errorf("the laptop's variable is in the environment of process %d of the node", pid)
		}
	}
}

// TestOffline: a machine that cannot be reached is told so, and the others are served.
func TestOffline(t *testing.T) {
	r := newRig(t)
	_, errs, code := r.run("node", "add", "--yes", "gone", "gone.invalid", "--", "-F", "/dev/null")
	if code != 1 || !strings.Contains(errs, "was added, but") || strings.Count(errs, "\n") != 1 {
		t.Errorf("node add: exit %d, %q", code, errs)
	}
	r.ok("new", "-n", "here", "--", "cat")
	out, errs, code := r.run("ls", "--all", "--json")
	var list []json.RawMessage
	r.decode(out, &list)
	if code != 0 || len(list) != 1 || !strings.Contains(errs, "node gone is offline") {
		t.Errorf("ls --all: exit %d, %s, %q", code, out, errs)
	}
	if _, errs, code = r.run("ls", "--node", "gone"); code != 1 || !strings.Contains(errs, "node gone is offline") {
		t.Errorf("ls --node: exit %d, %q", code, errs)
	}
	if list := r.nodes(); list[0].State != "offline" || list[0].Reason == "" {
		t.Errorf("node ls: %+v", list)
	}
	r.ok("node", "rm", "gone")
}
