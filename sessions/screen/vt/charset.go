package vt

// charsets are the four designated character sets and which of them is in use
// for 0x20 to 0x7e. 0 and 'B' are US ASCII.
type charsets struct {
	g      [4]byte
	gl     uint8
	single uint8 // SS2, SS3: for the next character; 0 none
}

// plain reports whether characters need no translation.
func (c *charsets) plain() bool { return c.g[c.gl] == 0 && c.single == 0 }

// designate makes set n the one that the final byte of SCS names; names of
// sets that are not known change nothing, as in xterm.
func (c *charsets) designate(n int, final byte) {
	switch {
	case final == 'B':
		c.g[n] = 0
	case final == '0' || nationalSets[final] != "":
		c.g[n] = final
	}
}

// translate maps r, 0x20 to 0x7e.
func (c *charsets) translate(r rune) rune {
	set := c.g[c.gl]
	if c.single != 0 {
		set, c.single = c.g[c.single], 0
	}
	switch set {
	case 0:
		return r
	case '0':
		if r >= '_' && r <= '~' {
			return lineDrawing[r-'_']
		}
		return r
	}
	pairs := []rune(nationalSets[set])
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == r {
			return pairs[i+1]
		}
	}
	return r
}

// lineDrawing is DEC special graphics, from '_' (a blank) to '~' (VT100 user guide,
// table 3-9).
var lineDrawing = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// nationalSets are the national replacement character sets (VT220 programmer
// reference, tables 2-5 to 2-15), by the final byte of SCS: pairs of the ASCII
// character and what is shown for it.
var nationalSets = map[byte]string{
	'A': "#£",
	'4': "#£@¾[ĳ\\½]|{¨|f}¼~´",
	'C': finnish, '5': finnish,
	'R': "#£@à[°\\ç]§{é|ù}è~¨",
	'Q': "@à[â\\ç]ê^î`ô{é|ù}è~û",
	'K': "@§[Ä\\Ö]Ü{ä|ö}ü~ß",
	'Y': "#£@§[°\\ç]é`ù{à|ò}è~ì",
	'E': norwegian, '6': norwegian,
	'Z': "#£@§[¡\\Ñ]¿{°|ñ}ç",
	'H': swedish, '7': swedish,
	'=': "#ù@à[é\\ç]ê^î_è`ô{ä|ö}ü~û",
}

const (
	finnish   = "[Ä\\Ö]Å^Ü`é{ä|ö}å~ü"
	norwegian = "@Ä[Æ\\Ø]Å^Ü`ä{æ|ø}å~ü"
	swedish   = "@É[Ä\\Ö]Å^Ü`é{ä|ö}å~ü"
)
