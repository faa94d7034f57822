// Package conversation shows what an agent was told, said and did, turn by turn, and
// follows it while the agent works. It owns the turns as they were told, the cursor, what is
// opened, and the search. It asks for a stream of turns (ui.Stream), and may ask for the
// clipboard, the editor, what an ended session showed, and to go on with a session.
//
// Turns are bounded (maxBytes): of a longer conversation the part around the cursor is here,
// and going over its beginning asks for more.
package conversation

import (
	"context"
	"slices"
	"time"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/turns"
)

// Teller is the part of a client that reads conversations.
type Teller interface {
	// FollowTurns calls each with the turns of a session's conversations, the last ones by
	// number (0: all), and goes on as they grow, until the session has ended. A turn without a
	// number says that all that was there has come.
	FollowTurns(ctx context.Context, ref string, last int, each func(api.Turn) error) error
}

// Subject is the session whose conversation is shown.
type Subject struct {
	ID, Name string
	// Entry is its entry in the history; nil: none.
	Entry *api.HistoryEntry
	// Turn is where to begin, by number; 0: at the end. Words are what was searched for.
	Turn  int
	Words string
}

const (
	// firstTurns is how many turns are asked for at first, moreTurns how many times as many
	// when these are not enough.
	firstTurns = 40
	moreTurns  = 8
	// maxBytes bounds the texts of the turns that are kept.
	maxBytes = 64 << 20
	// aroundTurns is how many turns before the one to begin with are asked for.
	aroundTurns = 10
)

// dialog is the view.
type dialog struct {
	Subject
	// last and from are the turns asked for: the last ones by number (0: all), of these
	// those from that number on. asked: they were.
	last, from int
	asked      bool
	// told: all that was there has come; over: nothing follows. problem: why, "" if the
	// session has ended.
	told, over bool
	problem    string
	// early are keys and texts that came before the turns they are meant for.
	early []input

	blocks []block
	opened map[string]bool // by path; replaced, never changed in place
	layout turns.Layout    // of the blocks' rows
	// starts are the numbers of the first rows of the blocks, and of the end.
	starts []int
	// cursor and top are rows: the chosen one and the first in view. height is that of the
	// view.
	cursor, top, height int
	// follows: the cursor stays at the end. wanted is where it goes when that turn has come.
	follows bool
	wanted  *place
	find    find
}

// input is what a person did; it is done as soon as the turns are here.
type input func(dialog, ui.Env) (ui.Component, []ui.Effect)

// maxEarly bounds the keys that wait. Further ones are lost.
const maxEarly = 500

// block is a turn and its rows; nil: they have to be laid out.
type block struct {
	turn api.Turn
	rows []turns.Row
}

// Open shows the conversation of a session, or says why there is none.
func Open(env ui.Env, v api.Session) []ui.Effect {
	if plain := ui.PlainOf(v); plain != "" {
		return []ui.Effect{ui.Warn{Text: textsafe.Line(v.Name) + " runs no agent, so there is no conversation: " + env.Keys.Hint(keymap.Copy) + " looks back in what it printed"}}
	}
	return []ui.Effect{ui.Close{All: true}, ui.Open{Component: New(Subject{ID: v.ID, Name: v.Name})}}
}

// New shows the conversation of a session.
func New(s Subject) ui.Component {
	d := dialog{Subject: s, last: firstTurns, follows: true, height: 1}
	if s.Turn > 0 {
		d.last, d.from, d.follows = 0, max(1, s.Turn-aroundTurns), false
		d.wanted = &place{turn: s.Turn}
	}
	d.find = d.find.with(s.Words)
	return d
}

// Refresh asks for the turns, once, and lays them out for the screen as it is now.
func (d dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	d = d.laid(env)
	if d.asked {
		return d, nil
	}
	return d.ask()
}

// ask asks for the turns.
func (d dialog) ask() (dialog, []ui.Effect) {
	d.asked, d.told, d.over, d.problem = true, false, false, ""
	ref, last, from := d.ID, d.last, d.from
	return d, []ui.Effect{ui.Stream{Run: func(ctx context.Context, c ui.Client, tell func(any) error) error {
		client, err := ui.As[Teller](c)
		if err != nil {
			return err
		}
		return client.FollowTurns(ctx, ref, last, func(t api.Turn) error {
			if t.Turn < from {
				return nil
			}
			return tell(t)
		})
	}}}
}

// more asks for older turns; false if all are here.
func (d dialog) more() (dialog, []ui.Effect, bool) {
	if len(d.blocks) == 0 || d.blocks[0].turn.Turn <= 1 {
		return d, nil, false
	}
	first := d.blocks[0].turn.Turn
	d.wanted = d.here()
	d.follows = false
	if d.from > 0 {
		d.from = max(1, d.from-firstTurns*moreTurns)
	} else {
		d.last *= moreTurns
		if d.last > 10*first+firstTurns {
			d.last = 0
		}
	}
	d, effects := d.ask()
	return d, effects, true
}

// Receive takes turns in.
func (d dialog) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	t, ok := value.(ui.Told)
	if !ok {
		return d, nil
	}
	d = d.laid(env)
	if t.Over {
		d.over, d.told = true, true
		if err != nil {
			d.problem = ui.Problem(err)
		}
		return d.caughtUp(env, nil)
	}
	d = d.merged(env, t.Values)
	d.told = d.told || slices.ContainsFunc(t.Values, func(v any) bool { t, ok := v.(api.Turn); return ok && t.Turn == 0 })
	d, effects := d.sought(env)
	return d.caughtUp(env, effects)
}

// caughtUp does what waited for turns. A key that asks for older ones makes the others wait
// again.
func (d dialog) caughtUp(env ui.Env, effects []ui.Effect) (ui.Component, []ui.Effect) {
	if !d.told || len(d.early) == 0 {
		return d, effects
	}
	early := d.early
	d.early = nil
	var c ui.Component = d
	for _, do := range early {
		next, more := do(c.(dialog), env)
		c, effects = next, append(effects, more...)
	}
	return c, effects
}

// later keeps what a person did until the turns are here.
func (d dialog) later(do input) dialog {
	if len(d.early) < maxEarly {
		d.early = append(slices.Clip(d.early), do)
	}
	return d
}

// merged is the view with turns as they were told.
func (d dialog) merged(env ui.Env, values []any) dialog {
	at := d.here()
	low := -1 // the lowest number of a turn that changes
	list := make([]api.Turn, 0, len(d.blocks)+1)
	for _, b := range d.blocks {
		list = append(list, b.turn)
	}
	for _, v := range values {
		t, ok := v.(api.Turn)
		if !ok || t.Turn == 0 {
			continue
		}
		if low < 0 || t.Turn < low {
			low = t.Turn
		}
		list = transcript.Merge(list, t, 0)
	}
	if low < 0 {
		return d
	}
	list = bounded(list, at)
	rows := map[int][]turns.Row{}
	for _, b := range d.blocks {
		if b.turn.Turn < low {
			rows[b.turn.Turn] = b.rows
		}
	}
	d.blocks = make([]block, len(list))
	for i, t := range list {
		d.blocks[i] = block{t, rows[t.Turn]}
	}
	if d.wanted == nil && !d.follows {
		d.wanted = at
	}
	return d.laid(env)
}

// bounded leaves the oldest turns out until the others fit, but not the one at the cursor.
func bounded(list []api.Turn, at *place) []api.Turn {
	total := 0
	for i := len(list) - 1; i >= 0; i-- {
		total += size(list[i])
		if total > maxBytes && i < len(list)-1 && (at == nil || list[i].Turn < at.turn) {
			return list[i+1:]
		}
	}
	return list
}

// size is about how many bytes a turn takes.
func size(t api.Turn) int {
	n := len(t.Prompt) + len(t.Answer)
	for _, i := range t.Items {
		n += len(i.Text) + len(i.Raw) + 64
	}
	for _, c := range t.Tools {
		n += len(c.Input) + len(c.Result) + 256
		for _, h := range c.Diff {
			n += 40 * len(h.Lines)
		}
		if c.Agent != nil {
			for _, t := range c.Agent.Turns {
				n += size(t)
			}
		}
	}
	return n
}

// NextWake is when the sign that something is under way turns.
func (d dialog) NextWake(env ui.Env) time.Time {
	if d.told {
		return time.Time{}
	}
	_, step := modal.Spin(env.Now)
	return env.Now.Add(step)
}

// YieldsPrefix: nothing is lost.
func (d dialog) YieldsPrefix() bool { return true }

// Chip is the component's name in the status line.
func (d dialog) Chip() string {
	if d.find.typing {
		return "FIND"
	}
	return "CONVERSATION"
}
