package prompt

import (
	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
)

// takeKept lists what is kept.
func (b *Bar) takeKept(env ui.Env, list outbox.KeptPrompts, err error) {
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
	b.list.filter()
}

// takeFromKept takes the selected prompt back.
func (b *Bar) takeFromKept(change bool) {
	l := b.list
	b.list = promptList{}
	if l.sel < len(l.found) {
		b.ask(outbox.TakeBack(l.kept[l.found[l.sel]], change))
	}
}

// takeBack puts a prompt that was kept into the history, and into the bar if it is to be
// changed. What was written there is recalled as from the history.
func (b *Bar) takeBack(env ui.Env, t outbox.TakenBack, err error) {
	if err != nil {
		b.problem = "not taken back: " + ui.Problem(err)
		return
	}
	b.remember(env, t.Prompt.Text)
	if !t.Change || !env.Writing {
		b.say("cancelled; the history of prompts has it")
		return
	}
	b.past.aside(b.text)
	b.text, b.past.at, b.problem = edit.New(t.Prompt.Text), 1, ""
	b.target = target.ForSession(env, t.Prompt.Session)
	b.beginAnew(env)
}
