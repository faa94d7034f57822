package vt10x

import "ccdir/internal/grid"

// wide reports whether r takes two columns.
func wide(r rune) bool { return r >= 0x1100 && grid.RuneWidth(r) == 2 }

// zeroWidth reports whether r takes no column: vt10x has no place for it.
func zeroWidth(r rune) bool { return r >= 0x300 && grid.RuneWidth(r) == 0 }
