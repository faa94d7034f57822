package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/sidebar"
)

// TestTakeSettings: keys, colours and the rest count at once, and it is said; what is
// wrong with them too.
func TestTakeSettings(t *testing.T) {
	t.Parallel()
	m, _ := clientModel(t, two()...)
	take := func(s Settings) { m.Update(newsMsg{news{settings: &s}}) }
	red := cells.RGB(200, 1, 1)
	take(Settings{Prefix: "C-a", Bindings: map[string][]string{"zoom": {"y"}}, Theme: "light", Colors: map[string]cells.Color{"idle": red}, Sidebar: sidebar.Config{NoEvents: true}, CopyCommand: "copy"})
	shows(t, m, "the configuration was read again", "(C-a :)")
	if m.theme.State(api.StateIdle) != red || m.grid.Layout.Sidebar.W != 0 || m.opts.CopyCommand != "copy" || m.router.PrefixByte() != 1 || m.router.Route().Prefix != "C-a" {
		t.Errorf("sidebar %v, options %+v, route %+v", m.grid.Layout.Sidebar, m.opts.Settings, m.router.Route())
	}
	if press(m, "C-b", "z"); m.grid.Zoomed || m.mode != modePane {
		t.Error("the old keys count")
	}
	if press(m, "C-a", "y"); !m.grid.Zoomed {
		t.Error("the new keys don't")
	}
	take(Settings{Bindings: map[string][]string{"zoom": {"n"}}})
	shows(t, m, "config: key n is bound to both zoom and new")
	m.grid.Zoomed = false
	take(Settings{ForDaemon: true})
	shows(t, m, "`ccdir daemon restart`")
	if m.theme.State(api.StateIdle) == red || m.grid.Layout.Sidebar.W == 0 || m.keys.Prefix() != "C-b" {
		t.Error("what is set no more counts")
	}
}

// TestChangesWhileOpen: an open grid follows, and the terminal's modes as well.
func TestChangesWhileOpen(t *testing.T) {
	t.Parallel()
	next := make(chan Settings)
	o := open(t, newFakeClient(two()...), 100, 30, func(o *Options) {
		o.Changes = func(ctx context.Context, changed func(Settings)) error {
			for {
				select {
				case s := <-next:
					changed(s)
				case <-ctx.Done():
					return nil
				}
			}
		}
	})
	next <- Settings{Prefix: "C-a", NoMouse: true} // taken once the first picture is there
	o.shows("the configuration was read again", "(C-a :)")
	o.keys("\x01??")
	o.shows("the prefix key: press it")
	o.mu.Lock()
	defer o.mu.Unlock()
	if !strings.Contains(o.raw.String(), "\x1b[?1002l\x1b[?1006l") {
		t.Error("the mouse is still asked for")
	}
}

// TestNoMoreChanges: that the configuration is not followed is said, and the grid goes on.
func TestNoMoreChanges(t *testing.T) {
	t.Parallel()
	o := open(t, newFakeClient(two()...), 100, 30, func(o *Options) {
		o.Changes = func(context.Context, func(Settings)) error {
			return errors.New("changes count later, no watch is left")
		}
	})
	o.shows("config: changes count later, no watch is left")
	o.keys("\x02??")
	o.shows("the prefix key: press it")
}

// TestConfigProblemIsTold: a grid that opens with defaults because its configuration is
// wrong says so; of the keys, when nothing else is wrong.
func TestConfigProblemIsTold(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"config: config.toml:1: no closing bracket": func(o *Options) {
			o.ConfigProblem, o.Bindings = "config.toml:1: no closing bracket", map[string][]string{"bogus": {"x"}}
		},
		"config: keys.bogus: no such action": func(o *Options) { o.Bindings = map[string][]string{"bogus": {"x"}} },
	} {
		open(t, newFakeClient(), 100, 24, change).shows(want)
	}
}
