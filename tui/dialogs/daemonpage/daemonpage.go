// Package daemonpage shows the daemon, counts, places and the configuration. It owns the
// configuration as it was answered last, and asks for it when it is opened and after
// events of a new daemon or of a faulty configuration: one call at a time. All else comes
// from the World. It asks for nothing else.
package daemonpage

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/textview"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// ConfigReader is the part of a client that can tell the configuration.
type ConfigReader interface {
	// Config is the configuration as JSON, secrets left out.
	Config(ctx context.Context) (json.RawMessage, error)
}

// text is the dialog's.
type text struct {
	config  []setting
	problem string // why there is no configuration, "" if nothing is wrong
	asking  bool
	asked   bool
	of      int64 // number of the event it was asked after
}

// New shows the daemon's page.
func New() ui.Component { return textview.New(text{}) }

// Own is the action that opens it.
func (t text) Own() keymap.Action { return keymap.Daemon }

// configMark is the number of the newest event about the configuration.
func configMark(env ui.Env) int64 {
	for _, e := range slices.Backward(env.Events) {
		if strings.HasPrefix(e.Type, "config.") || strings.HasPrefix(e.Type, "daemon.") {
			return e.Seq
		}
	}
	return 0
}

// Refresh asks for the configuration when it may have changed.
func (t text) Refresh(env ui.Env) (textview.Text, []ui.Effect) {
	mark := configMark(env)
	if t.asking || env.Offline != "" || t.asked && t.of == mark {
		return t, nil
	}
	t.asking, t.asked, t.of = true, true, mark
	return t, []ui.Effect{ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		reader, err := ui.As[ConfigReader](c)
		if err != nil {
			return ui.Result{}, err
		}
		raw, err := reader.Config(ctx)
		if err != nil {
			return ui.Result{}, err
		}
		list, err := settings(raw)
		return ui.Result{Value: list}, err
	}}}
}

// Receive takes the configuration.
func (t text) Receive(_ ui.Env, value any, err error) textview.Text {
	t.asking, t.problem = false, ""
	t.config, _ = value.([]setting)
	if err != nil {
		t.config, t.problem = nil, ui.Problem(err)
	}
	return t
}

// NextWake is when the daemon's age changes.
func (t text) NextWake(env ui.Env) time.Time { return format.NextAge(env.Now, env.Server.Started) }
