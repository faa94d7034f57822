package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/clipperhouse/displaywidth"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// printJSON writes one document.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(textsafe.NewJSONWriter(a.out))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(a.ofNode(v))
}

// printJSONLine writes one object of a stream.
func (a *app) printJSONLine(v any) error {
	enc := json.NewEncoder(textsafe.NewJSONWriter(a.out))
	enc.SetEscapeHTML(false)
	return enc.Encode(a.ofNode(v))
}

// terminal reports whether f is a terminal.
func terminal(f *os.File) bool { return f != nil && term.IsTerminal(f.Fd()) }

// colours reports whether to use colours: on a terminal that has them, unless NO_COLOR is
// set (no-color.org: present and not empty).
func (a *app) colours() bool {
	t := a.getenv("TERM")
	return a.getenv("NO_COLOR") == "" && t != "" && t != "dumb" && terminal(a.Stdout)
}

// standingSGR is the colour of a standing (SGR parameters): amber for what needs a
// person, red for failure, green for news, blue for work, grey for what is over.
func standingSGR(s api.Standing) string {
	switch s {
	case api.StandingAsks:
		return "33"
	case api.StandingFailed:
		return "31"
	case api.StandingDone:
		return "32"
	case api.StandingWorking:
		return "34"
	case api.StandingEnded, api.StandingSnoozed:
		return "90"
	}
	return ""
}

// unicode reports whether the locale's characters are UTF-8.
func (a *app) unicode() bool {
	locale := cmp.Or(a.getenv("LC_ALL"), a.getenv("LC_CTYPE"), a.getenv("LANG"))
	locale = strings.ToLower(locale)
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// columns returns the width of the terminal on standard output; 0 if it is none.
func (a *app) columns() int {
	if !terminal(a.Stdout) {
		return 0
	}
	cols, _, err := term.GetSize(a.Stdout.Fd())
	if err != nil {
		return 0
	}
	return cols
}

// paint colours s if on.
func paint(on bool, sgr, s string) string {
	if !on || sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// table prints aligned columns.
type table struct {
	rows [][]cell
}

// cell is one field of a table; sgr colours it ("" does not).
type cell struct{ text, sgr string }

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

// plain makes cells without colour, their control characters made visible.
func plain(texts ...string) []cell {
	out := make([]cell, len(texts))
	for i, s := range texts {
		out[i] = cell{text: textsafe.Line(s)}
	}
	return out
}

// write prints the rows, columns two spaces apart; the last is not padded.
func (t *table) write(w io.Writer, colour bool) error { return t.writeWithin(w, colour, 0) }

// minLastColumn is the width below which the last column is not cut.
const minLastColumn = 12

// writeWithin is write with the last column cut so that a row fits into cols columns; cols
// 0: it is not cut.
func (t *table) writeWithin(w io.Writer, colour bool, cols int) error {
	var widths []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(c.text))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		last := len(r) - 1
		for last > 0 && r[last].text == "" {
			last--
		}
		room := cols
		for _, n := range widths[:last] {
			room -= n + 2
		}
		if cols > 0 {
			r[last].text = displaywidth.TruncateString(r[last].text, max(room, minLastColumn), "…")
		}
		for i, c := range r[:last+1] {
			b.WriteString(paint(colour, c.sgr, c.text))
			if i < last {
				b.WriteString(strings.Repeat(" ", widths[i]-displaywidth.String(c.text)+2))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// age formats how long ago t was, in one unit.
func age(now, t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}

// exitText returns the exit code of a session; "-" without one.
func exitText(s api.Session) string {
	if s.ExitCode == nil {
		return "-"
	}
	return fmt.Sprint(*s.ExitCode)
}

// orNone returns s, or "-" if it is empty.
func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// tail returns the last n runes of s, for paths, whose end is more useful.
func tail(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return "…" + string(runes[len(runes)-n+1:])
}

// shortPath shortens a path below the home directory.
func (a *app) shortPath(path string) string {
	if h := a.getenv("HOME"); h != "" && h != "/" {
		if path == h {
			return "~"
		}
		if rest, ok := strings.CutPrefix(path, h+"/"); ok {
			return "~/" + rest
		}
	}
	return path
}

// pad formats a number, right-aligned in six columns.
func pad(n int64) string { return fmt.Sprintf("%6d", n) }

// fit pads s to width columns and does not cut a longer one: the columns of a stream are not
// known in advance.
func fit(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-displaywidth.String(s)))
}

func pidText(pid int) string {
	if pid == 0 {
		return "-"
	}
	return fmt.Sprint(pid)
}

// clock formats a time in the future, with its day if it is more than a day away.
func clock(now, at time.Time) string {
	if at.Sub(now) < 24*time.Hour {
		return at.Local().Format(time.TimeOnly)
	}
	return at.Local().Format(time.DateTime)
}

// shownInput bounds the tool's input in a row, in runes.
const shownInput = 100
