package outbox

import (
	"context"

	"ccdir/api"
	"ccdir/tui/ui"
)

// Keeper is what a client also is that keeps prompts until their sessions can take them.
type Keeper interface {
	SendLater(ctx context.Context, ref, text, key string) (api.PendingPrompt, error)
	// Pending lists what is kept for a session, "": for all, and what was lately.
	Pending(ctx context.Context, ref string) ([]api.PendingPrompt, error)
	// CancelPending takes a prompt back; it fails if it is being typed.
	CancelPending(ctx context.Context, id string) error
}

// sendLater has the daemon keep a text: once, however often it is asked under the same id.
func sendLater(ctx context.Context, k Keeper, t try) error {
	_, err := k.SendLater(ctx, t.session, t.text, "later-"+t.id)
	return err
}

// laterInstead keeps a text for a session that shows a dialog, and reports whether it did.
func laterInstead(ctx context.Context, c ui.Client, t try, err error) bool {
	k, can := c.(Keeper)
	return can && api.CodeOf(err) == api.CodeDialogOpen && sendLater(ctx, k, t) == nil
}

// SendLater has the daemon keep a text for a session that has ended; name is the session's,
// for people.
func (o *Outbox) SendLater(e Entry, session, name string) []ui.Effect {
	t := o.tries.take(e.Text, session)
	id, stop := o.begin(e, Job{Total: 1, To: name, tries: []try{t}})
	out := delivered{job: id, name: name, try: t, later: true}
	return []ui.Effect{work(stop, o.turns.Join(session), nil, out, func(ctx context.Context, c ui.Client) (any, error) {
		k, err := ui.As[Keeper](c)
		if err == nil {
			err = sendLater(ctx, k, t)
		}
		return out, err
	})}
}

// KeptPrompts are the prompts that the daemon keeps, and those that it kept lately.
type KeptPrompts []api.PendingPrompt

// ListKept asks for what is kept for later; its result is KeptPrompts.
func ListKept() ui.Effect {
	return ui.Call{What: "reading what is kept for later", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		k, err := ui.As[Keeper](c)
		if err != nil {
			return ui.Result{Value: KeptPrompts(nil)}, err
		}
		list, err := k.Pending(ctx, "")
		return ui.Result{Value: KeptPrompts(list)}, err
	}}
}

// TakenBack is a prompt that is kept no more; Change: it comes back into the bar.
type TakenBack struct {
	Prompt api.PendingPrompt
	Change bool
}

// TakeBack takes a prompt back that the daemon keeps; its result is TakenBack.
func TakeBack(p api.PendingPrompt, change bool) ui.Effect {
	return ui.Call{What: "taking a prompt back", Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		k, err := ui.As[Keeper](c)
		if err == nil {
			err = k.CancelPending(ctx, p.ID)
		}
		return ui.Result{Value: TakenBack{p, change}}, err
	}}
}
