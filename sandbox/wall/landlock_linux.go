package wall

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unsafe"

	"ccdir/sandbox"

	"golang.org/x/sys/unix"
)

// Rights of Landlock.
const (
	readFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	writeFile = readFile | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	readDir   = readFile | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// writeDir is all but devices (ioctl) and sockets to dial.
	writeDir = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV - 1
	device   = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// handled are the rights of files that each version of the interface knows.
func handled(abi int) uint64 {
	switch {
	case abi >= 9:
		return unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX<<1 - 1
	case abi >= 5:
		return unix.LANDLOCK_ACCESS_FS_IOCTL_DEV<<1 - 1
	case abi >= 3:
		return unix.LANDLOCK_ACCESS_FS_TRUNCATE<<1 - 1
	case abi == 2:
		return unix.LANDLOCK_ACCESS_FS_REFER<<1 - 1
	}
	return unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
}

// knownLandlock is the newest version that is used here; tests lower it, for what older kernels hold.
var knownLandlock = 9

// landlockVersion is that of the kernel's interface, 0 for none.
func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return min(int(v), knownLandlock)
}

// ruleset is a set of rules under construction.
type ruleset struct {
	fd      int
	handled uint64
}

// newRuleset makes one; without files only scopes are limited: what a process may signal and
// trace, and which abstract sockets it may dial. With ports connections by TCP are limited, too.
func newRuleset(abi int, files, ports bool) (*ruleset, error) {
	attr := unix.LandlockRulesetAttr{}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if files {
		attr.Handled_access_fs = handled(abi)
	}
	if ports {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.Handled_access_net) + unsafe.Sizeof(attr.Handled_access_net)
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size = unsafe.Offsetof(attr.Scoped) + unsafe.Sizeof(attr.Scoped)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock: %w", errno)
	}
	return &ruleset{int(fd), attr.Handled_access_fs}, nil
}

// allow lets rights through at and below each path that is there.
func (r *ruleset) allow(rights uint64, paths ...string) error {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("landlock: %s: %w", path, err)
		}
		var st unix.Stat_t
		give := rights & r.handled
		if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR {
			give &= writeFile | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
		}
		if err == nil && give != 0 {
			attr := unix.LandlockPathBeneathAttr{Allowed_access: give, Parent_fd: int32(fd)}
			if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
				err = errno
			}
		}
		_ = unix.Close(fd)
		if err != nil {
			return fmt.Errorf("landlock: %s: %w", path, err)
		}
	}
	return nil
}

// restrict puts the calling thread, and what it becomes, behind the rules. no_new_privs must be
// set.
func (r *ruleset) restrict() error {
	defer unix.Close(r.fd)
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// landlockScopes limits signals, tracing and abstract sockets; nothing on an old kernel
// (the plan says that it is missing).
func landlockScopes() error {
	abi := landlockVersion()
	if abi < 6 {
		return nil
	}
	r, err := newRuleset(abi, false, false)
	if err != nil {
		return err
	}
	return r.restrict()
}

// landlockRulePort is LANDLOCK_RULE_NET_PORT, which x/sys lacks.
const landlockRulePort = 2

// connect lets connections to a port through.
func (r *ruleset) connect(port int) error {
	attr := struct{ access, port uint64 }{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)} // struct landlock_net_port_attr
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), landlockRulePort, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: port %d: %w", port, errno)
	}
	return nil
}

// landlockFiles limits files to those of the plan, connections to the ports where it has a list of
// hosts, and what landlockScopes does.
func landlockFiles(p sandbox.Plan, tmp string, ports []int) error {
	abi := landlockVersion()
	if abi < 3 {
		return errors.New("the kernel's Landlock is too old: nothing can hold the sandbox")
	}
	r, err := newRuleset(abi, true, len(ports) > 0)
	if err != nil {
		return err
	}
	write := []string{tmp, "/dev/shm"}
	for _, c := range sandbox.Caches {
		write = append(write, filepath.Join(p.Private, c.Name))
	}
	for _, path := range p.Write {
		if !p.Git.Linked() || path != p.Git.Common {
			write = append(write, path)
		}
	}
	read := append([]string{}, p.Read...)
	if g := p.Git; g.Linked() {
		read = append(read, g.Common)
		for _, name := range strings.Fields("objects refs logs lfs") {
			write = append(write, filepath.Join(g.Common, name))
		}
	}
	err = errors.Join(
		r.allow(readDir, existing(p, read)...),
		r.allow(writeDir, existing(p, write)...),
		r.allow(readDir|unix.LANDLOCK_ACCESS_FS_WRITE_FILE, "/proc"), // /proc/self/fd
		r.allow(device|unix.LANDLOCK_ACCESS_FS_TRUNCATE, strings.Fields("/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/ptmx /dev/pts")...),
		r.allow(unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX, append(p.Sockets, p.Write...)...))
	for _, port := range ports {
		err = errors.Join(err, r.connect(port))
	}
	if err != nil {
		return err
	}
	return r.restrict()
}

// existing are those of the paths that are let through and there (source).
func existing(p sandbox.Plan, paths []string) (list []string) {
	for _, path := range paths {
		if source(p, path) {
			list = append(list, path)
		}
	}
	return list
}
