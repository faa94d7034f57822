// Package hint gives advice about errors of the system, such as a full disk or too many
// open files, for messages to people.
package hint

import (
	"errors"
	"syscall"
)

// Result codes of SQLite (sqlite.org/rescode.html).
const (
	sqliteBusy    = 5
	sqliteLocked  = 6
	sqliteIOErr   = 10
	sqliteCorrupt = 11
	sqliteFull    = 13
	sqliteNotADB  = 26
)

// Of returns ": " and advice about err; "" if there is none.
func Of(err error) string {
	var coded interface{ Code() int }
	code := 0
	if errors.As(err, &coded) {
		code = coded.Code() & 0xff
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), code == sqliteFull:
		return ": make room on the disk of the state directory, then try again"
	case errors.Is(err, syscall.EMFILE):
		return ": end sessions, or raise the limit (`ulimit -n`) and `ccdir daemon restart`"
	case errors.Is(err, syscall.ENFILE):
		return ": the whole system has too many files open: end programs"
	case errors.Is(err, syscall.EROFS):
		return ": the disk of the state directory cannot be written: set CCDIR_HOME or mount it again"
	case code == sqliteBusy || code == sqliteLocked:
		return ": another program has the database open: close it, then try again"
	case code == sqliteIOErr:
		return ": the disk of the state directory does not read or write the database: look at the system's log, then `ccdir daemon restart`"
	case code == sqliteCorrupt || code == sqliteNotADB:
		return ": the database is damaged: `ccdir daemon restart` moves it aside and goes on with what can be read of it"
	}
	return ""
}
