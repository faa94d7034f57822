package proc

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// tcpHolders reads proc(5): the connection's line in /proc/net/tcp has a user and an
// inode, which is searched for among the open files of the user's processes.
func tcpHolders(from, to netip.AddrPort, uid int) (holders, hidden []int, err error) {
	socket, err := findSocket(from, to)
	if err != nil {
		return nil, nil, err
	}
	if socket.uid != uid {
		return nil, nil, ErrTCPUser
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil, err
	}
	want := "socket:[" + socket.inode + "]"
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || userOf(pid) != uid {
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

func tcpUser(from, to netip.AddrPort) (int, error) {
	socket, err := findSocket(from, to)
	if err != nil {
		return -1, err
	}
	return socket.uid, nil
}

// noUser is the user of a process that cannot be read.
const noUser = -1

// userOf is the real user of a process, noUser if it has ended.
func userOf(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return noUser
	}
	_, rest, ok := bytes.Cut(status, []byte("\nUid:"))
	if !ok {
		return noUser
	}
	fields := bytes.Fields(rest[:max(bytes.IndexByte(rest, '\n'), 0)])
	if len(fields) == 0 {
		return noUser
	}
	uid, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		return noUser
	}
	return uid
}

// loginServer compares the process with its parent. A process of the user that was
// forked by one of another user, and still runs the same program, has changed its user
// itself. Children of the first process do not count: `systemd --user` looks the same.
func loginServer(pid, uid int) bool {
	own, parent, err := ancestor(pid)
	if err != nil || parent <= 1 || userOf(pid) != uid {
		return false
	}
	above, _, err := ancestor(parent)
	if err != nil || above.Name != own.Name {
		return false
	}
	owner := userOf(parent)
	return owner != noUser && owner != uid
}

// tcpSocket is a socket in a line of /proc/net/tcp.
type tcpSocket struct {
	uid   int
	inode string
}

// lookups is how often the connection's line is searched for: the kernel's list may
// miss an entry while it changes.
const lookups = 3

// findSocket finds the socket at the from end of a connection. An IPv4 connection may
// belong to an IPv6 socket, which is in the other list.
func findSocket(from, to netip.AddrPort) (s tcpSocket, err error) {
	type list struct {
		file     string
		from, to netip.AddrPort
	}
	lists := []list{{"/proc/net/tcp6", from, to}}
	if from.Addr().Is4() {
		lists = []list{{"/proc/net/tcp", from, to}, {"/proc/net/tcp6", mapped(from), mapped(to)}}
	}
	for range lookups {
		for i, l := range lists {
			table, err := os.ReadFile(l.file)
			if err != nil && (i == 0 || !errors.Is(err, os.ErrNotExist)) { // a machine without IPv6
				return s, err
			}
			s, found := parseTCP(table, procAddr(l.from), procAddr(l.to))
			switch {
			case found && s.inode == "0":
				return s, errReleased
			case found:
				return s, nil
			}
		}
	}
	return s, errNotListed
}

// Both are fs.ErrNotExist.
var (
	errReleased  = fmt.Errorf("no process holds the other end any longer: %w", os.ErrNotExist)
	errNotListed = fmt.Errorf("the system does not list the other end: %w", os.ErrNotExist)
)

// parseTCP looks for the connection in the text of /proc/net/tcp. An address that is
// reused has several lines; the one whose socket a process holds counts.
func parseTCP(table []byte, from, to string) (s tcpSocket, found bool) {
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		const localField, remoteField, uidField, inodeField = 1, 2, 7, 9
		if len(f) <= inodeField || f[localField] != from || f[remoteField] != to {
			continue
		}
		uid, err := strconv.ParseUint(f[uidField], 10, 32)
		if err != nil {
			continue
		}
		s, found = tcpSocket{int(uid), f[inodeField]}, true
		if s.inode != "0" {
			return s, true
		}
	}
	return s, found
}

// mapped converts an IPv4 address to its IPv6 form.
func mapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())
}

// procAddr is an address as the kernel prints it: words of 32 bits in the machine's
// byte order, which is little-endian on every platform of ccdir.
func procAddr(a netip.AddrPort) string {
	b := a.Addr().AsSlice()
	for i := 0; i+4 <= len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	port := []byte{byte(a.Port() >> 8), byte(a.Port())}
	return strings.ToUpper(hex.EncodeToString(b) + ":" + hex.EncodeToString(port))
}
