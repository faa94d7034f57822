// Package paint turns a picture made of cells into the fewest bytes that make a
// terminal show it.
//
// A [Surface] is the wanted picture. Chrome is drawn on it with Text, Box and Fill; a
// [Layer] copies the rows of a pane and translates the ids of the pane's own cells.Table by
// cached arrays. A [Writer] remembers what the terminal shows and produces the bytes that
// change it into a surface: several spans per row, the shortest cursor moves, the shortest
// SGR sequences, and a synchronized update (mode 2026) around larger frames if the terminal
// has it.
//
// Contract: nothing here does I/O, starts a goroutine, reads the environment or locks. A
// surface, its layers and its writer have one owner. Colours are reduced to the terminal's
// when a style is interned, so cells that look the same are equal. No control character
// reaches the output from a cell, no wide character is cut in half, and a wide character
// is always followed by its tail.
package paint
