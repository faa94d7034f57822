// Package edit edits text in the grid. A Buffer is the text editor of the
// prompt bar and of the dialogs that take more than a line: text of several lines
// with a cursor, soft wrapping, and large pastes folded away. A Line is that of
// filters, names and searches.
//
// Both are values: every edit returns a new one, and copies share nothing
// that changes, so that a scene can hold one while the next is edited. They move
// and delete by grapheme clusters and measure by the rules of internal/cells,
// which the painter uses too: the cursor stands where the terminal puts it,
// whatever is written.
//
// A line of a Buffer is one string, so that an edit copies a line and the list of lines; a
// fold is one character of it. Text of a megabyte in one line is still edited
// in milliseconds.
package edit
