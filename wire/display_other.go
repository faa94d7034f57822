//go:build !linux

package wire

// receiveFlags: nobody has lines here.
const receiveFlags = 0
