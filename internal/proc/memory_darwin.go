package proc

import "golang.org/x/sys/unix"

// Available returns how much memory the machine can give without swapping, in bytes: the share that
// the kernel gives as its level of memory status.
func Available() (uint64, error) {
	percent, err := unix.SysctlUint32("kern.memorystatus_level")
	if err != nil {
		return 0, err
	}
	all, err := unix.SysctlUint64("hw.memsize")
	return all / 100 * uint64(min(percent, 100)), err
}
