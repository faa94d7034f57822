// Package transcript shows what a session showed until it ended, with its styles, and
// finds words in it. It owns the lines and the place; it may ask to go on with the
// session.
package transcript

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
)

// Reader is the part of a client that keeps transcripts.
type Reader interface {
	// Transcript is what a session, or a task's, showed until it ended.
	Transcript(ctx context.Context, ref string) (api.Transcript, error)
}

// dialog is the dialog. The lines don't change.
type dialog struct {
	entry api.HistoryEntry
	lines []string
	plain []string // without styles, in small letters
	pager modal.Pager
	// query is the text of the search, words are its words; at is the line of the
	// present match.
	query  edit.Line
	typing bool
	words  []string
	at     int
}

// New lays a transcript out and shows the last line that has one of the
// words, else its end.
func New(t api.Transcript, words []string) ui.Component {
	d := dialog{entry: t.HistoryEntry, lines: styledLines(t.ANSI), words: words}
	d.query = edit.NewLine(strings.Join(words, " "))
	for _, l := range d.lines {
		d.plain = append(d.plain, strings.ToLower(ansi.Strip(l)))
	}
	d.at = len(d.lines)
	d.pager = d.pager.Fill(d.lines, 80, 24)
	d.pager, _ = d.pager.Moved(keymap.ViewLast)
	return d.next(-1)
}

// styledLines are the lines of text with SGR sequences: each begins with the
// style that the one before ended in, and nothing but text and styles is left.
func styledLines(text string) []string {
	var out []string
	pen := ""
	for l := range strings.Lines(strings.TrimRight(text, "\n")) {
		var b strings.Builder
		b.WriteString(pen)
		for l != "" {
			if l[0] == 0x1b {
				n, params, sgr := sgr.Sequence(l)
				if sgr {
					if pen += l[:n]; params == "" || params == "0" {
						pen = ""
					}
					b.WriteString(l[:n])
				}
				l = l[n:]
				continue
			}
			part := l
			if i := strings.IndexByte(l, 0x1b); i >= 0 {
				part = l[:i]
			}
			b.WriteString(textsafe.Line(strings.TrimRight(strings.ReplaceAll(part, "\t", "    "), "\r\n")))
			l = l[len(part):]
		}
		out = append(out, b.String()+"\x1b[m")
	}
	return out
}

// box is nearly the whole screen: a transcript is as wide as its terminal was.
func (d dialog) box(env ui.Env) paint.Rect {
	return modal.Middle(env.Cols, max(0, env.Rows-1), env.Cols, env.Rows)
}

// sized is the transcript laid out for the screen.
func (d dialog) sized(env ui.Env) dialog {
	box := d.box(env)
	d.pager = d.pager.Room(box.W-4, box.H-3)
	return d
}

func (d dialog) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	d = d.sized(env)
	if d.typing {
		return d.typed(k)
	}
	if k.Name == "C-c" {
		return d, []ui.Effect{ui.Close{All: true}}
	}
	b, ok := env.Keys.LookupIn(keymap.ModeHistory, k.Name)
	if !ok {
		b, ok = env.Keys.LookupIn(keymap.ModeViews, k.Name)
	}
	if !ok {
		return d, nil
	}
	if reason := b.Disabled(env.Facts); reason != "" {
		return d, []ui.Effect{ui.Warn{Text: reason}}
	}
	switch b.Action {
	case keymap.ViewClose, keymap.ViewOpen:
		return d, []ui.Effect{ui.Close{}}
	case keymap.HistorySearch:
		d.typing, d.query = true, edit.Line{}
	case keymap.HistoryNext:
		d = d.next(1)
	case keymap.HistoryPrevious:
		d = d.next(-1)
	case keymap.HistoryResume:
		return d, Resume(env, d.entry.ID, &d.entry)
	default:
		d.pager, _ = d.pager.Moved(b.Action)
	}
	return d, nil
}

// typed takes a key of the search.
func (d dialog) typed(k ui.Key) (ui.Component, []ui.Effect) {
	switch k.Name {
	case "Escape", "C-c":
		d.typing, d.words = false, nil
	case "Enter":
		d.typing = false
		d.words = strings.Fields(strings.ToLower(d.query.String()))
		at := d.at
		if d = d.next(-1); d.at == at && len(d.words) > 0 {
			return d, []ui.Effect{ui.Say{Text: "nothing of it is in this transcript"}}
		}
	default:
		d.query, _ = d.query.Key(k.Name, k.Text())
	}
	return d, nil
}

// next goes to the next line that has one of the words, downwards by 1 and
// upwards by -1, round and round.
func (d dialog) next(by int) dialog {
	n := len(d.plain)
	for i := 1; i <= n; i++ {
		at := ((d.at+by*i)%n + n) % n
		for _, w := range d.words {
			if strings.Contains(d.plain[at], w) {
				d.at = at
				d.pager = d.pager.To(at)
				return d
			}
		}
	}
	return d
}

// Mouse: the wheel scrolls; a click beside the transcript closes it.
func (d dialog) Mouse(env ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	d = d.sized(env)
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		d.pager = d.pager.Wheel(msg.Mouse().Button)
	}
	if e, ok := modal.Clicked(msg); ok && !d.box(env).Contains(e.X, e.Y) {
		return d, []ui.Effect{ui.Close{}}
	}
	return d, nil
}

// Paste puts text into what is searched.
func (d dialog) Paste(_ ui.Env, text string) ui.Component {
	if d.typing {
		d.query = d.query.Insert(textsafe.Line(text))
	}
	return d
}

// YieldsPrefix: nothing is lost.
func (d dialog) YieldsPrefix() bool { return true }
