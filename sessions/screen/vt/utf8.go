package vt

import "unicode/utf8"

// partial is a UTF-8 sequence that has begun and is not complete: input may be
// cut anywhere.
type partial struct {
	buf [4]byte
	n   int // bytes in buf; 0: none has begun
}

// sequence describes a leading byte: how many bytes the sequence has, and what
// the second byte may be (Unicode, table 3-7). size 0: never leads.
func sequence(b byte) (size int, lo, hi byte) {
	switch {
	case b >= 0xc2 && b <= 0xdf:
		return 2, 0x80, 0xbf
	case b == 0xe0:
		return 3, 0xa0, 0xbf
	case b == 0xed:
		return 3, 0x80, 0x9f
	case b >= 0xe1 && b <= 0xef:
		return 3, 0x80, 0xbf
	case b == 0xf0:
		return 4, 0x90, 0xbf
	case b >= 0xf1 && b <= 0xf3:
		return 4, 0x80, 0xbf
	case b == 0xf4:
		return 4, 0x80, 0x8f
	}
	return 0, 0, 0
}

// next takes the code point at the start of p, or the rest of one that has
// begun before, and returns how many bytes of p it used. ok is false if p ends
// first: the bytes are kept. Bytes that cannot be part of UTF-8 give U+FFFD,
// one for each maximal subpart; the byte that broke a sequence is not used.
//
// Something has begun, or p starts with a byte of 0x80 or more.
func (u *partial) next(p []byte) (r rune, n int, ok bool) {
	if u.n == 0 {
		if r, n := utf8.DecodeRune(p); n > 1 {
			return r, n, true
		}
	}
	for n < len(p) {
		b := p[n]
		if u.n == 0 {
			if size, _, _ := sequence(b); size == 0 {
				return utf8.RuneError, 1, true
			}
			u.buf[0], u.n = b, 1
			n++
			continue
		}
		size, lo, hi := sequence(u.buf[0])
		if u.n > 1 {
			lo, hi = 0x80, 0xbf
		}
		if b < lo || b > hi {
			u.n = 0
			return utf8.RuneError, n, true
		}
		u.buf[u.n] = b
		u.n++
		n++
		if u.n == size {
			r, _ := utf8.DecodeRune(u.buf[:size])
			u.n = 0
			return r, n, true
		}
	}
	return 0, n, false
}

// threeBytes decodes a character of three bytes from U+1000 on, which is most of
// what is not ASCII; ok is false for anything else.
func threeBytes(p []byte) (r rune, ok bool) {
	if len(p) < 3 || p[0] < 0xe1 || p[0] > 0xef || p[1]&0xc0 != 0x80 || p[2]&0xc0 != 0x80 || p[0] == 0xed && p[1] >= 0xa0 {
		return 0, false
	}
	return rune(p[0]&0x0f)<<12 | rune(p[1]&0x3f)<<6 | rune(p[2]&0x3f), true
}

// fourBytes decodes a character of four bytes from the planes 1 to 15; ok is
// false for anything else.
func fourBytes(p []byte) (r rune, ok bool) {
	if len(p) < 4 || p[0] < 0xf0 || p[0] > 0xf3 || p[1]&0xc0 != 0x80 || p[2]&0xc0 != 0x80 || p[3]&0xc0 != 0x80 || p[0] == 0xf0 && p[1] < 0x90 {
		return 0, false
	}
	return rune(p[0]&0x07)<<18 | rune(p[1]&0x3f)<<12 | rune(p[2]&0x3f)<<6 | rune(p[3]&0x3f), true
}
