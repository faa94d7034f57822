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
	// First are names of choices that stand before others that match as well.
	First []string
	// At is the cell beside which it opens, nil: in the middle of the screen.
	At *Place
}

// Place is a cell of the screen.
type Place struct{ X, Y int }

// Pick is one thing that can be chosen.
type Pick struct {
	ID       string       // of the session that it is, "" for others
	Text     string       // shown, and searched by the filter
	Standing api.Standing // its sign stands before it; "": none
	Detail   string       // behind it
	Keys     string       // at the right
	Key      string       // takes it at once, "" none
	Disabled string       // why not, "" if it can be
	Theme    string       // is shown while it is chosen, "" none
	Far      bool         // it is done elsewhere: listed after the others that match
	Effects  []ui.Effect
	// Says is what the last line says of it instead of the keys of every menu; More is what
	// C-o does, nil nothing.
	Says string
	More []ui.Effect
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

// Theme is that of the chosen one (lists.Previewer).
func (m Menu) Theme(chosen string) string {
	for _, p := range m.Picks {
		if p.Name() == chosen {
			return p.Theme
		}
	}
	return ""
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

// Intercept takes the key for what else can be done with the chosen one.
func (m Menu) Intercept(env ui.Env, l lists.Dialog, k ui.Key) (lists.Dialog, []ui.Effect, bool) {
	if k.Name != "C-o" {
		return l, nil, false
	}
	for _, p := range m.Matching(env, l.View.Query.String()) {
		if p.More != nil && (l.View.ID == "" || p.Name() == l.View.ID) {
			return l, p.More, true
		}
	}
	return l, nil, false
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
	if len(m.First) > 0 {
		rank := func(p Pick) int {
			if i := slices.Index(m.First, p.Name()); i >= 0 {
				return i
			}
			return len(m.First)
		}
		slices.SortStableFunc(near, func(a, b Pick) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return slices.Concat(near, placed(all, near, query), far)
}

// placed are the sessions that match by nothing but their directory.
func placed(all, near []Pick, query string) (out []Pick) {
	if strings.TrimSpace(query) == "" {
		return nil
	}
	var rest []Pick
	var places []string
	for _, p := range all {
		if p.ID != "" && !slices.ContainsFunc(near, func(n Pick) bool { return n.ID == p.ID }) {
			rest, places = append(rest, p), append(places, p.Keys)
		}
	}
	for _, i := range fuzzy.Good(query, places) {
		out = append(out, rest[i])
	}
	return out
}

// SessionPicks are the sessions by need; choosing one gives it the focus.
func SessionPicks(src sessionlist.Source) (out []Pick) {
	src.Opt = api.GridList{}
	for _, r := range src.Rows("") {
		v := r.Session
		c := Pick{ID: v.ID, Text: textsafe.Line(v.Name), Standing: v.Standing(src.Now), Keys: filepath.Base(textsafe.Line(src.Project(v.CWD)))}
		c.Detail = strings.TrimSpace(ui.StandingWord(v, src.Now) + " · " + sessionlist.Task(v))
		c.Detail = strings.TrimSuffix(c.Detail, " ·")
		c.Effects = []ui.Effect{ui.Focus{Session: v.ID}}
		c.Says, c.More = "Enter goes to it   C-o what else can be done with it", []ui.Effect{ui.Close{}, ui.Do{Action: keymap.Menu, Arg: v.ID}}
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
