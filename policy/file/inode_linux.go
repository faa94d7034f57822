package file

import (
	"io/fs"
	"syscall"
)

// inodeOf returns a file's inode number and the time of its last status change, in
// nanoseconds.
func inodeOf(info fs.FileInfo) (inode uint64, status int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino, st.Ctim.Nano()
	}
	return 0, 0
}
