package conversation

import (
	"context"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ccdir/tui/copymode"
	"ccdir/tui/dialogs/transcript"
	"ccdir/tui/ui"
)

// screen opens what the session showed until it ended.
func (d dialog) screen(env ui.Env) []ui.Effect {
	if v := env.Session(d.ID); v != nil && !v.State.Ended() {
		return []ui.Effect{ui.Focus{Session: v.ID}}
	}
	id := d.ID
	return []ui.Effect{ui.Call{What: "reading what it showed", Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		reader, err := ui.As[transcript.Reader](c)
		if err != nil {
			return ui.Result{}, err
		}
		t, err := reader.Transcript(ctx, id)
		return ui.Result{Effects: []ui.Effect{ui.Open{Component: transcript.New(t, nil)}}}, err
	}}}
}

// editor opens the rows as text in the person's editor, where the cursor is.
func (d dialog) editor(env ui.Env) ui.Effect {
	var text strings.Builder
	line, n := 1, 0
	for _, b := range d.blocks {
		for _, r := range b.rows {
			if n++; n <= d.cursor && !r.Wrapped {
				line++
			}
			if text.WriteString(ansi.Strip(r.Text)); !r.Wrapped {
				text.WriteByte('\n')
			}
		}
	}
	return copymode.Editor(env, []byte(text.String()), line)
}
