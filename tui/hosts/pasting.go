package hosts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

// pasteShown is from when on a paste is shown that its program has not taken yet.
const pasteShown = 500 * time.Millisecond

// dropWithin bounds the call that cancels a paste.
const dropWithin = 10 * time.Second

// Kilobytes rounds up.
func Kilobytes(n int) int { return (n + 1023) >> 10 }

// notePaste notes since when long text is on its way to a session.
func (h *Hosts) notePaste(s pane.State, now time.Time) {
	switch {
	case s.Pasting == 0:
		delete(h.pastes, s.ID)
	case h.pastes[s.ID].IsZero():
		h.pastes[s.ID] = now
	}
}

// Pasting reports whether long text is on its way to a session.
func (h *Hosts) Pasting() bool { return len(h.pastes) > 0 }

// PasteProgress shows the first of the pastes that take long by now, that into the focused
// pane before others; nil if there is none.
func (h *Hosts) PasteProgress(env ui.Env) *underway.Progress {
	var all []string
	for _, v := range env.Sessions {
		if began := h.pastes[v.ID]; !began.IsZero() && env.Now.Sub(began) >= pasteShown {
			all = append(all, v.ID)
		}
	}
	if p := h.incoming.progress(env.Now); p != nil {
		p.More = len(all)
		return p
	}
	if len(all) == 0 {
		return nil
	}
	id := all[max(0, slices.Index(all, env.Focus))]
	s := h.States[id]
	return &underway.Progress{What: "pasting into " + env.NameOf(id), Done: s.Pasted >> 10, Total: Kilobytes(s.Pasting), Unit: " KB",
		More: len(all) - 1, Cancel: env.Keys.Hint(keymap.CancelWork)}
}

// Step is how long until what is shown of pastes changes; very long for never.
func (h *Hosts) Step(now time.Time) time.Duration {
	next := h.incoming.step(now)
	for _, began := range h.pastes {
		if left := pasteShown - now.Sub(began); left > 0 {
			next = min(next, left)
		}
	}
	return next
}

// Items are the pastes under way; cancel carries out what cancelling one asks for.
func (h *Hosts) Items(w *ui.World, cancel func([]ui.Effect)) (all []underway.Item) {
	for _, v := range w.Sessions {
		if s := h.States[v.ID]; s.Pasting > 0 {
			all = append(all, underway.Item{
				ID: "paste " + v.ID, Text: "pasting into " + w.NameOf(v.ID), Far: fmt.Sprintf("%d/%d KB", s.Pasted>>10, Kilobytes(s.Pasting)),
				Cancel: func() { cancel(h.cancelPaste(v.ID, w.NameOf(v.ID))) },
			})
		}
	}
	return all
}

// cancelPaste cancels what is on its way to a session.
func (h *Hosts) cancelPaste(id, name string) []ui.Effect {
	p := h.Panes[id]
	if p == nil {
		return nil
	}
	rest := p.CancelLong()
	if rest == nil {
		return nil
	}
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		ctx, cancel := context.WithTimeout(ctx, dropWithin)
		defer cancel()
		return ui.Result{}, rest(ctx)
	}, Failed: func(_ ui.Env, err error) []ui.Effect {
		return []ui.Effect{ui.Warn{Text: "the paste into " + name + " could not be cancelled: " + ui.Problem(err)}}
	}}}
}

// Incoming takes how far the terminal is with sending a paste.
func (h *Hosts) Incoming(msg terminal.Incoming) { h.incoming.comes(msg) }

// incoming is a paste that the terminal has begun to send: on a slow line it takes long
// until it is all here, and whatever is typed meanwhile comes behind it.
type incoming struct {
	began time.Time // zero: there is none
	bytes int       // received so far
}

// comes takes how far it is.
func (i *incoming) comes(msg terminal.Incoming) {
	switch {
	case msg.All:
		*i = incoming{}
		return
	case i.began.IsZero():
		i.began = msg.At
	}
	i.bytes = msg.Bytes
}

// progress shows it when it takes long; nil if there is none or if it does not.
func (i incoming) progress(now time.Time) *underway.Progress {
	if i.began.IsZero() || now.Sub(i.began) < pasteShown {
		return nil
	}
	return &underway.Progress{What: fmt.Sprintf("a paste comes in: %d KB so far", Kilobytes(i.bytes))}
}

// step is how long until it is to be shown.
func (i incoming) step(now time.Time) time.Duration {
	left := pasteShown - now.Sub(i.began)
	if i.began.IsZero() || left <= 0 {
		return 1<<63 - 1
	}
	return left
}
