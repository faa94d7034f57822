//go:build !linux

package slice

// Short gives the process short slices, on Linux.
func Short() {}

// Normal calls start.
func Normal(start func()) { start() }
