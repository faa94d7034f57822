package conversation

import (
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/dialogs/transcript"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/turns"
)

// Key moves through the conversation, opens tool calls, and searches.
func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	d = d.laid(env)
	if !d.told {
		return d.keyEarly(env, k)
	}
	if d.find.typing {
		return d.typed(env, k)
	}
	if k.Name == "C-c" {
		return d, []ui.Effect{ui.Close{All: true}}
	}
	b, ok := env.Keys.LookupIn(keymap.ModeConversation, k.Name)
	if !ok {
		b, ok = env.Keys.LookupIn(keymap.ModeViews, k.Name)
	}
	if !ok {
		if own, bound := env.Keys.Lookup(k.Name); bound && own.Action == keymap.Messages {
			return d, []ui.Effect{ui.Close{All: true}}
		}
		return d, nil
	}
	if reason := b.Disabled(env.Facts); reason != "" {
		return d, []ui.Effect{ui.Warn{Text: reason}}
	}
	return d.act(env, b.Action)
}

// keyEarly takes a key while turns are still to come: it waits for them. Closing the view takes
// back the keys that wait, and with none of them closes it at once.
func (d dialog) keyEarly(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	b, _ := env.Keys.LookupIn(keymap.ModeViews, k.Name)
	switch {
	case k.Name == "C-c":
		return d, []ui.Effect{ui.Close{All: true}}
	case b.Action == keymap.ViewClose && len(d.early) == 0:
		return d, []ui.Effect{ui.Close{}}
	case b.Action == keymap.ViewClose && k.Text() == "":
		d.early = nil
		return d, nil
	}
	return d.later(func(d dialog, env ui.Env) (ui.Component, []ui.Effect) { return d.Key(env, k) }), nil
}

// act carries out an action.
func (d dialog) act(env ui.Env, a keymap.Action) (ui.Component, []ui.Effect) {
	switch a {
	case keymap.ViewClose:
		if d.find.query != "" {
			d.find = find{}
			return d, nil
		}
		return d, []ui.Effect{ui.Close{}}
	case keymap.ConversationNext:
		return d.turn(1)
	case keymap.ConversationPrevious:
		return d.turn(-1)
	case keymap.ConversationFailed:
		return d.next(env, 1)
	case keymap.ConversationFailedUp:
		return d.next(env, -1)
	case keymap.ViewOpen:
		return d.toggled(env, nil)
	case keymap.ViewRight:
		yes := true
		return d.toggled(env, &yes)
	case keymap.ViewLeft:
		no := false
		return d.toggled(env, &no)
	case keymap.ConversationAll:
		return d.allToggled(env), nil
	case keymap.ConversationSearch, keymap.ViewFilter:
		d.find = find{typing: true, last: d.find.query}
	case keymap.ConversationCopy:
		return d, d.copied()
	case keymap.ConversationEditor:
		return d, []ui.Effect{d.editor(env)}
	case keymap.ConversationScreen:
		return d, d.screen(env)
	case keymap.ConversationResume:
		return d, transcript.Resume(env, d.ID, d.Entry)
	default:
		return d.moves(a)
	}
	return d, nil
}

// moves moves the cursor or the view.
func (d dialog) moves(a keymap.Action) (ui.Component, []ui.Effect) {
	switch a {
	case keymap.ViewUp:
		if d.cursor == 0 {
			return d.older()
		}
		return d.moved(d.cursor - 1), nil
	case keymap.ViewDown:
		return d.moved(d.cursor + 1), nil
	case keymap.ViewPageUp:
		if d.top == 0 {
			if next, effects, ok := d.more(); ok {
				return next, effects
			}
			return d.moved(0), nil
		}
		at := d.cursor - d.top
		d = d.scrolled(-max(1, d.height-1))
		return d.moved(d.top + at), nil
	case keymap.ViewPageDown:
		at, top := d.cursor-d.top, d.top
		d = d.scrolled(max(1, d.height-1))
		if d.top == top {
			return d.moved(d.end() - 1), nil
		}
		return d.moved(d.top + at), nil
	case keymap.ViewFirst:
		if next, effects, ok := d.all(); ok {
			next.wanted = &place{turn: 1}
			return next, effects
		}
		return d.moved(0), nil
	case keymap.ViewLast:
		return d.moved(d.end() - 1), nil
	}
	return d, nil
}

// older asks for older turns if there are any.
func (d dialog) older() (ui.Component, []ui.Effect) {
	next, effects, _ := d.more()
	return next, effects
}

// all asks for the conversation from its beginning; false if that is here.
func (d dialog) all() (dialog, []ui.Effect, bool) {
	if len(d.blocks) == 0 || d.blocks[0].turn.Turn <= 1 {
		return d, nil, false
	}
	d.last, d.from, d.follows = 0, 0, false
	d.wanted = d.here()
	d, effects := d.ask()
	return d, effects, true
}

// turn goes to the turn after or before the cursor.
func (d dialog) turn(by int) (ui.Component, []ui.Effect) {
	b := d.turnAt()
	if b < 0 {
		return d, nil
	}
	switch {
	case by < 0 && d.cursor > d.header(b):
		return d.toTurn(b), nil // its own beginning first
	case by < 0 && b == 0:
		if next, effects, ok := d.more(); ok {
			return next, effects
		}
		return d.toTurn(0), []ui.Effect{ui.Say{Text: "this is the first turn"}}
	case by > 0 && b+1 >= len(d.blocks):
		return d.moved(d.end() - 1), nil
	}
	return d.toTurn(b + by), nil
}

// next goes to the next place that was searched for, else to the next call that failed.
func (d dialog) next(env ui.Env, by int) (ui.Component, []ui.Effect) {
	if d.find.query != "" {
		return d.nextFound(env, by)
	}
	for row := d.cursor + by; row >= 0 && row < d.end(); row += by {
		if d.row(row).Failed {
			d = d.moved(row)
			d.top = max(0, min(d.cursor-d.height/3, d.end()-d.height))
			return d, nil
		}
	}
	if by < 0 {
		if next, effects, ok := d.more(); ok {
			return next, append(effects, ui.Say{Text: "no older call failed so far: older turns are read"})
		}
		return d, []ui.Effect{ui.Say{Text: "no older tool call failed"}}
	}
	return d, []ui.Effect{ui.Say{Text: "no later tool call failed"}}
}

// toggled opens or closes the thing at the cursor.
func (d dialog) toggled(env ui.Env, want *bool) (ui.Component, []ui.Effect) {
	path := d.row(d.cursor).Path
	if path == "" {
		if want == nil {
			return d, []ui.Effect{ui.Say{Text: "this is shown whole: Enter opens tool calls and notes"}}
		}
		return d, nil
	}
	open := !d.opened[path]
	if want != nil {
		open = *want
	}
	if open == d.opened[path] {
		return d, nil
	}
	at := d.here()
	at.off, at.below = 0, max(0, at.below-at.off)
	return d.with(env, map[string]bool{path: open}, d.turnAt(), at), nil
}

// with opens and closes things of one turn; the cursor goes to a place.
func (d dialog) with(env ui.Env, paths map[string]bool, b int, at *place) dialog {
	d.opened = maps.Clone(d.opened)
	if d.opened == nil {
		d.opened = map[string]bool{}
	}
	for path, open := range paths {
		if open {
			d.opened[path] = true
		} else {
			delete(d.opened, path)
		}
	}
	blocks := make([]block, len(d.blocks))
	copy(blocks, d.blocks)
	blocks[b].rows = nil
	d.blocks = blocks
	d.follows = false
	d.wanted = at
	return d.laid(env)
}

// allToggled opens all tool calls of the turn, or closes them if one is open.
func (d dialog) allToggled(env ui.Env) dialog {
	b := d.turnAt()
	if b < 0 {
		return d
	}
	paths, open := map[string]bool{}, true
	t := d.blocks[b].turn
	for i, item := range t.Items {
		if item.Kind == api.ItemTool {
			path := turns.Path("", t.Turn, i)
			paths[path] = true
			open = open && !d.opened[path]
		}
	}
	for path := range paths {
		paths[path] = open
	}
	at := d.here()
	if !open && at.path != "" {
		at.off = 0
	}
	return d.with(env, paths, b, at)
}

// Mouse: the wheel scrolls; a click chooses a row, on the chosen one opens it, and beside
// the view closes it.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	d = d.laid(env)
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		by := modal.WheelLines * modal.WheelSteps(msg.Mouse().Button)
		if by < 0 && d.top == 0 && d.told {
			return d.older()
		}
		return d.scrolled(by), nil
	}
	e, ok := modal.Clicked(msg)
	if !ok || d.find.typing {
		return d, nil
	}
	in := d.inside(env)
	if !in.Contains(e.X, e.Y) {
		return d, nil
	}
	row := d.top + e.Y - in.Y
	if row >= d.end() {
		return d, nil
	}
	again := row == d.cursor || d.row(row).Head && d.row(row).Path != ""
	d = d.moved(row)
	if again && d.row(row).Path != "" {
		return d.toggled(env, nil)
	}
	return d, nil
}

// copied puts what is opened at the cursor into the clipboard, else the turn's answer.
func (d dialog) copied() []ui.Effect {
	b := d.turnAt()
	if b < 0 {
		return nil
	}
	t := d.blocks[b].turn
	text := t.Answer
	if tool, ok := d.toolAt(); ok && d.opened[d.row(d.cursor).Path] {
		text = tool.Result
		if len(tool.Diff) > 0 {
			text = diffText(tool.Diff)
		}
		if strings.TrimSpace(text) == "" {
			text = turns.InputText(tool)
		}
	}
	if strings.TrimSpace(text) == "" {
		return []ui.Effect{ui.Warn{Text: "this turn has no answer yet: nothing was copied"}}
	}
	return []ui.Effect{ui.Copy{Text: text}}
}

// toolAt is the tool call at the cursor, of the conversation itself.
func (d dialog) toolAt() (api.TurnTool, bool) {
	b, _, ok := d.at(d.cursor)
	if !ok {
		return api.TurnTool{}, false
	}
	t, path := d.blocks[b].turn, d.row(d.cursor).Path
	for i, item := range t.Items {
		if item.Kind == api.ItemTool && item.Tool < len(t.Tools) && turns.Path("", t.Turn, i) == path {
			return t.Tools[item.Tool], true
		}
	}
	return api.TurnTool{}, false
}

func diffText(hunks []api.DiffHunk) string {
	var b strings.Builder
	for _, h := range hunks {
		for _, l := range h.Lines {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}
