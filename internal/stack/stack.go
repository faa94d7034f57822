// Package stack makes room on goroutines' stacks.
package stack

// roomStack is what dialling a host, its JSON included, and composing a picture
// take of a goroutine's stack, in bytes.
const roomStack = 6 << 10

// Grow makes room on the goroutine's stack for what is to come. A stack begins
// with 2 KB and is doubled when it is full, each time with a copy and a look into
// tables that are not in memory yet when the grid starts: for the goroutines of
// many panes that was a tenth of the time to attach. The array is never made; that
// it could be is what makes the room.
//
//go:noinline
func Grow(never bool) byte {
	if never {
		var room [roomStack]byte
		fill(room[:])
		return room[0]
	}
	return 0
}

//go:noinline
func fill(b []byte) {
	for i := range b {
		b[i] = byte(i)
	}
}
