package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"
)

func TestBelow(t *testing.T) {
	all := []Process{{1, 0, 10}, {2, 1, 20}, {3, 2, 30}, {4, 1, 40}, {5, 3, 50}, {7, 8, 1}, {8, 7, 2}}
	for _, c := range []struct {
		pid  int
		want []int
	}{{2, []int{2, 3, 5}}, {4, []int{4}}, {1, []int{1, 2, 3, 4, 5}}, {7, []int{7, 8}}} {
		tree, err := below(all, c.pid)
		var got []int
		for _, p := range tree {
			got = append(got, p.PID)
		}
		if slices.Sort(got); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("below %d: %v, %v; want %v", c.pid, got, err, c.want)
		}
	}
	if _, err := below(all, 6); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no process: %v", err)
	}
}

// TestTree: a child is in the tree of this process, with its memory.
func TestTree(t *testing.T) {
	cmd := exec.Command("cat")
	in, out := started(t, cmd)
	// Before it runs it has no memory of its own.
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	tree, err := Tree(context.Background(), os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{os.Getpid(), cmd.Process.Pid} {
		if i := slices.IndexFunc(tree, func(p Process) bool { return p.PID == pid }); i < 0 || tree[i].Memory <= 0 {
			t.Errorf("process %d: %d in %+v", pid, i, tree)
		}
	}
}
