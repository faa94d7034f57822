// Package uitest shows one component alone, for tests: it presses keys, answers calls
// with a client of the test's, and compares pictures with golden files in testdata/golden
// of the test's package.
package uitest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

var update = flag.Bool("update", false, "write the golden files")

// Epoch is when it is in the tests: nothing there asks the clock.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Env is a screen of that size with the usual keys, and a world in which the first
// snapshot has come.
func Env(cols, rows int) ui.Env {
	k, _ := keymap.Make("", nil)
	return ui.Env{
		Now: Epoch.Add(3 * time.Minute), Cols: cols, Rows: rows, Bottom: max(0, rows-1), Theme: theme.New("dark", nil), Keys: k, Home: "/home/me",
		World: &ui.World{Loaded: true, Names: map[string]string{}},
	}
}

// Key is the press of a key by its name.
func Key(env ui.Env, name string) ui.Key {
	k := ui.Key{Name: name, At: env.Now}
	if r := []rune(name); len(r) == 1 {
		k.Press = tea.Key{Code: r[0], Text: name}
	} else if name == "Space" {
		k.Press = tea.Key{Code: ' ', Text: " "}
	}
	return k
}

// Press gives a component keys by their names and returns what it becomes and all that
// it asked for.
func Press(env ui.Env, c ui.Component, names ...string) (_ ui.Component, all []ui.Effect) {
	for _, name := range names {
		var effects []ui.Effect
		c, effects = c.Key(env, Key(env, name))
		all = append(all, effects...)
	}
	return c, all
}

// Answer carries out the calls among the effects and gives the component the answers. It
// returns the effects of these.
func Answer(env ui.Env, c ui.Component, client ui.Client, effects []ui.Effect) (_ ui.Component, all []ui.Effect) {
	for _, e := range effects {
		call, ok := e.(ui.Call)
		if !ok {
			continue
		}
		result, err := call.Run(context.Background(), client)
		if err == nil {
			all = append(all, result.Effects...)
		}
		if err != nil && call.Failed != nil {
			all = append(all, call.Failed(env, err)...)
		}
		if r, ok := c.(ui.Receiver); ok {
			var more []ui.Effect
			c, more = r.Receive(env, result.Value, err)
			all = append(all, more...)
		}
	}
	return c, all
}

// Refresh lets a component follow the world, and answers its calls.
func Refresh(env ui.Env, c ui.Component, client ui.Client) (ui.Component, []ui.Effect) {
	r, ok := c.(ui.Refresher)
	if !ok {
		return c, nil
	}
	c, effects := r.Refresh(env)
	return Answer(env, c, client, effects)
}

// sgrCodes are renditions, which lines of dialogs have.
var sgrCodes = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Unstyled is a line without its renditions.
func Unstyled(line string) string { return sgrCodes.ReplaceAllString(line, "") }

// Picture draws a component on an empty screen.
func Picture(env ui.Env, c ui.Component) *paint.Surface {
	s := paint.NewSurface(env.Cols, env.Rows, paint.Caps{Profile: colorprofile.TrueColor})
	c.Draw(env, s)
	return s
}

// Golden compares a component's picture with a golden file.
func Golden(t *testing.T, env ui.Env, c ui.Component, name string) {
	t.Helper()
	Compare(t, name, Picture(env, c).Dump())
}

// Sizes are the screens of which there are golden pictures: columns and rows.
var Sizes = [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}}

// Everywhere compares a component's pictures on screens of all Sizes with golden files.
func Everywhere(t *testing.T, env ui.Env, c ui.Component, name string) {
	t.Helper()
	for _, size := range Sizes {
		env.Cols, env.Rows, env.Bottom = size[0], size[1], size[1]-1
		Golden(t, env, c, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]))
	}
}

// Compare compares what is on a screen with a golden file.
func Compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
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
