package review

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/help"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Key moves through the difference, folds files, and searches.
func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	d = d.laid(env)
	if d.find.typing {
		return d.typed(env, k)
	}
	if k.Name == "C-c" {
		return d.close(true)
	}
	b, ok := env.Keys.LookupIn(keymap.ModeReview, k.Name)
	if !ok {
		b, ok = env.Keys.LookupIn(keymap.ModeViews, k.Name)
	}
	if !ok {
		if own, bound := env.Keys.Lookup(k.Name); bound && own.Action == keymap.Review && len([]rune(k.Name)) > 1 {
			return d.close(true)
		}
		return d, nil
	}
	if reason := b.Disabled(env.Facts); reason != "" {
		return d, []ui.Effect{ui.Warn{Text: reason}}
	}
	if d.scope == api.DiffPlan && ofFiles[b.Action] {
		return d, []ui.Effect{ui.Say{Text: "a plan is no file yet: " + env.Keys.Hint(keymap.ReviewSend) + " answers it"}}
	}
	return d.act(env, b.Action)
}

// act carries out an action.
func (d dialog) act(env ui.Env, a keymap.Action) (ui.Component, []ui.Effect) {
	switch a {
	case keymap.ViewClose:
		switch {
		case d.find.query != "":
			d.find = find{}
		case d.mark >= 0:
			d.mark = -1
		default:
			return d.close(false)
		}
	case keymap.ReviewScope:
		return d.scoped(env, 1)
	case keymap.ReviewScopeBack:
		return d.scoped(env, -1)
	case keymap.ReviewFresh:
		d.told = d.told && d.problem == ""
		return d.ask(env)
	case keymap.ReviewHelp:
		return d, []ui.Effect{ui.Open{Component: help.Of(keymap.GroupReview)}}
	case keymap.ReviewSide:
		d.split = !d.split
		d = d.laid(env)
		if d.split != d.layout.split {
			return d, []ui.Effect{ui.Say{Text: "there is no room for two columns of text here"}}
		}
	case keymap.ReviewNoteAll:
		return d.comment(true)
	case keymap.ReviewSend:
		return d, d.send(env)
	case keymap.ReviewUndo:
		return d.undo()
	case keymap.ReviewWhole:
		d.beside = !d.beside
		return d.laid(env), nil
	default:
		return d.inText(env, a)
	}
	return d, nil
}

// inText carries out an action on the rows.
func (d dialog) inText(env ui.Env, a keymap.Action) (ui.Component, []ui.Effect) {
	if len(d.rows) == 0 {
		return d, nil
	}
	switch a {
	case keymap.ReviewHunk, keymap.ReviewHunkUp:
		by := map[bool]int{true: 1, false: -1}[a == keymap.ReviewHunk]
		if d.find.query != "" {
			return d.nextFound(by)
		}
		return d.hunk(by)
	case keymap.ReviewFile:
		return d.file(1)
	case keymap.ReviewFileUp:
		return d.file(-1)
	case keymap.ReviewStage:
		return d.change(env, api.ReviewStage)
	case keymap.ReviewPutBack:
		return d.change(env, api.ReviewPutBack)
	case keymap.ReviewViewed:
		return d.viewed(env)
	case keymap.ReviewNote:
		return d.comment(false)
	case keymap.ReviewNoteNext:
		return d.nextNote(1)
	case keymap.ReviewNotePrev:
		return d.nextNote(-1)
	case keymap.ReviewEdit:
		return d.edit(env)
	case keymap.ReviewDrop:
		return d.drop(env)
	case keymap.ViewOpen:
		return d.entered(env)
	case keymap.ReviewAll:
		return d.allToggled(env), nil
	case keymap.ReviewMark:
		if d.mark >= 0 {
			d.mark = -1
		} else {
			d.mark = d.cursor
		}
	case keymap.ReviewSearch, keymap.ViewFilter:
		d.find = find{typing: true, last: d.find.query}
	case keymap.ReviewCopy:
		return d.copied()
	case keymap.ReviewEditor:
		return d, d.editor(env)
	default:
		return d.moves(a), nil
	}
	return d, nil
}

// entered sends the drafts if there are some and the cursor is in the text, else folds the file.
func (d dialog) entered(env ui.Env) (ui.Component, []ui.Effect) {
	r, _ := d.row(d.cursor)
	if n, _ := d.drafts(); (n > 0 || d.scope == api.DiffPlan) && r.kind != rowFile && r.kind != rowNote {
		if b := env.Keys.Of(keymap.ReviewSend); b.Disabled(env.Facts) != "" {
			return d, []ui.Effect{ui.Warn{Text: b.Disabled(env.Facts)}}
		}
		return d, d.send(env)
	}
	if d.fileAt(d.cursor) == nil {
		return d, nil
	}
	return d.toggled(env)
}

// toggled folds the file at the cursor, or unfolds it. What was left out of the difference is asked for.
func (d dialog) toggled(env ui.Env) (ui.Component, []ui.Effect) {
	f := d.fileAt(d.cursor)
	at := d.here()
	if !d.isFolded(f) {
		d = d.folded(map[string]bool{f.Path: true}).laid(env)
		return d.to(d.rowOf(place{path: at.path})), nil
	}
	switch f.LeftOut {
	case api.LeftOutGenerated, api.LeftOutLarge, api.LeftOutTotal:
		return d, []ui.Effect{d.call("reading the file", api.DiffQuestion{Scope: d.scope, Turn: d.turnShown(), Paths: []string{f.Path}})}
	}
	d = d.folded(map[string]bool{f.Path: false}).laid(env)
	return d.opened(d.rowOf(at)), nil
}

// turnShown is the number of the turn that is shown, 0: no turn is.
func (d dialog) turnShown() int {
	if d.scope == api.DiffTurn && d.diff.Turn != nil {
		return *d.diff.Turn
	}
	return 0
}

// allToggled folds all files, or unfolds those that have lines if all are folded.
func (d dialog) allToggled(env ui.Env) dialog {
	all := map[string]bool{}
	open := true
	for i := range d.diff.Files {
		open = open && d.isFolded(&d.diff.Files[i])
	}
	for _, f := range d.diff.Files {
		if !open || f.LeftOut == "" {
			all[f.Path] = !open
		}
	}
	at := d.here()
	d = d.folded(all).laid(env)
	return d.opened(d.rowOf(place{path: at.path}))
}

// Mouse: the wheel scrolls; a click chooses a row, on the head of a file folds it, in the list goes to a file.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	d = d.laid(env)
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		return d.scrolled(modal.WheelLines * modal.WheelSteps(msg.Mouse().Button)), nil
	}
	e, ok := modal.Clicked(msg)
	if !ok || d.find.typing {
		return d, nil
	}
	a := d.areas(env)
	switch {
	case a.text.Contains(e.X, e.Y):
		n := d.top + e.Y - a.text.Y
		if r, ok := d.row(n); ok {
			if d = d.to(n); r.kind == rowFile {
				return d.toggled(env)
			}
		}
	case a.list.Contains(e.X, e.Y):
		if i := d.listTop(a.list.H) + e.Y - a.list.Y; i < len(d.files) {
			return d.toFile(i), nil
		}
	case a.tabs.Contains(e.X, e.Y):
		if s, ok := d.scopeAt(env, e.X-a.tabs.X); ok && s != d.scope {
			all := d.scopes(env)
			return d.scoped(env, index(all, s)-index(all, d.scope))
		}
	case !a.box.Contains(e.X, e.Y):
		return d.close(false)
	}
	return d, nil
}

func index(all []api.DiffScope, s api.DiffScope) int {
	for i := range all {
		if all[i] == s {
			return i
		}
	}
	return 0
}
