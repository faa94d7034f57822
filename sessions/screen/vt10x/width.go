package vt10x

import "ccdir/internal/cells"

// wide reports whether r takes two columns.
func wide(r rune) bool { return r >= 0x1100 && cells.RuneWidth(r) == 2 }

// zeroWidth reports whether r takes no column: vt10x has no place for it.
func zeroWidth(r rune) bool { return r >= 0x300 && cells.RuneWidth(r) == 0 }
