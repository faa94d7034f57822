package paint

import (
	"strconv"

	"ccdir/internal/cells"
)

// attrCodes are the SGR numbers of the attributes, in the order of their bits:
// on and off.
var attrCodes = [...]struct {
	attr    cells.Attr
	on, off uint8
}{
	{cells.Bold, 1, 22}, {cells.Dim, 2, 22}, {cells.Italic, 3, 23}, {cells.Blink, 5, 25},
	{cells.Inverse, 7, 27}, {cells.Hidden, 8, 28}, {cells.Strike, 9, 29}, {cells.Overline, 53, 55},
}

// appendSGR appends the shortest sequence that changes the terminal's rendition from one
// style to another (hyperlinks aside), or two if one would be too long.
func appendSGR(dst []byte, from, to cells.Style) []byte {
	from.Link, to.Link = 0, 0
	if from == to {
		return dst
	}
	if to == (cells.Style{}) {
		return append(dst, "\x1b[m"...)
	}
	start := len(dst)
	dst = append(dst, "\x1b["...)
	dst = appendChange(dst, from, to)
	if len(dst) == start+len("\x1b[") {
		return dst[:start] // they differ only in details that no sequence expresses
	}
	dst[len(dst)-1] = 'm'
	change := len(dst) - start
	// The other way: reset, then the change from the default style.
	dst = append(dst, "\x1b[0;"...)
	dst = appendChange(dst, cells.Style{}, to)
	dst[len(dst)-1] = 'm'
	if fresh := len(dst) - start - change; fresh < change {
		copy(dst[start:], dst[start+change:])
		change = fresh
	}
	return cells.BoundSGR(dst[:start+change], start)
}

// appendChange appends parameters, each followed by ";".
func appendChange(dst []byte, from, to cells.Style) []byte {
	dst = appendAttrs(dst, from.Attrs, to.Attrs)
	if from.Underline != to.Underline {
		switch {
		case to.Underline == cells.UnderlineNone:
			dst = append(dst, "24;"...)
		case to.Underline == cells.UnderlineSingle:
			dst = append(dst, "4;"...)
		default:
			dst = append(dst, "4:"...)
			dst = appendParam(dst, int(to.Underline))
		}
	}
	if from.FG != to.FG {
		dst = appendColor(dst, to.FG, 30, 90, 38)
	}
	if from.BG != to.BG {
		dst = appendColor(dst, to.BG, 40, 100, 48)
	}
	if from.UnderlineColor != to.UnderlineColor {
		dst = appendUnderlineColor(dst, to.UnderlineColor)
	}
	return dst
}

func appendAttrs(dst []byte, from, to cells.Attr) []byte {
	gone := from &^ to
	on := to &^ from
	// Bold and dim share their off code: the one that stays is set again.
	if both := cells.Bold | cells.Dim; gone&both != 0 {
		dst = append(dst, "22;"...)
		on |= to & both
	}
	for _, c := range attrCodes {
		if gone&c.attr != 0 && c.off != 22 {
			dst = appendParam(dst, int(c.off))
		}
	}
	for _, c := range attrCodes {
		if on&c.attr != 0 {
			dst = appendParam(dst, int(c.on))
		}
	}
	return dst
}

func appendParam(dst []byte, n int) []byte {
	return append(strconv.AppendInt(dst, int64(n), 10), ';')
}

func appendColor(dst []byte, c cells.Color, base, bright, extended int) []byte {
	if c.IsDefault() {
		return appendParam(dst, base+9)
	}
	if i, ok := c.Index(); ok {
		switch {
		case i < 8:
			return appendParam(dst, base+int(i))
		case i < 16:
			return appendParam(dst, bright+int(i)-8)
		}
		dst = appendParam(dst, extended)
		return appendParam(append(dst, "5;"...), int(i))
	}
	r, g, b, _ := c.RGB()
	dst = appendParam(dst, extended)
	dst = append(dst, "2;"...)
	return appendParam(appendParam(appendParam(dst, int(r)), int(g)), int(b))
}

func appendUnderlineColor(dst []byte, c cells.Color) []byte {
	if c.IsDefault() {
		return append(dst, "59;"...)
	}
	if i, ok := c.Index(); ok {
		return appendParam(append(dst, "58:5:"...), int(i))
	}
	r, g, b, _ := c.RGB()
	dst = append(dst, "58:2::"...)
	dst = append(strconv.AppendInt(dst, int64(r), 10), ':')
	dst = append(strconv.AppendInt(dst, int64(g), 10), ':')
	return appendParam(dst, int(b))
}
