// Package lists is a dialog that is a list: a filter, rows of which one is chosen, and
// that row shown whole. It owns the filter, the choice and the place (listbox.View); what
// is listed, and what the keys of its own do, is Rows. It asks for nothing but to be
// closed, and passes on what its Rows ask for.
package lists

import (
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/listbox"
)

// Rows are what such a dialog lists. They are a value.
type Rows interface {
	// Content is its present content, for a list in that state.
	Content(env ui.Env, v listbox.View) listbox.Content
	// Mode has the keys of the dialog's own. Act runs them, and those of the list that it
	// wants for itself, on the row with that id, "" if there is none; taken is false for
	// others. d is the dialog with these Rows.
	Mode() keymap.Mode
	Act(env ui.Env, d Dialog, a keymap.Action, id string) (_ Dialog, effects []ui.Effect, taken bool)
}

// What Rows may have besides.
type (
	// Interceptor gets keys before the list does; taken is false for those that it leaves.
	Interceptor interface {
		Intercept(env ui.Env, d Dialog, k ui.Key) (_ Dialog, effects []ui.Effect, taken bool)
	}
	// Translator makes actions of its mode those of a list.
	Translator interface {
		Translate(a keymap.Action) keymap.Action
	}
	// Guarded rows come by themselves: what was typed before they were on the screen is
	// not for them.
	Guarded interface{ Guarded() }
	// Named rows say what the status line calls the list (ui.Named).
	Named interface{ Chip() string }
	// Menued rows have a menu each, which a click of the right button opens by that action.
	Menued interface{ Menu() keymap.Action }
	// Previewer rows show a theme while one of them is chosen (ui.Previewer).
	Previewer interface{ Theme(chosen string) string }
	// Writer says whether something is written or waited for that the prefix key would
	// lose.
	Writer interface{ Writes() bool }
	// Follower follows what is known (ui.Refresher).
	Follower interface {
		Refresh(env ui.Env) (Rows, []ui.Effect)
	}
	// Mover moves the choice when the rows have followed what is known; before are the
	// rows as they were.
	Mover interface {
		Move(before Rows, v listbox.View) listbox.View
	}
	// Receiver gets the answers to the calls (ui.Receiver).
	Receiver interface {
		Receive(env ui.Env, d Dialog, value any, err error) (Dialog, []ui.Effect)
	}
	// Waker shows what changes with time (ui.Waker).
	Waker interface {
		NextWake(env ui.Env) time.Time
	}
	// Drawer draws over the list. cur is the list's cursor.
	Drawer interface {
		DrawOver(env ui.Env, s *paint.Surface, cur paint.Cursor) paint.Cursor
	}
	// Paster takes pasted text before the filter does; taken is false if it leaves it.
	Paster interface {
		Paste(d Dialog, text string) (_ Dialog, taken bool)
	}
)

// NameWidth is the width of the column of names that several lists have.
const NameWidth = 12
