package tui

import (
	"ccdir/tui/paint"
	"ccdir/tui/terminal"
)

// composer draws scenes as the terminal does.
type composer struct {
	*terminal.Compositor
	s     *paint.Surface
	last  *scene
	shown *terminal.Scene // last
}

func newComposer(caps paint.Caps) *composer {
	c := terminal.NewCompositor(caps)
	return &composer{Compositor: c, s: c.Surface()}
}

// compose draws what is new of a scene and returns the cursor.
func (c *composer) compose(sc *scene) paint.Cursor {
	if sc != c.last {
		c.last, c.shown = sc, sc.shown()
	}
	return c.Compose(c.shown, nil)
}
