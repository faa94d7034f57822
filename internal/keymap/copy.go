package keymap

// The actions of copy mode. Their keys are pressed without the prefix key while a pane
// is in copy mode; a number typed before a motion repeats it.
const (
	Copy           Action = "copy-mode" // after the prefix key
	CopyLeft       Action = "copy-left"
	CopyDown       Action = "copy-down"
	CopyUp         Action = "copy-up"
	CopyRight      Action = "copy-right"
	CopyWord       Action = "copy-word"
	CopyWordBack   Action = "copy-word-back"
	CopyWordEnd    Action = "copy-word-end"
	CopyLineStart  Action = "copy-line-start"
	CopyLineText   Action = "copy-line-text"
	CopyLineEnd    Action = "copy-line-end"
	CopyFirst      Action = "copy-first"
	CopyLast       Action = "copy-last"
	CopyHalfUp     Action = "copy-half-up"
	CopyHalfDown   Action = "copy-half-down"
	CopyPageUp     Action = "copy-page-up"
	CopyPageDown   Action = "copy-page-down"
	CopyScrollUp   Action = "copy-scroll-up"
	CopyScrollDown Action = "copy-scroll-down"
	CopyTop        Action = "copy-top"
	CopyMiddle     Action = "copy-middle"
	CopyBottom     Action = "copy-bottom"
	CopyParaBack   Action = "copy-paragraph-back"
	CopyPara       Action = "copy-paragraph"
	CopyFind       Action = "copy-find"
	CopyFindBack   Action = "copy-find-back"
	CopyNext       Action = "copy-next"
	CopyPrev       Action = "copy-previous"
	CopyChars      Action = "copy-select"
	CopyLines      Action = "copy-select-lines"
	CopyBlock      Action = "copy-select-block"
	CopyOther      Action = "copy-other-end"
	CopyYank       Action = "copy-yank"
	CopyEditor     Action = "copy-editor"
	CopyFresh      Action = "copy-refresh"
	CopyClear      Action = "copy-clear"
	CopyLeave      Action = "copy-leave"
)

// copyBindings are the bindings of copy mode, in the order of the help.
func copyBindings() []Binding {
	b := inGroup(GroupCopy, 0)
	return []Binding{
		b(CopyLeft, "left", "h", "Left", "BSpace"),
		b(CopyDown, "down", "j", "Down", "C-n", "C-j"),
		b(CopyUp, "up", "k", "Up", "C-p", "C-k"),
		b(CopyRight, "right", "l", "Right"),
		b(CopyWord, "next word", "w", "C-Right", "M-f"),
		b(CopyWordBack, "previous word", "b", "C-Left", "M-b"),
		b(CopyWordEnd, "end of the word; with nothing selected as E", "e"),
		b(CopyLineStart, "beginning of the line", "0", "Home"),
		b(CopyLineText, "first character of the line", "^"),
		b(CopyLineEnd, "end of the line", "$", "End"),
		b(CopyFirst, "oldest line", "g", "C-Home"),
		b(CopyLast, "newest line", "G", "C-End"),
		b(CopyHalfUp, "half a page up", "C-u"),
		b(CopyHalfDown, "half a page down", "C-d"),
		b(CopyPageUp, "a page up", "C-b", "PPage"),
		b(CopyPageDown, "a page down", "C-f", "NPage", "Space"),
		b(CopyScrollUp, "scroll up by a line", "C-y", "S-Up", "C-Up"),
		b(CopyScrollDown, "scroll down by a line", "C-e", "S-Down", "C-Down"),
		b(CopyTop, "top of the view", "H"),
		b(CopyMiddle, "middle of the view", "M"),
		b(CopyBottom, "bottom of the view", "L"),
		b(CopyParaBack, "previous empty line", "{"),
		b(CopyPara, "next empty line", "}"),
		b(CopyFind, "search to newer lines", "/", "C-s"),
		b(CopyFindBack, "search to older lines", "?", "C-r"),
		b(CopyNext, "next match", "n"),
		b(CopyPrev, "previous match", "N"),
		b(CopyChars, "select characters", "v"),
		b(CopyLines, "select lines", "V"),
		b(CopyBlock, "select a block", "C-v"),
		b(CopyOther, "go to the other end of the selection", "o"),
		b(CopyYank, "copy the selection, or the line, and leave", "y", "Enter", "M-w"),
		b(CopyEditor, "open history and screen in $EDITOR", "E", "M-e"),
		b(CopyFresh, "show what the pane shows by now", "r"),
		b(CopyClear, "clear the selection or the search; with neither leave copy mode", "Escape"),
		b(CopyLeave, "leave copy mode", "q", "C-c", "i"),
	}
}
