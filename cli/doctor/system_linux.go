package doctor

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// networkFSTypes are the magic numbers of network file systems (statfs(2); those that x/sys
// does not name are from the kernel's magic.h and the file systems' own headers).
var networkFSTypes = map[int64]string{
	unix.NFS_SUPER_MAGIC:  "nfs",
	unix.SMB_SUPER_MAGIC:  "smb",
	unix.CIFS_SUPER_MAGIC: "cifs",
	unix.SMB2_SUPER_MAGIC: "smb2",
	unix.V9FS_MAGIC:       "9p",
	unix.AFS_SUPER_MAGIC:  "afs",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.CODA_SUPER_MAGIC: "coda",
	0x0bd00bd0:            "lustre",
	0x47504653:            "gpfs",
	0x01161970:            "gfs2",
}

// networkFS returns the type of the network file system of dir; "" if it is local or not
// known.
func networkFS(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return ""
	}
	return networkFSTypes[int64(uint32(st.Type))]
}

// ptyCount returns how many pseudo terminals are in use, and their limit; zeros if they are
// not known.
func ptyCount() (used, most int) {
	read := func(name string) int {
		data, err := os.ReadFile("/proc/sys/kernel/pty/" + name)
		if err != nil {
			return 0
		}
		n, _ := strconv.Atoi(strings.TrimSpace(string(data))) // 0: not known
		return n
	}
	return read("nr"), read("max")
}
