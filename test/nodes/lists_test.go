package nodes

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// repository makes a git repository with one commit.
func (r *rig) repository(name string) (dir string) {
	r.Helper()
	dir = r.file(name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		r.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			r.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir
}

// TestLists: work trees and queues of both machines in the grid; what a key does is done on the
// machine of the chosen row.
func TestLists(t *testing.T) {
	r := newRig(t)
	r.addHere()
	near, far := r.repository("shop"), r.repository("model")
	r.ok("new", "-n", "mine", "-C", near, "--", "cat")
	r.ok("new", "-n", "theirs", "-C", far, "box/", "--", "cat")
	r.ok("worktree", "add", "train", "--node", "box", "-C", far)
	var trees []struct{ Node, Branch, Repo string }
	r.decode(r.ok("worktree", "ls", "--all", "--json"), &trees)
	places := map[string]int{}
	for _, w := range trees {
		places[w.Node+" "+w.Branch]++
	}
	if len(trees) != 3 || places[" main"] != 1 || places["box main"] != 1 || places["box train"] != 1 {
		t.Errorf("worktree ls --all: %+v", trees)
	}
	for _, node := range []string{"here", "box"} {
		r.ok("task", "mode", "manual", "--node", node)
	}
	r.ok("task", "add", "-a", "demo", "one of mine")
	r.ok("task", "add", "--node", "box", "-a", "demo", "one of theirs")

	s := r.grid()
	s.shows("mine", "box/theirs")
	s.keys("C-b", "E")
	s.shows("box      mode manual") // whose queue it is
	s.keys("Escape")
	s.keys("C-b", "W")
	s.shows("work trees", "shop", "box/model", "train", "box/theirs")
	s.keys("/", "model", "Enter", "Enter")
	s.shows("━ 2 box/theirs")

	s.keys("C-b", "T")
	s.shows("box/t1", "one of theirs", "box:   mode manual") // of the chosen one
	s.keys("Down")
	s.shows("here:   mode manual")
	s.keys("Up")
	s.shows("box:   mode manual")
	s.keys("m")
	s.shows("box:   mode auto")
	s.until("the node's queue", func() bool { return strings.Contains(r.onNode("task", "mode"), "auto") })
	if out := r.ok("task", "mode"); !strings.Contains(out, "manual") {
		t.Errorf("this machine's queue: %s", out)
	}
	r.ok("task", "wait", "box/t1", "--timeout", "60s")
	s.shows("done")
	s.keys("r")
	s.until("the task again, there", func() bool { return strings.Contains(r.onNode("task", "ls"), "t2 ") })
	if out := r.ok("task", "ls"); strings.Contains(out, "theirs") {
		t.Errorf("it was added here: %s", out)
	}
}
