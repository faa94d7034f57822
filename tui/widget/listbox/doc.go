// Package listbox is the list that all lists of the grid are: sessions, queue, history,
// events, tool calls, decisions, what can be restored, and menus. Its Content is what it
// shows, made anew whenever it is looked at, so that a list follows what it shows; a
// View is what a person did with it: the filter, the chosen row, whether that is shown
// whole. From both and the screen's size follows where everything is (Plan), which
// drawing and clicks share.
//
// It is pure, and all of it are values. Keys, clicks and what is done with a row are
// the caller's affair; a row stays chosen by its id, whatever comes before it.
package listbox
