//go:build !linux

package cli_test

// The environment of processes is not to be had here: only sockets are checked.
func processesOf(string) []string { return nil }

func killAll(string) {}
