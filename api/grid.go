package api

import (
	"fmt"
	"slices"
	"time"
)

// Grid is the arrangement of the grid: GET and PUT /v1/grid. All terminals of a user
// share one; the last PUT wins. Sizes are in ten thousandths, not cells, because attached
// terminals differ in size.
type Grid struct {
	// Layout is the name of the layout; "" is the automatic one, which clients also use
	// for names that they do not know.
	Layout string `json:"layout,omitempty"`
	// Order has the ids of sessions in the order of their panes. Sessions that are not in
	// it follow, oldest first; ids of removed sessions have no effect.
	Order []string `json:"order,omitempty"`
	// Hidden has the ids of sessions without a pane; HideEnded hides all ended ones.
	Hidden    []string `json:"hidden,omitempty"`
	HideEnded bool     `json:"hide_ended,omitempty"`
	// Zoom is the id of the session that is shown alone, "" none.
	Zoom string `json:"zoom,omitempty"`
	// Focus is the id of the session that had the keyboard when the last grid was
	// detached; its page is shown first.
	Focus string `json:"focus,omitempty"`
	// Left is when the last grid was detached; zero while one is attached, and if it ended without
	// a word.
	Left time.Time `json:"left,omitzero"`
	// Spent is what all agents had cost by then since the day of Left began, in US dollars. The daemon
	// sets it with Left; nil is not known.
	Spent *float64 `json:"spent,omitempty"`
	// Sizes are the borders that a person has moved, by the shape of the panes on a page
	// (see GridSizes).
	Sizes map[string]GridSizes `json:"sizes,omitempty"`
	// Sidebar is the list of events, nil as configured.
	Sidebar *GridSidebar `json:"sidebar,omitempty"`
	// List is the session list.
	List GridList `json:"list,omitzero"`
	// Scope is what the grid is about until a person leaves it; zero is all sessions.
	Scope GridScope `json:"scope,omitzero"`
	// Board: the tasks are shown as a board, where there is room.
	Board bool `json:"board,omitempty"`
}

// GridScope are some of the sessions: grid, list, counts and keys are about these alone. One of
// its parts is set, or none: all of them.
type GridScope struct {
	// Repository is a repository's directory: sessions in it and in all its work trees; or a
	// directory outside of repositories. Node is its machine, "" this one.
	Repository string `json:"repository,omitempty"`
	Node       string `json:"node,omitempty"`
	// Group is that of sessions that a person has put into it.
	Group string `json:"group,omitempty"`
	// Filter is a filter of the session list.
	Filter string `json:"filter,omitempty"`
}

// GridSizes are the borders in an area that is divided into lines, and each line into
// cells. A border is the start of the next line or cell in ten thousandths of the area,
// increasing. A list whose length is not one less than the number of lines (or cells)
// means equal sizes.
type GridSizes struct {
	Lines []int   `json:"lines,omitempty"`
	Cells [][]int `json:"cells,omitempty"`
}

// GridSidebar is the list of events beside the panes.
type GridSidebar struct {
	Hidden bool `json:"hidden,omitempty"`
	// Width is in parts of ten thousand of the terminal; 0 is as configured.
	Width int `json:"width,omitempty"`
}

// GridList is how sessions are listed.
type GridList struct {
	// Hidden: the list does not stay open above the events, beside the panes; nil is as
	// configured.
	Hidden *bool `json:"hidden,omitempty"`
	// Share is the list's part of the column that it has with the events, in parts of ten
	// thousand; 0 is the default.
	Share int `json:"share,omitempty"`
	// Width of the column is in parts of ten thousand of the terminal; 0 is the
	// default.
	Width int `json:"width,omitempty"`
	// Sort is the order: "" by need, else "name" or "grid".
	Sort string `json:"sort,omitempty"`
	// Group: by project.
	Group bool `json:"group,omitempty"`
}

// GridWhole is the size of an area in the units of GridSizes.
const GridWhole = 10_000

// Limits of a Grid.
const (
	maxGridSessions = 10_000
	maxGridText     = 200 // of an id or a name, in bytes
	maxGridSizes    = 500 // shapes
	maxGridBorders  = 1_000
	maxGridPath     = 4096
)

// Check returns why the arrangement cannot be kept, nil if it can.
func (g Grid) Check() error {
	bad := func(what string) error {
		return Errorf(CodeInvalid, "the arrangement of the grid is not valid: %s", what)
	}
	if len(g.Order) > maxGridSessions || len(g.Hidden) > maxGridSessions || len(g.Sizes) > maxGridSizes {
		return bad("it is too large")
	}
	for _, text := range slices.Concat(g.Order, g.Hidden, []string{g.Layout, g.Zoom, g.Focus, g.List.Sort, g.Scope.Node, g.Scope.Group, g.Scope.Filter}) {
		if len(text) > maxGridText {
			return bad("a name is too long")
		}
	}
	if len(g.Scope.Repository) > maxGridPath {
		return bad("a path is too long")
	}
	for shape, sizes := range g.Sizes {
		if len(shape) > maxGridText || len(sizes.Cells) > maxGridBorders {
			return bad("it is too large")
		}
		for _, borders := range append([][]int{sizes.Lines}, sizes.Cells...) {
			if !increasing(borders) {
				return bad(fmt.Sprintf("the borders of %.20q are not within 1 and %d and increasing", shape, GridWhole-1))
			}
		}
	}
	if g.List.Width < 0 || g.List.Width > GridWhole {
		return bad("the list is wider than the terminal")
	}
	if g.Sidebar != nil && (g.Sidebar.Width < 0 || g.Sidebar.Width > GridWhole) {
		return bad("the sidebar is wider than the terminal")
	}
	return nil
}

func increasing(borders []int) bool {
	last := 0
	for _, b := range borders {
		if b <= last || b >= GridWhole {
			return false
		}
		last = b
	}
	return len(borders) <= maxGridBorders
}

// ToolShell is the name of the scratch shell (Beside.Tool).
const ToolShell = "shell"

// Beside is the place of a session that a person opened as a tool beside another one: a
// scratch shell, an editor. It is replaced, never changed.
type Beside struct {
	// Session is the id of that session. If that is removed, this one stands for itself: a shell
	// in which nothing runs is ended.
	Session string `json:"session"`
	// Tool is its name: ToolShell, or the NAME of a [tools.NAME] of the configuration.
	Tool string `json:"tool"`
	// Floating: grids show it over their panes when its key is pressed, and it has no pane. It is
	// removed when it has ended well, a shell however it ended.
	Floating bool `json:"floating,omitempty"`
}

// Closed reports whether the session was a tool that floats, and has ended so that nothing is
// left to look at.
func (s Session) Closed() bool {
	return s.Beside != nil && s.Beside.Floating && s.State == StateExited &&
		(s.Plain == PlainShell || s.Standing(s.Since) == StandingEnded)
}
