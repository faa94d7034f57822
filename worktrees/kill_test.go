package worktrees

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/api"
)

// Variables of the process that is killed: what it does, and the point at which it kills
// itself.
const (
	doVariable    = "WORKTREES_TEST_DO"
	pointVariable = "WORKTREES_TEST_POINT"
)

func TestMain(m *testing.M) {
	if do := os.Getenv(doVariable); do != "" {
		os.Exit(victim(do, os.Getenv(pointVariable)))
	}
	os.Exit(m.Run())
}

// victim does one thing: "KIND REPOSITORY STATE ARGUMENT", separated by tabs.
func victim(do, point string) int {
	args := strings.Split(do, "\t")
	kind, dir, state, argument := args[0], args[1], args[2], args[3]
	k := New(Options{Trees: state, Trash: filepath.Join(state, "trash"), Sessions: func(context.Context, bool) []Session { return nil }, Pause: func(at string) {
		if at == point {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}})
	ctx, err := context.Background(), error(nil)
	switch kind {
	case kindAdd:
		_, err = k.Add(ctx, api.NewWorktree{Dir: dir, Branch: argument})
	case kindRemove:
		_, err = k.Remove(ctx, api.RemoveWorktree{Dir: dir, Tree: argument, Yes: true})
	case kindRestore:
		_, err = k.Restore(ctx, api.RestoreWorktree{ID: argument})
	case kindMerge:
		_, err = k.Merge(ctx, api.MergeWorktree{Dir: dir, Tree: argument, Mode: api.MergeNoFF, Env: os.Environ()})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run starts a victim in a process group of its own.
func (p *place) start(kind, argument, point string) *exec.Cmd {
	p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), doVariable+"="+strings.Join([]string{kind, p.dir, p.state, argument}, "\t"), pointVariable+"="+point)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

// killed is a repository in which something is killed: what must be there afterwards.
type killed struct {
	*place
	r *rand.Rand
	// files are those of the tree topic, wherever it is.
	files map[string]string
	// commits must stay, and so must the branches that have names.
	commits []string
}

// newKilled makes a repository with the work tree topic, in which everything is: staged,
// changed, untracked, ignored, a stash, commits.
func newKilled(t testing.TB, r *rand.Rand) *killed {
	p := newPlace(t)
	p.write(".gitignore", "*.o\n")
	p.commit("ignore")
	dir := p.tree("topic")
	writeIn(t, dir, "topic.txt", "topic\n")
	commits := []string{p.commitIn(dir, "topic")}
	writeIn(t, dir, "stash.txt", "stashed\n")
	p.gitIn(dir, "stash", "push", "-q", "--include-untracked")
	commits = append(commits, p.gitIn(dir, "rev-parse", "stash@{0}"))
	p.write("main.txt", "main\n")
	commits = append(commits, p.commit("main"))
	return &killed{place: p, r: r, commits: commits}
}

// disturb leaves changes in the tree that no commit has. A merge would refuse them.
func (k *killed) disturb() {
	dir := k.at()
	writeIn(k.t, dir, "a.txt", "staged\n")
	k.gitIn(dir, "add", "a.txt")
	writeIn(k.t, dir, "a.txt", "changed\n")
	writeIn(k.t, dir, "new.txt", "new\n")
	writeIn(k.t, dir, "x.o", "ignored\n")
}

func (k *killed) at() string { return filepath.Join(filepath.Dir(k.dir), "trees", "topic") }

// settle waits until no git that the victim started is left, removes a lock that a killed
// git left, as a person would after reading what ccdir says, and has ccdir finish.
func (k *killed) settle(group int) {
	k.t.Helper()
	_ = syscall.Kill(-group, syscall.SIGKILL)
	for syscall.Kill(-group, 0) == nil {
		time.Sleep(time.Millisecond) // processes of another program: there is no event
	}
	for range 3 {
		out, err := k.k.Prune(k.t.Context(), k.dir)
		if err != nil {
			k.t.Fatalf("prune: %v", err)
		}
		left := (&Repo{Common: filepath.Join(k.dir, ".git")}).records()
		if len(left) == 0 {
			return
		}
		named := strings.Join(out.Finished, "\n")
		locks := gitLocks(&Repo{Common: filepath.Join(k.dir, ".git")}, left[0])
		for _, lock := range locks {
			if !strings.Contains(named, lock) {
				k.t.Fatalf("%s is not named: %s", lock, named)
			}
			if err := os.Remove(lock); err != nil {
				k.t.Fatal(err)
			}
		}
		if len(locks) == 0 {
			k.t.Fatalf("left over and not named: %+v, said: %s", left, named)
		}
		k.git("reset", "-q", "--hard") // nothing in the main tree is a person's
	}
	k.t.Fatal("it does not end")
}

// check fails if a file, commit, branch or stash was lost.
func (k *killed) check() {
	k.t.Helper()
	k.git("gc", "-q", "--prune=now")
	for _, c := range k.commits {
		k.git("cat-file", "-e", c)
	}
	if got := k.git("stash", "list"); strings.Count(got, "stash@") != 1 {
		k.t.Errorf("the stash: %q", got)
	}
	k.git("rev-parse", "--verify", "main")
	trash, err := k.k.Trash(k.t.Context(), k.dir)
	if err != nil {
		k.t.Fatal(err)
	}
	if !exists(k.at()) {
		i := slices.IndexFunc(trash, func(e api.RemovedWorktree) bool { return e.Path == k.at() })
		if i < 0 {
			k.t.Fatalf("the tree is nowhere: %+v", trash)
		}
		same(k.t, paths(k.t, trash[i].Trash), k.files)
		if _, err := k.k.Restore(k.t.Context(), api.RestoreWorktree{ID: trash[i].ID}); err != nil {
			k.t.Fatal(err)
		}
	}
	same(k.t, paths(k.t, k.at()), k.files)
	w, listed := k.list()["topic"]
	if !listed || w.Path != k.at() || w.Missing || w.Locked != "" {
		k.t.Errorf("%+v of %v", w, slices.Collect(maps.Keys(k.list())))
	}
	k.git("fsck", "--no-dangling", "--connectivity-only")
}

// kill kills one operation, at a point or after a while, and checks.
func (k *killed) kill(kind, point string, after time.Duration) {
	k.t.Helper()
	argument := "topic"
	switch kind {
	case kindAdd:
		argument = "another"
	case kindRestore:
		gone, err := k.k.Remove(k.t.Context(), api.RemoveWorktree{Dir: k.dir, Tree: "topic", Yes: true})
		if err != nil {
			k.t.Fatal(err)
		}
		argument = gone.ID
	}
	cmd := k.start(kind, argument, point)
	if point == "" {
		time.Sleep(after) // the moment is what is random
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	err := cmd.Wait()
	if point != "" && (err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL) {
		k.t.Fatalf("%s was not killed at %s: %v", kind, point, err)
	}
	k.settle(cmd.Process.Pid)
	k.check()
	// It can be done now.
	if kind == kindAdd {
		if _, err := k.k.Add(k.t.Context(), api.NewWorktree{Dir: k.dir, Branch: "another"}); err != nil {
			k.t.Errorf("once more: %v", err)
		}
	}
	for line := range strings.Lines(k.git("status", "--porcelain")) {
		// A git that was killed between a file and the index leaves the file, as the branch has it.
		path, untracked := strings.CutPrefix(strings.TrimSpace(line), "?? ")
		data, err := os.ReadFile(filepath.Join(k.dir, path))
		if kind != kindMerge || !untracked || err != nil || strings.TrimSpace(string(data)) != k.git("show", "topic:"+path) {
			k.t.Errorf("the main tree: %s", line)
		}
	}
}

// killPoints are the named points of each operation.
var killPoints = map[string][]string{
	kindAdd:     {PauseAddBegun, PauseAddTree, PauseAddBrought},
	kindRemove:  {PauseRemoveBegun, PauseRemoveSaved, PauseRemoveTree, PauseRemoveGit, PauseRemoveBranch},
	kindRestore: {PauseRestoreBegun, PauseRestoreBranch, PauseRestoreGit, PauseRestoreTree},
	kindMerge:   {PauseMergeBegun, PauseMergeMoved},
}

// TestKilled: kill -9 of ccdir and of git, at every named point and at any moment. No file,
// commit, branch or stash is lost, and what is left over is finished or named.
func TestKilled(t *testing.T) {
	t.Parallel()
	one := func(t *testing.T, kind, point string, after time.Duration) {
		t.Parallel()
		k := newKilled(t, nil)
		if kind != kindMerge {
			k.disturb()
		}
		k.files = paths(t, k.at())
		k.kill(kind, point, after)
	}
	kinds := slices.Sorted(maps.Keys(killPoints))
	for _, kind := range kinds {
		for _, point := range killPoints[kind] {
			t.Run(point, func(t *testing.T) { one(t, kind, point, 0) })
		}
	}
	r := rand.New(rand.NewPCG(*seed, 2)) //nolint:gosec // for tests
	for i := range *kills {
		kind, after := kinds[i%len(kinds)], time.Duration(r.Int64N(int64(300*time.Millisecond)))
		t.Run(fmt.Sprintf("%s after %s", kind, after), func(t *testing.T) { one(t, kind, "", after) })
	}
}
