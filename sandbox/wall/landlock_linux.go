package wall

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	// gitDir is writeDir without symbolic links: git of others writes its logs and notes through them.
	gitDir = writeDir &^ unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	device = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
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

// newRuleset makes one of rights of files; without any only scopes are limited: what a process may
// signal and trace, and which abstract sockets it may dial. With ports connections by TCP are
// limited, too.
func newRuleset(abi int, files uint64, ports bool) (*ruleset, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: files}
	size := unsafe.Sizeof(attr.Handled_access_fs)
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

// landlockScopes limits signals, tracing, abstract sockets, and symbolic links among the files of a
// linked work tree's repository; nothing on an old kernel (the plan says that it is missing).
func landlockScopes(p sandbox.Plan) error {
	abi := landlockVersion()
	if abi < 6 {
		return nil
	}
	links, files := linkPlaces(p), uint64(0)
	if links != nil {
		files = unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER // without rules for the latter nothing is moved
	}
	r, err := newRuleset(abi, files, false)
	if err == nil && links != nil {
		err = errors.Join(r.allow(unix.LANDLOCK_ACCESS_FS_REFER, "/"), r.allow(unix.LANDLOCK_ACCESS_FS_MAKE_SYM, links...))
	}
	if err != nil {
		return err
	}
	return r.restrict()
}

// linkPlaces are the directories below which symbolic links may be made: what is written, and all
// that is beside the way to the repository of a linked work tree. nil is everywhere.
func linkPlaces(p sandbox.Plan) (list []string) {
	if !p.Git.Linked() {
		return nil
	}
	for dir := p.Git.Common; dir != "/"; dir = filepath.Dir(dir) {
		entries, _ := os.ReadDir(filepath.Dir(dir))
		for _, e := range entries {
			if path := filepath.Join(filepath.Dir(dir), e.Name()); e.IsDir() && path != dir {
				list = append(list, path)
			}
		}
	}
	for _, path := range p.Write {
		if path != p.Git.Common && path != p.Git.Dir {
			list = append(list, path)
		}
	}
	return list
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
	r, err := newRuleset(abi, handled(abi), len(ports) > 0)
	if err != nil {
		return err
	}
	write := []string{tmp, "/dev/shm"}
	for _, c := range sandbox.Caches {
		write = append(write, filepath.Join(p.Private, c.Name))
	}
	for _, path := range p.Write {
		if !p.Git.Linked() || path != p.Git.Common && path != p.Git.Dir {
			write = append(write, path)
		}
	}
	read, git := append([]string{}, p.Read...), []string(nil)
	if g := p.Git; g.Linked() {
		read = append(read, g.Common)
		for _, name := range strings.Fields("objects refs logs lfs") {
			git = append(git, filepath.Join(g.Common, name))
		}
		if slices.Contains(p.Write, g.Dir) {
			git = append(git, g.Dir)
		}
	}
	err = errors.Join(
		r.allow(readDir, existing(p, read)...),
		r.allow(writeDir, existing(p, write)...),
		r.allow(gitDir, existing(p, git)...),
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
