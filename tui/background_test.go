package tui

import (
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/terminal/tty"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
	"ccdir/wire"
)

// themed is a model before a terminal that is asked for its background.
type themed struct {
	*model
	out strings.Builder
	at  time.Time
}

func newThemed(t *testing.T) *themed {
	t.Helper()
	x := &themed{model: testModel(80, 24), at: epoch.Add(time.Hour)}
	x.backs, x.emit = &tty.BackgroundAsks{}, func(b []byte) { x.out.Write(b) }
	x.now = func() time.Time { return x.at }
	x.backs.Ask(x.at) // as the terminal is when it is taken
	return x
}

// sends is what the terminal sends; it returns what it was asked then.
func (x *themed) sends(in string) string {
	var d input.Decoder
	x.out.Reset()
	d.Feed([]byte(in), func(e input.Event) {
		if back, ok := e.Event.(uv.BackgroundColorEvent); ok {
			x.Update(terminal.Background{BackgroundColorEvent: back})
		}
		if text, ok := e.Event.(uv.ForegroundColorEvent); ok {
			x.Update(terminal.Foreground{ForegroundColorEvent: text})
		}
	})
	return x.out.String()
}

func (x *themed) light() bool { return *x.theme == *theme.New("light", nil) }

const (
	whiteAnswer = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
	blackAnswer = "\x1b]11;rgb:0000/0000/0000\x1b\\"
	turnsDark   = "\x1b[?997;1n"
	turnsLight  = "\x1b[?997;2n"
)

// TestThemeFollowsReports: a terminal that tells that it has become light or dark is
// asked for its background; where it never answered, and in tmux, its word counts.
func TestThemeFollowsReports(t *testing.T) {
	t.Parallel()
	x := newThemed(t)
	x.sends(blackAnswer)
	if got := x.sends(turnsLight); got != tty.AskBackground || x.light() {
		t.Errorf("asked %q, light %v", got, x.light())
	}
	if x.sends(whiteAnswer); !x.light() {
		t.Error("the answer does not count")
	}
	x.sends(turnsDark)
	if x.sends(whiteAnswer); !x.light() {
		t.Error("a light background in a dark system is taken for dark")
	}

	x = newThemed(t)
	for _, step := range []struct {
		report string
		light  bool
	}{{turnsLight, true}, {turnsDark, false}, {turnsLight, true}} {
		if got := x.sends(step.report); got != "" || x.light() != step.light {
			t.Errorf("never answered: %q asks %q, light %v", step.report, got, x.light())
		}
	}

	x = newThemed(t)
	x.caps.Clipboard = paint.ClipboardTmux
	x.sends(blackAnswer)
	if got := x.sends(turnsLight); got != "" || !x.light() {
		t.Errorf("tmux: asked %q, light %v", got, x.light())
	}

	for _, chosen := range []string{"dark", "light"} {
		x = newThemed(t)
		x.opts.Theme = chosen
		x.model.theme = themeOf(x.opts, x.model.light, x.opts.Profile, paint.GlyphsAll)
		before := *x.theme
		if got := x.sends(turnsLight + turnsDark + whiteAnswer); got != "" || *x.theme != before {
			t.Errorf("%s was chosen: asked %q", chosen, got)
		}
	}
}

// TestBackgroundIsAskedOnFocus: once per look away, and only where it was answered
// before and nothing is reported unasked.
func TestBackgroundIsAskedOnFocus(t *testing.T) {
	t.Parallel()
	focus := func(x *themed, after time.Duration) string {
		x.at = x.at.Add(after)
		x.out.Reset()
		x.Update(terminal.Typed{Event: uv.BlurEvent{}})
		x.Update(terminal.Typed{Event: uv.FocusEvent{}})
		return x.out.String()
	}
	x := newThemed(t)
	if got := focus(x, time.Minute); got != "" {
		t.Errorf("one that never answered is asked %q", got)
	}
	x.sends(blackAnswer)
	if got := focus(x, time.Minute); got != tty.AskBackground {
		t.Errorf("asked %q", got)
	}
	if got := focus(x, 2*time.Second); got != "" {
		t.Errorf("asked %q before it has answered", got)
	}
	if x.sends(whiteAnswer); !x.light() {
		t.Error("what it has become meanwhile is not taken")
	}
	if focus(x, 2*time.Second); x.out.String() != tty.AskBackground {
		t.Errorf("the next time it is asked %q", x.out.String())
	}
	x.sends(whiteAnswer)
	if got := focus(x, time.Second/2); got != "" {
		t.Errorf("asked %q at once again", got)
	}
	focus(x, time.Minute) // an answer that gets lost
	if got := focus(x, 11*time.Second); got != tty.AskBackground || !x.backs.Open() {
		t.Errorf("after a lost answer asked %q", got)
	}
	if x.sends(whiteAnswer); x.backs.Open() {
		t.Error("it is waited for the lost answer")
	}
	x.sends(turnsDark)
	x.sends(blackAnswer)
	if got := focus(x, time.Minute); got != "" {
		t.Errorf("one that reports by itself is asked %q", got)
	}
}

// TestPanesKnowTheTerminalsColours: programs in panes that ask are told the colours of the
// grid's terminal.
func TestPanesKnowTheTerminalsColours(t *testing.T) {
	t.Parallel()
	x := newThemed(t)
	told := func() wire.Colours {
		p := pane.New(pane.Config{ID: "aaaa1111"})
		x.hosts.Views([]ui.Tile{{Pane: p, Rect: paint.Rect{W: 80, H: 24}}}, nil, false, x.outer)
		return p.View().Colours
	}
	if got := told(); got.Known {
		t.Errorf("before an answer: %v", got)
	}
	x.sends(whiteAnswer)
	if got, want := told(), (wire.Colours{Known: true, Background: wire.RGB{R: 255, G: 255, B: 255}}); got != want {
		t.Errorf("after an answer for the background only: %v", got)
	}
	x.sends("\x1b]10;rgb:1111/2222/3333\x1b\\\x1b]11;rgb:eeee/eeee/eeee\x1b\\")
	want := wire.Colours{Known: true, Foreground: wire.RGB{R: 0x11, G: 0x22, B: 0x33}, Background: wire.RGB{R: 0xee, G: 0xee, B: 0xee}}
	if got := told(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}
