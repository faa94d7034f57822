package repositories_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/config"
	"ccdir/daemon/journal"
	"ccdir/daemon/repositories"
)

// gh is a forge's program: it writes down what it is asked, and answers from files.
const gh = `#!/bin/sh
echo "$*" >> "$FAKE/calls"
case "$1 $2" in
"auth status") test ! -e "$FAKE/signed-out" ;;
"pr view") test ! -e "$FAKE/hang" || exec sleep 1000
	test -e "$FAKE/pr.json" || { echo "no pull requests found for branch" >&2; exit 1; }; cat "$FAKE/pr.json" ;;
"pr create") cp "$FAKE/new.json" "$FAKE/pr.json" ;;
"run view") echo "line 7: expected 1" ;;
esac
`

// place has a git repository, the repositories under test, and in the daemon's place an event log
// with sessions, a policy and a forge. It implements Sessions, Policy, Store and journal.Store.
type place struct {
	*repositories.Repositories
	t testing.TB
	// dir is the main work tree, fake the directory of the forge's program.
	dir, fake string
	log       *journal.Log
	config    config.Loaded

	mu sync.Mutex // guards what follows
	// deny has the words of commands that the policy denies; asked are all that it was asked about.
	deny, asked []string
	agreed      map[string]bool
	// made are the sessions that were created, sent the prompts by session, events what was noted.
	made   []api.NewSession
	sent   map[string]string
	events []string
	used   []string
	failed error
}

func newPlace(t testing.TB) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: filepath.Join(root, "repo"), fake: filepath.Join(root, "bin"), agreed: map[string]bool{}, sent: map[string]string{}}
	p.config.Config = config.Default()
	p.put(filepath.Join(p.fake, "gh"), gh)
	if err := os.Chmod(filepath.Join(p.fake, "gh"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	p.initRepo(p.dir)
	if p.log, err = journal.Open(t.Context(), journal.Options{Store: journalStore{}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.log.Close)
	p.Repositories = repositories.New(repositories.Options{
		Journal: p.log, Sessions: p, Policy: p, Store: p, Config: func() *config.Loaded { return &p.config },
		Trees: filepath.Join(root, "trees"), Trash: filepath.Join(root, "trash"), Home: root, Env: p.env(), Logger: slog.New(slog.DiscardHandler),
		Note: func(kind, message string) { p.do(func() { p.events = append(p.events, kind+": "+message) }) },
	})
	return p
}

// env is the environment of the forge's program.
func (p *place) env() []string {
	return append(os.Environ(), "PATH="+p.fake+":"+os.Getenv("PATH"), "FAKE="+p.fake, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
}

// initRepo makes a repository with one commit on main and a remote that has it.
func (p *place) initRepo(dir string) {
	p.t.Helper()
	p.put(filepath.Join(dir, "a.txt"), "one\ntwo\nthree\n")
	p.git(dir, "init", "-q", "-b", "main")
	for _, kv := range []string{"user.name x", "user.email x@example.org", "commit.gpgsign false"} {
		k, v, _ := strings.Cut(kv, " ")
		p.git(dir, "config", k, v)
	}
	p.commit(dir, "first")
	p.git(filepath.Dir(dir), "init", "-q", "--bare", "-b", "main", dir+"-remote")
	p.git(dir, "remote", "add", "origin", dir+"-remote")
	p.git(dir, "push", "-q", "-u", "origin", "main")
}

func (p *place) git(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = p.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *place) commit(dir, message string) {
	p.t.Helper()
	p.git(dir, "add", "-A")
	p.git(dir, "commit", "-q", "-m", message)
}

// tree makes a work tree as a person would.
func (p *place) tree(branch string) string {
	p.t.Helper()
	dir := p.dir + "-" + branch
	p.git(p.dir, "worktree", "add", "-q", "-b", branch, dir)
	return dir
}

func (p *place) put(path, text string) {
	p.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) remove(path string) {
	p.t.Helper()
	if err := os.Remove(path); err != nil {
		p.t.Fatal(err)
	}
}

// calls returns how often the forge was asked about a pull request, and forgets it.
func (p *place) calls() (views int) {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.fake, "calls"))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.remove(filepath.Join(p.fake, "calls"))
	return strings.Count(string(data), "pr view")
}

func (p *place) do(what func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what()
}

// session adds a session, or changes it.
func (p *place) session(id, cwd string, change func(*api.Session)) {
	p.t.Helper()
	s, known := p.log.Session(id)
	if !known {
		s = api.Session{ID: id, Name: "name-" + id, CWD: cwd, State: api.StateIdle}
	}
	if change != nil {
		change(&s)
	}
	if err := <-p.log.Append(api.WatchMessage{Session: &s}, nil, ""); err != nil {
		p.t.Error(err)
	}
}

// happens appends an event of a session; turn: that of a turn's end.
func (p *place) happens(id string, turn bool) {
	p.t.Helper()
	e := api.Event{At: time.Now(), Session: id, Type: "test", StateFrom: api.StateIdle, StateTo: api.StateIdle}
	if turn {
		e.StateFrom = api.StateWorking
	}
	if err := <-p.log.Append(api.WatchMessage{Event: &e}, nil, ""); err != nil {
		p.t.Error(err)
	}
}

// run runs the followers until the test ends; the function ends them before.
func (p *place) run() (end func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	ended := make(chan struct{})
	go func() {
		p.Run(ctx)
		close(ended)
	}()
	end = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	p.t.Cleanup(end)
	return end
}

// shows waits up to a time for what a session shows.
func (p *place) shows(what, id string, within time.Duration, ok func(api.Session) bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), within)
	defer cancel()
	if _, err := p.log.Wait(ctx, id, ok); err != nil {
		s, _ := p.log.Session(id)
		p.t.Fatalf("%s: %v: %s shows branch %q %d/%d/%d, clashes %+v, pull request %+v", what, err, id, s.Branch, s.Ahead, s.Behind, s.Changed, s.Clashes, s.PullRequest)
	}
}

// noted returns the events that were noted, and forgets them.
func (p *place) noted() (list []string) {
	p.do(func() { list, p.events = p.events, nil })
	return list
}

func (p *place) Create(_ context.Context, n api.NewSession) (api.Session, error) {
	p.do(func() { p.made = append(p.made, n) })
	return api.Session{ID: "s", Name: n.Name}, p.failed
}

func (p *place) Send(_ context.Context, ref string, s api.SendPrompt) (api.SendResult, error) {
	p.do(func() { p.sent[ref] = s.Text })
	return api.SendResult{}, p.failed
}

func (p *place) Caller(_ context.Context, ref string) (api.Caller, error) {
	return api.Caller{Session: ref, Name: "name-" + ref}, nil
}

func (p *place) SetTree(_ context.Context, id string, v api.TreeState) error {
	p.session(id, "", func(s *api.Session) { s.SetTree(v) })
	return nil
}

func (p *place) SetClashes(_ context.Context, id string, clashes []api.Clash) error {
	p.session(id, "", func(s *api.Session) { s.Clashes = clashes })
	return nil
}

func (p *place) SetPullRequest(_ context.Context, id string, pr *api.PullRequest) error {
	p.session(id, "", func(s *api.Session) { s.PullRequest = pr })
	return nil
}

// Use denies the commands with a word of deny.
func (p *place) Use(c api.Caller, u api.ToolUse) (v api.Verdict) {
	var input struct{ Command string }
	if err := json.Unmarshal(u.Input, &input); err != nil || u.Tool != api.ToolBash {
		p.t.Errorf("the policy is asked about %s %s", u.Tool, u.Input)
	}
	p.do(func() {
		p.asked = append(p.asked, fmt.Sprintf("%s in %s: %s", c.Session, filepath.Base(cmp.Or(c.CWD, "-")), input.Command))
		if slices.ContainsFunc(p.deny, func(word string) bool { return strings.Contains(input.Command, "'"+word+"'") }) {
			v = api.Verdict{Effect: api.EffectDeny, Rule: "no " + input.Command}
		}
	})
	return v
}

func (p *place) Consented(_ context.Context, what, command string) (ok bool, err error) {
	p.do(func() { ok = p.agreed[what+" "+command] })
	return ok, p.failed
}

func (p *place) Consent(what, command, _ string, _ api.Call) error {
	p.do(func() { p.agreed[what+" "+command] = true })
	return p.failed
}

func (p *place) Directories(_ context.Context, limit int) ([]string, error) {
	return p.used[:min(limit, len(p.used))], p.failed
}

// journalStore keeps nothing.
type journalStore struct{}

func (journalStore) Commit([]api.Event, []string, map[string][]byte) error { return nil }
func (journalStore) Events(context.Context, journal.Filter) ([]api.Event, error) {
	return nil, nil
}
func (journalStore) Keys(context.Context, string) ([]string, error)         { return nil, nil }
func (journalStore) Sessions(context.Context) (map[string][]byte, error)    { return nil, nil }
func (journalStore) LastSeq(context.Context) (int64, error)                 { return 0, nil }
func (journalStore) KnownID(context.Context, string) (bool, error)          { return false, nil }
func (journalStore) KnownKey(context.Context, string, string) (bool, error) { return false, nil }

// inBubble runs a test whose clock is fake: what the followers wait for passes at once.
func inBubble(t *testing.T, test func(t *testing.T, p *place)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, newPlace(t)) })
}
