package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/known"
	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

var update = flag.Bool("update", false, "write the golden files")

// picture draws what the model shows, without the bytes in between.
func (m *model) picture() *paint.Surface {
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	c := newComposer(paint.Caps{Profile: colorprofile.TrueColor})
	c.compose(sc)
	return c.s
}

// withStill gives a session's pane a screen.
func (m *model) withStill(id, text string, cols, rows int) {
	p := pane.New(pane.Config{ID: id, Report: func(s pane.State) { m.hosts.States[id] = s }})
	m.hosts.Panes[id] = p
	p.Show(pane.ParseStill(text, cols, rows))
	m.hosts.States[id] = p.State()
}

// golden compares a picture with the file.
func golden(t *testing.T, name string, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not what it was (go test -update writes it):\n%s\nwant:\n%s", name, got, want)
	}
}

func TestGoldenScreens(t *testing.T) {
	sizes := []struct {
		name       string
		cols, rows int
	}{{"80x24", 80, 24}, {"40x10", 40, 10}}
	for _, sc := range goldenViews() {
		for _, size := range sizes {
			t.Run(sc.name+"-"+size.name, func(t *testing.T) {
				golden(t, sc.name+"-"+size.name, sc.make(size.cols, size.rows).picture().Dump())
			})
		}
	}
	t.Run("outside-120x24", func(t *testing.T) {
		m := fourPanes(120, 24)
		v := named("eeee5555", "elsewhere", api.StateWorking, 1)
		v.External = true
		m.take(news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}})
		golden(t, "outside-120x24", m.picture().Dump())
	})
	t.Run("outside-many-120x24", func(t *testing.T) {
		m := fourPanes(120, 24)
		for i := range 9 {
			v := named("eeee555"+strconv.Itoa(i), "elsewhere-"+strconv.Itoa(i), api.StateWorking, 1)
			v.External = true
			switch i {
			case 3:
				v.State, v.Question = api.StateInput, "Which one?"
			case 8:
				v.State, v.Question = api.StatePermission, "Bash: make 日本"
			}
			m.Upsert(v)
		}
		golden(t, "outside-many-120x24", m.picture().Dump())
	})
	t.Run("tiny-20x5", func(t *testing.T) { golden(t, "tiny-20x5", fourPanes(20, 5).picture().Dump()) })
	t.Run("sidebar-120x24", func(t *testing.T) {
		golden(t, "sidebar-120x24", fourPanes(120, 24).picture().Dump())
	})
}

// TestAnySize: no size panics, and nothing is drawn outside.
func TestAnySize(t *testing.T) {
	keys := [][]string{nil, {"C-b", "?"}, {"C-b", "n"}, {"C-b", "x"}, {"C-b", ":"}, {"C-b", ","}, {"C-b", "z"}, {"n"}, {"C-b", "a"}, {"C-b", "a", "n", "x"}, {"C-b", "a", "Tab"}, {"C-b", "i"}, {"C-b", "o"}, {"C-b", "i", "G"}, {"C-b", "o", "NPage"},
		{"C-b", ":", "x", "C-j", "日"}, {"C-b", ":", "C-t", "Space"}, {"C-b", ":", "C-r", "x"}, {"C-b", ":", "@"},
		{"C-b", "a", "e", "x"}, {"C-b", "a", "s"},
		{"C-b", "s"}, {"C-b", "s", "/", "x"}, {"C-b", "S"}, {"C-b", "S", "C-b", "s", "g"}, {"C-b", "f"}, {"C-b", "p"}, {"C-b", "b"}, {"C-b", "?", "z"}, {"C-b", "M-7"}}
	for _, cols := range []int{0, 1, 2, 3, 4, 7, 12, 20, 26, 40, 59, 61, 97} {
		for _, rows := range []int{0, 1, 2, 3, 4, 5, 6, 7, 9, 14} {
			for _, k := range keys {
				m := askingPanes(cols, rows)
				press(m, k...)
				m.picture()
			}
			testModel(cols, rows).picture()
		}
	}
	fourPanes(500, 150).picture()
}

// TestHostileText: whatever is named how, no control character is drawn.
func TestHostileText(t *testing.T) {
	evil := "a\x1b]0;x\x07\x9b31m\u202eb\nc"
	v := named("aaaa1111", evil, api.StateLost, 0)
	v.Agent, v.Error, v.Prompt, v.Task, v.CWD, v.Question = evil, evil, evil, evil, "/"+evil, evil
	m := testModel(120, 24, v)
	m.Agents = []api.AgentInfo{{Name: evil, Hint: evil}}
	m.take(news{News: known.News{Events: []api.Event{{Seq: 1, Session: "aaaa1111", Type: evil, Message: evil}}, Link: &known.Link{Lost: os.ErrClosed}}})
	for _, keys := range [][]string{nil, {"C-b", "x"}, {"Escape", "C-b", ","}, {"Escape", "C-b", "n"},
		{"Escape", "C-b", "s"}, {"g"}, {"C-b", "i"}, {"C-b", "o"}, {"C-b", "f"}, {"C-b", "S"}, {"C-b", "s", "x"}} {
		press(m, keys...)
		for _, r := range m.picture().Dump() {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Fatalf("after %q: %U was drawn", keys, r)
			}
		}
	}
}

// TestStateIsColourAndSign: the sign in a pane's title says what its session does, in
// the colour of that, whatever the focus; the rule above has the colour of the focus.
func TestStateIsColourAndSign(t *testing.T) {
	th := theme.New("", nil)
	for _, st := range api.States() {
		m := testModel(80, 24, named("aaaa1111", "x", st, 0), named("bbbb2222", "y", st, 1))
		s := m.picture()
		for i, frame := range []cells.Color{th.Accent, th.Dim} {
			r, v := m.grid.Layout.Panes[i], m.grid.Shown(&m.World)[i]
			if got := s.Table().Style(s.Row(r.Y)[r.X].Style).FG; got != frame {
				t.Errorf("%s: frame %d has the colour %v", st, i, got)
			}
			standing := v.Standing(m.now())
			title := string([]rune(strings.Split(s.Dump(), "\n")[r.Y]))
			if !strings.Contains(title, v.Name+" "+standing.Sign(api.SignsUnicode)+" ") {
				t.Errorf("%s: title %q", st, title)
			}
			at := r.X + ui.TitleIn + 4 + len(v.Name)
			if got := s.Table().Style(s.Row(r.Y)[at].Style).FG; got != th.Standing(standing) {
				t.Errorf("%s: the sign %d has the colour %v", st, i, got)
			}
		}
	}
}
