package web

import (
	"strings"

	"rsc.io/qr"
)

// margin is the blank border that a code needs, in modules (ISO 18004 asks for four; cameras are
// content with two).
const margin = 2

// picture is a text as a QR code in half blocks: two modules stand in one character. Where colours may
// be used they are black on white; otherwise a dark background is assumed.
func picture(text string, colours bool) (string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", err
	}
	light := func(x, y int) bool { return !code.Black(x, y) } // outside of it as well
	var b strings.Builder
	for y := -margin; y < code.Size+margin; y += 2 {
		if colours {
			b.WriteString("\x1b[97;40m")
		}
		for x := -margin; x < code.Size+margin; x++ {
			upper, lower := light(x, y), light(x, y+1)
			switch {
			case upper && lower:
				b.WriteString("█")
			case upper:
				b.WriteString("▀")
			case lower:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		if colours {
			b.WriteString("\x1b[0m")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
