package paint

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Glyphs is which signs a terminal's font has.
type Glyphs uint8

// The sets of signs, from large to small.
const (
	// GlyphsAll: Unicode, as fonts of graphical terminals have it.
	GlyphsAll Glyphs = iota
	// GlyphsConsole: the 256 signs of a text console (code page 437): light lines
	// with square corners, arrows, blocks.
	GlyphsConsole
	// GlyphsASCII: nothing beyond ASCII is sure.
	GlyphsASCII
)

// glyphs chooses the set.
func (k kind) glyphs() Glyphs {
	switch {
	case k.console:
		return GlyphsConsole
	case k.plain:
		return GlyphsASCII
	}
	return GlyphsAll
}

// consoleGlyphs replace signs of one column that a console's font lacks.
var consoleGlyphs = map[rune]rune{
	'━': '═', '┃': '║', '┏': '╔', '┓': '╗', '┗': '╚', '┛': '╝', '┣': '╠', '┫': '╣', '┳': '╦', '┻': '╩', '╋': '╬',
	'╭': '┌', '╮': '┐', '╰': '└', '╯': '┘', '╌': '─', '┄': '─', '╎': '│', '┆': '│', '▏': '│', '▕': '│',
	'▁': '▄', '▂': '▄', '▃': '▄', '▅': '█', '▆': '█', '▇': '█', '▎': '▌', '▍': '▌', '▋': '▌', '▊': '█', '▉': '█',
	'▸': '►', '▹': '►', '▶': '►', '◀': '◄', '❯': '>', '❮': '<', '›': '>', '‹': '<', '▾': '▼', '▴': '▲',
	'…': '~', '⋯': '.', '⏎': '<', '●': '*', '⏺': '*', '○': 'o', '◯': 'o', '•': '*', '✓': '√', '✔': '√', '✗': 'x', '✘': 'x',
	'⚑': '!', '✻': '*', '✽': '*', '✶': '*', '✳': '*', '✢': '*', '⎿': '└', '—': '-', '–': '-', '“': '"', '”': '"', '‘': '\'', '’': '\'',
}

// asciiGlyphs replace what consoleGlyphs leaves beyond ASCII.
var asciiGlyphs = map[rune]rune{
	'─': '-', '│': '|', '┌': '+', '┐': '+', '└': '+', '┘': '+', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+',
	'═': '=', '║': '|', '╔': '+', '╗': '+', '╚': '+', '╝': '+', '╠': '+', '╣': '+', '╦': '+', '╩': '+', '╬': '+',
	'↑': '^', '↓': 'v', '←': '<', '→': '>', '►': '>', '◄': '<', '▲': '^', '▼': 'v', '·': '.', '√': 'v',
	'█': '#', '▓': '#', '▒': '#', '░': '.', '▄': '_', '▀': '"', '▌': '|', '▐': '|',
}

// glyph is g as the terminal's font has it. Characters that are no marks, those
// of languages for example, stay: a font may have them, and nothing else says
// the same.
func (r *reducer) glyph(g cells.Glyph) cells.Glyph {
	if r.caps.Glyphs == GlyphsAll || g < 0x80 || g.IsCluster() {
		return g
	}
	c := rune(g)
	switch {
	case c >= 0x2400 && c <= 0x2421: // pictures of control characters
		c = '^'
	case c == utf8.RuneError:
		c = '?'
	}
	if to, ok := consoleGlyphs[c]; ok {
		c = to
	}
	if to, ok := asciiGlyphs[c]; ok && r.caps.Glyphs == GlyphsASCII {
		c = to
	}
	return cells.Glyph(c)
}
