//go:build !linux

package hostwire

// receiveFlags: nobody has lines here.
const receiveFlags = 0
