package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// archive is a client with a history.
type archive struct {
	ui.Client
	err error // of searches
}

func (archive) History(context.Context, int) ([]api.HistoryEntry, error) {
	return []api.HistoryEntry{
		{Kind: "session", ID: "dddd4444", Name: "old", Agent: "claude", CWD: "/repo", State: "exited", Started: uitest.Epoch, Ended: uitest.Epoch.Add(90 * time.Second), Text: "fix the flaky test"},
		{Kind: "session", ID: "eeee5555", Name: "t7", Task: "t7", State: "exited", Started: uitest.Epoch, Ended: uitest.Epoch.Add(2 * time.Second), Text: "write the docs"},
		{Kind: "task", ID: "t7", State: "done", Started: uitest.Epoch, Ended: uitest.Epoch.Add(time.Second), Text: "write the docs", Session: "eeee5555"},
	}, nil
}

func (a archive) Search(context.Context, string, int) ([]api.SearchHit, error) {
	return []api.SearchHit{{Kind: "session", ID: "eeee5555", Session: "eeee5555", Name: "t7", At: uitest.Epoch, Line: "the needle is here"}}, a.err
}

func (archive) Transcript(context.Context, string) (api.Transcript, error) {
	return api.Transcript{ANSI: "the needle is here"}, nil
}

func TestSearch(t *testing.T) {
	env := uitest.Env(90, 14)
	d, _ := uitest.Refresh(env, New(), archive{})
	uitest.Everywhere(t, env, d, "history")
	asked, effects := uitest.Press(env, d, "/", "n", "e", "e", "d", "l", "e", "Enter")
	uitest.Golden(t, env, asked, "history-busy-90x14")
	found, _ := uitest.Answer(env, asked, archive{}, effects)
	uitest.Golden(t, env, found, "history-found-90x14")
	read, effects := uitest.Press(env, found, "Enter")
	_, after := uitest.Answer(env, read, archive{}, effects)
	if _, ok := after[len(after)-1].(ui.Open); !ok {
		t.Errorf("no transcript is opened: %v", after)
	}
	failed, _ := uitest.Answer(env, asked, archive{err: errors.New("the index is being built")}, effects)
	if dump := uitest.Picture(env, failed).Dump(); strings.Contains(dump, "the index") {
		t.Errorf("the answer to another question is shown:\n%s", dump)
	}
}

func (archive) Task(context.Context, string) (api.Task, error) {
	return api.Task{ID: "t7", State: api.TaskDone, Session: "eeee5555"}, nil
}

// TestTaskIsOneRow: a task and its session are one row, and the session is in its details.
func TestTaskIsOneRow(t *testing.T) {
	env := uitest.Env(90, 24)
	d, _ := uitest.Refresh(env, New(), archive{})
	if dump := uitest.Picture(env, d).Dump(); strings.Count(dump, "write the docs") != 1 {
		t.Errorf("the list:\n%s", dump)
	}
	d, effects := uitest.Press(env, d, "Down", "i")
	d, _ = uitest.Answer(env, d, archive{}, effects)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "t7 eeee5555, exited at") {
		t.Errorf("the details:\n%s", dump)
	}
}

// TestCancel: what was cancelled is not shown when it comes.
func TestCancel(t *testing.T) {
	env := uitest.Env(90, 14)
	d, _ := uitest.Refresh(env, New(), archive{})
	asked, effects := uitest.Press(env, d, "/", "x", "Enter")
	if asked.(lists.Dialog).YieldsPrefix() {
		t.Error("the prefix key leaves a search behind")
	}
	d, _ = uitest.Press(env, asked, "Escape")
	d, _ = uitest.Answer(env, d, archive{}, effects)
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "cancelled") || strings.Contains(dump, "needle") {
		t.Errorf("after Escape:\n%s", dump)
	}
}

// live finds a line in a running session, and leaves another out.
type live struct{ archive }

func (live) Search(context.Context, string, int) ([]api.SearchHit, error) {
	return []api.SearchHit{
		{Kind: api.HitPane, ID: "aaaa1111", Session: "aaaa1111", At: uitest.Epoch, Line: "line 250 of " + strings.Repeat("x", 100)},
		{Kind: api.HitLeftOut, ID: "bbbb2222", Session: "bbbb2222", At: uitest.Epoch, Line: "not searched: its host did not answer in time"},
	}, nil
}

// TestFoundInAPane: Enter on a line of a running session shows that line in its pane.
func TestFoundInAPane(t *testing.T) {
	env := uitest.Env(90, 14)
	env.Sessions = []api.Session{{ID: "aaaa1111", Name: "api", State: api.StateWorking}, {ID: "bbbb2222", Name: "web", State: api.StateWorking}}
	env.Names = map[string]string{"aaaa1111": "api", "bbbb2222": "web"}
	d, _ := uitest.Refresh(env, New(), live{})
	d, effects := uitest.Press(env, d, "/", "x", "Enter")
	d, _ = uitest.Answer(env, d, live{}, effects)
	uitest.Golden(t, env, d, "history-panes-90x14")
	_, effects = uitest.Press(env, d, "Enter")
	if find, ok := effects[0].(ui.Focus); !ok || find.Session != "aaaa1111" || !strings.HasPrefix(find.Text, "line 250 of xxx") || len(find.Text) != soughtRunes {
		t.Errorf("Enter asks for %+v", effects)
	}
	if _, effects = uitest.Press(env, d, "Down", "Enter"); effects[0] != ui.Effect(ui.Focus{Session: "bbbb2222"}) {
		t.Errorf("on one that was left out: %+v", effects)
	}
}

// talks finds places in conversations.
type talks struct{ archive }

func (talks) Search(context.Context, string, int) ([]api.SearchHit, error) {
	return []api.SearchHit{
		{Kind: api.HitTurn, ID: "aaaa1111", Session: "aaaa1111", Turn: 12, Part: api.SaidAnswer, At: uitest.Epoch, Line: "the needle was in the haystack"},
		{Kind: api.HitTurn, ID: "dddd4444", Session: "dddd4444", Name: "old", Turn: 3, Part: api.SaidSubagent, At: uitest.Epoch, Line: "grep needle"},
		{Kind: api.HitLeftOut, Line: "conversations are being indexed: 3 of 12 sessions so far, the others were not searched"},
	}, nil
}

// TestFoundInAConversation: Enter shows the turn, of a session that runs and of one that has
// ended.
func TestFoundInAConversation(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {90, 14}} {
		env := uitest.Env(size[0], size[1])
		env.Sessions = []api.Session{{ID: "aaaa1111", Name: "api", State: api.StateWorking}}
		env.Names = map[string]string{"aaaa1111": "api"}
		d, _ := uitest.Refresh(env, New(), talks{})
		d, effects := uitest.Press(env, d, "/", "n", "Enter")
		d, _ = uitest.Answer(env, d, talks{}, effects)
		uitest.Golden(t, env, d, fmt.Sprintf("history-turns-%dx%d", size[0], size[1]))
		for _, name := range []string{"api", "old"} {
			_, effects = uitest.Press(env, d, "Enter")
			open, ok := effects[0].(ui.Open)
			if !ok {
				t.Fatalf("Enter asks for %+v", effects)
			}
			if picture := uitest.Picture(env, open.Component).Dump(); !strings.Contains(picture, name+" · conversation") {
				t.Errorf("Enter shows\n%s", picture)
			}
			d, _ = uitest.Press(env, d, "Down")
		}
	}
}

// empty has nothing that has ended.
type empty struct{ archive }

func (empty) History(context.Context, int) ([]api.HistoryEntry, error) { return nil, nil }

// TestNothingEnded: with nothing to choose the search has the keyboard, with or without the
// key that begins it, and Escape closes the list.
func TestNothingEnded(t *testing.T) {
	for _, keys := range [][]string{{"n", "e", "Enter"}, {"/", "n", "e", "Enter"}} {
		env := uitest.Env(90, 14)
		d, _ := uitest.Refresh(env, New(), empty{})
		d, _ = uitest.Press(env, d, keys[:len(keys)-1]...)
		if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "Enter searches conversations") {
			t.Errorf("%q typed:\n%s", keys, dump)
		}
		d, effects := uitest.Press(env, d, "Enter")
		d, _ = uitest.Answer(env, d, empty{}, effects)
		if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "1 place with ne") {
			t.Errorf("%q:\n%s", keys, dump)
		}
	}
	env := uitest.Env(90, 14)
	d, _ := uitest.Refresh(env, New(), empty{})
	if _, effects := uitest.Press(env, d, "Escape"); fmt.Sprint(effects) != fmt.Sprint([]ui.Effect{ui.Close{}}) {
		t.Errorf("Escape does %v", effects)
	}
}
