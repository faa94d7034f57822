package keymap

// The actions on layout and order.
const (
	NextLayout    Action = "next-layout"
	LayoutTiled   Action = "layout-tiled"
	Layout1x1     Action = "layout-1x1"
	Layout2x1     Action = "layout-2x1"
	Layout2x2     Action = "layout-2x2"
	Layout3x2     Action = "layout-3x2"
	LayoutColumns Action = "layout-columns"
	LayoutRows    Action = "layout-rows"
	LayoutMain    Action = "layout-main"
	LayoutFocus   Action = "layout-focus"
	ResizeLeft    Action = "resize-left"
	ResizeDown    Action = "resize-down"
	ResizeUp      Action = "resize-up"
	ResizeRight   Action = "resize-right"
	Borders       Action = "move-borders"
	Equalize      Action = "equal-sizes"
	SwapPrev      Action = "swap-previous"
	SwapNext      Action = "swap-next"
	SwapLeft      Action = "swap-left"
	SwapDown      Action = "swap-down"
	SwapUp        Action = "swap-up"
	SwapRight     Action = "swap-right"
	Hide          Action = "hide"
	ShowAll       Action = "show-hidden"
	NextPage      Action = "next-page"
	PrevPage      Action = "previous-page"
)

// The actions of the mode that moves borders: their keys are pressed without the prefix
// key while it lasts.
const (
	BorderLeft  Action = "border-left"
	BorderDown  Action = "border-down"
	BorderUp    Action = "border-up"
	BorderRight Action = "border-right"
	BorderNext  Action = "border-next-pane"
	BorderEqual Action = "border-equal-sizes"
	BorderDone  Action = "border-done"
)

// layoutBindings are those of the actions on layout and order.
func layoutBindings() []Binding {
	b := inGroup(GroupLayout, 0)
	return []Binding{
		b(NextLayout, "next layout: tiled, 1x1, 2x1, 2x2, 3x2, columns, rows, main + stack, focus + list", "Space").when(needFocus),
		b(LayoutTiled, "tiled: as many panes as are large enough to work in", "M-0"),
		b(Layout1x1, "1x1: one pane a page", "M-1"),
		b(Layout2x1, "2x1: two panes side by side", "M-2"),
		b(Layout2x2, "2x2: four panes a page", "M-3"),
		b(Layout3x2, "3x2: six panes a page", "M-4"),
		b(LayoutColumns, "columns: all panes side by side", "M-5"),
		b(LayoutRows, "rows: all panes one below the other", "M-6"),
		b(LayoutMain, "main + stack: the first pane large, the others stacked beside it", "M-7"),
		b(LayoutFocus, "focus + list: the focused pane large, the others as rows", "M-8"),
		b(ResizeLeft, "move the pane's border to the left (goes on without prefix)", "C-Left").when(needSeveral),
		b(ResizeDown, "move the pane's border down", "C-Down").when(needSeveral),
		b(ResizeUp, "move the pane's border up", "C-Up").when(needSeveral),
		b(ResizeRight, "move the pane's border to the right", "C-Right").when(needSeveral),
		b(Borders, "move borders with the arrow keys until Enter", "b").when(needSeveral),
		b(Equalize, "give the panes of this layout equal sizes again", "="),
		b(SwapPrev, "swap the pane with the previous one", "{").when(needSeveral),
		b(SwapNext, "swap the pane with the next one", "}").when(needSeveral),
		b(SwapLeft, "swap the pane with the one to the left", "S-Left").when(needSeveral),
		b(SwapDown, "swap the pane with the one below", "S-Down").when(needSeveral),
		b(SwapUp, "swap the pane with the one above", "S-Up").when(needSeveral),
		b(SwapRight, "swap the pane with the one to the right", "S-Right").when(needSeveral),
		b(Hide, "hide the pane: its session goes on and stays in the list", "-").when(needFocus),
		b(ShowAll, "show the hidden panes again", "+").when(needHidden),
		b(NextPage, "next page of panes", ">").when(needPages),
		b(PrevPage, "previous page of panes", "<").when(needPages),
	}
}

// borderBindings are those of the mode that moves borders.
func borderBindings() []Binding {
	b := inGroup(GroupBorders, 0)
	return []Binding{
		b(BorderLeft, "to the left", "Left", "h", "C-Left"),
		b(BorderDown, "down", "Down", "j", "C-Down"),
		b(BorderUp, "up", "Up", "k", "C-Up"),
		b(BorderRight, "to the right", "Right", "l", "C-Right"),
		b(BorderNext, "the next pane", "Tab"),
		b(BorderEqual, "equal sizes", "="),
		b(BorderDone, "done", "Enter", "Escape", "q", "b"),
	}
}
