package attention_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/attention"
	"ccdir/tui/attention/notify"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

const (
	settle  = time.Second + time.Millisecond // a state that lasts so long is told
	present = 2 * time.Minute                // who typed so lately is there
)

// grid is attention with a world of its own, whose clock is set and whose effects are
// carried out.
type grid struct {
	attention.State
	t      *testing.T
	env    ui.Env
	how    attention.Means
	inView []string // sessions whose panes are in view
	client ui.Client
	out    string   // what the terminal was sent
	lines  []string // of the status line
}

var allWays = map[string][]string{
	"permission": {"bell", "osc9"}, "question": {"osc777"}, "done": {"osc9"}, "failed": {"bell"}, "lost": {"osc9"},
}

// newGrid has two sessions that work: api, which is in view in front of a person, and web.
func newGrid(t *testing.T, ways map[string][]string) *grid {
	t.Helper()
	g := &grid{t: t, env: uitest.Env(120, 36), how: attention.Means{Notify: attention.Notify{Ways: ways}}, inView: []string{"api"}}
	for _, id := range []string{"api", "web"} {
		g.env.Sessions = append(g.env.Sessions, api.Session{ID: id, Name: id, Agent: "claude", State: api.StateWorking, Since: uitest.Epoch})
	}
	g.InFront(true)
	return g
}

// carryOut does what was asked for.
func (g *grid) carryOut(effects []ui.Effect) {
	g.t.Helper()
	for _, e := range effects {
		switch e := e.(type) {
		case ui.Emit:
			g.out += string(e.Bytes)
		case ui.Say:
			g.lines = append(g.lines, e.Text)
		case ui.Warn:
			g.lines = append(g.lines, e.Text)
		case ui.Call:
			res, err := e.Run(context.Background(), g.client)
			switch {
			case err == nil:
				g.carryOut(res.Effects)
			case e.Failed != nil:
				g.carryOut(e.Failed(g.env, err))
			}
		case ui.Close, ui.Open:
		default:
			g.t.Errorf("unexpected effect %T", e)
		}
	}
}

func (g *grid) remind() {
	g.t.Helper()
	g.carryOut(g.Remind(g.env, g.how, func(id string) bool { return slices.Contains(g.inView, id) }))
}

// passes lets time go by, and returns what the terminal was sent.
func (g *grid) passes(d time.Duration) string {
	g.t.Helper()
	last := min(d, settle)
	for _, step := range []time.Duration{d - last, last} { // what comes back is told a moment later
		g.env.Now = g.env.Now.Add(step)
		g.remind()
	}
	out := g.out
	g.out = ""
	return out
}

// watched brings other values of sessions, as the daemon does.
func (g *grid) watched(sessions ...api.Session) {
	before := g.env.Sessions
	g.env.Sessions = slices.Clone(before)
	for _, v := range sessions {
		i := slices.IndexFunc(before, func(o api.Session) bool { return o.ID == v.ID })
		if i < 0 {
			g.env.Sessions = append(g.env.Sessions, v)
		} else {
			g.env.Sessions[i] = v
		}
	}
	g.Changed(g.env, g.how.Notify, before)
	g.remind()
}

// change gives a session another value.
func (g *grid) change(id string, f func(*api.Session)) {
	v := *g.env.Session(id)
	f(&v)
	g.watched(v)
}

// becomes changes a session's state; it returns what was told within the time.
func (g *grid) becomes(id string, st api.State, code int, pass time.Duration) string {
	g.t.Helper()
	g.change(id, func(v *api.Session) {
		v.State, v.Since = st, g.env.Now
		if st.Ended() {
			v.ExitCode = &code
		}
	})
	return g.passes(pass)
}

func TestWhatIsTold(t *testing.T) {
	g := newGrid(t, allWays)
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
		if got := g.becomes("web", tt.state, tt.code, settle); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.state, got, tt.want)
		}
	}
}

func TestToldOnlyWhereNeeded(t *testing.T) {
	g := newGrid(t, allWays)
	if got := g.becomes("api", api.StatePermission, 0, settle); got != "" {
		t.Errorf("of the pane in view: %q", got)
	}
	g.becomes("api", api.StateWorking, 0, settle)
	// Answered at once, by whomever.
	g.becomes("web", api.StatePermission, 0, settle/2)
	if got := g.becomes("web", api.StateWorking, 0, settle); got != "" {
		t.Errorf("of what was over: %q", got)
	}
	// Not again by a snapshot after a reconnection, and not twice.
	if got := g.becomes("web", api.StatePermission, 0, settle); got == "" {
		t.Error("nothing was told")
	}
	g.watched(g.env.Sessions...)
	if got := g.passes(settle); got != "" {
		t.Errorf("told again: %q", got)
	}
	// Of a session that waits already when it is first heard of, too.
	g.watched(api.Session{ID: "new", Name: "new", State: api.StatePermission, Since: g.env.Now})
	if got := g.passes(settle); !strings.Contains(got, "ccdir: new asks") {
		t.Errorf("of a new session: %q", got)
	}
	// Another window is in front: also of panes on the screen.
	g.InFront(false)
	g.becomes("api", api.StateWorking, 0, settle)
	if got := g.becomes("api", api.StateIdle, 0, settle); got == "" || !g.Away() {
		t.Error("nothing was told though the terminal is not in front")
	}
	// A terminal that does not tell: present is who typed lately.
	g = newGrid(t, allWays)
	g.State = attention.State{}
	g.env.Typed = g.env.Now.UnixNano()
	if got := g.becomes("api", api.StatePermission, 0, settle); got != "" {
		t.Errorf("to one who types: %q", got)
	}
	g.env.Now = g.env.Now.Add(present)
	g.becomes("api", api.StateWorking, 0, settle)
	if got := g.becomes("api", api.StateIdle, 0, settle); got == "" {
		t.Error("nothing was told to one who went away")
	}
	if g := newGrid(t, nil); g.becomes("web", api.StatePermission, 0, settle) != "" {
		t.Error("nothing is configured, something was told")
	}
}

// TestCommandRunsOnce: two grids with one file of claims run it once; one that fails is
// said in the status line.
func TestCommandRunsOnce(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	asks := func(command ...string) *grid {
		g := newGrid(t, map[string][]string{"permission": {"command"}})
		g.how.Env = append(os.Environ(), "OUT="+out)
		g.how.Command, g.how.Claims = command, notify.Claims{File: filepath.Join(dir, "claims")}
		g.becomes("web", api.StatePermission, 0, 2*settle)
		return g
	}
	for range 2 {
		asks("sh", "-c", `echo "$0: $1" >> "$OUT"`)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "ccdir: web: asks: it asks for permission\n" {
		t.Errorf("%q, %v", data, err)
	}
	dir = t.TempDir()
	if g := asks("/no/such/program"); len(g.lines) != 1 || !strings.Contains(g.lines[0], "telling you of web failed") {
		t.Errorf("a command that is not there: %q", g.lines)
	}
}

// TestSeveralGrids: each terminal tells once; where the person works and sees the pane,
// nobody does; one that merely stands open silences none.
func TestSeveralGrids(t *testing.T) {
	claims := notify.Claims{File: filepath.Join(t.TempDir(), "claims")}
	open := func() *grid {
		g := newGrid(t, allWays)
		g.how.Claims = claims
		return g
	}
	desk, home := open(), open()
	// told is what both tell of a session: it becomes so in both, then time passes.
	told := func(st api.State) (out []string) {
		for _, g := range []*grid{desk, home} {
			g.becomes("web", st, 0, 0)
		}
		for _, g := range []*grid{desk, home} {
			out = append(out, g.passes(settle))
		}
		return out
	}
	desk.env.Typed = desk.env.Now.Add(-time.Hour).UnixNano() // nobody is there
	if got := told(api.StatePermission); got[0] == "" || got[1] != got[0] {
		t.Errorf("in view nowhere: %q", got)
	}
	told(api.StateWorking)
	desk.inView = []string{"web"} // at the desk, where nobody is
	if got := told(api.StatePermission); got[0] != "" || got[1] == "" {
		t.Errorf("in view where nobody works: %q", got)
	}
	told(api.StateWorking)
	desk.env.Typed = desk.env.Now.UnixNano()
	if got := told(api.StatePermission); got[0] != "" || got[1] != "" {
		t.Errorf("in view where somebody works: %q", got)
	}
}

// TestLimits: what concerns an account is told once of each event, here and elsewhere; of a session's own limit its
// pane tells.
func TestLimits(t *testing.T) {
	g := newGrid(t, map[string][]string{"limit": {"osc777"}})
	g.InFront(false)
	for _, e := range []struct {
		event api.Event
		want  string
	}{
		{api.Event{Seq: 1, Type: api.EventLimitNear, Message: "92% used of 5h of claude\x1b[31m"}, "\x1b]777;notify;ccdir: limits;92% used of 5h of claude"},
		{api.Event{Seq: 2, Type: api.EventBudgetSpent, Message: "budget night is spent"}, "\x1b]777;notify;ccdir: limits;budget night"},
		{api.Event{Seq: 3, Type: api.EventLimitOver, Message: "claude: all have gone on"}, "\x1b]777;notify;ccdir: limits;claude: all"},
		{api.Event{Seq: 4, Type: api.EventLimitMet, Session: "web", Message: "usage limit until"}, ""},
		{api.Event{Seq: 5, Type: api.EventQueue, Message: "mode auto"}, ""},
	} {
		g.lines = nil
		g.carryOut(g.Limits(g.how.Notify, []api.Event{e.event}))
		if got := g.passes(0); e.want == "" && (got != "" || len(g.lines) > 0) || !strings.HasPrefix(got, e.want) || strings.Contains(strings.Join(g.lines, ""), "\x1b") {
			t.Errorf("%s: %q and %q, want %q", e.event.Type, got, g.lines, e.want)
		}
	}
}

// TestTasks: of a task that needs somebody a person who looks elsewhere is told, once, and
// one who looks at the grid has it there.
func TestTasks(t *testing.T) {
	g := newGrid(t, allWays)
	task := api.Task{ID: "t3", State: api.TaskRunning, Session: "web"}
	becomes := func(change func(t *api.Task)) string {
		g.env.Work.Tasks = []api.Task{task}
		change(&task)
		task.Since = task.Since.Add(time.Second)
		v := task
		g.carryOut(g.Tasks(g.env, g.how.Notify, map[string]*api.Task{"t3": &v}))
		return g.passes(0)
	}
	stalls := func(t *api.Task) { t.Stalled, t.Reason = true, "no progress for 15m0s\x1b[31m" }
	if got := becomes(stalls); got != "" {
		t.Errorf("to one who looks at it: %q", got)
	}
	if text := strings.Join(g.lines, "\n"); !strings.Contains(text, "task t3 stalls: no progress for 15m0s") || strings.ContainsRune(text, 0x1b) {
		t.Errorf("in the grid: %q", text)
	}
	g.InFront(false)
	becomes(func(t *api.Task) { t.Stalled = false })
	for _, tt := range []struct {
		change func(t *api.Task)
		want   string
	}{
		{stalls, "\x1b]777;notify;ccdir: task t3;stalls: no progress"},
		{func(t *api.Task) { t.Reason = "still" }, ""},
		{func(t *api.Task) { t.State, t.Reason = api.TaskWaiting, "step 2 of 3 waits" }, "\x1b]777;notify;ccdir: task t3;waits: step 2 of 3"},
		{func(t *api.Task) { t.State = api.TaskRunning }, ""},
		{func(t *api.Task) { t.State = api.TaskTimedOut }, "\a"},
	} {
		if got := becomes(tt.change); tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	// What its pane asks is told of the pane.
	g.becomes("web", api.StatePermission, 0, 2*settle)
	task.State = api.TaskRunning
	becomes(func(*api.Task) {})
	if got := becomes(func(t *api.Task) { t.State, t.Reason = api.TaskWaiting, "approve Bash" }); got != "" {
		t.Errorf("told of task and pane: %q", got)
	}
}

// daemon snoozes, or refuses to.
type daemon struct {
	ui.Client
	err error
}

func (d daemon) Snooze(context.Context, string, time.Duration) (api.Session, error) {
	return api.Session{}, d.err
}

// TestSnoozeComesBack: of a wait that comes back, by its time or by another question, is
// told once; of one that was answered, or taken back here, never.
func TestSnoozeComesBack(t *testing.T) {
	const told = "\a\x1b]9;ccdir: web asks: it asks for permission\a"
	off := func(g *grid) {
		g.change("web", func(v *api.Session) { v.SnoozedUntil = g.env.Now.Add(5 * time.Minute) })
	}
	begin := func() *grid {
		t.Helper()
		g := newGrid(t, allWays)
		g.client = daemon{}
		if got := g.becomes("web", api.StatePermission, 0, settle); got == "" {
			t.Fatal("nothing was told of the question")
		}
		off(g)
		if got := g.passes(4 * time.Minute); got != "" || len(g.env.Waiting(g.env.Now)) != 0 {
			t.Fatalf("put off: told %q, %v wait", got, g.env.Waiting(g.env.Now))
		}
		return g
	}

	g := begin() // no word of the daemon's is needed
	if until := g.NextWake(); !until.Equal(g.env.Session("web").SnoozedUntil) {
		t.Errorf("wakes at %v", until)
	}
	if got := g.passes(2 * time.Minute); got != told || len(g.env.Waiting(g.env.Now)) != 1 || !slices.Contains(g.lines, "web still waits for you") {
		t.Errorf("its time is over: %q, %q", got, g.lines)
	}
	g.change("web", func(v *api.Session) { v.SnoozedUntil = time.Time{} })
	if got := g.passes(time.Hour); got != "" {
		t.Errorf("told twice: %q", got)
	}
	off(g)
	if got := g.passes(6 * time.Minute); got != told {
		t.Errorf("put off once more: %q", got)
	}

	g = begin()
	g.change("web", func(v *api.Session) { v.SnoozedUntil, v.Question = time.Time{}, "" })
	if got := g.passes(settle); got != told {
		t.Errorf("another question: %q", got)
	}

	g = begin()
	if got := g.becomes("web", api.StateWorking, 0, settle); got != "" || g.passes(10*time.Minute) != "" {
		t.Errorf("answered: %q", got)
	}

	g = begin()
	g.env.Focus = "web"
	g.carryOut(g.SnoozeFocused(g.env))
	g.change("web", func(v *api.Session) { v.SnoozedUntil = time.Time{} })
	if got := g.passes(settle); got != "" || !slices.Contains(g.lines, "web is no longer put off") {
		t.Errorf("taken back here: %q, %q", got, g.lines)
	}

	g = begin()
	g.env.Focus, g.client = "web", daemon{err: errors.New("no")}
	g.carryOut(g.SnoozeFocused(g.env))
	if !strings.Contains(strings.Join(g.lines, "\n"), "taking it back failed: no") {
		t.Errorf("the daemon refused: %q", g.lines)
	}
}

// TestSnoozeWhom: the focused session if it waits, else the one that has waited longest.
func TestSnoozeWhom(t *testing.T) {
	g := newGrid(t, allWays)
	g.env.Focus = "api"
	g.carryOut(g.SnoozeFocused(g.env))
	if !slices.Contains(g.lines, "no session waits for you") {
		t.Errorf("nobody waits: %q", g.lines)
	}
	g.becomes("web", api.StateInput, 0, settle)
	menu := func() string {
		for _, e := range g.SnoozeFocused(g.env) {
			if open, ok := e.(ui.Open); ok {
				return uitest.Picture(g.env, open.Component).Dump()
			}
		}
		return ""
	}
	if got := menu(); !strings.Contains(got, "not now: web asks again in") || !strings.Contains(got, "15 minutes") {
		t.Errorf("the menu:\n%s", got)
	}
	g.becomes("api", api.StateInput, 0, settle)
	if got := menu(); !strings.Contains(got, "not now: api asks again in") {
		t.Errorf("the focused one waits, too:\n%s", got)
	}
}

func TestTitle(t *testing.T) {
	one := 1
	as := func(id string, change func(*api.Session)) api.Session {
		v := api.Session{ID: id, Name: id + "\x1b]2;x\a", State: api.StateIdle}
		change(&v)
		return v
	}
	idle := as("idle", func(*api.Session) {})
	works := as("works", func(v *api.Session) { v.State = api.StateWorking })
	done := as("done", func(v *api.Session) { v.Unread, v.Prompt = true, "x" })
	failed := as("failed", func(v *api.Session) { v.State, v.ExitCode, v.Unread = api.StateExited, &one, true })
	asks := as("asks", func(v *api.Session) { v.State = api.StateInput })
	more := as("more", func(v *api.Session) { v.State = api.StatePermission })
	env := uitest.Env(80, 24)
	for _, tt := range []struct {
		sessions []api.Session
		want     string
	}{
		{nil, "ccdir"},
		{[]api.Session{idle}, "ccdir"},
		{[]api.Session{idle, works}, "ccdir: 1 working"},
		{[]api.Session{works, done}, "ccdir: 1 done"},
		{[]api.Session{works, done, failed}, "ccdir: 1 failed"},
		{[]api.Session{failed, asks}, "ccdir: asks␛]2;x␇ needs you"},
		{[]api.Session{failed, asks, more}, "ccdir: 2 need you"},
	} {
		env.Sessions = tt.sessions
		if got, _ := (&attention.State{}).Retitle(env, false); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
