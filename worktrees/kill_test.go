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
	"strconv"
	"strings"
	"sync/atomic"
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
	// files are those of the tree topic, wherever it is.
	files map[string]string
	// commits must stay, and so must the branches that have names.
	commits []string
	// main are the files of the main tree, status what git says of them; merged is what they are
	// after a merge.
	main, merged map[string]string
	status       string
}

// Whom a kill meets.
const (
	killAll   = "ccdir and git"
	killCCDir = "ccdir" // a git that it started goes on
	killGit   = "git"
)

// newKilled makes a repository with the work tree topic, in which everything is: staged,
// changed, untracked, ignored, a stash, commits.
func newKilled(t testing.TB) *killed {
	p := newPlace(t)
	p.write(".gitignore", "*.o\n")
	p.commit("ignore")
	for i := range 40 {
		p.write(fmt.Sprintf("d%d/old%d.txt", i%4, i), strings.Repeat(fmt.Sprintln("old", i), 200))
	}
	p.write("folder/x.txt", "x\n")
	p.write("file", "a file\n")
	p.commit("many")
	dir := p.tree("topic")
	for i := range 40 { // changed, gone, new
		writeIn(t, dir, fmt.Sprintf("d%d/old%d.txt", i%4, i), strings.Repeat(fmt.Sprintln("new", i), 200+i))
		writeIn(t, dir, fmt.Sprintf("n%d/sub/new%d.txt", i%4, i), strings.Repeat(fmt.Sprintln("more", i), 100))
	}
	p.gitIn(dir, "rm", "-q", "-r", "-f", "d3", "folder", "file")
	writeIn(t, dir, "folder", "a file now\n")
	writeIn(t, dir, "file/y.txt", "a folder now\n")
	writeIn(t, dir, "topic.txt", "topic\n")
	commits := []string{p.commitIn(dir, "topic")}
	writeIn(t, dir, "stash.txt", "stashed\n")
	p.gitIn(dir, "stash", "push", "-q", "--include-untracked")
	commits = append(commits, p.gitIn(dir, "rev-parse", "stash@{0}"))
	p.write("main.txt", "main\n")
	commits = append(commits, p.commit("main"))
	k := &killed{place: p, commits: commits}
	p.git("checkout", "-q", "--detach")
	p.git("merge", "-q", "--no-edit", "topic")
	k.leaveMine()
	k.merged = paths(t, p.dir)
	p.git("checkout", "-q", "main")
	k.leaveMine()
	k.main, k.status = paths(t, p.dir), p.git("status", "--porcelain", "-uall")
	return k
}

// leaveMine leaves in the main tree what no commit has and no merge is about.
func (k *killed) leaveMine() {
	k.write("main.txt", "changed\n")
	k.write("mine.txt", "not known to git\n")
	k.write("d3/mine.o", "ignored\n")
	k.write("n1/mine.txt", "not known to git\n")
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

// settle waits until no git that the victim started is left, removes a lock of which ccdir
// cannot tell whose it is, as a person would after reading what it says, and has ccdir finish.
func (k *killed) settle(group int) {
	k.t.Helper()
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
			k.t.Logf("a person has to remove %s", lock)
			if err := os.Remove(lock); err != nil {
				k.t.Fatal(err)
			}
		}
		if len(locks) == 0 {
			k.t.Fatalf("left over and not named: %+v, said: %s", left, named)
		}
	}
	k.t.Fatal("it does not end")
}

// leftovers are files of a kill that nothing takes away.
func (k *killed) leftovers() (list []string) {
	_ = filepath.WalkDir(filepath.Join(k.dir, ".git"), func(path string, e os.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".lock") || strings.HasPrefix(e.Name(), indexCopy)) {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// check fails if a file, commit, branch or stash was lost.
func (k *killed) check() {
	k.t.Helper()
	if left := k.leftovers(); len(left) > 0 {
		k.t.Errorf("left over: %q", left)
	}
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

// kill kills one operation, at a point or after a while, and checks. It reports whether the
// operation was at work.
func (k *killed) kill(kind, point, whom string, after time.Duration) (met bool) {
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
		switch whom {
		case killAll:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		case killCCDir:
			_ = cmd.Process.Kill()
		case killGit:
			met = killChild(cmd.Process.Pid)
		}
	}
	err := cmd.Wait()
	if point != "" && (err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL) {
		k.t.Fatalf("%s was not killed at %s: %v", kind, point, err)
	}
	if ended, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ended.Signaled() {
		met = true
	}
	k.settle(cmd.Process.Pid)
	k.check()
	// It can be done now.
	if kind == kindAdd {
		if _, err := k.k.Add(k.t.Context(), api.NewWorktree{Dir: k.dir, Branch: "another"}); err != nil {
			k.t.Errorf("once more: %v", err)
		}
	}
	if kind == kindMerge && k.git("merge-base", "main", "topic") == k.git("rev-parse", "topic") {
		same(k.t, paths(k.t, k.dir), k.merged)
	} else {
		same(k.t, paths(k.t, k.dir), k.main)
	}
	if now := k.git("status", "--porcelain", "-uall"); now != k.status {
		k.t.Errorf("git says of the main tree:\n%s\nand before:\n%s", now, k.status)
	}
	return met && point == ""
}

// killChild kills a child of a process, and reports whether there was one.
func killChild(pid int) bool {
	list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid)) // another thread's child is not met
	met := false
	for _, child := range strings.Fields(string(list)) {
		id, err := strconv.Atoi(child)
		met = err == nil && syscall.Kill(id, syscall.SIGKILL) == nil || met
	}
	return met
}

// killPoints are the named points of each operation.
var killPoints = map[string][]string{
	kindAdd:     {PauseAddBegun, PauseAddTree, PauseAddBrought},
	kindRemove:  {PauseRemoveBegun, PauseRemoveSaved, PauseRemoveTree, PauseRemoveGit, PauseRemoveBranch},
	kindRestore: {PauseRestoreBegun, PauseRestoreBranch, PauseRestoreGit, PauseRestoreTree},
	kindMerge:   {PauseMergeBegun, PauseMergeLocked, PauseMergeFiles, PauseMergeMoved, PauseMergeIndex},
}

// TestKilled: kill -9 of ccdir and of git, at every named point and at any moment. No file,
// commit, branch or stash is lost, and what is left over is finished or named.
func TestKilled(t *testing.T) {
	t.Parallel()
	var atWork atomic.Int32
	takes := map[string]time.Duration{} // how long an operation takes here, and half as long again beside others
	for kind := range killPoints {
		k := newKilled(t)
		argument := map[bool]string{true: "another", false: "topic"}[kind == kindAdd]
		if kind == kindRestore {
			gone, err := k.k.Remove(t.Context(), api.RemoveWorktree{Dir: k.dir, Tree: "topic", Yes: true})
			if err != nil {
				t.Fatal(err)
			}
			argument = gone.ID
		}
		began := time.Now()
		if err := k.start(kind, argument, "").Wait(); err != nil {
			t.Fatal(err)
		}
		takes[kind] = 3 * time.Since(began) / 2
	}
	one := func(t *testing.T, kind, point, whom string, part float64) {
		t.Parallel()
		k := newKilled(t)
		if kind != kindMerge {
			k.disturb()
		}
		k.files = paths(t, k.at())
		if k.kill(kind, point, whom, time.Duration(part*float64(takes[kind]))) {
			atWork.Add(1)
		}
	}
	kinds, whoms := slices.Sorted(maps.Keys(killPoints)), []string{killAll, killCCDir, killGit}
	for _, kind := range kinds {
		for _, point := range killPoints[kind] {
			t.Run(point, func(t *testing.T) { one(t, kind, point, killCCDir, 0) })
		}
	}
	r := rand.New(rand.NewPCG(*seed, 2)) //nolint:gosec // for tests
	for i := range *kills {
		kind, whom, part := kinds[i%len(kinds)], whoms[i/len(kinds)%len(whoms)], r.Float64()
		t.Run(fmt.Sprintf("%s %.3f, %s", kind, part, whom), func(t *testing.T) { one(t, kind, "", whom, part) })
	}
	t.Cleanup(func() { t.Logf("%d of the random kills met it at work", atWork.Load()) })
}
