package events

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/event"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// only asks a list for the events of one session, "" for all.
type only struct{ session string }

// Key handles a key while the events have the keyboard; ui.Close gives it back.
func (l List) Key(env ui.Env, k ui.Key) (List, []ui.Effect) {
	l = l.Fresh(env)
	if l.typing {
		return l.typed(k), nil
	}
	b, ok := env.Keys.LookupIn(keymap.ModeEvents, k.Name)
	if !ok {
		return l, []ui.Effect{ui.Warn{Text: "the events have no key " + textsafe.Line(k.Name) + ": " + env.Keys.Hint(keymap.EventsLeave) + " goes back to the pane"}}
	}
	at, page := l.at(), max(1, env.EventsAt.H-3)
	switch b.Action {
	case keymap.EventsUp:
		l = l.choose(at - 1)
	case keymap.EventsDown:
		l = l.choose(at + 1)
	case keymap.EventsPageUp:
		l = l.choose(at - page)
	case keymap.EventsPageDn:
		l = l.choose(at + page)
	case keymap.EventsFirst:
		l = l.choose(0)
	case keymap.EventsLast:
		l = l.choose(len(l.rows.all))
	case keymap.EventsFilter:
		l.typing = true
	case keymap.EventsLeave:
		if l.narrow() {
			return l.wide(), nil
		}
		return l, []ui.Effect{ui.Close{}}
	default:
		var e api.Event
		if at >= 0 {
			e = l.rows.all[at].Event
		}
		l, effects, _ := l.act(env, b.Action, e)
		return l, effects
	}
	return l, nil
}

// act runs an action that the sidebar and the dialog have in common, on an event whose
// number is 0 if there is none; taken is false for others.
func (l List) act(env ui.Env, a keymap.Action, e api.Event) (_ List, effects []ui.Effect, taken bool) {
	switch a {
	case keymap.EventsPick:
		return l, []ui.Effect{ui.Open{Component: l.menu(env)}}, true
	case keymap.EventsPause:
		return l.pause(env), nil, true
	case keymap.EventsClear:
		return l.clear(env), nil, true
	case keymap.EventsRaw:
		l.raw = !l.raw
		return l, nil, true
	}
	if e.Seq == 0 {
		return l, nil, false
	}
	switch a {
	case keymap.EventsGo:
		return l, append([]ui.Effect{ui.Close{}}, goTo(env, e)...), true
	case keymap.EventsDetail:
		return l, []ui.Effect{ui.Open{Component: event.New(e, env.Names[e.Session])}}, true
	case keymap.EventsSession:
		if l.sel = e.Seq; l.session != "" {
			l.session = ""
		} else {
			l.session = e.Session
		}
	case keymap.EventsKind:
		if l.sel = e.Seq; l.kind != "" {
			l.kind = ""
		} else {
			l.kind = e.Type
		}
	default:
		return l, nil, false
	}
	return l, nil, true
}

// follow shows the newest rows, and those that come.
func (l List) follow(env ui.Env) List {
	if l.paused {
		l = l.pause(env)
	}
	l.sel = 0
	return l.Fresh(env)
}

// goTo goes to the session of an event, if it has one.
func goTo(env ui.Env, e api.Event) []ui.Effect {
	if e.Session == "" {
		return nil
	}
	return []ui.Effect{ui.Focus{Session: e.Session}}
}

// typed edits the text of the filter.
func (l List) typed(k ui.Key) List {
	switch k.Name {
	case "Enter":
		l.typing = false
	case "Escape", "C-c":
		l.typing, l.find = false, edit.Line{}
	default:
		l.find, _ = l.find.Key(k.Name, k.Text())
	}
	return l
}

// Paste goes into the filter while it is typed, else nowhere: the pane does not have the
// keyboard.
func (l List) Paste(env ui.Env, text string) (List, []ui.Effect) {
	if !l.typing {
		return l, []ui.Effect{ui.Warn{Text: "the events have the keyboard: nothing was pasted; " + env.Keys.Hint(keymap.EventsLeave) + " goes back to the pane"}}
	}
	l.find = l.find.Insert(textsafe.Line(text))
	return l, nil
}

// Mouse: a click goes to the session of its row, the wheel scrolls.
func (l List) Mouse(env ui.Env, msg tea.MouseMsg) (List, []ui.Effect) {
	l = l.Fresh(env)
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		l = l.choose(l.at() + modal.WheelLines*modal.WheelSteps(e.Button))
		l.byWheel = true
	case tea.MouseClickMsg:
		in := inside(env.EventsAt)
		if n := l.newer(env); n > 0 && e.Y == in.Y+in.H-1 && e.X >= in.X+in.W-paint.Width(l.newerText(n)) {
			return l.follow(env), nil
		}
		if shown := l.shown(env); in.Contains(e.X, e.Y) && e.Y-in.Y < len(shown) {
			return l, goTo(env, shown[e.Y-in.Y].Event)
		}
	}
	return l, nil
}

// menu offers the sessions whose events can be shown alone: those in the grid by need,
// then those that are gone and have events in the list.
func (l List) menu(env ui.Env) ui.Component {
	count := map[string]int{}
	for _, e := range env.Events {
		if e.Seq > l.after {
			count[e.Session]++
		}
	}
	alone := func(id string) []ui.Effect {
		return []ui.Effect{ui.Tell{To: ui.Sidebar, Value: only{id}}, ui.Tell{Value: only{id}}}
	}
	picks := []chooser.Pick{{Text: "all sessions", Keys: fmt.Sprint(len(env.Events)), Effects: alone("")}}
	for _, p := range chooser.SessionPicks(env.List) {
		p.Keys, p.Effects = fmt.Sprint(count[p.ID]), alone(p.ID)
		delete(count, p.ID)
		picks = append(picks, p)
	}
	for _, e := range env.Events {
		if n := count[e.Session]; e.Session != "" && n > 0 {
			picks = append(picks, chooser.Pick{ID: e.Session, Text: env.SessionName(e.Session) + " (gone)", Keys: fmt.Sprint(n), Effects: alone(e.Session)})
			delete(count, e.Session)
		}
	}
	return chooser.New("events of", "", picks)
}

// Receive takes what the list was asked for, or what the log has.
func (l List) Receive(env ui.Env, value any) List {
	switch v := value.(type) {
	case only:
		l.session, l.sel = v.session, 0
	case found:
		l = l.take(v)
	case List: // as the dialog has left it
		l = v
		l.over = false
	}
	return l.Fresh(env)
}
