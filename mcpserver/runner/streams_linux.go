package runner

import (
	"bytes"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// writeSignal is the real-time signal that stands for one write to a pipe. It is
	// blocked in the only thread that gets it, and read there from a signalfd.
	writeSignal = 40
	// maxBatch bounds what is read of one pipe before it is passed on, in bytes, and
	// maxEvents the writes.
	maxBatch  = 256 << 10
	maxEvents = 10_000
	// settle is how long to wait for the signal of a write whose bytes are there, in ms: the
	// kernel wakes readers before it signals.
	settle = 5
	// setOwnEx is F_SETOWN_EX (fcntl(2)), which x/sys does not have; ownThread is its
	// F_OWNER_TID.
	setOwnEx  = 15
	ownThread = 0
)

// bothPipes are the pipes of standard output and error. The read ends belong to copy.
type bothPipes struct {
	r           [2]int
	w           [2]*os.File
	stopR       int
	stop        *os.File // the write end of a pipe: closing it ends copy
	signals     int      // signalfd; -1: none
	events      []int
	bytes       [2][]byte
	ended       [2]bool
	owed        [2]int // writes whose bytes were passed on before their signals came
	buf, sigBuf []byte
}

func newBothPipes() (*bothPipes, error) {
	b := &bothPipes{signals: -1, buf: make([]byte, 64<<10), sigBuf: make([]byte, 256*unsafe.Sizeof(unix.SignalfdSiginfo{}))}
	var fds [3][2]int
	for i := range fds {
		if err := unix.Pipe2(fds[i][:], unix.O_CLOEXEC); err != nil {
			for _, p := range fds[:i] {
				unix.Close(p[0])
				unix.Close(p[1])
			}
			return nil, os.NewSyscallError("pipe2", err)
		}
	}
	for i := range b.r {
		b.r[i], b.w[i] = fds[i][0], os.NewFile(uintptr(fds[i][1]), "output")
		_ = unix.SetNonblock(b.r[i], true)
	}
	b.stopR, b.stop = fds[2][0], os.NewFile(uintptr(fds[2][1]), "stop")
	return b, nil
}

// Close ends copy, or frees the pipes if copy was not called.
func (b *bothPipes) Close() error { return b.stop.Close() }

// copy reads both pipes to their ends, or until Close. The kernel queues one real-time
// signal per write (fcntl(2), F_SETSIG), so the order of writes is known however late
// this thread comes; if signals cannot be had, the order is by arrival.
func (b *bothPipes) copy(listens func(), put func(stream int, p []byte)) {
	runtime.LockOSThread() // never unlocked: the thread ends, and with it its signal mask
	b.listen()
	listens()
	defer b.free()
	for !b.ended[0] || !b.ended[1] {
		stopped := b.wait()
		b.gather()
		b.pass(put)
		if stopped {
			return
		}
	}
}

func (b *bothPipes) free() {
	for _, fd := range []int{b.r[0], b.r[1], b.stopR, b.signals} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// listen makes this thread receive a signal per write to a pipe.
func (b *bothPipes) listen() {
	var set unix.Sigset_t
	set.Val[(writeSignal-1)/64] |= 1 << ((writeSignal - 1) % 64)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil) != nil {
		return
	}
	fd, err := unix.Signalfd(-1, &set, unix.SFD_CLOEXEC|unix.SFD_NONBLOCK)
	if err != nil {
		return
	}
	b.signals = fd
	for _, r := range b.r {
		owner := [2]int32{ownThread, int32(unix.Gettid())}
		_, _, errno := unix.Syscall(unix.SYS_FCNTL, uintptr(r), setOwnEx, uintptr(unsafe.Pointer(&owner)))
		_, err := unix.FcntlInt(uintptr(r), unix.F_SETSIG, writeSignal)
		if errno != 0 || err != nil {
			return
		}
		if flags, err := unix.FcntlInt(uintptr(r), unix.F_GETFL, 0); err == nil {
			_, _ = unix.FcntlInt(uintptr(r), unix.F_SETFL, flags|unix.O_ASYNC)
		}
	}
}

// wait blocks until there is something to read; stopped: Close was called.
func (b *bothPipes) wait() (stopped bool) {
	fds := []unix.PollFd{{Fd: int32(b.stopR)}}
	for i, r := range b.r {
		if !b.ended[i] {
			fds = append(fds, unix.PollFd{Fd: int32(r), Events: unix.POLLIN})
		}
	}
	for {
		if _, err := unix.Poll(fds, -1); err != unix.EINTR {
			return err != nil || fds[0].Revents != 0
		}
	}
}

// gather reads signals and pipes until nothing more comes, so that the bytes of all
// events are there, and an event for each line.
func (b *bothPipes) gather() {
	for {
		told := b.readSignals()
		read := b.readPipe(0) + b.readPipe(1)
		if len(b.bytes[0]) >= maxBatch || len(b.bytes[1]) >= maxBatch || len(b.events) >= maxEvents {
			return
		}
		if told == 0 && read == 0 && (b.settled() || !b.signalComes()) {
			return
		}
	}
}

// settled: the order of all bytes is known.
func (b *bothPipes) settled() bool {
	var told [2]int
	for _, e := range b.events {
		told[e]++
	}
	for i, p := range b.bytes {
		if bytes.Count(p, []byte("\n")) > told[i]-b.owed[i] {
			return false
		}
	}
	return true
}

// signalComes waits for a signal, for a short time.
func (b *bothPipes) signalComes() bool {
	if b.signals < 0 {
		return false
	}
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(b.signals), Events: unix.POLLIN}}, settle)
	return n > 0 || err == unix.EINTR
}

func (b *bothPipes) readSignals() (told int) {
	const size = int(unsafe.Sizeof(unix.SignalfdSiginfo{}))
	for b.signals >= 0 && len(b.events) < maxEvents {
		n, err := unix.Read(b.signals, b.sigBuf)
		if err != nil || n < size {
			break
		}
		for off := 0; off+size <= n; off += size {
			info := (*unix.SignalfdSiginfo)(unsafe.Pointer(&b.sigBuf[off]))
			for i, r := range b.r {
				if info.Fd == int32(r) {
					b.events = append(b.events, i)
					told++
				}
			}
		}
	}
	return told
}

func (b *bothPipes) readPipe(i int) (read int) {
	for !b.ended[i] && len(b.bytes[i]) < maxBatch {
		n, err := unix.Read(b.r[i], b.buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return read
		case err != nil || n == 0:
			b.ended[i] = true
			return read
		}
		b.bytes[i] = append(b.bytes[i], b.buf[:n]...)
		read += n
	}
	return read
}

// pass passes on what was gathered, in order.
func (b *bothPipes) pass(put func(stream int, p []byte)) {
	events := b.events[:0]
	told := [2]bool{}
	for _, e := range b.events {
		if b.owed[e] > 0 {
			b.owed[e]--
			continue
		}
		if len(b.bytes[e]) > 0 { // the end of a pipe is an event too
			events = append(events, e)
			told[e] = true
		}
	}
	for i, p := range b.bytes {
		if len(p) > 0 && !told[i] && b.signals >= 0 {
			b.owed[i]++
		}
	}
	order(events, b.bytes, put)
	b.events, b.bytes[0], b.bytes[1] = b.events[:0], b.bytes[0][:0], b.bytes[1][:0]
}
