package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// looks are the palettes that a person can have.
var looks = [lookCount]struct {
	name, theme string
	profile     colorprofile.Profile
}{
	{"dark", "dark", colorprofile.TrueColor}, {"light", "light", colorprofile.TrueColor},
	{"contrast", "contrast", colorprofile.TrueColor}, {"contrast light", "contrast-light", colorprofile.TrueColor},
	{"dark 16", "dark16", colorprofile.ANSI}, {"light 16", "light16", colorprofile.ANSI},
	{"no colour", "dark", colorprofile.ASCII},
}

const (
	lookCount = 7
	noColour  = lookCount - 1
)

// pictureIn draws what the model shows in a palette.
func (m *model) pictureIn(name string, profile colorprofile.Profile) *paint.Surface {
	m.theme = theme.New(name, nil)
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	c := newComposer(paint.Caps{Profile: profile})
	c.compose(sc)
	return c.s
}

// TestGoldenThemes: every view in all palettes at 80x24. The text is the same in
// all (the files NAME-80x24.txt have it); a file here has a letter for the
// styles of each cell, and what each letter is in each palette. Without colours
// no colour is left, and what stands out does so by attributes.
func TestGoldenThemes(t *testing.T) {
	lists := goldenLists(t)
	views := append(goldenViews(), goldenView{"details", detailed}, goldenView{"daemon-page", daemonShown}, goldenView{"event-detail", eventDetailed})
	for _, view := range append(views, lists...) {
		t.Run(view.name, func(t *testing.T) {
			var surfaces [lookCount]*paint.Surface
			for i, l := range looks {
				surfaces[i] = view.make(80, 24).pictureIn(l.theme, l.profile)
				if got, want := surfaces[i].Dump(), surfaces[0].Dump(); got != want {
					t.Fatalf("%s says something else than %s:\n%s\n%s", l.name, looks[0].name, got, want)
				}
			}
			golden(t, "themes/"+view.name, stylesOf(t, surfaces))
		})
	}
}

// goldenLists are the views of lists, with what the tests of each have in them.
func goldenLists(t *testing.T) []goldenView {
	sized := func(m *model, cols, rows int) *model {
		m.now = func() time.Time { return epoch.Add(3 * time.Minute) }
		m.cols, m.rows = cols, rows
		return m
	}
	return append(append(moreLists(t, sized), stateLists(t, sized)...), []goldenView{
		{"events", func(c, r int) *model { m := sized(withEvents(), c, r); press(m, "C-b", "E", "k"); return m }},
		{"calls", func(c, r int) *model { m := sized(withCalls(), c, r); press(m, "C-b", "t"); return m }},
		{"decisions", func(c, r int) *model { m, _ := withLedger(t); return sized(m, c, r) }},
		{"queue", func(c, r int) *model { m, _ := queued(t); do(sized(m, c, r), "C-b", "T"); return m }},
		{"history", func(c, r int) *model { m, _ := withPast(t); do(sized(m, c, r), "C-b", "/"); return m }},
	}...)
}

func TestGoldenLists(t *testing.T) {
	for _, view := range goldenLists(t) {
		t.Run(view.name, func(t *testing.T) { golden(t, view.name+"-80x24", view.make(80, 24).picture().Dump()) })
	}
}

// stylesOf is a letter for each cell's styles, and the letters' meanings.
func stylesOf(t *testing.T, surfaces [lookCount]*paint.Surface) string {
	t.Helper()
	letters := map[[lookCount]cells.Style]byte{{}: '.'}
	var picture, legend strings.Builder
	cols, rows := surfaces[0].Size()
	for y := range rows {
		row := make([]byte, cols)
		for x := range cols {
			var styles [lookCount]cells.Style
			for i, s := range surfaces {
				styles[i] = s.Table().Style(s.Row(y)[x].Style)
			}
			if c := styles[noColour]; c.FG != cells.DefaultColor || c.BG != cells.DefaultColor {
				t.Errorf("row %d, column %d has a colour without colours: %v", y, x, c)
			}
			if _, ok := letters[styles]; !ok {
				letters[styles] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[len(letters)-1]
				fmt.Fprintf(&legend, "%c:", letters[styles])
				for i, l := range looks {
					fmt.Fprintf(&legend, "  %s %-15q", l.name, styles[i].AppendSGR(nil))
				}
				legend.WriteByte('\n')
			}
			row[x] = letters[styles]
		}
		picture.WriteString(strings.TrimRight(string(row), ".") + "\n")
	}
	out := strings.Split(legend.String(), "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return picture.String() + "\n" + strings.Join(out, "\n")
}
