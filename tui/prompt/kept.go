package prompt

import (
	"context"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
)

// Keeper is what a client also is that keeps prompts until their sessions can take them.
type Keeper interface {
	SendLater(ctx context.Context, ref, text, key string) (api.PendingPrompt, error)
	// Pending lists what is kept for a session, "": for all, and what was lately.
	Pending(ctx context.Context, ref string) ([]api.PendingPrompt, error)
	// CancelPending takes a prompt back; it fails if it is being typed.
	CancelPending(ctx context.Context, id string) error
}

// keep has the daemon keep a text for a session that has ended.
func (b *Bar) keep(env ui.Env, text string) {
	to := b.target.IDs[0]
	name := textsafe.Line(env.SessionName(to))
	t := b.tries.take(text, to)
	id, stop := b.begin(job{total: 1, to: name, tries: []try{t}})
	out := delivered{job: id, name: name, try: t, later: true}
	b.work(stop, b.turns.Join(to), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		k, err := ui.As[Keeper](c)
		if err == nil {
			_, err = k.SendLater(ctx, to, text, "later-"+t.id)
		}
		return out, err
	})
}

// keptPrompts are the prompts that the daemon keeps.
type keptPrompts []api.PendingPrompt

// listKept asks for what is kept for later.
func (b *Bar) listKept() {
	b.ask(ui.Call{What: "reading what is kept for later", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		k, err := ui.As[Keeper](c)
		if err != nil {
			return ui.Result{Value: keptPrompts(nil)}, err
		}
		list, err := k.Pending(ctx, "")
		return ui.Result{Value: keptPrompts(list)}, err
	}})
}

// takeKept lists what is kept.
func (b *Bar) takeKept(env ui.Env, list keptPrompts, err error) {
	if err != nil {
		b.problem = "what is kept for later cannot be had: " + ui.Problem(err)
		return
	}
	l := promptList{kind: listKept}
	for _, p := range list {
		if p.State == api.PendingWaits {
			l.items, l.kept = append(l.items, p.Text), append(l.kept, p)
			l.notes = append(l.notes, "for "+textsafe.Line(p.Name)+", kept "+format.Age(env.Now, p.At)+" ago")
		}
	}
	if len(l.items) == 0 {
		b.say("nothing is kept for later")
		return
	}
	b.list = l
	b.filterList()
}

// takenBack is a prompt that is kept no more; change: it comes back into the bar.
type takenBack struct {
	prompt api.PendingPrompt
	change bool
}

// takeFromKept takes the selected prompt back.
func (b *Bar) takeFromKept(change bool) {
	l := b.list
	b.list = promptList{}
	if l.sel >= len(l.found) {
		return
	}
	out := takenBack{l.kept[l.found[l.sel]], change}
	b.ask(ui.Call{What: "taking a prompt back", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		k, err := ui.As[Keeper](c)
		if err == nil {
			err = k.CancelPending(ctx, out.prompt.ID)
		}
		return ui.Result{Value: out}, err
	}})
}

// takeBack puts a prompt that was kept into the history, and into the bar if it is to be
// changed. What was written there is recalled as from the history.
func (b *Bar) takeBack(env ui.Env, t takenBack, err error) {
	if err != nil {
		b.problem = "not taken back: " + ui.Problem(err)
		return
	}
	b.remember(env, t.prompt.Text)
	if !t.change || !env.Writing {
		b.say("cancelled; the history of prompts has it")
		return
	}
	if b.at == 0 {
		b.draft = b.text
	}
	b.text, b.at, b.problem = edit.New(t.prompt.Text), 1, ""
	b.target = target.ForSession(env, t.prompt.Session)
	b.beginAnew(env)
}
