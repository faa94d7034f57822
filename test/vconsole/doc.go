// Package vconsole gives tests a real console of the Linux kernel: a virtual
// terminal that nobody looks at (/dev/ttyN), what the kernel's own emulator has made
// of the bytes written to it (/dev/vcsaN and /dev/vcsuN), and typing into it
// (TIOCSTI). Only root has these devices, and only where the kernel has virtual
// terminals; elsewhere tests that need one are skipped. Nothing is shown to anybody:
// the console in front stays the one that it was.
package vconsole
