package prompt

import "ccdir/tui/ui"

// todo is what the grid is to do after the call that runs, in order.
type todo struct{ out []ui.Effect }

// ask notes something that the grid is to do.
func (t *todo) ask(e ...ui.Effect) { t.out = append(t.out, e...) }

func (t *todo) say(text string)  { t.ask(ui.Say{Text: text}) }
func (t *todo) warn(text string) { t.ask(ui.Warn{Text: text}) }

// effects returns all of it, once.
func (t *todo) effects() []ui.Effect {
	out := t.out
	t.out = nil
	return out
}
