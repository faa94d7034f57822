package wall

import (
	"fmt"
	"runtime"
	"unsafe"

	"ccdir/sandbox"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (seccomp(2)); the low half of an argument comes first on the
// machines that are supported.
const (
	dataCall = 0
	dataArch = 4
	dataArg0 = 16
	dataArg1 = 24
	dataArg2 = 32
)

// filter is a program of the kernel's packet filter under construction.
type filter []unix.SockFilter

func (f *filter) put(code uint16, k uint32, t, e uint8) {
	*f = append(*f, unix.SockFilter{Code: code, K: k, Jt: t, Jf: e})
}

func (f *filter) load(offset uint32) { f.put(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }

// equal skips t steps if what is loaded is k, else e.
func (f *filter) equal(k uint32, t, e uint8) { f.put(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, t, e) }

func (f *filter) refuse(errno unix.Errno) {
	f.put(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
}

// call refuses a system call.
func (f *filter) call(nr uint32, errno unix.Errno) {
	f.equal(nr, 0, 1)
	f.refuse(errno)
}

// refused are the calls that no program behind a wall needs: mounts, which could uncover what is
// covered, the keyring, which all processes of the user share, and calls that the filter could
// not see (io_uring) or whose flags it cannot (clone3: programs fall back to clone).
var refused = []struct {
	call  uint32
	errno unix.Errno
}{
	{unix.SYS_MOUNT, unix.EPERM}, {unix.SYS_UMOUNT2, unix.EPERM}, {unix.SYS_PIVOT_ROOT, unix.EPERM}, {unix.SYS_CHROOT, unix.EPERM},
	{unix.SYS_OPEN_TREE, unix.EPERM}, {unix.SYS_MOVE_MOUNT, unix.EPERM}, {unix.SYS_FSOPEN, unix.EPERM}, {unix.SYS_FSMOUNT, unix.EPERM}, {unix.SYS_MOUNT_SETATTR, unix.EPERM},
	{unix.SYS_SETNS, unix.EPERM}, {unix.SYS_ADD_KEY, unix.EPERM}, {unix.SYS_REQUEST_KEY, unix.EPERM}, {unix.SYS_KEYCTL, unix.EPERM},
	{unix.SYS_IO_URING_SETUP, unix.ENOSYS}, {unix.SYS_CLONE3, unix.ENOSYS}, {unix.SYS_BPF, unix.EPERM}, {unix.SYS_PERF_EVENT_OPEN, unix.EPERM},
	{unix.SYS_USERFAULTFD, unix.EPERM}, {unix.SYS_KEXEC_LOAD, unix.EPERM}, {unix.SYS_OPEN_BY_HANDLE_AT, unix.EPERM},
}

// rules is the filter of a plan.
func rules(p sandbox.Plan) filter {
	f := &filter{}
	f.load(dataArch)
	f.equal(map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH], 1, 0)
	f.refuse(unix.EPERM) // calls of another machine mode have other numbers
	f.load(dataCall)
	f.put(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, 0x40000000, 0, 1) // x32
	f.refuse(unix.EPERM)
	for _, r := range refused {
		f.call(r.call, r.errno)
	}
	for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} { // new namespaces
		f.equal(call, 0, 4)
		f.load(dataArg0)
		f.put(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, unix.CLONE_NEWUSER|unix.CLONE_NEWNS, 0, 1)
		f.refuse(unix.EPERM)
		f.load(dataCall)
	}
	f.equal(unix.SYS_IOCTL, 0, 5) // typing into a terminal
	f.load(dataArg1)
	f.equal(unix.TIOCSTI, 1, 0)
	f.equal(unix.TIOCLINUX, 0, 1)
	f.refuse(unix.EPERM)
	f.load(dataCall)
	switch own := p.Mechanism == sandbox.Bubblewrap; {
	case p.Network == sandbox.NetworkNone, p.Network == sandbox.NetworkLoopback && !own, p.Network == sandbox.NetworkHosts && !own && !listed(p):
		f.equal(unix.SYS_SOCKET, 0, 4)
		f.load(dataArg0)
		f.equal(unix.AF_UNIX, 1, 0)
		f.refuse(unix.EACCES)
		f.load(dataCall)
	case p.Network == sandbox.NetworkHosts && !own:
		f.onlyTCP()
	}
	f.put(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0)
	return *f
}

// onlyTCP refuses all sockets but those of files and of TCP, which alone Landlock limits.
func (f *filter) onlyTCP() {
	f.equal(unix.SYS_SOCKET, 0, 12)
	f.load(dataArg0)
	f.equal(unix.AF_UNIX, 9, 0)
	f.equal(unix.AF_INET, 1, 0)
	f.equal(unix.AF_INET6, 0, 6)
	f.load(dataArg1)
	f.put(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, socketKind, 0, 0)
	f.equal(unix.SOCK_STREAM, 0, 3)
	f.load(dataArg2)
	f.equal(0, 2, 0)
	f.equal(unix.IPPROTO_TCP, 1, 0)
	f.refuse(unix.EACCES)
	f.load(dataCall)
}

// socketKind masks the flags out of a socket's type.
const socketKind = 0xf

// listed reports whether the hosts of a list are let through: not by a kernel whose Landlock knows no
// ports.
func listed(p sandbox.Plan) bool {
	return p.Network == sandbox.NetworkHosts && (p.Mechanism == sandbox.Bubblewrap || landlockVersion() >= 4)
}

// install puts the calling thread, and what it becomes, behind the filter. no_new_privs must be
// set.
func install(p sandbox.Plan) error {
	f := rules(p)
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0); err != nil {
		return fmt.Errorf("system calls cannot be filtered: %w", err)
	}
	return nil
}
