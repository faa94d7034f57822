package paint

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Glyphs is the set of characters in a terminal's font.
type Glyphs uint8

// The sets, from large to small.
const (
	// GlyphsAll: Unicode, as fonts of graphical terminals have it.
	GlyphsAll Glyphs = iota
	// GlyphsConsole: the 256 characters of a text console (code page 437): light lines
	// with square corners, arrows, blocks.
	GlyphsConsole
	// GlyphsASCII: only ASCII is certain.
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

// consoleGlyphs replaces characters of one column that a console's font lacks.
var consoleGlyphs = map[rune]rune{
	'━': '═', '┃': '║', '┏': '╔', '┓': '╗', '┗': '╚', '┛': '╝', '┣': '╠', '┫': '╣', '┳': '╦', '┻': '╩', '╋': '╬',
	'╭': '┌', '╮': '┐', '╰': '└', '╯': '┘', '╌': '─', '┄': '─', '╎': '│', '┆': '│', '▏': '│', '▕': '│',
	'▁': '▄', '▂': '▄', '▃': '▄', '▅': '█', '▆': '█', '▇': '█', '▎': '▌', '▍': '▌', '▋': '▌', '▊': '█', '▉': '█',
	'▸': '►', '▹': '►', '▶': '►', '◀': '◄', '❯': '>', '❮': '<', '›': '>', '‹': '<', '▾': '▼', '▴': '▲',
	'…': '~', '⋯': '.', '⏎': '<', '●': '*', '⏺': '*', '○': 'o', '◯': 'o', '•': '*', '✓': '√', '✔': '√', '✗': 'x', '✘': 'x',
	'⚑': '!', '✻': '*', '✽': '*', '✶': '*', '✳': '*', '✢': '*', '⎿': '└', '—': '-', '–': '-', '“': '"', '”': '"', '‘': '\'', '’': '\'',
}

// asciiGlyphs replaces the characters beyond ASCII that consoleGlyphs leaves.
var asciiGlyphs = map[rune]rune{
	'─': '-', '│': '|', '┌': '+', '┐': '+', '└': '+', '┘': '+', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+',
	'═': '=', '║': '|', '╔': '+', '╗': '+', '╚': '+', '╝': '+', '╠': '+', '╣': '+', '╦': '+', '╩': '+', '╬': '+',
	'↑': '^', '↓': 'v', '←': '<', '→': '>', '►': '>', '◄': '<', '▲': '^', '▼': 'v', '·': '.', '√': 'v',
	'█': '#', '▓': '#', '▒': '#', '░': '.', '▄': '_', '▀': '"', '▌': '|', '▐': '|',
}

// glyph replaces g if the terminal's font lacks it. Letters of languages stay: a font may
// have them, and there is no replacement.
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
