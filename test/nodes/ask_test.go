package nodes

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/nodes"
	"ccdir/nodes/link"
)

// remote is the node as a client of the laptop has it.
func (r *rig) remote() *nodes.Remote {
	shim := func(context.Context) (string, error) { return filepath.Join(bin, "ccdir-shim"), nil }
	node := link.Node{Name: "box", Target: "box", Options: r.sshOptions, Program: filepath.Join(bin, "ccdir-shim"), Home: r.far.Home}
	return nodes.New(node, nodes.Options{Paths: r.near, Shim: shim, Env: r.command().Env})
}

// TestQuestions: an unknown host key and a key's passphrase are asked once each, of the person who
// can answer; in the background ssh asks nobody, and the node is said to ask.
func TestQuestions(t *testing.T) {
	r := newRig(t)
	if out, err := exec.Command("ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", r.file("key")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	conf, err := os.ReadFile(r.file("ssh_config"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("ssh_config", strings.Replace(string(conf), "accept-new", "ask", 1), 0o600)
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "box", "box", "--home", r.far.Home, "--program", filepath.Join(bin, "ccdir-shim"), "--"}, r.sshOptions...)...)
	if code != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("without a person: exit %d, %q", code, errs)
	}
	if list := r.nodes(); list[0].State != "asks" || !strings.Contains(list[0].Reason, "ccdir node up box") {
		t.Errorf("%+v", list)
	}
	var asked []string
	answer := func(q string) (string, bool) {
		asked = append(asked, q)
		switch {
		case strings.Contains(q, "(yes/no"):
			return "yes", true
		case strings.Contains(q, "passphrase"):
			return "open sesame", true
		}
		return "", false
	}
	s, err := r.remote().Up(t.Context(), nil, answer, nil)
	if err != nil || s.State != link.StateOnline {
		t.Fatalf("%+v, %v", s, err)
	}
	if len(asked) != 2 {
		t.Errorf("asked: %q", asked)
	}
	r.ok("ls", "--node", "box")
	// A person who gives no answer is told what ssh says.
	r.ok("node", "down", "box")
	s, err = r.remote().Up(t.Context(), nil, func(string) (string, bool) { return "", false }, nil)
	if err != nil || s.State != link.StateAsks {
		t.Errorf("%+v, %v", s, err)
	}
	for _, file := range []string{r.near.NodeLog("box"), r.near.DaemonLog()} {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), "sesame") {
			t.Errorf("the passphrase is in %s", file)
		}
	}
}

// TestInside: a process of a local session may not act on a node, by verbs or by the link.
func TestInside(t *testing.T) {
	r := newRig(t)
	r.addHere()
	// The demo agent is no shell of the person's: what it runs is a session's.
	exe := filepath.Join(bin, "ccdir")
	cfg, err := os.ReadFile(r.near.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	text := "shells_are_yours = false\n" + string(cfg)
	if err := os.WriteFile(r.near.ConfigFile(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.ok("new", "-n", "inside", "--", "sh", "-c", exe+" ls --node box; echo code=$?; sleep 1000")
	r.until("the refusal", func() bool { return strings.Contains(r.ok("output", "inside"), "code=") })
	if out := r.ok("output", "inside"); !strings.Contains(out, "code=1") || !strings.Contains(strings.ReplaceAll(out, "\n", " "), "inside a session") {
		t.Errorf("it says:\n%s", out)
	}
}
