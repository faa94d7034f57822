package outbox

import (
	"context"
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
)

// keeper is a client that keeps prompts for later, in the calls of its client.
type keeper struct {
	*client
	full bool // it keeps no more
}

func (k keeper) SendLater(ctx context.Context, ref, text, key string) (api.PendingPrompt, error) {
	if k.full {
		return api.PendingPrompt{}, ui.ErrUnknown
	}
	return api.PendingPrompt{ID: "p1"}, k.note(ctx, "later", key, "later", ref, text)
}

func (k keeper) Pending(context.Context, string) ([]api.PendingPrompt, error) {
	return []api.PendingPrompt{{ID: "p1", Text: "go"}}, nil
}

func (k keeper) CancelPending(ctx context.Context, id string) error {
	return k.note(ctx, "cancel", "", "cancel", id)
}

// TestLaterInstead: a text for a session that shows a dialog is kept by the daemon, under
// the id of its delivery; where it cannot be, it comes back with the reason.
func TestLaterInstead(t *testing.T) {
	for _, full := range []bool{false, true} {
		r := newRig(t)
		r.cl = keeper{r.c, full}
		r.c.answer = func(_ context.Context, to string) error {
			if to == "a" {
				return errDialog
			}
			return nil
		}
		r.do(r.Send(entry("go"), to("a"), ""))
		if full {
			r.back("go", "a dialog is open", "a")
			continue
		}
		r.called("send a go", "later a go")
		if r.last().Problem != "" || len(r.said) != 1 || r.c.ids[1] != "later-"+r.c.ids[0] {
			t.Errorf("%+v, said %q, ids %v", r.last(), r.said, r.c.ids)
		}
	}
}

// TestKept: what the daemon keeps is listed and taken back; a client that keeps nothing
// says so.
func TestKept(t *testing.T) {
	r := newRig(t)
	ask := func(c ui.Client, e ui.Effect) (any, error) {
		res, err := e.(ui.Call).Run(t.Context(), c)
		return res.Value, err
	}
	list, err := ask(keeper{client: r.c}, ListKept())
	if all, ok := list.(KeptPrompts); !ok || len(all) != 1 || err != nil {
		t.Fatalf("listed %v (%v)", list, err)
	}
	p := list.(KeptPrompts)[0]
	back, err := ask(keeper{client: r.c}, TakeBack(p, true))
	if r.called("cancel p1"); back != (TakenBack{p, true}) || err != nil {
		t.Errorf("back is %+v (%v)", back, err)
	}
	r.c.fails(errDialog)
	if _, err := ask(keeper{client: r.c}, TakeBack(p, true)); err == nil {
		t.Error("taken back all the same")
	}
	for _, e := range []ui.Effect{ListKept(), TakeBack(p, false)} {
		if value, err := ask(r.c, e); err == nil || value == nil {
			t.Errorf("%+v without an error", value)
		}
	}
	if r.do(r.SendLater(entry("go"), "a", "A")); !slices.Equal(r.last().Target.IDs, []string{"a"}) {
		t.Errorf("back for %v", r.last().Target)
	}
}
