package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/tui/paint"
	"ccdir/tui/terminal/tty"
	"ccdir/tui/widget/theme"
)

// replies is what a terminal answers to what it is sent, by its documentation or its
// source, when its background is light.
type replies struct {
	sent, answer string
}

// Answers that several terminals give.
const (
	hasSync   = "\x1b[?2026;2$y"
	lacksSync = "\x1b[?2026;0$y"
	lightST   = "\x1b]11;rgb:ffff/fdfd/f6f6\x1b\\"
	lightBEL  = "\x1b]11;rgb:ffff/fdfd/f6f6\a"
	inFront   = "\x1b[I"
)

// repliesOf are the answers of the terminals of terminalTable: those that are not here
// answer nothing.
var repliesOf = map[string][]replies{
	"xterm":                     {{tty.AskSync, lacksSync}, {tty.AskBackground, lightST}},
	"xterm, 16 colours":         {{tty.AskSync, lacksSync}, {tty.AskBackground, lightBEL}},
	"xterm, true colour":        {{tty.AskSync, lacksSync}, {tty.AskBackground, lightST}},
	"NO_COLOR":                  {{tty.AskSync, hasSync}},
	"tmux":                      {{tty.AskSync, hasSync}, {tty.AskBackground, lightST}, {tty.TellScheme, "\x1b[?997;2n"}}, // 3.6; older ones answer less
	"VTE":                       {{tty.AskSync, "\x1b[?2026;4$y"}, {tty.AskBackground, lightST}},
	"iTerm2":                    {{tty.AskSync, hasSync}, {tty.AskBackground, lightST}},
	"iTerm2 3.4":                {{tty.AskSync, "\x1b[?2026;4$y"}, {tty.AskBackground, lightBEL}},
	"Terminal.app":              {{tty.AskBackground, lightBEL}},
	"kitty":                     {{tty.AskSync, hasSync}, {tty.AskBackground, lightST}},
	"ghostty":                   {{"\x1b[?1004h", inFront}, {tty.AskSync, hasSync}, {tty.AskBackground, lightST}},
	"Windows Terminal":          {{tty.AskSync, hasSync}, {tty.AskBackground, lightST}},
	"ms-terminal":               {{tty.AskSync, hasSync}, {tty.AskBackground, lightST}},
	"Windows Terminal over SSH": {{tty.AskSync, hasSync}, {tty.AskBackground, lightST}},
	"rxvt-unicode":              {{tty.AskBackground, "\x1b]11;rgba:ffff/fdfd/f6f6/ffff\a"}},
}

// answering returns what answers each thing in sent once for each time that it is sent.
func answering(to []replies) func(sent string) string {
	given := make([]int, len(to))
	return func(sent string) (out string) {
		for i, r := range to {
			for ; given[i] < strings.Count(sent, r.sent); given[i]++ {
				out += r.answer
			}
		}
		return out
	}
}

// TestSessionInEachTerminal is a session in each terminal of terminalTable, with its
// environment and its answers: what it is sent is what it does or ignores, its answers
// give the palette and synchronized updates and reach no pane, its keys do, and it is
// as it was at the end.
func TestSessionInEachTerminal(t *testing.T) {
	for name := range repliesOf {
		if !slices.ContainsFunc(terminalTable, func(f terminalFacts) bool { return f.name == name }) {
			t.Errorf("no terminal is called %q", name)
		}
	}
	for _, f := range terminalTable {
		t.Run(f.name, func(t *testing.T) { t.Parallel(); playIn(t, f) })
	}
}

func playIn(t *testing.T, f terminalFacts) {
	to := append(slices.Clone(repliesOf[f.name]), replies{tty.AskStatus, "\x1b[0n"}) // as all do
	has := func(answer string) bool {
		return slices.ContainsFunc(to, func(r replies) bool { return strings.Contains(r.answer, answer) })
	}
	c := newFakeClient(testSession("aaaa1111", "api", api.StateIdle), testSession("bbbb2222", "web", api.StateWorking))
	h := c.host("aaaa1111")
	h.write(80, "first screen 日本", "", "")
	o := openAs(t, c, 100, 30, answering(to), func(o *Options) {
		o.Env, o.Profile = append(strings.Fields(f.env), "HOME=/home/me"), f.profile
	})
	o.shows("api", "first screen 日本", "PANE")
	// A whole picture is large enough to be wrapped in a synchronized update.
	synced := func() bool { return strings.Contains(o.sent(), "\x1b[?2026h") }
	light := func() bool {
		return o.frameColour() == shownAs(theme.New(theme.Palette("", true, f.profile), nil).Accent, f.profile)
	}
	if has(hasSync) {
		eventually(t, "synchronized updates", func() bool { o.keys("\x02r"); return synced() })
	}
	if strings.Contains(o.sent(), tty.AskStatus) {
		eventually(t, "a question in a frame", func() bool { o.keys("\x02r"); return strings.Count(o.sent(), tty.AskStatus) > 1 })
	}
	if has("]11;") {
		eventually(t, "the light palette", light)
	}
	ctrlB := "\x02"
	if strings.Contains(f.does, ">u") { // flags 1 and 4 of kitty's protocol
		ctrlB = "\x1b[98;5u"
	}
	o.keys("é\x1b[A" + ctrlB + ctrlB)
	eventually(t, "the keys and nothing else at the host", func() bool { return h.seen(func(h *fakeHost) bool { return keysOf(h) == "é Up C-b" }) })
	o.keys(ctrlB + "d")
	if err := o.ended(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the terminal as it was", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		s := o.eng.State()
		return !s.Alt && s.Cursor.Visible && !s.Sync && s.Modes == (screen.Modes{}) && s.Cursor.Shape == 0
	})
	if got := h.seen(func(h *fakeHost) bool { return keysOf(h) == "é Up C-b" }); !got {
		t.Error("the host got something else at the end")
	}
	if !has(hasSync) && synced() {
		t.Error("synchronized updates are sent to a terminal that has none")
	}
	known := strings.Fields(f.does + " " + f.ignores)
	for kind, in := range kindsOf(o.sent()) {
		if !slices.Contains(known, kind) {
			t.Errorf("%s is sent, as in %q", kind, in)
		}
	}
}

// sent is all that the terminal was sent.
func (o *outerPTY) sent() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.raw.String()
}

// frameColour is that of the focused pane's frame.
func (o *outerPTY) frameColour() cells.Color {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range o.eng.Row(0).Cells {
		if c.Glyph == '┏' {
			return o.eng.Table().Style(c.Style).FG
		}
	}
	return cells.DefaultColor
}

// shownAs is a colour as a terminal with so many shows it.
func shownAs(c cells.Color, profile colorprofile.Profile) cells.Color {
	s := paint.NewSurface(1, 1, paint.Caps{Profile: profile})
	s.Text(0, 0, 1, "x", theme.FG(c))
	return s.Table().Style(s.Row(0)[0].Style).FG
}
