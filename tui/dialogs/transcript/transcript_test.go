package transcript

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/tui/widget/modal"
)

// long is a transcript of a hundred lines with two that have a needle.
func long() api.Transcript {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "\x1b[31mline %d\x1b[2J\x1b]0;evil\x07\n", i)
		if i == 10 || i == 70 {
			b.WriteString("a \x1b[1mNeedle\x1b[m 日本 needle\n")
		}
	}
	return api.Transcript{HistoryEntry: api.HistoryEntry{ID: "eeee5555", Name: "gone", Agent: "claude", CWD: "/repo", Ended: uitest.Epoch, Conversation: "c-1"}, ANSI: b.String()}
}

// TestFind: it begins at the last match, and n and N go round.
func TestFind(t *testing.T) {
	env := uitest.Env(80, 24)
	d := New(long(), []string{"needle"})
	uitest.Everywhere(t, env, d, "transcript")
	if dump := uitest.Picture(env, d).Dump(); strings.Contains(dump, "evil") {
		t.Errorf("it is not harmless:\n%s", dump)
	}
	for _, want := range []int{72, 11, 72} {
		if got := d.(dialog).at; got != want {
			t.Errorf("at line %d, want %d", got, want)
		}
		d, _ = uitest.Press(env, d, "n")
	}
	d, _ = uitest.Press(env, d, "/", "9", "9", "Enter")
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "line 99") {
		t.Errorf("what was searched is not in view:\n%s", dump)
	}
	if _, effects := uitest.Press(env, d, "/", "z", "z", "Enter"); len(effects) != 1 {
		t.Errorf("nothing found: %v", effects)
	}
}

func TestMouse(t *testing.T) {
	env := uitest.Env(80, 24)
	d, _ := uitest.Press(env, New(long(), nil), "G")
	before := d.(dialog).pager.Top()
	d, _ = d.(ui.Mouser).Mouse(env, tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelUp})
	if after := d.(dialog).pager.Top(); after != before-modal.WheelLines {
		t.Errorf("the wheel went from %d to %d", before, after)
	}
}

// TestResume: the pane of a session that runs, one that has ended again, else a new one
// with the conversation.
func TestResume(t *testing.T) {
	env := uitest.Env(80, 24)
	e := long().HistoryEntry
	for state, want := range map[api.State]string{
		"": "[{true} {going on with gone…} {", api.StateIdle: "[{eeee5555 }]", api.StateExited: "[{eeee5555 } {restart eeee5555}]",
	} {
		env.Sessions = nil
		if state != "" {
			env.Sessions = []api.Session{{ID: "eeee5555", State: state}}
		}
		if got := fmt.Sprint(Resume(env, e.ID, &e)); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", state, got, want)
		}
	}
}
