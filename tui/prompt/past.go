package prompt

import (
	"context"
	"slices"
	"time"

	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// past are the prompts of before, and which of them is in the bar.
type past struct {
	file  history.History
	texts []string // the newest last; replaced, never changed in place
	// at counts back from the end while they are gone through; 0 is what was written, which
	// is in draft meanwhile.
	at    int
	draft edit.Buffer
}

// loadedHistory are the prompts of before, as they are on disk.
type loadedHistory []string

// load asks for what is on disk; its result is a loadedHistory.
func (p *past) load() ui.Effect {
	file := p.file
	return ui.Call{Run: func(context.Context, ui.Client) (ui.Result, error) {
		all, err := file.Load()
		return ui.Result{Value: loadedHistory(all)}, err
	}}
}

// take takes what is on disk, and keeps what could not be kept there.
func (p *past) take(all []string) {
	for _, text := range p.texts {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	if p.at == 0 {
		p.texts = all
	}
}

// add puts a text into the history, here and on disk, unless it is larger than
// history.MaxEntry. What was written is in the bar again.
func (p *past) add(text string, now time.Time) []ui.Effect {
	if len(text) > history.MaxEntry {
		return nil
	}
	p.texts = history.Keep(slices.Clone(p.texts), text, func(s string) string { return s })
	p.at = 0
	file := p.file
	return []ui.Effect{ui.Call{
		Run: func(context.Context, ui.Client) (ui.Result, error) { return ui.Result{}, file.Add(text, now) },
		Failed: func(_ ui.Env, err error) []ui.Effect {
			return []ui.Effect{ui.Warn{Text: ui.Failure("keeping the prompt in the history", err)}}
		},
	}}
}

// keep puts a text into the history as long as the grid runs, unless it is there. What is in
// the bar stays.
func (p *past) keep(text string) {
	if slices.Contains(p.texts, text) {
		return
	}
	p.texts = history.Keep(slices.Clone(p.texts), text, func(s string) string { return s })
	if p.at > 0 {
		p.at++
	}
}

// aside keeps what was written while a prompt of before is in the bar.
func (p *past) aside(inBar edit.Buffer) {
	if p.at == 0 {
		p.draft = inBar
	}
}

// step goes through the prompts: by 1 to older ones, by -1 to newer ones and at last to what
// was written. It returns what is in the bar then; false if there is no more.
func (p *past) step(by int, inBar edit.Buffer) (edit.Buffer, bool) {
	at := p.at + by
	if at < 0 || at > len(p.texts) {
		return inBar, false
	}
	p.aside(inBar)
	if p.at = at; at == 0 {
		return p.draft, true
	}
	return edit.New(p.texts[len(p.texts)-at]), true
}

// written is what the person wrote: what is in the bar, unless that is a prompt of before,
// which is left then.
func (p *past) written(inBar edit.Buffer) edit.Buffer {
	if p.at > 0 {
		p.at = 0
		return p.draft
	}
	return inBar
}
