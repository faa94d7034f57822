package file

import (
	"io/fs"
	"syscall"
)

// inodeOf is the number of a file's inode, and when that was last changed.
func inodeOf(info fs.FileInfo) (inode uint64, status int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino, st.Ctimespec.Nano()
	}
	return 0, 0
}
