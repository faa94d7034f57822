package directline

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newMemory makes the memory of one page. Its size is sealed: otherwise one side could
// truncate it, and the next access of the other side would kill that process (SIGBUS).
func newMemory() (fd int, err error) {
	if fd, err = unix.MemfdCreate("ccdir-line", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING); err != nil {
		return -1, os.NewSyscallError("memfd_create", err)
	}
	if err = unix.Ftruncate(fd, pageSize); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals|unix.F_SEAL_SEAL)
	}
	if err != nil {
		drop(fd)
		return -1, os.NewSyscallError("memfd", err)
	}
	return fd, nil
}

// receiveFlags: programs that the host starts do not inherit the descriptor.
const receiveFlags = syscall.MSG_CMSG_CLOEXEC

// seals keep the size of the memory.
const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// share maps memory that newMemory made, in this process or in another one.
func share(fd int) ([]byte, *words, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, nil, os.NewSyscallError("fstat", err)
	}
	if have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0); err != nil || have&seals != seals || st.Size < pageSize {
		return nil, nil, errors.New("what the host shared is not the memory of a direct line")
	}
	mem, err := unix.Mmap(fd, 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return mem, (*words)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}

func unshare(mem []byte) { _ = unix.Munmap(mem) }

func drop(fd int) { unix.Close(fd) }

// put writes as much as the terminal takes at once. The system call bypasses the
// runtime's monitor, as internal/tune/rawio explains: it cannot block.
func put(fd int, p []byte) int {
	for {
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
		switch errno {
		case 0:
			return int(n)
		case unix.EINTR:
		default:
			return 0 // the host writes to it later, and sees the error
		}
	}
}
