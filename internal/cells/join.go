package cells

// Joiner decides which runes belong to the preceding cluster. It follows the extended
// grapheme clusters of UAX #29 as far as they matter for cells, with three differences:
// a rune of width 0 always joins, an emoji modifier joins only after a pictograph, and
// conjuncts of Indic scripts (GB9c) stay apart, because terminals give each consonant
// its cell. The zero value is at a boundary: nothing joins.
type Joiner struct {
	state joinState
	vs16  bool // the base becomes wide by U+FE0F
}

type joinState uint8

const (
	joinNone    joinState = iota
	joinOther             // only marks join
	joinPict              // after a pictograph (and marks)
	joinPictZWJ           // after a pictograph, marks and U+200D
	joinFlag              // after a first regional indicator
	joinL                 // after Hangul L
	joinV                 // after Hangul V or LV
	joinT                 // after Hangul T or LVT
)

// Reset puts the joiner at a boundary.
func (j *Joiner) Reset() { *j = Joiner{} }

// starts is the state after the first rune of a cluster, by its class.
var starts = [16]joinState{
	ClassOther: joinOther, ClassExtend: joinOther, ClassZWJ: joinOther, ClassZero: joinOther,
	ClassPict: joinPict, ClassModifier: joinPict, ClassRegional: joinFlag,
	ClassHangulL: joinL, ClassHangulV: joinV, ClassHangulLV: joinV,
	ClassHangulT: joinT, ClassHangulLVT: joinT,
}

// Start begins a cluster with a rune of property p.
func (j *Joiner) Start(p RuneProp) {
	j.vs16 = p&propVS16 != 0
	j.state = starts[p.Class()]
}

// Next consumes the next rune r of property p. join: r belongs to the preceding
// cluster; widen: that cluster now takes two columns if it took one. If r does not
// join, it starts a cluster.
func (j *Joiner) Next(r rune, p RuneProp) (join, widen bool) {
	switch c := p.Class(); {
	case c == ClassOther || j.state == joinNone:
	case c == ClassExtend:
		if j.state == joinPictZWJ || j.state == joinFlag {
			j.state = joinOther
		}
		return true, r == 0xfe0f && j.vs16
	case c == ClassZero:
		j.state = joinOther
		return true, false
	case c == ClassZWJ:
		if j.state == joinPict {
			j.state = joinPictZWJ
		} else {
			j.state = joinOther
		}
		return true, false
	case c == ClassModifier && j.state == joinPict:
		return true, true
	case c == ClassPict && j.state == joinPictZWJ:
		j.state = joinPict
		return true, true
	case c == ClassRegional && j.state == joinFlag:
		j.state = joinOther
		return true, true
	case c >= ClassHangulL && c <= ClassHangulLVT && j.joinsHangul(c):
		return true, false
	}
	j.Start(p)
	return false, false
}

// joinsHangul is GB6 to GB8: conjoining jamo make one syllable.
func (j *Joiner) joinsHangul(c RuneClass) bool {
	switch j.state {
	case joinL:
		switch c {
		case ClassHangulV, ClassHangulLV:
			j.state = joinV
		case ClassHangulLVT:
			j.state = joinT
		case ClassHangulT:
			return false
		}
		return true
	case joinV:
		if c == ClassHangulT {
			j.state = joinT
		}
		return c == ClassHangulV || c == ClassHangulT
	case joinT:
		return c == ClassHangulT
	}
	return false
}
