package worktrees

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Changer is the part of a client that changes work trees. A directory on a node is NODE/PATH, an
// entry of its trash NODE/ID.
type Changer interface {
	MergeWorktree(ctx context.Context, in api.MergeWorktree) (api.MergedWorktree, error)
	RemoveWorktree(ctx context.Context, in api.RemoveWorktree) (api.RemovedWorktree, error)
	WorktreeTrash(ctx context.Context, dir string) ([]api.RemovedWorktree, error)
	RestoreWorktree(ctx context.Context, in api.RestoreWorktree) (api.RestoredWorktree, error)
	CommitWorktree(ctx context.Context, in api.CommitWorktree) (api.CommittedWorktree, error)
	PushWorktree(ctx context.Context, in api.PushWorktree) (api.PushedWorktree, error)
}

// deed is something that a person does to a work tree. It says first what that is, asks once,
// does it, and says what came of it. Escape leaves it at any time: what is under way goes on,
// and its outcome is told in the status line.
type deed struct {
	what    string // "merging fix-login"
	title   string
	kind    kind
	stage   stage
	asking  bool   // the plan is asked for
	said    []line // what it will do, or has done
	problem string // why there is no plan, or why it has failed
	writes  bool   // it has a message
	message edit.Line
	pager   modal.Pager
	since   time.Time // when it was begun
}

// stage is how far a deed is.
type stage int

const (
	plans stage = iota // it finds out what it would do
	asks               // it waits for the person's yes
	does
	over // done, failed, or not possible
)

// kind is which deed it is. plan returns it with what it needs to know, and the lines that say
// what it will do; ok: it can be done. foot are its further keys, also those while it is over.
type kind interface {
	plan(ctx context.Context, c Changer) (_ kind, said []line, ok bool, err error)
	do(ctx context.Context, c Changer, message string) (said []line, err error)
	yes() string
	foot(s stage) string
	// key takes a key of its own: the deed begins anew as another kind, or asks for effects.
	key(s stage, name string) (_ kind, effects []ui.Effect)
}

// line is a line of a deed: bold where it matters, alert where something is wrong.
type line struct {
	text        string
	bold, alert bool
}

func plain(text string) line { return line{text: text} }

// planned and done are the answers to a deed's calls.
type (
	planned struct {
		kind kind
		said []line
		ok   bool
	}
	done struct{ said []line }
)

// Refresh asks for the plan.
func (d deed) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	if d.stage != plans || d.asking || env.Offline != "" {
		return d, nil
	}
	d.asking = true
	k := d.kind
	return d, []ui.Effect{ui.Call{What: "looking what " + d.what + " does", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		var p planned
		by, err := ui.As[Changer](c)
		if err == nil {
			p.kind, p.said, p.ok, err = k.plan(ctx, by)
		}
		return ui.Result{Value: p}, err
	}}}
}

// Receive takes the plan, or the outcome.
func (d deed) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	switch v := value.(type) {
	case planned:
		switch {
		case d.stage != plans:
		case err != nil:
			d.stage, d.problem = over, ui.Problem(err)
		default:
			d.asking, d.kind, d.said, d.stage = false, v.kind, v.said, over
			if v.ok {
				d.stage = asks
			}
			return d, []ui.Effect{ui.Anew{}}
		}
	case done:
		if d.stage == does {
			d.stage, d.said, d.pager = over, v.said, modal.Pager{}
			if err != nil {
				d.problem = ui.Problem(err)
			}
		}
	}
	return d, nil
}

// Key answers, scrolls, or leaves.
func (d deed) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	if k.Name == "Escape" || k.Name == "C-c" || d.stage == over && (k.Name == "Enter" || k.Name == "q") {
		return d, []ui.Effect{ui.Close{}}
	}
	if next, effects := d.kind.key(d.stage, k.Name); !d.writes && (next != nil || effects != nil) && !env.Early {
		if next != nil {
			d = deed{what: d.what, title: d.title, kind: next}
		}
		return d, effects
	}
	if d.stage == asks {
		switch {
		case !d.writes && (k.Name == "y" || k.Name == "Y"), d.writes && k.Name == "Enter" && !d.message.Empty():
			if env.Early {
				return d, nil
			}
			return d.begin(env)
		case d.writes:
			d.message, _ = d.message.Key(k.Name, k.Text())
			return d, nil
		case k.Name == "n" || k.Name == "N" || k.Name == "q":
			return d, []ui.Effect{ui.Close{}}
		}
	}
	if b, ok := env.Keys.LookupIn(viewMode, k.Name); ok {
		_, _, p := d.plan(env)
		d.pager, _ = p.Moved(b.Action)
	}
	return d, nil
}

// Mouse presses a key that the last line names, and scrolls; a click beside the dialog leaves it
// unless a message would be lost.
func (d deed) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	box, _, p := d.plan(env)
	if _, wheel := msg.(tea.MouseWheelMsg); wheel {
		d.pager = p.Wheel(msg.Mouse().Button)
		return d, nil
	}
	e, ok := modal.Clicked(msg)
	switch {
	case !ok || env.Early:
	case !box.Contains(e.X, e.Y):
		if d.message.Empty() {
			return d, []ui.Effect{ui.Close{}}
		}
	case e.Y == box.Y+box.H-2:
		if name := modal.FootKeyAt(d.foot(env), e.X-box.X-2); name != "" {
			return d.Key(env, ui.Key{Name: name, At: env.Now})
		}
	}
	return d, nil
}

// begin does it.
func (d deed) begin(env ui.Env) (ui.Component, []ui.Effect) {
	d.stage, d.since = does, env.Now
	k, what, message := d.kind, d.what, d.message.String()
	return d, []ui.Effect{ui.Call{What: what, Own: true, Patient: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		var out done
		by, err := ui.As[Changer](c)
		if err == nil {
			out.said, err = k.do(ctx, by, message)
		}
		var say []ui.Effect
		if len(out.said) > 0 {
			say = []ui.Effect{ui.Say{Text: textsafe.Line(out.said[0].text)}}
		}
		return ui.Result{Value: out, Effects: say}, err
	}}}
}

// Paste puts text into the message.
func (d deed) Paste(_ ui.Env, text string) ui.Component {
	if d.writes && d.stage == asks {
		d.message = d.message.Insert(text)
	}
	return d
}

// Asks: each key is an answer while it asks.
func (d deed) Asks() bool { return d.stage == asks && !d.writes }

// YieldsPrefix: nothing is lost but a message.
func (d deed) YieldsPrefix() bool { return d.message.Empty() }

// NextWake turns the sign that it is at work.
func (d deed) NextWake(env ui.Env) time.Time {
	if d.stage != does && d.stage != plans {
		return time.Time{}
	}
	_, next := modal.Spin(env.Now)
	return env.Now.Add(next)
}

// width is the width of the dialog's inside.
const width = 84

// plan lays the dialog out: the last line has the keys, the one above it the message.
func (d deed) plan(env ui.Env) (box paint.Rect, keep int, p modal.Pager) {
	w := max(1, min(width, env.Cols-6))
	var lines []string
	for _, l := range d.said {
		st := cells.Style{}
		switch {
		case l.alert:
			st = theme.Bold(env.Theme.Alert)
		case l.bold:
			st.Attrs = cells.Bold
		}
		for _, part := range modal.Wrap(textsafe.Line(l.text), w) {
			lines = append(lines, modal.Styled(part, st))
		}
	}
	if d.problem != "" {
		for _, part := range modal.Wrap(textsafe.Line(d.problem), w) {
			lines = append(lines, modal.Styled(part, theme.Bold(env.Theme.Alert)))
		}
	}
	keep = 1
	if d.writes && d.stage == asks {
		keep = 3
	}
	lines = append(lines, "")
	box = modal.Middle(env.Cols, env.Rows, width, min(len(lines)+keep, max(1, env.Rows-2)))
	return box, keep, d.pager.Fill(lines, box.W-4, max(1, box.H-2-keep))
}

// Draw draws it.
func (d deed) Draw(env ui.Env, s *paint.Surface) (cur paint.Cursor) {
	box, keep, p := d.plan(env)
	modal.Box(s, box, textsafe.Line(d.title), env.Theme.Accent)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	p.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-keep)})
	if keep == 3 && in.H > 2 {
		modal.Line(s, in, in.H-3, "Message:", theme.FG(env.Theme.Dim))
		at := d.message.Draw(s, in.X, in.Y+in.H-2, in.W, cells.Style{Attrs: cells.Bold})
		cur = paint.Cursor{X: in.X + at, Y: in.Y + in.H - 2, Visible: true}
	}
	st := theme.FG(env.Theme.Dim)
	if d.stage == asks {
		st = theme.Bold(env.Theme.Accent)
	}
	modal.Line(s, in, in.H-1, d.foot(env), st)
	return cur
}

// foot is the last line.
func (d deed) foot(env ui.Env) string {
	more := d.kind.foot(d.stage)
	if more != "" {
		more = "   " + more
	}
	spin, _ := modal.Spin(env.Now)
	switch d.stage {
	case plans:
		return spin + " looking what it does   Esc back"
	case does:
		return spin + " " + textsafe.Line(d.what) + "…   Esc leaves it: the outcome is told"
	case over:
		return "Enter close" + more
	}
	if d.writes {
		return "Enter " + d.kind.yes() + "   Esc back"
	}
	return "y " + d.kind.yes() + "   n no" + more
}
