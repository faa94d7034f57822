package cells

//go:generate go run ./widthgen width_table.go

// RuneClass is the part of Unicode's grapheme cluster rules (UAX #29) that a
// terminal needs.
type RuneClass uint8

// The classes. Their numbers are part of the generated table.
const (
	ClassOther     RuneClass = iota
	ClassExtend              // combining and spacing marks, variation selectors, tags
	ClassZWJ                 // U+200D
	ClassPict                // Extended_Pictographic
	ClassRegional            // regional indicators: two make a flag
	ClassModifier            // emoji skin tones
	ClassHangulL             // leading consonants
	ClassHangulV             // vowels
	ClassHangulT             // trailing consonants
	ClassHangulLV            // syllables without a trailing consonant
	ClassHangulLVT           // syllables with one
	ClassZero                // takes no column but is no mark: U+200B, bidi controls, …
)

// RuneProp holds the properties of one rune for the width and cluster rules: its width
// in columns when it stands alone (0-2), its class, and whether U+FE0F makes it two
// columns wide.
type RuneProp uint8

const propVS16 RuneProp = 1 << 6

// MakeRuneProp packs a property; for the generator.
func MakeRuneProp(class RuneClass, width int, vs16 bool) RuneProp {
	p := RuneProp(class)<<2 | RuneProp(width)
	if vs16 {
		p |= propVS16
	}
	return p
}

// Width is the number of columns of the rune alone: 0, 1 or 2.
func (p RuneProp) Width() int { return int(p & 3) }

// Class is the rune's cluster class.
func (p RuneProp) Class() RuneClass { return RuneClass(p>>2) & 15 }

// PropOf returns the properties of r. Control characters have width 0.
func PropOf(r rune) RuneProp {
	if uint32(r) < uint32(len(propBlocks))<<7 {
		return propValues[propCells[int(propBlocks[r>>7])<<7|int(r&127)]-'A']
	}
	switch {
	case r >= 0x20000 && r <= 0x3fffd: // CJK extensions
		return RuneProp(ClassOther)<<2 | 2
	case r >= 0xe0000 && r <= 0xe0fff: // tags and variation selectors
		return RuneProp(ClassExtend) << 2
	}
	return RuneProp(ClassOther)<<2 | 1
}

// RuneWidth is the number of columns that r takes alone: 0, 1 or 2.
func RuneWidth(r rune) int { return PropOf(r).Width() }
