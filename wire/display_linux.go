package wire

import "syscall"

// receiveFlags: no program that the host starts gets the descriptor.
const receiveFlags = syscall.MSG_CMSG_CLOEXEC
