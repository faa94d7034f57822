// Package paint turns a picture made of cells into the fewest bytes that make a
// terminal show it.
//
// A [Surface] is the picture wanted: chrome is drawn on it with Text, Box and
// Fill, the rows of panes are laid in with a [Layer], which translates the ids
// of the pane's own grid.Table by cached arrays. A [Writer] remembers what the
// terminal shows and makes the bytes that lead from there to a surface:
// several spans per row, the shortest cursor moves, the shortest change of
// rendition, and a synchronized update (mode 2026) around larger frames where
// the terminal has it.
//
// Contract: nothing here does I/O, starts a goroutine, reads the environment
// or locks; a surface, its layers and its writer belong to one owner. Colours
// are reduced to the terminal's when a style is interned, so cells that look
// alike are alike. Whatever is drawn, no control character reaches the output
// from a cell, no wide character is cut in half, and a wide character is
// always followed by its tail.
package paint
