// Package chooser finds one of many by a part of its text: a menu. It owns nothing but
// the filter of its list; what a choice does is its effects.
package chooser

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
	"ccdir/tui/widget/fuzzy"
	"ccdir/tui/widget/listbox"
)

// Menu are the rows to choose from, as rows of a list.
type Menu struct {
	Title string
	Picks []Pick
	// Source, if not nil, says what there is at each moment instead of Picks.
	Source func(env ui.Env) []Pick
}

// Pick is one thing that can be chosen.
type Pick struct {
	ID       string       // of the session that it is, "" for others
	Text     string       // shown, and searched by the filter
	Standing api.Standing // its sign stands before it; "": none
	Detail   string       // behind it
	Keys     string       // at the right
	Key      string       // takes it at once, "" none
	Disabled string       // why not, "" if it can be
	Far      bool         // it is done elsewhere: listed after the others that match
	Effects  []ui.Effect
}

// Sessions finds a session, or all of a state.
func Sessions() ui.Component {
	return lists.New(Menu{Title: "find a session or a state", Source: func(env ui.Env) []Pick {
		all := SessionPicks(env.List)
		for i := range all {
			if n := slices.IndexFunc(env.List.Shown, func(v api.Session) bool { return v.ID == all[i].ID }); n >= 0 {
				all[i].Text = strconv.Itoa(n+1) + " " + all[i].Text
			}
		}
		return append(all, statePicks(env.List)...)
	}})
}

// New is a menu of these choices; at is the one that is chosen at first, "" the first.
func New(title, at string, picks []Pick) ui.Component {
	return lists.Dialog{Rows: Menu{Title: title, Picks: picks}, View: listbox.View{ID: at}}
}

// Name tells a choice apart from the others.
func (p Pick) Name() string { return cmp.Or(p.ID, p.Text) }

func (m Menu) Mode() keymap.Mode { return keymap.ModeViews }

// Chip is the component's name in the status line.
func (m Menu) Chip() string { return "FIND" }

// all are the choices that there are.
func (m Menu) all(env ui.Env) []Pick {
	if m.Source != nil {
		return m.Source(env)
	}
	return m.Picks
}

// Act takes a choice.
func (m Menu) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	if a != keymap.ViewOpen {
		return l, nil, false
	}
	all := m.all(env)
	i := slices.IndexFunc(all, func(p Pick) bool { return p.Name() == id })
	switch {
	case i < 0:
		return l, nil, true
	case all[i].Disabled != "":
		return l, []ui.Effect{ui.Warn{Text: all[i].Disabled}}, true
	}
	return l, append([]ui.Effect{ui.Close{}}, all[i].Effects...), true
}

// Matching are the choices that match a query, the best first.
func (m Menu) Matching(env ui.Env, query string) []Pick {
	all := m.all(env)
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = c.Text + " " + c.Detail
	}
	var near, far []Pick
	for _, i := range fuzzy.Good(query, texts) {
		if all[i].Far {
			far = append(far, all[i])
		} else {
			near = append(near, all[i])
		}
	}
	return append(near, far...)
}

// SessionPicks are the sessions by need; choosing one gives it the focus.
func SessionPicks(src sessionlist.Source) (out []Pick) {
	src.Opt = api.GridList{}
	for _, r := range src.Rows("") {
		v := r.Session
		c := Pick{ID: v.ID, Text: textsafe.Line(v.Name), Standing: v.Standing(src.Now), Keys: filepath.Base(textsafe.Line(src.Project(v.CWD)))}
		c.Detail = strings.TrimSpace(textsafe.Line(v.StandingWord(src.Now)) + " · " + sessionlist.Task(v))
		c.Detail = strings.TrimSuffix(c.Detail, " ·")
		c.Effects = []ui.Effect{ui.Focus{Session: v.ID}}
		out = append(out, c)
	}
	return out
}

// statePicks are the states that sessions have: choosing one lists them.
func statePicks(src sessionlist.Source) (out []Pick) {
	count := map[api.State]int{}
	for _, v := range src.Sessions {
		count[v.State]++
	}
	for _, st := range []api.State{api.StatePermission, api.StateInput, api.StateWorking, api.StateIdle, api.StateStarting, api.StateExiting, api.StateExited, api.StateLost} {
		n := count[st]
		if n == 0 {
			continue
		}
		words := strings.ReplaceAll(string(st), "_", " ")
		out = append(out, Pick{
			Text: "all that are " + words, Standing: st.Standing(), Keys: fmt.Sprint(n),
			Effects: []ui.Effect{ui.Do{Action: keymap.List, Arg: string(st)}},
		})
	}
	return out
}
