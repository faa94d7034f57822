//go:build unix && !linux

package client

// closeOnExec marks every descriptor above the standard ones, so that a daemon
// does not keep open what the caller's caller left open. (os/exec takes care
// of descriptors opened by Go only.)
func closeOnExec() error { return markEach("/dev/fd") }
