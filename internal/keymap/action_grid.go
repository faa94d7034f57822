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

// The actions that find sessions and commands.
const (
	List       Action = "session-list"
	ListColumn Action = "session-column"
	Picker     Action = "find-session"
	Palette    Action = "palette"
	CancelWork Action = "cancel-work"
)

// The actions of the session list.
const (
	ListUp       Action = "list-up"
	ListDown     Action = "list-down"
	ListPageUp   Action = "list-page-up"
	ListPageDown Action = "list-page-down"
	ListFirst    Action = "list-first"
	ListLast     Action = "list-last"
	ListFocus    Action = "list-focus"
	ListFilter   Action = "list-filter"
	ListSort     Action = "list-sort"
	ListGroup    Action = "list-group"
	ListMark     Action = "list-mark"
	ListMarkAll  Action = "list-mark-all"
	ListKill     Action = "list-kill"
	ListRename   Action = "list-rename"
	ListRestart  Action = "list-restart"
	ListHide     Action = "list-hide"
	ListSend     Action = "list-send"
	ListExplain  Action = "list-explain"
	ListPolicy   Action = "list-policy"
	ListToColumn Action = "list-column"
	ListClose    Action = "list-close"
)

// The actions of the moving of borders.
const (
	BorderLeft  Action = "border-left"
	BorderDown  Action = "border-down"
	BorderUp    Action = "border-up"
	BorderRight Action = "border-right"
	BorderNext  Action = "border-next-pane"
	BorderEqual Action = "border-equal-sizes"
	BorderDone  Action = "border-done"
)
