package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/theme"
)

// Key is a key press; the numeric keypad's keys come as the others.
type Key = input.Key

// Component is a thing on the screen. It is a value: the grid keeps what Key returns, and
// pictures keep what was there before.
type Component interface {
	Key(env Env, k Key) (Component, []Effect)
	// Draw shows it; the cursor is invisible unless it takes text.
	Draw(env Env, s *paint.Surface) paint.Cursor
}

// The abilities that a component may have besides.
type (
	// Paster takes pasted text; others ignore it.
	Paster interface {
		Paste(env Env, text string) Component
	}
	// Mouser takes clicks and the wheel; others ignore them.
	Mouser interface {
		Mouse(env Env, msg tea.MouseMsg) (Component, []Effect)
	}
	// Waker shows something that changes with time: it is drawn anew at that time. The
	// zero time is never.
	Waker interface {
		NextWake(env Env) time.Time
	}
	// Refresher follows what is known from the daemon. Refresh is called after each
	// change while the component is in front.
	Refresher interface {
		Refresh(env Env) (Component, []Effect)
	}
	// Previewer shows a theme by its name while it is in front; "" is that of the settings.
	Previewer interface{ Theme() string }
	// TaskViewer says whether it shows what became of tasks: who sees that has looked at them.
	TaskViewer interface{ ShowsTasks() bool }
	// Receiver gets the answers to its calls: the value of the Result, which may be nil
	// after an error.
	Receiver interface {
		Receive(env Env, value any, err error) (Component, []Effect)
	}
	// PrefixYielder says whether the prefix key leaves the component for an action of
	// ccdir's, because nothing would be lost; else it is a key like others.
	PrefixYielder interface {
		YieldsPrefix() bool
	}
	// Named says what the status line calls what has the keyboard; others are a DIALOG.
	Named interface {
		Chip() string
	}
	// Tinted gives what the status line calls it another colour than the accent.
	Tinted interface {
		Tint(t *theme.Theme) cells.Color
	}
	// Busy says what the component waits for, "" if it doesn't. Meanwhile keys are for
	// what comes after that, and Escape stops the waiting.
	Busy interface {
		Waits() string
	}
	// Repeater says of a key that comes while it waits whether that is once more what it
	// waits for: the first such keys are for nobody.
	Repeater interface {
		Repeats(env Env, k Key) bool
	}
	// Asker says whether its keys are answers now. What is pasted as keys is none.
	Asker interface {
		Asks() bool
	}
)
