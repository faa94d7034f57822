package queue

import (
	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// about reports whether a key is about the chosen task.
func about(a keymap.Action) bool {
	switch a {
	case keymap.QueuePane, keymap.QueueStart, keymap.QueueHold, keymap.QueueCancel, keymap.QueueEdit, keymap.QueueAgain, keymap.QueueUp, keymap.QueueDown:
		return true
	}
	return false
}

// refused says why a key does nothing for a task, "" if it does something.
func refused(env ui.Env, t *api.Task, a keymap.Action) string {
	if t == nil {
		return "there is no task here"
	}
	queued := t.State == api.TaskQueued
	is := "task " + t.ID + " is " + string(t.State)
	switch a {
	case keymap.QueuePane:
		if t.Session == "" || env.Session(t.Session) == nil {
			return "this task has no pane: " + env.Keys.Hint(keymap.History) + " has what those of before showed"
		}
	case keymap.QueueStart:
		switch hold, words := held(env, *t); {
		case t.State.Ended():
			return is + ": " + env.Keys.Hint(keymap.QueueAgain) + " runs it again"
		case hold == api.HoldAfter:
			return "task " + t.ID + " " + words + ": start or cancel those first"
		case hold == api.HoldPaused:
			return words + ": " + env.Keys.Hint(keymap.QueuePause) + " lets it go on"
		case !queued && (t.State != api.TaskWaiting || asks(env, *t)):
			return is + " already"
		}
	case keymap.QueueCancel:
		if t.State.Ended() {
			return is + ": there is nothing to cancel"
		}
	case keymap.QueueEdit:
		if !queued {
			return is + ": only queued tasks can be edited"
		}
	case keymap.QueueAgain:
		if !t.State.Ended() {
			return is + ": it runs again once it has ended"
		}
	case keymap.QueueHold:
		if !queued {
			return is + ": only queued tasks can be held back"
		}
	case keymap.QueueUp, keymap.QueueDown:
		if !queued {
			return is + ": only queued tasks have a place"
		}
	}
	return ""
}

// asks reports whether the session of a task asks something: then an answer lets it go on.
func asks(env ui.Env, t api.Task) bool {
	v := env.Session(t.Session)
	return v != nil && v.State.NeedsPerson()
}

// rowKeys are the keys that do something for a task; nil: none is chosen. whole: it is
// shown whole.
func rowKeys(env ui.Env, t *api.Task, whole bool) (keys []keymap.Named) {
	if t == nil {
		return nil
	}
	start := "start"
	switch {
	case reviewed(env, *t):
		start = "ok"
	case t.State == api.TaskWaiting:
		start = "go on"
	}
	hold := "hold"
	if t.Hold {
		hold = "let go"
	}
	if !whole {
		keys = append(keys, keymap.ViewOpen.As("result"))
	}
	for _, k := range []keymap.Named{keymap.QueuePane.As("pane"), keymap.QueueStart.As(start), keymap.QueueAgain.As("run again"),
		keymap.QueueEdit.As("edit"), keymap.QueueHold.As(hold), keymap.QueueCancel.As("cancel"), keymap.QueueUp.As("up"), keymap.QueueDown.As("down")} {
		_, up := env.Work.Neighbour(t.ID, -1)
		_, down := env.Work.Neighbour(t.ID, 1)
		switch {
		case env.ReadOnly && k.Action != keymap.QueuePane, refused(env, t, k.Action) != "":
		case k.Action == keymap.QueueUp && !up, k.Action == keymap.QueueDown && !down:
		default:
			keys = append(keys, k)
		}
	}
	return keys
}

// queueKeys are the keys about a machine's queue itself that do something now.
func (d rows) queueKeys(env ui.Env, node string) (keys []keymap.Named) {
	if env.Cols >= boardRoom {
		keys = append(keys, keymap.QueueBoard.As(map[bool]string{true: "list", false: "board"}[d.board]))
	}
	q := env.Work.Of(node)
	if env.ReadOnly || q == nil {
		return append(keys, keymap.ViewFilter.As("filter"), keymap.ViewClose.As("close"))
	}
	mode, pause := "auto", "pause"
	if q.Mode == api.QueueAuto {
		mode = "manual"
	}
	if q.Mode == api.QueuePaused {
		pause = "go on"
	}
	keys = append(keys, keymap.QueueAdd.As("add"), keymap.QueueMode.As(mode), keymap.QueuePause.As(pause), keymap.QueueMore.As("more"))
	if q.Limit > 1 {
		keys = append(keys, keymap.QueueFewer.As("fewer"))
	}
	if q.Counts[api.TaskQueued] > 0 {
		keys = append(keys, keymap.QueueClear.As("clear"))
	}
	return append(keys, keymap.ViewClose.As("close"))
}
