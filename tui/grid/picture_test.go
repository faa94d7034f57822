package grid

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/ui/uitest"
)

// day is a grid of sessions as a day has them.
func day(t *testing.T, cols, rows int) *rig {
	t.Helper()
	one := 1
	v := many(6)
	since := func(i int, name string, st api.State, ago time.Duration) *api.Session {
		v[i].Name, v[i].State, v[i].Since = name, st, uitest.Epoch.Add(3*time.Minute-ago)
		return &v[i]
	}
	s := since(0, "docs", api.StatePermission, time.Minute)
	s.Asks, s.Branch, s.Changed = "rm -rf build && make", "main", 3
	s = since(1, "auth", api.StateInput, 2*time.Minute)
	s.Asks = "Which hash, 甲 or 乙?"
	s = since(2, "api", api.StateIdle, 30*time.Second)
	s.Prompt, s.Unread, s.Answer, s.Branch, s.Ahead = "test", true, "All 14 tests pass.", "fix/x", 2
	s = since(3, "frontend", api.StateWorking, 12*time.Minute)
	s.Prompt = "edit src/app.tsx"
	s = since(4, "crash", api.StateExited, 2*time.Minute)
	s.ExitCode, s.Unread = &one, true
	s = since(5, "edit", api.StateIdle, time.Hour)
	s.Agent, s.Plain = "vim", "vim"
	r := newRig(t, cols, rows, v...)
	r.panes["id000001"].Show(pane.ParseStill("● Bash(rm -rf build && make)\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No", 100, 30))
	r.states["id000001"] = pane.State{ID: "id000001", Connected: true, Cols: 100, Rows: 30}
	r.settle()
	r.env.Facts.Waiting = 2
	return r
}

// picture is the grid without the panes' rows, and the status line.
func (r *rig) picture(st Status) string {
	s := paint.NewSurface(r.env.Cols, r.env.Rows, paint.Caps{Profile: colorprofile.TrueColor})
	p := r.Picture(r.env)
	p.Draw(s)
	p.DrawStatus(s, st)
	return s.Dump()
}

func TestGolden(t *testing.T) {
	usual := Status{Chip: " PANE ", Hints: []string{"C-b ? keys", "C-b n new", "C-b s list"}}
	for _, size := range uitest.Sizes {
		name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size[0], size[1]) }
		r := day(t, size[0], size[1])
		uitest.Compare(t, name("day"), r.picture(usual))
		r.key("z")
		uitest.Compare(t, name("zoomed"), r.picture(Status{Chip: " PANE ", Notice: "a line that is said for a while", Alert: true}))
		empty := newRig(t, size[0], size[1])
		empty.env.Agents = []api.AgentInfo{{Name: "claude", Default: true, Hint: "npm install -g claude"}}
		uitest.Compare(t, name("empty"), empty.picture(usual))
	}
}

// TestNeedsAt: who needs a person is named at the right of the status line, and only those
// cells lead there.
func TestNeedsAt(t *testing.T) {
	r := day(t, 120, 36)
	const chip = " PANE "
	p := r.Picture(r.env)
	line := []rune(strings.Split(strings.TrimRight(r.picture(Status{Chip: chip}), "\n"), "\n")[35])
	from := strings.Index(string(line), " docs, auth need you")
	if from < 0 {
		t.Fatalf("the status line is %q", string(line))
	}
	from = len([]rune(string(line)[:from]))
	for x, want := range map[int]bool{0: false, from - 1: false, from: true, 119: true, 120: false} {
		if got := p.NeedsAt(chip, x, 35); got != want {
			t.Errorf("column %d of %d: %v", x, from, got)
		}
	}
	if p.NeedsAt(chip, 119, 34) {
		t.Error("the row above leads there, too")
	}
}

// TestNameAt: each name of the strip is its session.
func TestNameAt(t *testing.T) {
	r := day(t, 40, 10)
	p := r.Picture(r.env)
	var seen []string
	for x := range 40 {
		if id := p.NameAt(x, 0); id != "" && (len(seen) == 0 || seen[len(seen)-1] != id) {
			seen = append(seen, id)
		}
	}
	if len(seen) < 3 || seen[0] != "id000001" || seen[1] != "id000002" {
		t.Errorf("the strip has %v", seen)
	}
}

// TestTitleLater: a pane's title counts the prompts that are kept for its session; the branch
// and what it uses give way.
func TestTitleLater(t *testing.T) {
	v := many(1)
	v[0].Branch, v[0].Pending = "a-branch-with-a-long-name", 2
	for cols, want := range map[int]string{100: " a-branch-with-a-long-name · 2 later ", 40: " 2 later "} {
		title, _, _ := strings.Cut(newRig(t, cols, 20, v...).picture(Status{}), "\n")
		if !strings.Contains(title, "─"+want+"─") && !strings.Contains(title, "━"+want+"━") {
			t.Errorf("the title in %d columns is %q", cols, title)
		}
	}
}

// TestTitleSandbox: a pane's title names the walls of its session, and says if they are not whole.
func TestTitleSandbox(t *testing.T) {
	v := many(1)
	v[0].Branch = "main"
	for _, tt := range []struct {
		walls *api.Sandbox
		want  string
	}{{nil, ""}, {&api.Sandbox{Name: "worktree", Mechanism: "bubblewrap", Complete: true}, " sandbox worktree "}, {&api.Sandbox{Name: "worktree", Mechanism: "landlock"}, " sandbox worktree (in part) "}} {
		v[0].Sandbox = tt.walls
		title, _, _ := strings.Cut(newRig(t, 100, 20, v...).picture(Status{}), "\n")
		if !strings.Contains(title, tt.want) || tt.want == "" && strings.Contains(title, "sandbox") {
			t.Errorf("%+v: the title is %q", tt.walls, title)
		}
	}
}

// TestTitleUnguarded: a pane's title says first that no policy holds, as long as its session runs.
func TestTitleUnguarded(t *testing.T) {
	v := many(1)
	v[0].Branch, v[0].Pending, v[0].Unguarded = "main", 2, "its folder is gone"
	for state, want := range map[api.State]bool{api.StateWorking: true, api.StateExited: false} {
		v[0].State = state
		title, _, _ := strings.Cut(newRig(t, 100, 20, v...).picture(Status{}), "\n")
		if strings.Contains(title, " ⚑ no policy holds · 2 later ") != want && strings.Contains(title, "no policy") != want {
			t.Errorf("the title of a session that is %s: %q", state, title)
		}
	}
}

// TestTitleSaysNothingTwice: what a session asks is not in the title of a pane that shows the
// dialog; context is there once it is little; a cost that is not known is not.
func TestTitleSaysNothingTwice(t *testing.T) {
	v := many(1)
	v[0].State, v[0].Asks = api.StatePermission, "rm -rf build"
	for rows, want := range map[int]bool{30: false, 12: true} {
		r := newRig(t, 100, rows, v...)
		r.panes["id000001"].Show(pane.ParseStill("Do you want to proceed?", 100, 20))
		title, _, _ := strings.Cut(r.picture(Status{}), "\n")
		if strings.Contains(title, "rm -rf build") != want || !strings.Contains(title, "asks") {
			t.Errorf("the title of %d rows: %q", rows, title)
		}
	}
	for left, want := range map[int]bool{97: false, 40: false, 39: true} {
		v[0].State, v[0].ContextLeft = api.StateIdle, &left
		title, _, _ := strings.Cut(newRig(t, 100, 20, v...).picture(Status{}), "\n")
		if strings.Contains(title, "% ctx left") != want || strings.Contains(title, "$") {
			t.Errorf("with %d %% left: %q", left, title)
		}
	}
}

// TestStatusLimits: the status line says what is used of the limits of the focused session's account,
// where hints leave the room; what does not last is in another colour.
func TestStatusLimits(t *testing.T) {
	used, end := 42.0, uitest.Epoch.Add(5*time.Hour)
	for _, tt := range []struct {
		cols int
		want string
	}{{120, "5h 42%"}, {40, ""}} {
		v := many(1)
		v[0].Agent = "claude"
		r := newRig(t, tt.cols, 36, v...)
		r.env.Limits = &api.Limits{Windows: []api.UsageWindow{
			{Agent: "claude", Account: api.AccountDefault, Name: "5h", UsedPercent: &used, ResetsAt: &end, Seconds: 5 * 3600, Pace: api.PaceQuick},
			{Agent: "claude", Account: "other", Name: "9h", UsedPercent: &used, ResetsAt: &end},
		}}
		r.settle()
		line := strings.Split(strings.TrimRight(r.picture(Status{Chip: " PANE ", Hints: []string{"C-b ? keys", "C-b n new", "C-b s list", "C-b d detach"}}), "\n"), "\n")[35]
		if strings.Contains(line, "9h") || !strings.Contains(line, tt.want) || tt.want == "" && strings.Contains(line, "5h") {
			t.Errorf("at %d columns: %q", tt.cols, line)
		}
	}
}

// TestTitleTurn: a pane's title says what the last turn changed where there is room, not while another one runs.
func TestTitleTurn(t *testing.T) {
	v := many(1)
	v[0].State, v[0].Branch, v[0].LastTurn = api.StateIdle, "main", &api.TurnDiff{Turn: 2, Files: 3, Added: 40, Removed: 2}
	const news = " last turn 3 files +40 −2 · main "
	for _, tt := range []struct {
		cols  int
		state api.State
		shows bool
	}{{100, api.StateIdle, true}, {40, api.StateIdle, false}, {100, api.StateWorking, false}} {
		v[0].State = tt.state
		title, _, _ := strings.Cut(newRig(t, tt.cols, 20, v...).picture(Status{}), "\n")
		if strings.Contains(title, news) != tt.shows || !strings.Contains(title, "main") {
			t.Errorf("%+v: the title is %q", tt, title)
		}
	}
}

// TestRowWords: a long word is whole in the rows below the panes, and what is said of
// sessions begins in one column.
func TestRowWords(t *testing.T) {
	r := day(t, 80, 24)
	for i := range r.env.Sessions {
		v := &r.env.Sessions[i]
		v.State, v.Unread, v.Interrupted, v.Prompt, v.Answer, v.Plain, v.Agent = api.StateIdle, false, i == 1, "say it", "", "", "claude"
	}
	r.settle()
	got := r.picture(Status{})
	var at []int
	for _, line := range strings.Split(got, "\n") {
		if i := strings.Index(line, "say it"); i >= 0 {
			at = append(at, paint.Width(line[:i]))
		}
	}
	if !strings.Contains(got, "interrupted ") || len(at) != 2 || at[0] != at[1] {
		t.Errorf("columns %v:\n%s", at, got)
	}
}

// TestTitleBeforeRule: a blank is between what is cut in a title and the rule behind it.
func TestTitleBeforeRule(t *testing.T) {
	r := day(t, 100, 24)
	r.env.Sessions = r.env.Sessions[:3]
	r.env.Sessions[1].State, r.env.Sessions[1].Branch, r.env.Sessions[1].Asks = api.StatePermission, "main", strings.Repeat("all is well ", 9)
	r.settle()
	if first, _, _ := strings.Cut(r.picture(Status{}), "\n"); !strings.Contains(first, "… ─ main ─") {
		t.Error(first)
	}
}
