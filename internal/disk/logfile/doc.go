// Package logfile keeps the log of a process that runs for months: bounded on disk, and
// readable while it is written and rotated.
//
// Contract: the log is one file of at most about MaxSize bytes, and one older file beside
// it (Old). A Writer rotates the file that is the process's standard error, and moves that
// descriptor with it, so that what the runtime prints at a crash is in the log, too. Whoever
// has the file open otherwise (a daemon that waits for its turn) goes on writing to it where
// it is, and finds the new one at its next line. A line is never split between two files.
// Where the file cannot be rotated it grows on: a log line is never lost for that.
package logfile

import (
	"os"
	"path/filepath"
)

// MaxSize is the size in bytes above which the log is rotated.
const MaxSize = 4 << 20

// Old is the path of the older file.
func Old(path string) string { return path + ".1" }

// Open opens the log for appending, and rotates it first if it is long.
func Open(path string) (*os.File, error) {
	path = target(path)
	if info, err := os.Stat(path); err == nil && info.Size() > MaxSize {
		_ = os.Rename(path, Old(path)) // if not, it grows on
	}
	return open(path)
}

func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// target is where a log lies that was put on another disk by a symbolic link.
func target(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}
