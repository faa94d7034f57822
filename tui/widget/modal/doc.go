// Package modal has the parts of lists and dialogs: their frames, lines of text that
// is broken or cut to their width, columns, rows of a label and a text, the lines that
// name keys, and text that scrolls. It is pure: it lays out what it is given, in the
// colours of a theme, and keeps nothing.
//
// The insides are laid out as text by lipgloss and bubbles and turned into cells when
// they are drawn. Panes, bars and the frames of panes are drawn into cells directly, by
// tui itself: they are painted with every frame. Text that comes here is harmless
// (internal/text/textsafe) but where a comment says otherwise.
package modal
