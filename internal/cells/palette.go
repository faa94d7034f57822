package cells

// base16 are the first colours of xterm's palette.
var base16 = [16]uint32{
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
}

// PaletteRGB is the colour i of xterm's palette: 16 colours, a cube of 216, 24 greys.
func PaletteRGB(i uint8) (r, g, b uint8) {
	switch {
	case i < 16:
		v := base16[i]
		return uint8(v >> 16), uint8(v >> 8), uint8(v)
	case i < 232:
		level := func(n uint8) uint8 {
			if n == 0 {
				return 0
			}
			return 55 + 40*n
		}
		i -= 16
		return level(i / 36), level(i / 6 % 6), level(i % 6)
	}
	v := 8 + 10*(i-232)
	return v, v, v
}
