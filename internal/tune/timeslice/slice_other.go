//go:build !linux

package timeslice

// Short gives the process short slices, on Linux.
func Short() {}

// Normal calls start.
func Normal(start func()) { start() }
