//go:build unix && !linux

package client

// closeOnExec sets close-on-exec on every descriptor above the standard ones, so that a
// daemon does not inherit descriptors that this process inherited. (Go sets it only on
// those that it opens.)
func closeOnExec() error { return markEach("/dev/fd") }
