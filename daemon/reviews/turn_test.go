package reviews

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// at is a session in a directory, whose snapshots a test makes itself.
type at struct {
	t *testing.T
	s api.Session
}

// The daemon around it.
type (
	journalOf struct {
		Journal
		*at
	}
	sessionsOf struct {
		Sessions
		*at
	}
	storeOf struct{ Store }
)

func (journalOf) Server() api.Server                                        { return api.Server{} }
func (j journalOf) Session(string) (api.Session, bool)                      { return j.s, true }
func (s sessionsOf) Get(context.Context, string) (api.Session, error)       { return s.s, nil }
func (sessionsOf) SetLastTurn(context.Context, string, *api.TurnDiff) error { return nil }
func (storeOf) Viewed(context.Context, string) (map[string]string, error)   { return nil, nil }

func (a *at) git(args ...string) {
	a.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", a.s.CWD, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (a *at) write(name, text string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.s.CWD, name), []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// around makes Reviews of a session that works in a directory.
func around(t *testing.T) (*Reviews, *at) {
	t.Helper()
	a := &at{t: t, s: api.Session{ID: "s1", Name: "api", CWD: t.TempDir(), State: api.StateWorking}}
	kept := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	return New(Options{Journal: journalOf{at: a}, Sessions: sessionsOf{at: a}, Store: storeOf{}, Files: NewFiles(func(id string) string { return filepath.Join(kept, id) }, log), Note: func(string, string) {}, Logger: log}), a
}

// told is a difference in words.
func told(t *testing.T, r *Reviews) string {
	t.Helper()
	d, _, err := r.Turn(t.Context(), "s1", api.DiffQuestion{})
	if err != nil {
		return err.Error()
	}
	var words []string
	for _, f := range d.Files {
		words = append(words, f.Status+" "+f.Path)
	}
	return strings.Join(append(words, d.Note), "; ")
}

// TestTurnUnseen: a turn whose beginning was not seen is compared with the snapshot before, in a repository and outside of one, where
// that is said; one that was looked at late says so.
func TestTurnUnseen(t *testing.T) {
	for _, inRepo := range []bool{true, false} {
		r, a := around(t)
		tool := func(name, text string) {
			t.Helper()
			<-r.o.Files.Before(api.Caller{Session: "s1", Root: a.s.CWD, CWD: a.s.CWD}, api.ToolUse{Tool: api.ToolWrite, Input: []byte(`{"file_path":"` + name + `"}`)}, nil)
			a.write(name, text)
		}
		outside := ""
		if inRepo {
			a.git("init", "-q")
			a.write("a", "one\n")
			a.git("add", "-A")
			a.git("commit", "-qm", "one")
			if got := told(t, r); !strings.Contains(got, "no snapshot") {
				t.Errorf("before all: %s", got)
			}
		} else {
			a.write("a", "one\n")
			outside = "outside of git: only files that its tools named; "
		}
		tool("a", "two\n")
		if err := r.snap(t.Context(), "s1", line{start: true, end: true}); err != nil { // the end of turn 1
			t.Fatal(err)
		}
		// Turn 2: nobody saw its beginning.
		tool("b", "new\n")
		tool("a", "three\n")
		if got, want := told(t, r), "changed a; added b; "+cmp.Or(strings.TrimSuffix(outside, "; "), "the beginning of the turn was not seen: compared with the snapshot before"); got != want { // outside of git it begins with the snapshot before
			t.Errorf("unseen, in a repository %v: %s", inRepo, got)
		}
		if err := r.snap(t.Context(), "s1", line{end: true}); err != nil {
			t.Fatal(err)
		}
		// Turn 3: its beginning was looked at when something was written already.
		a.write("b", "late\n")
		if err := r.snap(t.Context(), "s1", line{begin: true, began: time.Now().Add(-time.Minute)}); err != nil {
			t.Fatal(err)
		}
		tool("a", "four\n")
		if got := told(t, r); !strings.HasPrefix(got, "changed a; "+outside+"the files were looked at ") || !strings.Contains(got, " s after turn 3 had begun") {
			t.Errorf("late, in a repository %v: %s", inRepo, got)
		}
	}
}
