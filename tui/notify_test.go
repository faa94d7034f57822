package tui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/attention/notify"
	"ccdir/tui/terminal"
)

// teller is a model whose notifications are caught, and whose clock is set.
type teller struct {
	*model
	out strings.Builder
	at  time.Time
}

func newTeller(t *testing.T, ways map[string][]string) *teller {
	t.Helper()
	m, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StateWorking, 1))
	x := &teller{model: m, at: m.now()}
	m.opts.Notify, m.caps.Extended = Notify{Ways: ways}, true
	m.now = func() time.Time { return x.at }
	m.emit = func(b []byte) { x.out.Write(b) }
	m.zoom, m.focus = true, "aaaa1111"
	m.Update(terminal.Typed{Event: uv.FocusEvent{}})
	return x
}

// becomes changes a session's state, and lets the time pass after which it is
// told; it returns what was.
func (x *teller) becomes(id string, st api.State, code int, pass time.Duration) string {
	v := *x.session(id)
	v.State, v.Since = st, x.at
	if st.Ended() {
		v.ExitCode = &code
	}
	_, c := x.Update(newsMsg{news{sessions: map[string]api.Session{id: v}}})
	perform(x.model, c)
	x.at = x.at.Add(pass)
	_, c = x.Update(clockMsg{x.wakeGen})
	perform(x.model, c)
	out := x.out.String()
	x.out.Reset()
	return out
}

var allWays = map[string][]string{
	"permission": {"bell", "osc9"}, "question": {"osc777"}, "done": {"osc9"}, "failed": {"bell"}, "lost": {"osc9"},
}

func TestNotifications(t *testing.T) {
	x := newTeller(t, allWays)
	const wait = settleFor + time.Millisecond
	for _, tt := range []struct {
		state api.State
		code  int
		want  string
	}{
		{api.StatePermission, 0, "\a\x1b]9;ccdir: web asks: it asks for permission\a"},
		{api.StateWorking, 0, ""},
		{api.StateInput, 0, "\x1b]777;notify;ccdir: web;asks: it asks something\a"},
		{api.StateWorking, 0, ""},
		{api.StateIdle, 0, "\x1b]9;ccdir: web is done\a"},
		{api.StateWorking, 0, ""},
		{api.StateExited, 3, "\a"},
		{api.StateStarting, 0, ""},
		{api.StateIdle, 0, ""}, // it has just begun: nothing is done
		{api.StateLost, 0, "\x1b]9;ccdir: web was lost\a"},
	} {
		if got := x.becomes("bbbb2222", tt.state, tt.code, wait); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.state, got, tt.want)
		}
	}
}

func TestNotificationsOnlyWhereNeeded(t *testing.T) {
	const wait = settleFor + time.Millisecond
	x := newTeller(t, allWays)
	if got := x.becomes("aaaa1111", api.StatePermission, 0, wait); got != "" {
		t.Errorf("of the pane in view: %q", got)
	}
	x.becomes("aaaa1111", api.StateWorking, 0, wait)
	press(x.model, "C-b", "?") // the keys lie over it
	if got := x.becomes("aaaa1111", api.StatePermission, 0, wait); got == "" {
		t.Error("not told of a pane that a dialog lies over")
	}
	x.becomes("aaaa1111", api.StateWorking, 0, wait)
	press(x.model, "Escape", "C-b", ",") // a small one leaves the state in view
	if got := x.becomes("aaaa1111", api.StatePermission, 0, wait); got != "" {
		t.Errorf("behind a small dialog: %q", got)
	}
	press(x.model, "Escape")
	// Answered at once, by whomever.
	x.becomes("bbbb2222", api.StatePermission, 0, settleFor/2)
	if got := x.becomes("bbbb2222", api.StateWorking, 0, wait); got != "" {
		t.Errorf("of what was over: %q", got)
	}
	// Not again by a snapshot after a reconnection, and not twice.
	if got := x.becomes("bbbb2222", api.StatePermission, 0, wait); got == "" {
		t.Error("nothing was told")
	}
	x.Update(newsMsg{news{snapshot: &api.Snapshot{Sessions: x.Sessions}}})
	x.at = x.at.Add(wait)
	x.Update(clockMsg{x.wakeGen})
	if x.out.Len() > 0 {
		t.Errorf("told again: %q", x.out.String())
	}
	// Of a session that waits already when it is first heard of, too.
	fresh := named("cccc3333", "new", api.StatePermission, 2)
	fresh.Since = x.at
	x.Update(newsMsg{news{sessions: map[string]api.Session{"cccc3333": fresh}}})
	x.at = x.at.Add(wait)
	x.Update(clockMsg{x.wakeGen})
	if !strings.Contains(x.out.String(), "ccdir: new asks") {
		t.Errorf("of a new session: %q", x.out.String())
	}
	x.out.Reset()
	// Another window is in front: also of panes on the screen.
	x.Update(terminal.Typed{Event: uv.BlurEvent{}})
	x.becomes("aaaa1111", api.StateWorking, 0, wait)
	if got := x.becomes("aaaa1111", api.StateIdle, 0, wait); got == "" {
		t.Error("nothing was told though the terminal is not in front")
	}
	// A terminal that does not tell: present is who typed lately.
	y := newTeller(t, allWays)
	y.notices.focusTold = false
	y.router.NoteInput(y.at)
	if got := y.becomes("aaaa1111", api.StatePermission, 0, wait); got != "" {
		t.Errorf("to one who types: %q", got)
	}
	y.at = y.at.Add(presentFor)
	y.becomes("aaaa1111", api.StateWorking, 0, wait)
	if got := y.becomes("aaaa1111", api.StateIdle, 0, wait); got == "" {
		t.Error("nothing was told to one who went away")
	}
	if z := newTeller(t, nil); z.becomes("bbbb2222", api.StatePermission, 0, wait) != "" {
		t.Error("nothing is configured, something was told")
	}
}

func TestNotificationCommandRunsOnce(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	run := func() *teller {
		x := newTeller(t, map[string][]string{"permission": {"command"}})
		x.opts.Env = append(os.Environ(), "OUT="+out)
		x.opts.Notify.Command = []string{"sh", "-c", `echo "$0: $1" >> "$OUT"`}
		x.opts.Notify.Claims = notify.Claims{File: filepath.Join(dir, "claims")}
		return x
	}
	x, y := run(), run() // two grids
	x.becomes("bbbb2222", api.StatePermission, 0, 2*settleFor)
	y.becomes("bbbb2222", api.StatePermission, 0, 2*settleFor)
	// perform gives a command a short time; the file tells.
	deadline := time.Now().Add(patience)
	for {
		data, _ := os.ReadFile(out)
		if string(data) == "ccdir: web: asks: it asks for permission\n" {
			break
		}
		if len(data) > 60 || time.Now().After(deadline) {
			t.Fatalf("%q", data)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestNotificationsOfSeveralGrids: each terminal tells once; where the person works
// and sees the pane, nobody does; one that merely stands open silences none.
func TestNotificationsOfSeveralGrids(t *testing.T) {
	t.Parallel()
	const wait = settleFor + time.Millisecond
	claims := notify.Claims{File: filepath.Join(t.TempDir(), "claims")}
	grid := func() *teller {
		x := newTeller(t, allWays)
		x.opts.Notify.Claims = claims
		return x
	}
	// becomes in all grids, then the time passes in all.
	told := func(id string, st api.State, all ...*teller) (out []string) {
		for _, x := range all {
			x.becomes(id, st, 0, 0)
		}
		for _, x := range all {
			out = append(out, x.passes(wait))
		}
		return out
	}
	desk, home := grid(), grid()
	desk.router.NoteInput(desk.at.Add(-time.Hour)) // nobody is there
	if got := told("bbbb2222", api.StatePermission, desk, home); got[0] == "" || got[1] != got[0] {
		t.Errorf("in view nowhere: %q", got)
	}
	told("bbbb2222", api.StateWorking, desk, home)

	desk.focus = "bbbb2222" // in view at the desk, where nobody is
	if got := told("bbbb2222", api.StatePermission, desk, home); got[0] != "" || got[1] == "" {
		t.Errorf("in view where nobody works: %q", got)
	}
	told("bbbb2222", api.StateWorking, desk, home)

	desk.router.NoteInput(desk.at)
	if got := told("bbbb2222", api.StatePermission, desk, home); got[0] != "" || got[1] != "" {
		t.Errorf("in view where somebody works: %q", got)
	}

	// A grid that is attached later tells nothing of what was told, nor does a daemon
	// that was restarted make anybody tell again.
	late := grid()
	late.Loaded = false
	late.Update(newsMsg{news{snapshot: &api.Snapshot{Sessions: desk.Sessions}}})
	if got := late.passes(wait); got != "" {
		t.Errorf("after attaching: %q", got)
	}
	for _, x := range []*teller{desk, home, late} {
		x.Update(newsMsg{news{link: &linkState{errors.New("the daemon has gone")}}})
		x.Update(newsMsg{news{link: &linkState{}, snapshot: &api.Snapshot{Sessions: x.Sessions}}})
		if got := x.passes(wait); got != "" {
			t.Errorf("told again after a restart of the daemon: %q", got)
		}
	}
	// What has happened meanwhile is told once.
	home.router.NoteInput(home.at.Add(-time.Hour))
	asks := home.Sessions
	asks = append([]api.Session(nil), asks...)
	asks[0].State, asks[0].Since = api.StateInput, home.at
	home.focus, home.blurred = "bbbb2222", true
	for range 2 {
		home.Update(newsMsg{news{link: &linkState{errors.New("the daemon has gone")}}})
		_, c := home.Update(newsMsg{news{link: &linkState{}, snapshot: &api.Snapshot{Sessions: asks}}})
		perform(home.model, c)
	}
	if got := home.passes(wait); strings.Count(got, "777") != 1 {
		t.Errorf("what happened without a daemon: %q", got)
	}
	if got := home.passes(wait); got != "" {
		t.Errorf("told twice: %q", got)
	}
}
