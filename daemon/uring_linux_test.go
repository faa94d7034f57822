package daemon

import (
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ccdir/api"
)

func init() { byRing = ringCall }

// What a ring (io_uring) is asked to do.
const (
	ringConnect, ringSend, ringRecv = 16, 26, 27

	ringFixedFile = 1 << 0 // the descriptor is the number of a file that the ring holds
	ringWorker    = 1 << 4 // by a worker thread of the kernel
)

// Places in the answer of the system that makes a ring, in 32-bit words.
const (
	sqTail, sqMask, sqArray       = 11, 12, 16
	cqHead, cqMask, cqCompletions = 20, 22, 25
)

// ring is an io_uring that does one thing at a time.
type ring struct {
	fd                     int
	params                 [30]uint32
	queue, completed, work []byte
}

func newRing() (*ring, error) {
	const (
		entries                   = 4
		atCompleted, atWork       = 0x8000000, 0x10000000 // io_uring's offsets for mmap
		workSize, completionsSize = 64, 16
	)
	r := &ring{}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, entries, uintptr(unsafe.Pointer(&r.params)), 0)
	if errno != 0 {
		return nil, errno
	}
	r.fd = int(fd)
	for _, m := range []struct {
		at   int64
		size uint32
		to   *[]byte
	}{
		{0, r.params[sqArray] + 4*r.params[0], &r.queue},
		{atCompleted, r.params[cqCompletions] + completionsSize*r.params[1], &r.completed},
		{atWork, workSize * r.params[0], &r.work},
	} {
		var err error
		if *m.to, err = unix.Mmap(r.fd, m.at, int(m.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// word is a 32-bit word that the kernel shares.
func word(b []byte, at uint32) *uint32 { return (*uint32)(unsafe.Pointer(&b[at])) }

// ringWork is an operation as the kernel reads it (struct io_uring_sqe).
type ringWork struct {
	op, flags byte
	_         uint16
	fd        int32
	offset    uint64
	data      *byte
	size      uint32
	_         [36]byte
}

// do has one operation done, and returns its result.
func (r *ring) do(w ringWork, data []byte) (int, error) {
	w.data = &data[0]
	*(*ringWork)(unsafe.Pointer(&r.work[0])) = w
	tail := word(r.queue, r.params[sqTail])
	*word(r.queue, r.params[sqArray]+4*(*tail&*word(r.queue, r.params[sqMask]))) = 0
	atomic.AddUint32(tail, 1)
	const getEvents = 1
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), 1, 1, getEvents, 0, 0); errno != 0 {
		return 0, errno
	}
	head := word(r.completed, r.params[cqHead])
	result := int32(*word(r.completed, r.params[cqCompletions]+16*(*head&*word(r.completed, r.params[cqMask]))+8))
	atomic.AddUint32(head, 1)
	runtime.KeepAlive(data)
	if result < 0 {
		return 0, unix.Errno(-result)
	}
	return int(result), nil
}

// hold has the ring alone hold a file from here on.
func (r *ring) hold(fd int) error {
	const registerFiles = 2
	files := [1]int32{int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), registerFiles, uintptr(unsafe.Pointer(&files)), 1, 0, 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(fd)
}

// ringCall connects, sends a request and reads the answer to its end, all of it by io_uring:
// a worker connects, and then no process has a descriptor of the connection.
func ringCall(address, request string) (answer string, err error) {
	r, err := newRing()
	if err != nil {
		return "", err
	}
	family := unix.AF_UNIX
	to := append([]byte{unix.AF_UNIX, 0}, address...)
	to = append(to, 0)
	if a, err := net.ResolveTCPAddr("tcp4", address); err == nil {
		family = unix.AF_INET
		to = append([]byte{unix.AF_INET, 0, byte(a.Port >> 8), byte(a.Port)}, a.IP.To4()...)
		to = append(to, make([]byte, 8)...)
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	if _, err := r.do(ringWork{op: ringConnect, flags: ringWorker, fd: int32(fd), offset: uint64(len(to))}, to); err != nil {
		return "", err
	}
	if err := r.hold(fd); err != nil {
		return "", err
	}
	if _, err := r.do(ringWork{op: ringSend, flags: ringFixedFile, size: uint32(len(request))}, []byte(request)); err != nil {
		return "", err
	}
	for b := make([]byte, 4096); ; {
		n, err := r.do(ringWork{op: ringRecv, flags: ringFixedFile, size: uint32(len(b))}, b)
		if err != nil || n == 0 {
			return answer, err
		}
		answer += string(b[:n])
	}
}

// TestCallsByRing: io_uring hides a connection, but not whose it is. Over TCP nobody is found
// to hold it, so the call is refused; on the socket its process is known, although a worker of
// the kernel connected.
func TestCallsByRing(t *testing.T) {
	t.Parallel()
	if r, err := newRing(); err != nil {
		t.Log("this system has no io_uring for us:", err)
		return
	} else if err := unix.Close(r.fd); err != nil {
		t.Fatal(err)
	}
	p, address, token := tcpPlace(t, "")
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	p.agentSession("two")
	const rename = "/v1/sessions/two/rename"
	for _, c := range []struct {
		to, method, path, body string
		want, why              string
	}{
		{address, "GET", "/v1/sessions", "", "200", `"two"`}, // the way works
		{address, "POST", rename, `{"name":"three"}`, "403", "who calls cannot be told"},
		{address, "POST", "/v1/sessions/one/role", `{"role":"lead"}`, "403", "who calls cannot be told"},
		{p.paths.Socket(), "GET", "/v1/caller", "", "200", `"inside":true`},
		{p.paths.Socket(), "POST", rename, `{"name":"three"}`, "403", "inside a session"},
	} {
		for _, how := range ways() {
			host := "ccdir"
			if c.to == address {
				host = address
			}
			got := in.run(how, c.to, "RING", c.path, tcpTry{Method: c.method, Token: token, Body: c.body, Host: host})
			if !strings.Contains(got, "HTTP/1.1 "+c.want) || !strings.Contains(got, c.why) {
				t.Errorf("%s: %s %s to %s: %s", how, c.method, c.path, c.to, got)
			}
		}
	}
	if s := p.get("two"); s.Name != "two" {
		t.Errorf("its name is %s", s.Name)
	}
}
