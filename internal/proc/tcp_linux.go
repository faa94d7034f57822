package proc

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// tcpHolders reads proc(5): the connection's line in /proc/net/tcp names an
// inode, which is looked for among the open files of the user's processes.
func tcpHolders(from, to netip.AddrPort, uid int) (holders, hidden []int, err error) {
	inode, err := tcpInode(from, to)
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil, err
	}
	want := "socket:[" + inode + "]"
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !runsAs(e.Name(), uid) {
			continue
		}
		fds, err := os.ReadDir("/proc/" + e.Name() + "/fd")
		if err != nil {
			if os.IsPermission(err) {
				hidden = append(hidden, pid)
			}
			continue // otherwise it has ended
		}
		if slices.ContainsFunc(fds, func(fd os.DirEntry) bool {
			at, err := os.Readlink("/proc/" + e.Name() + "/fd/" + fd.Name())
			return err == nil && at == want
		}) {
			holders = append(holders, pid)
		}
	}
	return holders, hidden, nil
}

// runsAs reports whether a process is the user's.
func runsAs(pid string, uid int) bool {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return false
	}
	_, rest, ok := bytes.Cut(status, []byte("\nUid:"))
	if !ok {
		return false
	}
	fields := bytes.Fields(rest[:max(bytes.IndexByte(rest, '\n'), 0)])
	return len(fields) > 0 && string(fields[0]) == strconv.Itoa(uid)
}

// tcpInode is the inode of the socket that a connection leads from.
func tcpInode(from, to netip.AddrPort) (string, error) {
	file := "/proc/net/tcp"
	if !from.Addr().Is4() {
		file = "/proc/net/tcp6"
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		const localField, remoteField, inodeField = 1, 2, 9
		if len(f) > inodeField && f[localField] == procAddr(from) && f[remoteField] == procAddr(to) {
			if f[inodeField] == "0" {
				return "", os.ErrNotExist // nobody's any more
			}
			return f[inodeField], nil
		}
	}
	return "", os.ErrNotExist
}

// procAddr is an address as the kernel prints it: words of 32 bits in the order
// of the machine, which is little-endian wherever ccdir is built for.
func procAddr(a netip.AddrPort) string {
	b := a.Addr().AsSlice()
	for i := 0; i+4 <= len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	port := []byte{byte(a.Port() >> 8), byte(a.Port())}
	return strings.ToUpper(hex.EncodeToString(b) + ":" + hex.EncodeToString(port))
}
