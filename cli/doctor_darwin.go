package cli

import "golang.org/x/sys/unix"

// networkFS names the kind of network file system that dir is on; "" if it is
// local, or unknown.
func networkFS(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}

// ptyCount is not known here.
func ptyCount() (used, most int) { return 0, 0 }
