// Package toolcalls lists the calls of ccdir's tools that agents made, the newest first, and
// follows them. It owns the filter for those that failed, and the calls from before what
// the grid was told of at its start, which it asks for once; the others come with the
// World. It may give a session the focus.
package toolcalls

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
)

// rows are the calls.
type rows struct {
	failed  bool        // only those that did not end well
	older   []api.Event // those before the snapshot at the grid's start
	problem string      // why older are not there, "" if they are
	asked   bool
	loading bool
}

// mostOlder is how many calls are asked for when the view is opened.
const mostOlder = 500

// New lists the calls.
func New() ui.Component { return lists.New(rows{}) }

func (d rows) Mode() keymap.Mode { return keymap.ModeCalls }

// Refresh asks for what the grid doesn't know, once.
func (d rows) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	if d.asked || env.Offline != "" {
		return d, nil
	}
	d.asked, d.loading = true, true
	return d, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		reader, err := ui.As[ui.EventReader](c)
		if err != nil {
			return ui.Result{}, err
		}
		list, err := reader.Events(ctx, api.EventFilter{Type: api.EventMCPCall, Limit: mostOlder})
		return ui.Result{Value: list}, err
	}}}
}

// Receive takes the older calls.
func (d rows) Receive(_ ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	d.loading = false
	d.older, _ = value.([]api.Event)
	if err != nil && !errors.Is(err, ui.ErrUnknown) {
		d.problem = "older calls are missing: " + ui.Problem(err)
	}
	return l.With(d), nil
}

// listed are those to be listed, newest first.
func (d rows) listed(live []api.Event) (out []*api.Event) {
	first := int64(1 << 62)
	for _, events := range [][]api.Event{live, d.older} {
		for i := range slices.Backward(events) {
			e := &events[i]
			if e.Type != api.EventMCPCall || e.Seq >= first {
				continue
			}
			first = e.Seq
			if !d.failed || !strings.HasPrefix(afterTool(e.Message), "ok ") {
				out = append(out, e)
			}
		}
	}
	return out
}

// Act filters, and goes to the session of a call.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	switch a {
	case keymap.CallsFailed:
		d.failed, l.View.Open = !d.failed, false
		return l.With(d), nil, true
	case keymap.CallsPane:
		for _, e := range d.listed(env.Events) {
			if strconv.FormatInt(e.Seq, 10) == id {
				return l, []ui.Effect{ui.Focus{Session: e.Session}}, true
			}
		}
		return l, nil, true
	}
	return l, nil, false
}
