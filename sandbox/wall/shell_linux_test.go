package wall

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/sandbox"
)

// shell is one behind a plan that runs many lines: a wall takes several programs to start.
type shell struct {
	in  io.Writer
	out *bufio.Reader
	n   int
	pid int // of the first process
}

// shell starts one, and ends it with the lab.
func (l *lab) shell(p sandbox.Plan) *shell {
	l.t.Helper()
	cmd := l.behind(p, "/bin/sh")
	in, err := cmd.StdinPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	out, said, err := os.Pipe()
	if err != nil {
		l.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Start()
	said.Close()
	if err != nil {
		l.t.Fatal(err)
	}
	l.after(func() {
		in.Close()
		_ = cmd.Wait() // with the status of its last line
		out.Close()
	})
	s := &shell{in: in, out: bufio.NewReader(out), pid: cmd.Process.Pid}
	if _, status := s.run(l.t, "true"); status != "0" {
		l.t.Fatalf("a shell behind %q does not run: %s", p.Mechanism, status)
	}
	return s
}

// run runs a line in a process of its own, and returns what it printed, and its exit status.
func (s *shell) run(t testing.TB, line string) (said, status string) {
	t.Helper()
	s.n++
	end := fmt.Sprintf("ended-%d ", s.n)
	if _, err := fmt.Fprintf(s.in, "( %s\n) </dev/null; printf '\\n%s%%d\\n' $?\n", line, end); err != nil {
		t.Error(err) // what it said before follows
	}
	for {
		row, err := s.out.ReadString('\n')
		if err != nil {
			t.Fatalf("the shell ended in %q: %v, after %q", line, err, said+row)
		}
		if status, ok := strings.CutPrefix(row, end); ok {
			return said, strings.TrimSpace(status)
		}
		said += row
	}
}

// bench is a lab and a shell in it, for attempts until one of them has changed something.
type bench struct {
	*lab
	*shell
	seen map[string]string
}

// fresh makes a bench; mechanism is "" for no wall.
func fresh(t *testing.T, mechanism string, landlock int) *bench {
	t.Helper()
	l, p := newLab(t), sandbox.Plan{}
	l.landlock = landlock
	if mechanism != "" {
		p = l.plan(sandbox.Worktree, mechanism)
	}
	b := &bench{lab: l, shell: l.shell(p)}
	b.seen = l.all()
	return b
}

// unchanged removes what attempts left in the work tree, and reports whether all else is as it was at
// the beginning.
func (b *bench) unchanged() bool {
	entries, _ := os.ReadDir(b.work)
	for _, e := range entries {
		if path := filepath.Join(b.work, e.Name()); b.seen[path] == "" {
			os.RemoveAll(path)
		}
	}
	now := b.all()
	for path, was := range b.seen {
		if now[path] != was {
			return false
		}
	}
	return len(now) == len(b.seen)
}

// all is what can be seen of each file of the lab, but of those that a walled process has for itself.
func (l *lab) all() map[string]string {
	list := map[string]string{}
	_ = filepath.Walk(l.root, func(path string, info os.FileInfo, err error) error {
		switch {
		case err != nil: // gone meanwhile
		case path == l.private:
			return filepath.SkipDir
		case path == l.self:
			list[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		case info.IsDir():
			list[path] = fmt.Sprint(info.Mode())
		default:
			list[path] = look(path)
		}
		return nil
	})
	return list
}
