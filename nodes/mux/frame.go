package mux

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// kind is the type of a frame.
type kind uint8

// The kinds of frames.
const (
	kindOpen   kind = 1 // body: the name of what is dialled
	kindData   kind = 2 // body: bytes of the stream
	kindCredit kind = 3 // body: u32, so many bytes were taken
	kindClose  kind = 4 // body: why, or empty
	kindPing   kind = 5 // body: anything, stream 0
	kindPong   kind = 6 // body: that of the ping
)

const (
	headerLen = 8
	// maxBody bounds a frame's body in bytes, so that one cannot hold up others for long.
	maxBody = 16 << 10
	// window is how many bytes of one direction of a stream may be under way: 400 KiB/s at a
	// round trip of 80 ms, and a frame of a screen is 0.2 to 8 KiB.
	window = 32 << 10
)

// Errors that end a connection.
var (
	errTooLong = errors.New("a frame is longer than the protocol allows")
	errWindow  = errors.New("the other end sent more than was asked for")
	errOpen    = errors.New("the other end opened a stream, which only this one may")
	errStream  = errors.New("the other end opened a stream that is open, or too many")
	errCredit  = errors.New("the other end took more than was sent")
)

// frame is one frame; body is valid until the next read.
type frame struct {
	stream uint32
	kind   kind
	body   []byte
}

// appendFrame appends a frame. The body has to be within maxBody.
func appendFrame(dst []byte, f frame) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, f.stream)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(f.body))<<8|uint32(f.kind))
	return append(dst, f.body...)
}

// readFrame reads one frame into buf, which has room for header and body.
func readFrame(r io.Reader, buf *[headerLen + maxBody]byte) (f frame, err error) {
	if _, err := io.ReadFull(r, buf[:headerLen]); err != nil {
		return f, err
	}
	f.stream = binary.LittleEndian.Uint32(buf[:])
	rest := binary.LittleEndian.Uint32(buf[4:])
	n := int(rest >> 8)
	f.kind = kind(rest)
	if n > maxBody {
		return f, fmt.Errorf("%w (%d bytes)", errTooLong, n)
	}
	f.body = buf[headerLen : headerLen+n]
	if _, err := io.ReadFull(r, f.body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return f, err
	}
	return f, nil
}
