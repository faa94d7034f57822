// Package nodes lists the other machines: how each is reached, what it does and what asks. All of
// it comes from the World; it asks for calls that end a connection, and opens the dialog that
// begins one.
package nodes

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/connect"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// rows are the nodes, which the World has.
type rows struct{}

// New lists the nodes.
func New() ui.Component { return lists.New(rows{}) }

func (rows) Mode() keymap.Mode { return keymap.ModeNodes }

// NextWake is the next second, as long as a row says how long ago or how soon.
func (rows) NextWake(env ui.Env) time.Time {
	for _, n := range env.Nodes {
		if n.State != ui.NodeOnline {
			return env.Now.Add(time.Second)
		}
	}
	return time.Time{}
}

// Act shows a node's sessions, connects and ends connections.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	n := env.Node(id)
	if n == nil {
		return l, nil, false
	}
	switch a {
	case keymap.ViewOpen:
		switch {
		case l.View.Open:
			return l, nil, false
		case n.State == ui.NodeOnline, n.State == ui.NodeStale:
			return l, []ui.Effect{ui.Do{Action: keymap.List, Arg: id + "/"}}, true
		}
		return l, []ui.Effect{ui.Open{Component: connect.New(id)}}, true
	case keymap.NodeConnect:
		return l, []ui.Effect{ui.Open{Component: connect.New(id)}}, true
	case keymap.NodeDown:
		return l, []ui.Effect{ui.Call{What: "ending the connection with " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			nodes, err := ui.As[ui.Nodes](c)
			if err == nil {
				err = nodes.DisconnectNode(ctx, id)
			}
			return ui.Result{Effects: []ui.Effect{ui.Say{Text: id + " is left alone until you connect it again; what runs there goes on"}}}, err
		}}}, true
	case keymap.NodeDetail:
		l.View.Open, l.View.Detail = true, modal.Pager{}
		return l, nil, true
	}
	return l, nil, false
}

// Content lists them by their names.
func (rows) Content(env ui.Env, _ listbox.View) listbox.Content {
	c := listbox.Content{
		Title: "nodes", Hint: "filter by name, state or reason",
		Empty: "No other machine is known. `ccdir node add NAME` adds one that you reach by ssh; its sessions appear here.",
		Keys: []keymap.Named{keymap.ViewOpen.As("its sessions"), keymap.NodeConnect.As("connect"), keymap.NodeDown.As("leave alone"),
			keymap.NodeDetail.As("details"), keymap.ViewFilter.As("filter"), keymap.ViewClose.As("close")},
		DetailKeys: []keymap.Named{keymap.ViewClose.As("back"), keymap.NodeConnect.As("connect"), keymap.NodeDown.As("leave alone")},
		Detail:     func(id string, w int) []string { return detail(env, id, w) },
	}
	for _, n := range env.Nodes {
		c.Items = append(c.Items, listbox.Item{
			ID:    n.Name,
			Match: func() string { return n.Name + " " + string(n.State) + " " + n.Target + " " + n.Reason },
			Line:  func(w int) string { return row(env, n, w) },
		})
	}
	return c
}

// colour is a state's.
func colour(t *theme.Theme, s ui.NodeState) cells.Color {
	switch s {
	case ui.NodeOnline:
		return t.Idle
	case ui.NodeAsks:
		return t.Permission
	case ui.NodeOld:
		return t.Alert
	}
	return t.Dim
}

// row is a row: name, state, round trip, version, what it does, and why it is away.
func row(env ui.Env, n ui.Node, w int) string {
	dim := theme.FG(env.Theme.Dim)
	sessions, asks := count(env, n.Name)
	does, does2 := "", dim
	if sessions > 0 {
		does = format.Plural(sessions, "session", "sessions")
	}
	if asks > 0 {
		does, does2 = fmt.Sprintf("%s, %d ask", does, asks), theme.FG(env.Theme.Permission)
		if asks == 1 {
			does += "s"
		}
	}
	state := string(n.State)
	if n.Trying && n.State != ui.NodeOnline {
		state = "connecting"
	}
	return modal.Columns(w, modal.Column(textsafe.Line(n.Name), lists.NameWidth, cells.Style{Attrs: cells.Bold}), modal.Column(state, 10, theme.FG(colour(env.Theme, n.State))),
		modal.Column(fmt.Sprintf("%8s", round(n)), 8, dim), modal.Column(n.Version, 9, dim), modal.Column(does, 20, does2), modal.Column(why(env, n), 0, dim))
}

// round is the round trip in words, "" if none was measured or it does not count any more.
func round(n ui.Node) string {
	if n.Round == 0 || n.State != ui.NodeOnline {
		return ""
	}
	return fmt.Sprintf("%.3g ms", float64(n.Round)/float64(time.Millisecond))
}

// why says why a node is away, and when it is tried again.
func why(env ui.Env, n ui.Node) string {
	if n.State == ui.NodeOnline {
		return ""
	}
	text := textsafe.Line(n.Reason)
	if wait := n.Next.Sub(env.Now); wait > 0 {
		text += fmt.Sprintf(", again in %d s", int(wait.Seconds()+0.5))
	}
	return text
}

// count counts a node's sessions that run, and those that ask.
func count(env ui.Env, node string) (sessions, asks int) {
	for i := range env.Sessions {
		v := &env.Sessions[i]
		if v.Node != node || v.State.Ended() {
			continue
		}
		sessions++
		if v.State.NeedsPerson() {
			asks++
		}
	}
	return sessions, asks
}

// detail is what is known of a node.
func detail(env ui.Env, id string, w int) (out []string) {
	n := env.Node(id)
	if n == nil {
		return []string{"it was removed from the configuration"}
	}
	sessions, asks := count(env, id)
	add := func(label, text string, st cells.Style) {
		out = append(out, modal.Labelled(env.Theme, w, label, textsafe.Line(text), st)...)
	}
	add("node", n.Name, cells.Style{Attrs: cells.Bold})
	add("ssh", n.Target, cells.Style{})
	add("state", string(n.State), theme.Bold(colour(env.Theme, n.State)))
	add("why", why(env, *n), cells.Style{})
	if n.State != ui.NodeOnline && !n.Seen.IsZero() {
		add("seen", format.Seconds(env.Now, n.Seen)+" ago", cells.Style{})
	}
	add("round trip", round(*n), cells.Style{})
	add("ccdir", cmp.Or(n.Version, "not known yet"), cells.Style{})
	add("system", n.System, cells.Style{})
	add("sessions", fmt.Sprintf("%d run, %d ask", sessions, asks), cells.Style{})
	if n.State != ui.NodeOnline {
		add("help", "`ccdir node doctor "+n.Name+"` shows step by step what is run and where it ends", theme.FG(env.Theme.Dim))
	}
	return out
}
