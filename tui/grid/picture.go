package grid

import (
	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
)

// Picture is what of the grid is drawn beside the panes' rows. It is not changed once it
// is made.
type Picture struct {
	ui.Env
	Layout  tiling.Screen
	Shown   []api.Session // those that the grid shows, in order
	Total   int           // with the hidden ones
	Outside []api.Session // they have no pane
	Target  string        // session of the pane onto which another one is dragged, "" none
	Zoomed  bool
}

// Picture is the grid as it stands now.
func (g *Grid) Picture(env ui.Env) Picture {
	return Picture{
		Env: env, Layout: g.Layout, Shown: g.Shown(env.World), Total: len(g.Scoped(env.World)),
		Outside: g.Outside(env.World, env.Now), Target: g.mouse.dragged.over, Zoomed: g.Zoomed,
	}
}

// Draw draws rules, titles and names, or what is said where there are no panes.
func (p Picture) Draw(s *paint.Surface) {
	p.drawRules(s)
	for _, t := range p.Tiles {
		if !t.Floats { // DrawFloat does, over what the panes show
			p.drawFrame(s, t)
		}
	}
	if len(p.Tiles) == 0 {
		p.drawEmpty(s)
	}
	p.drawStrip(s)
	p.drawRows(s)
}

// Status is the content of the status line besides the sessions' counts.
type Status struct {
	Chip     string // where keys go
	Color    cells.Color
	Progress Progress // nil if nothing is under way
	Notice   string   // "" for the hints
	Alert    bool
	// Spills: a notice that is too long may begin in the row above, which says nothing now.
	Spills bool
	Hints  []string // the most needed first
}

// Progress is how far some work is. Draw shows it in w columns and returns how many it
// took.
type Progress interface {
	Draw(env ui.Env, s *paint.Surface, x, y, w int) int
}
