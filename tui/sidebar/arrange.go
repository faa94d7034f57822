package sidebar

import (
	"strconv"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/lists/sessions"
	"ccdir/tui/ui"
)

// step is how many columns a key gives or takes.
const step = 4

// Room are the widths of both parts in columns, 0 if they are hidden.
func (s Sidebar) Room(cols int) (list, events int) {
	if !s.listHidden() {
		if list = tiling.ListWidth; s.list.Width > 0 {
			list = columns(s.list.Width, cols)
		}
	}
	switch own := s.kept; {
	case s.eventsHidden():
	case own != nil && own.Width > 0:
		events = columns(own.Width, cols)
	case s.config.Width > 0:
		events = s.config.Width
	default:
		events = tiling.SidebarWidth
	}
	return list, events
}

// Share is the list's part of a column of that height (tiling.Wish): where a person has put the
// border, else what it usually has or what these sessions and the queue's news need, whichever is more.
func (s Sidebar) Share(height int, src sessionlist.Source, news api.TaskNews) int {
	if s.list.Share > 0 || height <= 0 {
		return s.list.Share
	}
	return max(tiling.ListShare, part(min(sessions.Height(src, news), height), height))
}

// part is so many rows or columns of all, as the daemon keeps it.
func part(n, of int) int { return (n*api.GridWhole + of/2) / of }

// columns are a part of so many columns.
func columns(part, of int) int { return (part*of + api.GridWhole/2) / api.GridWhole }

// Chosen reports whether a person has shown or hidden the events, or given them another width.
func (s Sidebar) Chosen() bool { return s.kept != nil }

func (s Sidebar) eventsHidden() bool {
	if s.kept != nil {
		return s.kept.Hidden
	}
	return s.config.NoEvents
}

func (s Sidebar) listHidden() bool {
	if s.list.Hidden != nil {
		return *s.list.Hidden
	}
	return s.config.NoSessions
}

// Configured takes another configuration; what a person has chosen stays.
func (s Sidebar) Configured(c Config) Sidebar {
	s.config = c
	return s
}

// Show shows and hides both parts.
func (s Sidebar) Show(list, events bool) Sidebar {
	if list == s.listHidden() {
		hidden := !list
		s.list.Hidden = &hidden
	}
	if events == s.eventsHidden() {
		next := api.GridSidebar{Hidden: !events}
		if s.kept != nil {
			next.Width = s.kept.Width
		}
		s.kept = &next
	}
	return s
}

// Kept is the part of it that the daemon keeps.
func (s Sidebar) Kept() (api.GridList, *api.GridSidebar) { return s.list, s.kept }

// Taken takes over what the daemon has. Which parts are shown and their room belong to
// the terminal while it is attached: they are taken once.
func (s Sidebar) Taken(g *api.Grid, first bool) Sidebar {
	if first {
		s.list, s.kept = g.List, g.Sidebar
	}
	s.list.Sort, s.list.Group = g.List.Sort, g.List.Group
	return s
}

// List is how sessions are listed.
func (s Sidebar) List() api.GridList { return s.list }

// Projects are those of directories, as far as they were looked up.
func (s Sidebar) Projects() map[string]string { return s.dirs }

// arranged tells the grid of a change that the daemon keeps.
func arranged(hold bool) []ui.Effect {
	return []ui.Effect{ui.Tell{To: ui.Grid, Value: ui.Arranged{Hold: hold}}}
}

// Do runs an action on what is shown, its order and its room.
func (s *Sidebar) Do(env ui.Env, a keymap.Action) []ui.Effect {
	effects := arranged(false)
	_, events := s.Room(env.Cols)
	switch a {
	case keymap.ListSort:
		s.list.Sort = map[string]string{sessionlist.ByNeed: sessionlist.ByName, sessionlist.ByName: sessionlist.ByGrid}[s.list.Sort]
	case keymap.ListGroup:
		s.list.Group = !s.list.Group
	case keymap.ListColumn, keymap.ListToColumn:
		*s = s.Show(s.listHidden(), events > 0)
		if !s.listHidden() && env.Cols < tiling.SidebarFrom {
			effects = append(effects, ui.Say{Text: "the terminal is too narrow for the list beside the panes: it needs " + strconv.Itoa(tiling.SidebarFrom) + " columns; " + env.Keys.Hint(keymap.List) + " lists the sessions"})
		}
	case keymap.Sidebar:
		if env.Cols < tiling.SidebarFrom { // nobody would see what changed, here
			return []ui.Effect{ui.Say{Text: "events beside the panes need " + strconv.Itoa(tiling.SidebarFrom) + " columns: " + env.Keys.Hint(keymap.Events) + " lists them"}}
		}
		*s = s.Show(!s.listHidden(), events == 0)
	case keymap.EventsWider, keymap.ListWider:
		return s.widen(env, step)
	case keymap.EventsNarrower, keymap.ListNarrower:
		return s.widen(env, -step)
	default:
		return nil
	}
	return effects
}

// widen gives the column some columns more or less.
func (s *Sidebar) widen(env ui.Env, by int) []ui.Effect {
	w := max(env.Column.W, env.EventsAt.W) + 1 // the rule is a part of the column
	if w == 1 {
		return []ui.Effect{ui.Say{Text: "there is no column: " + env.Keys.Hint(keymap.ListToColumn) + " shows the sessions beside the panes where there is room"}}
	}
	*s = s.wide(env.Cols, w+by)
	return arranged(true)
}

// border puts a border of the column where the mouse has it.
func (s *Sidebar) border(env ui.Env, b ui.Border) []ui.Effect {
	if b.X != 0 {
		*s = s.wide(env.Cols, b.X)
	}
	if b.Y != 0 {
		*s = s.shared(b.Y, env.Column.H+env.EventsAt.H)
	}
	return arranged(false)
}

// wide gives the column w of so many columns, within its limits.
func (s Sidebar) wide(cols, w int) Sidebar {
	if cols == 0 {
		return s
	}
	least, most := tiling.SidebarLeast, cols/2
	if !s.listHidden() {
		least, most = tiling.ListLeast, cols*2/5
	}
	w = min(max(w, least), most)
	if !s.listHidden() {
		s.list.Width = part(w, cols)
	}
	if !s.eventsHidden() {
		s.kept = &api.GridSidebar{Width: part(w, cols)}
	}
	return s
}

// shared puts the border between sessions and events at a row of a column of height h.
func (s Sidebar) shared(row, h int) Sidebar {
	if h < 2*tiling.PartLeast {
		return s
	}
	row = min(max(row, tiling.PartLeast), h-tiling.PartLeast)
	s.list.Share = part(row, h)
	return s
}
