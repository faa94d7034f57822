package cells

import (
	"bytes"
	"strconv"
)

// MaxParams is how many parameters one sequence may have: iTerm2, st and the Linux
// console have room for no more, and drop the rest.
const MaxParams = 16

var sgrAttrs = [...]struct {
	attr Attr
	code byte
}{
	{Bold, '1'}, {Dim, '2'}, {Italic, '3'}, {Blink, '5'}, {Inverse, '7'}, {Hidden, '8'}, {Strike, '9'},
}

// AppendSGR appends the parameters of the SGR sequence that sets s on top of
// the default rendition, each with a ";" before it: nothing for the default
// style. Underline styles and colours use the colon form (ISO 8613-6).
func (s Style) AppendSGR(dst []byte) []byte {
	for _, a := range sgrAttrs {
		if s.Attrs&a.attr != 0 {
			dst = append(dst, ';', a.code)
		}
	}
	switch {
	case s.Underline == UnderlineSingle:
		dst = append(dst, ";4"...)
	case s.Underline != UnderlineNone:
		dst = append(dst, ";4:"...)
		dst = strconv.AppendUint(dst, uint64(s.Underline), 10)
	}
	if s.Attrs&Overline != 0 {
		dst = append(dst, ";53"...)
	}
	dst = appendColorSGR(dst, s.FG, 30)
	dst = appendColorSGR(dst, s.BG, 40)
	return appendUnderlineColor(dst, s.UnderlineColor)
}

// appendColorSGR appends a foreground (base 30) or background (base 40).
func appendColorSGR(dst []byte, c Color, base int) []byte {
	if i, ok := c.Index(); ok {
		dst = append(dst, ';')
		switch {
		case i < 8:
			return strconv.AppendInt(dst, int64(base+int(i)), 10)
		case i < 16:
			return strconv.AppendInt(dst, int64(base+60+int(i)-8), 10)
		}
		dst = strconv.AppendInt(dst, int64(base+8), 10)
		dst = append(dst, ";5;"...)
		return strconv.AppendUint(dst, uint64(i), 10)
	}
	if r, g, b, ok := c.RGB(); ok {
		dst = append(dst, ';')
		dst = strconv.AppendInt(dst, int64(base+8), 10)
		dst = append(dst, ";2"...)
		return appendRGB(dst, ';', r, g, b)
	}
	return dst
}

func appendUnderlineColor(dst []byte, c Color) []byte {
	if i, ok := c.Index(); ok {
		dst = append(dst, ";58:5:"...)
		return strconv.AppendUint(dst, uint64(i), 10)
	}
	if r, g, b, ok := c.RGB(); ok {
		return appendRGB(append(dst, ";58:2:"...), ':', r, g, b)
	}
	return dst
}

func appendRGB(dst []byte, sep byte, r, g, b uint8) []byte {
	for _, v := range [...]uint8{r, g, b} {
		dst = append(dst, sep)
		dst = strconv.AppendUint(dst, uint64(v), 10)
	}
	return dst
}

// BoundSGR divides dst[start:], one whole SGR sequence, into several if it has more
// than MaxParams parameters. The parameters of a colour stay together.
func BoundSGR(dst []byte, start int) []byte {
	if bytes.Count(dst[start:], []byte{';'}) < MaxParams {
		return dst
	}
	params := bytes.Split(bytes.Clone(dst[start+len("\x1b["):len(dst)-1]), []byte{';'})
	dst = dst[:start]
	for len(params) > 0 {
		n := colorParams(params)
		for n < len(params) && n+colorParams(params[n:]) <= MaxParams {
			n += colorParams(params[n:])
		}
		dst = append(dst, "\x1b["...)
		dst = append(dst, bytes.Join(params[:n], []byte{';'})...)
		dst = append(dst, 'm')
		params = params[n:]
	}
	return dst
}

// colorParams returns how many of params belong to the first one: more than one if it
// is 38 or 48.
func colorParams(params [][]byte) int {
	n := 1
	if first := string(params[0]); len(params) > 1 && (first == "38" || first == "48") {
		switch string(params[1]) {
		case "2":
			n = 5
		case "5":
			n = 3
		}
	}
	return min(n, len(params))
}
