package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// transcript shows what a session showed until it ended, with its styles. It is a
// value; the lines don't change.
type transcript struct {
	back  pastDialog
	entry api.HistoryEntry
	lines []string
	plain []string // without styles, in small letters
	pager modal.Pager
	// query is what is searched in it, words the parts of it, at the line of the
	// match that is looked at.
	query  edit.Line
	typing bool
	words  []string
	at     int
}

// newTranscript lays a transcript out and shows the last line that has one of the
// words, else its end.
func newTranscript(t api.Transcript, words []string) transcript {
	d := transcript{entry: t.HistoryEntry, lines: styledLines(t.ANSI), words: words}
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
func (d transcript) box(cols, rows int) paint.Rect {
	return modal.Middle(cols, max(0, rows-1), cols, rows)
}

func (d transcript) draw(s *paint.Surface, sc *scene) paint.Cursor {
	box := d.box(sc.Cols, sc.Rows)
	e := d.entry
	title := e.Name + " · ended " + e.Ended.Local().Format(time.DateTime)
	if e.ExitCode != nil {
		title += fmt.Sprintf(" with %d", *e.ExitCode)
	}
	modal.Box(s, box, textsafe.Line(title), sc.Theme.Accent)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	d.pager.Marks = d.words
	d.pager.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-1)})
	if len(d.lines) == 0 {
		modal.Line(s, in, 0, "nothing of what it showed was kept", theme.FG(sc.Theme.Dim))
	}
	y := in.Y + in.H - 1
	if in.H < 1 {
		return paint.Cursor{}
	}
	if d.typing {
		s.Text(in.X, y, in.W, "/ ", theme.Bold(sc.Theme.Accent))
		at := d.query.Draw(s, in.X+2, y, in.W-2, cells.Style{Attrs: cells.Bold})
		return paint.Cursor{X: in.X + 2 + at, Y: y, Visible: true}
	}
	where := d.pager.Room(in.W, in.H-1).Position()
	w := in.W
	if n := paint.Width(where); n > 0 && n+12 < w {
		s.Text(in.X+w-n, y, n, where, theme.FG(sc.Theme.Dim))
		w -= n + 2
	}
	sgr.Draw(s, in.X, y, w, modal.Keys(sc.Keys, sc.Theme, w, []keymap.Named{keymap.ViewClose.As("back"), keymap.ViewPageUp.As("page up"), keymap.ViewPageDown.As("down"),
		keymap.HistorySearch.As("search"), keymap.HistoryNext.As("next"), keymap.HistoryPrevious.As("previous"), keymap.HistoryResume.As("go on with it")}))
	return paint.Cursor{}
}

// sized is the transcript laid out for the screen.
func (d transcript) sized(m *model) transcript {
	box := d.box(m.cols, m.rows)
	d.pager = d.pager.Room(box.W-4, box.H-3)
	return d
}

func (d transcript) key(m *model, k input.Key) cmd {
	d = d.sized(m)
	m.overlay = d
	if d.typing {
		return d.typed(m, k)
	}
	if k.Name == "C-c" {
		m.overlay = nil
		return nil
	}
	b, ok := m.keys.LookupIn(keymap.ModeHistory, k.Name)
	if !ok {
		b, ok = m.keys.LookupIn(keymap.ModeViews, k.Name)
	}
	if !ok {
		return nil
	}
	if reason := b.Disabled(m.facts()); reason != "" {
		m.warn(reason)
		return nil
	}
	switch b.Action {
	case keymap.ViewClose, keymap.ViewOpen:
		m.overlay = d.back
		return nil
	case keymap.HistorySearch:
		d.typing, d.query = true, edit.Line{}
	case keymap.HistoryNext:
		d = d.next(1)
	case keymap.HistoryPrevious:
		d = d.next(-1)
	case keymap.HistoryResume:
		return m.resume(d.entry.ID, &d.entry)
	default:
		d.pager, _ = d.pager.Moved(b.Action)
	}
	m.overlay = d
	return nil
}

// typed takes a key of the search.
func (d transcript) typed(m *model, k input.Key) cmd {
	switch k.Name {
	case "Escape", "C-c":
		d.typing, d.words = false, nil
	case "Enter":
		d.typing = false
		d.words = strings.Fields(strings.ToLower(d.query.String()))
		at := d.at
		if d = d.next(-1); d.at == at && len(d.words) > 0 {
			m.say("nothing of it is in this transcript")
		}
	default:
		d.query, _ = d.query.Key(k.Name, k.Text())
	}
	m.overlay = d
	return nil
}

// next goes to the next line that has one of the words, downwards by 1 and
// upwards by -1, round and round.
func (d transcript) next(by int) transcript {
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

func (d transcript) mouse(m *model, msg tea.MouseMsg) cmd {
	d = d.sized(m)
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		d.pager = d.pager.Wheel(msg.Mouse().Button)
		m.overlay = d
	}
	if e, ok := modal.Clicked(msg); ok && !d.box(m.cols, m.rows).Contains(e.X, e.Y) {
		m.overlay = d.back
	}
	return nil
}

func (d transcript) paste(m *model, text string) {
	if d.typing {
		d.query = d.query.Insert(textsafe.Line(text))
		m.overlay = d
	}
}
