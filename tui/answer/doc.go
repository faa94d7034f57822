// Package answer is the answer bar: it grows out of the prompt bar, shows a permission
// request or a question whole, and takes the answer. It owns what is chosen and written
// for that one request, and the file that a Write would replace, which it reads once. The
// request itself, and how it ended, are facts of the world.
//
// It asks for the answer to be sent (ui.Call), for what was written in vain to be
// remembered, and to be closed. Nothing is typed into the pane: the answer goes to the
// request that is held. Keys from before the bar was on the screen are ignored, and
// closing it answers nothing. Keys while an answer is on its way, and after it, are for
// what comes next (ui.Busy, ui.Pass).
package answer
