package copymode

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/copymode/core"
	"ccdir/tui/ui"
	"ccdir/tui/widget/sgr"
	"ccdir/wire"
)

// said is a client with a conversation.
type said struct {
	ui.Client
	turns []api.Turn
	asked []int
}

func (c *said) Turns(_ context.Context, _ string, last int, each func(api.Turn) error) error {
	c.asked = append(c.asked, last)
	list := c.turns
	if last > 0 && len(list) > last {
		list = list[len(list)-last:]
	}
	for _, t := range list {
		if err := each(t); err != nil {
			return err
		}
	}
	return nil
}

func answer(n int, prompt, text string) api.Turn {
	return api.Turn{Turn: n, State: api.TurnDone, Prompt: prompt, Items: []api.TurnItem{{Kind: api.ItemText, Text: text}}}
}

// agentRig is an agent's pane on the alternate screen, in copy mode, whose host has told
// its screen; load fetches what is above.
func agentRig(t *testing.T, cols, rows int, screen string, c *said) (r *rig, load func()) {
	t.Helper()
	r = newRig(t, cols, rows, screen)
	r.held = true
	r.env.Tiles[0].Session.Conversation = "c-1"
	r.env.Tiles[0].State.Flags |= wire.FlagAlt
	r.start()
	v := r.views[session]
	v.known = true
	return r, func() {
		t.Helper()
		v.loading = false
		for _, e := range v.load() {
			res, err := e.(ui.Call).Run(t.Context(), c)
			if len(c.asked) == 0 {
				t.Fatal("it asks for something else than turns")
			}
			r.Receive(r.env, res.Value, err)
		}
	}
}

// text are the lines of a view.
func (r *rig) text() string { return string(r.views[session].st.Buf.AllText()) }

// screenOf is what an agent shows at the end of an answer: signs and breaks of its own.
const screenOf = `● the end of a paragraph that was broken
  elsewhere, with some more words.

● And the last paragraph of the answer.

────────────────────
❯ `

// TestGoesOnInTheConversation: above the screen is what is above it in the conversation,
// without what the screen shows, and then what was said before.
func TestGoesOnInTheConversation(t *testing.T) {
	c := &said{turns: []api.Turn{answer(1, "first prompt", "first answer"),
		answer(2, "second prompt", "Something before it. This is the end of a paragraph that was broken elsewhere, with some more words.\n\nAnd the last paragraph of the answer.")}}
	r, load := agentRig(t, 60, 14, screenOf, c)
	load()
	text := r.text()
	for _, want := range []string{"❯ first prompt", "first answer", "❯ second prompt", "Something before it. This is"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is there %d times:\n%s", want, strings.Count(text, want), text)
		}
	}
	for _, once := range []string{"broken", "last paragraph", "end of a paragraph"} {
		if strings.Count(text, once) != 1 {
			t.Errorf("%q is there %d times:\n%s", once, strings.Count(text, once), text)
		}
	}
	if v := r.views[session]; !v.complete || v.note != "" {
		t.Errorf("complete %v, %q", v.complete, v.note)
	}
	r.press("g", "V", "G", "y")
	if !strings.Contains(r.copied, "first answer\n") || !strings.Contains(r.copied, "last paragraph") {
		t.Errorf("copied %q", r.copied)
	}
}

// TestNoMeeting: a screen that tells nothing of the conversation is set apart by a line.
func TestNoMeeting(t *testing.T) {
	r, load := agentRig(t, 60, 14, "some dialog", &said{turns: []api.Turn{answer(1, "prompt", "an answer")}})
	load()
	if text := r.text(); !strings.Contains(text, "an answer") || !strings.Contains(text, "─── above: the conversation") {
		t.Errorf("shows\n%s", text)
	}
}

// TestOlderTurnsComeAsTheyAreNeeded: the last turns first, more above them in their order,
// each once; a search asks for all.
func TestOlderTurnsComeAsTheyAreNeeded(t *testing.T) {
	c := &said{}
	for i := range 400 {
		c.turns = append(c.turns, answer(i+1, fmt.Sprintf("prompt %03d.", i+1), strings.Repeat("words of an answer\n", 9)))
	}
	r, load := agentRig(t, 60, 14, "● some screen", c)
	load()
	v := r.views[session]
	if first := v.talk.first; first != 400-talkTurns+1 || v.complete {
		t.Fatalf("the first turn is %d", first)
	}
	r.press("/")
	load()
	want := []int{talkTurns, 0}
	if !slices.Equal(c.asked, want) || !v.complete {
		t.Errorf("asked for %v, want %v; complete %v", c.asked, want, v.complete)
	}
	text := r.text()
	at := -1
	for i := range 400 {
		next := strings.Index(text, fmt.Sprintf("prompt %03d.", i+1))
		if next <= at || strings.Count(text, fmt.Sprintf("prompt %03d.", i+1)) != 1 {
			t.Fatalf("turn %d is at %d, the one before at %d", i+1, next, at)
		}
		at = next
	}
}

// FuzzSeam: whatever screen and conversation tell, the lines above the screen are whole rows
// of the conversation but the last one, and the memory is bounded.
func FuzzSeam(f *testing.F) {
	f.Add("● Line 7 of the answer.\n\n● Line 8 of the answer.", "Line 6 of the answer.\nLine 7 of the answer.\nLine 8 of the answer.", 20)
	f.Add("日本語日本語日本語日本語日本語日本語日本語日本語", "x日本語日本語日本語日本語日本語日本語日本語日本語", 9)
	f.Fuzz(func(t *testing.T, screen, said string, cols int) {
		cols = min(max(cols, 1), 200)
		if len(screen)+len(said) > 1<<12 {
			return
		}
		shown := sgr.Parse(strings.ReplaceAll(screen, "\x1b", ""), cols, 1)
		buffer := core.NewBuffer(core.NewPage(0, cols, shown.Table, shown.Rows))
		pages := talkPages([]api.Turn{answer(1, "p", said)}, nil, cols)
		var before, after []string
		for _, p := range pages {
			before = append(before, texts(p)...)
		}
		for _, p := range joined(pages, buffer, cols) {
			after = append(after, texts(p)...)
		}
		if n := len(after) - 1; n > len(before) || n > 0 && !slices.Equal(after[:n], before[:n]) {
			t.Errorf("%q\nbecame\n%q", before, after)
		}
	})
}

func texts(p rowsOf) (out []string) {
	for _, r := range p.rows {
		out = append(out, string(p.table.AppendText(nil, r.Cells)))
	}
	return out
}
