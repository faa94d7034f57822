package marks

import (
	"context"
	"errors"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// keeper keeps marks, unless it refuses.
type keeper struct {
	ui.Client
	got *api.SetMarks
	err error
}

func (k keeper) MarkSession(_ context.Context, id string, m api.SetMarks) (api.Session, error) {
	*k.got = m
	return api.Session{ID: id}, k.err
}

// TestMarks: what is written and chosen is kept with Enter; a refusal brings the dialog back.
func TestMarks(t *testing.T) {
	env := uitest.Env(80, 24)
	v := api.Session{ID: "aaaa1111", Name: "api", Marks: api.Marks{Group: "shop", Color: "cyan"}}
	env.Sessions = []api.Session{v}
	uitest.Everywhere(t, env, New(v), "marks")
	_, effects := uitest.Press(env, New(v), "s", "Tab", "h", "i", "Tab", "Space", "Tab", "Right", "Enter")
	var call ui.Call
	for _, e := range effects {
		if c, ok := e.(ui.Call); ok {
			call = c
		}
	}
	if call.Run == nil {
		t.Fatalf("asked for %v", effects)
	}
	var got api.SetMarks
	if _, err := call.Run(t.Context(), keeper{got: &got}); err != nil || *got.Group != "shops" || *got.Note != "hi" || !*got.Pinned || *got.Color != "" {
		t.Errorf("kept %q %q %v %q, %v", *got.Group, *got.Note, *got.Pinned, *got.Color, err)
	}
	refused := api.Errorf(api.CodeInvalid, "a group's name is too long")
	back := call.Failed(env, refused)
	if open, ok := back[0].(ui.Open); !ok {
		t.Errorf("after a refusal: %v", back)
	} else {
		uitest.Golden(t, env, open.Component, "refused-80x24")
	}
	if back := call.Failed(env, errors.New("no daemon")); len(back) != 1 {
		t.Errorf("after another failure: %v", back)
	} else if _, warns := back[0].(ui.Warn); !warns {
		t.Errorf("after another failure: %v", back)
	}
}
