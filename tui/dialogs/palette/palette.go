// Package palette finds an action of the table of keys, or a session, by a part of its
// words, and does it or gives it the focus; and it has the menu of one session. It owns
// nothing; it asks for the action.
package palette

import (
	"slices"
	"strings"

	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Recent is what was taken from the palette before: that stands first among what matches.
type Recent struct {
	Names []string // of picks, the latest first
	// Use notes that one is taken; nil: nothing is noted.
	Use func(name string) ui.Effect
}

// mostRecent bounds Recent.
const mostRecent = 20

// Latest are names with one that was used.
func Latest(names []string, name string) []string {
	out := append([]string{name}, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })...)
	return out[:min(len(out), mostRecent)]
}

// New offers all actions and sessions.
func New(r Recent) ui.Component { return lists.New(Menu(r)) }

// Menu is the list of actions and sessions.
func Menu(r Recent) chooser.Menu {
	return chooser.Menu{Title: "commands", First: r.Names, Source: func(env ui.Env) []chooser.Pick {
		all := picks(env)
		for i, p := range all {
			if r.Use != nil && p.Disabled == "" {
				all[i].Effects = append([]ui.Effect{r.Use(p.Name())}, p.Effects...)
			}
		}
		return all
	}}
}

// openers lead to where the keys of a mode are pressed. Keys that only move through
// lists are in none of them.
var openers = map[keymap.Mode]keymap.Action{
	keymap.ModeAnswer: keymap.Attention, keymap.ModeList: keymap.List, keymap.ModeBorders: keymap.Borders, keymap.ModePrompt: keymap.Prompt,
	keymap.ModeCopy: keymap.Copy, keymap.ModeEvents: keymap.Events, keymap.ModeQueue: keymap.Queue, keymap.ModeDecisions: keymap.Decisions,
	keymap.ModeCalls: keymap.Calls, keymap.ModeHistory: keymap.History, keymap.ModeRestore: keymap.Restore,
	keymap.ModeConversation: keymap.Messages, keymap.ModeReview: keymap.Review, keymap.ModeNodes: keymap.Nodes, keymap.ModeTrees: keymap.Worktrees,
}

// picks are the actions after the prefix key, the sessions, the actions that are not
// possible now, then those of other modes.
func picks(env ui.Env) []chooser.Pick {
	keys, f := env.Keys, env.Facts
	var can, cannot, elsewhere []chooser.Pick
	for _, b := range keys.Bindings() {
		c := chooser.Pick{Text: b.Text, Detail: string(b.Action), Keys: keys.Hint(b.Action), Disabled: b.Disabled(f), Says: "Enter does it"}
		if c.Keys != "" {
			c.Says += "   without this list: " + c.Keys
		}
		switch mode := keymap.ModeOf(b.Group); {
		case b.Action == keymap.Palette:
		case mode != keymap.ModePrefix:
			if open, ok := openers[mode]; ok {
				elsewhere = append(elsewhere, inMode(keys, f, b, keys.Of(open)))
			}
		case c.Disabled != "":
			cannot = append(cannot, c)
		default:
			c.Effects = chosen(b)
			can = append(can, c)
		}
	}
	return slices.Concat(can, templates(env), chooser.SessionPicks(env.List), cannot, elsewhere)
}

// templates are those of the configuration: one is opened where the session in focus is, if that
// is on this machine, else where the grid was opened.
func templates(env ui.Env) (picks []chooser.Pick) {
	dir := env.Dir
	if v := env.Session(env.Under()); v != nil && v.Node == "" && v.CWD != "" {
		dir = v.CWD
	}
	for _, name := range env.Templates {
		p := chooser.Pick{Text: "open template " + name, Detail: "its sessions, in " + textsafe.Line(dir), Says: "Enter starts what of it does not run", Effects: []ui.Effect{ui.OpenTemplate(env, name, dir)}}
		if env.ReadOnly {
			p.Disabled = "this grid only looks"
		}
		picks = append(picks, p)
	}
	return picks
}

// inMode is an action that is done by a key somewhere else: choosing it goes there
// and tells the key.
func inMode(keys *keymap.Map, f keymap.Facts, b, open keymap.Binding) chooser.Pick {
	c := chooser.Pick{Text: strings.ToLower(b.Group) + ": " + b.Text, Detail: string(b.Action), Disabled: open.Disabled(f), Far: true}
	if c.Disabled == "" {
		c.Disabled = b.Disabled(f)
	}
	key := "" // the prefix key is none there
	if i := slices.IndexFunc(b.Keys, func(k string) bool { return k != keys.Prefix() }); i >= 0 {
		key = modal.ShortKey(b.Keys[i])
	}
	if first := keys.Hint(open.Action); key != "" && first != "" {
		c.Keys = first + " " + key
		c.Says = "Enter goes there: " + key + " does it"
	}
	c.Effects = []ui.Effect{ui.Do{Action: open.Action}}
	if key != "" {
		c.Effects = append(c.Effects, ui.Say{Text: key + ": " + b.Text})
	}
	return c
}

// chosen runs an action.
func chosen(b keymap.Binding) []ui.Effect {
	if b.Action == keymap.FocusN { // its keys say which
		return []ui.Effect{ui.Do{Action: keymap.Picker}}
	}
	return []ui.Effect{ui.Do{Action: b.Action}}
}
