package verb

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

// PrintJSON writes one document.
func (a *App) PrintJSON(v any) error {
	enc := json.NewEncoder(textsafe.NewJSONWriter(a.Out))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(a.ofNode(v))
}

// PrintJSONLine writes one object of a stream.
func (a *App) PrintJSONLine(v any) error {
	enc := json.NewEncoder(textsafe.NewJSONWriter(a.Out))
	enc.SetEscapeHTML(false)
	return enc.Encode(a.ofNode(v))
}

// Terminal reports whether f is a terminal.
func Terminal(f *os.File) bool { return f != nil && term.IsTerminal(f.Fd()) }

// Colours reports whether to use colours: on a terminal that has them, unless NO_COLOR is
// set (no-color.org: present and not empty).
func (a *App) Colours() bool {
	t := a.Getenv("TERM")
	return a.Getenv("NO_COLOR") == "" && t != "" && t != "dumb" && Terminal(a.Stdout)
}

// StandingSGR is the colour of a standing (SGR parameters): amber for what needs a
// person, red for failure, green for news, blue for work, grey for what is over.
func StandingSGR(s api.Standing) string {
	switch s {
	case api.StandingAsks:
		return "33"
	case api.StandingFailed:
		return "31"
	case api.StandingDone:
		return "32"
	case api.StandingWorking:
		return "34"
	case api.StandingEnded, api.StandingSettled, api.StandingSnoozed:
		return "90"
	}
	return ""
}

// StandingCell is a standing in a table: sign, words, colour.
func (a *App) StandingCell(s api.Standing, words string) Cell {
	return Cell{Text: s.Sign(a.Signs()) + " " + words, Sgr: StandingSGR(s)}
}

// Signs are the signs of standings: those of the configuration where the locale's characters are
// UTF-8. It reads the configuration once.
func (a *App) Signs() api.Signs {
	if !a.Unicode() {
		return api.SignsASCII
	}
	if a.signs == "" {
		a.signs = api.SignsUnicode
		if l, err := a.Loaded(); err == nil {
			a.signs = api.Signs(l.Signs)
		}
	}
	return a.signs
}

// Unicode reports whether the locale's characters are UTF-8.
func (a *App) Unicode() bool {
	locale := cmp.Or(a.Getenv("LC_ALL"), a.Getenv("LC_CTYPE"), a.Getenv("LANG"))
	locale = strings.ToLower(locale)
	return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// Columns returns the width of the terminal on standard output; 0 if it is none.
func (a *App) Columns() int {
	if !Terminal(a.Stdout) {
		return 0
	}
	cols, _, err := term.GetSize(a.Stdout.Fd())
	if err != nil {
		return 0
	}
	return cols
}

// Paint colours s if on.
func Paint(on bool, sgr, s string) string {
	if !on || sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// Table prints aligned columns.
type Table struct {
	rows [][]Cell
}

// Cell is one field of a table; sgr colours it ("" does not).
type Cell struct{ Text, Sgr string }

// Row adds a row.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Plain makes cells without colour, their control characters made visible.
func Plain(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, s := range texts {
		out[i] = Cell{Text: textsafe.Line(s)}
	}
	return out
}

// Write prints the rows, columns two spaces apart; the last is not padded.
func (t *Table) Write(w io.Writer, colour bool) error { return t.WriteWithin(w, colour, 0) }

// MinLastColumn is the width below which the last column is not cut.
const MinLastColumn = 12

// WriteWithin is write with the last column cut so that a row fits into cols columns; cols
// 0: it is not cut.
func (t *Table) WriteWithin(w io.Writer, colour bool, cols int) error {
	var widths []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], displaywidth.String(c.Text))
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		last := len(r) - 1
		for last > 0 && r[last].Text == "" {
			last--
		}
		room := cols
		for _, n := range widths[:last] {
			room -= n + 2
		}
		if cols > 0 {
			r[last].Text = displaywidth.TruncateString(r[last].Text, max(room, MinLastColumn), "…")
		}
		for i, c := range r[:last+1] {
			b.WriteString(Paint(colour, c.Sgr, c.Text))
			if i < last {
				b.WriteString(strings.Repeat(" ", widths[i]-displaywidth.String(c.Text)+2))
			}
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Age formats how long ago t was, in one unit.
func Age(now, t time.Time) string {
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

// ExitText returns the exit code of a session; "-" without one.
func ExitText(s api.Session) string {
	if s.ExitCode == nil {
		return "-"
	}
	return fmt.Sprint(*s.ExitCode)
}

// OrNone returns s, or "-" if it is empty.
func OrNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Tail returns the last n runes of s, for paths, whose end is more useful.
func Tail(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return "…" + string(runes[len(runes)-n+1:])
}

// ShortPath shortens a path below the home directory.
func (a *App) ShortPath(path string) string {
	if h := a.Getenv("HOME"); h != "" && h != "/" {
		if path == h {
			return "~"
		}
		if rest, ok := strings.CutPrefix(path, h+"/"); ok {
			return "~/" + rest
		}
	}
	return path
}

// Pad formats a number, right-aligned in six columns.
func Pad(n int64) string { return fmt.Sprintf("%6d", n) }

// Fit pads s to width columns and does not cut a longer one: the columns of a stream are not
// known in advance.
func Fit(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-displaywidth.String(s)))
}

// PidText is a process id, or "-" where no process runs.
func PidText(pid int) string {
	if pid == 0 {
		return "-"
	}
	return fmt.Sprint(pid)
}

// Clock formats a time in the future, with its day if it is more than a day away.
func Clock(now, at time.Time) string {
	if at.Sub(now) < 24*time.Hour {
		return at.Local().Format(time.TimeOnly)
	}
	return at.Local().Format(time.DateTime)
}

// ShownInput bounds the tool's input in a row, in runes.
const ShownInput = 100

// Asked says in a few words what became of asking an account's agent for its windows: "refused 12m ago".
func Asked(p api.UsageProbe, now time.Time) string {
	if p.At == nil || p.State == api.ProbeOff {
		return string(p.State)
	}
	return fmt.Sprintf("%s %s ago", p.State, Age(now, *p.At))
}
