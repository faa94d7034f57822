package child

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ccdir/sandbox/wall"
	"ccdir/wire"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// wallTime bounds the start behind a wall.
const wallTime = 8 * time.Second

// Descriptors in the process that a walled start begins with.
const planFD, controlFD, proxyFD = 3, 4, 5

// startWalled starts the program at path behind the plan of spec.Wall. Where the mechanism is a
// parent of the program, that parent is ended as soon as the program has a process session and
// the terminal of its own. The program becomes a child of this process then, which is a
// subreaper: pid, signals, stops and exit status are the program's own, and nothing stays between.
func (p *Process) startWalled(spec wire.HostSpec, path string) (ptm *os.File, err error) {
	file, err := os.Open(spec.Wall)
	if err != nil {
		return nil, fmt.Errorf("the plan of the sandbox cannot be read: %w", err)
	}
	defer file.Close()
	plan, err := wall.Read(file)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	fds, extra := wall.Descriptors{Plan: planFD, Control: controlFD, Proxy: wall.None}, []*os.File{file, nil}
	way, err := wall.DialProxy(plan)
	if err != nil {
		return nil, err
	}
	if way != nil {
		defer way.Close()
		fds.Proxy, extra = proxyFD, append(extra, way)
	}
	argv, err := wall.Argv(plan, self, fds, path, spec.Argv)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	extra[1] = theirs
	detaches := wall.Detaches(plan)
	p.cmd = &exec.Cmd{Path: argv[0], Args: argv, Env: spec.Env, Dir: spec.CWD, ExtraFiles: extra}
	attr := &syscall.SysProcAttr{Setsid: true, Setctty: !detaches}
	ptm, err = pty.StartWithAttrs(p.cmd, size(spec), attr)
	theirs.Close()
	if err != nil {
		return nil, startError(argv[0], err)
	}
	_ = ours.SetDeadline(time.Now().Add(wallTime))
	p.PID = p.cmd.Process.Pid
	pid, err := wall.Steer(ours, detaches, p.takeOver)
	if err != nil {
		if p.taken {
			p.PID = pid
		}
		p.Abandon()
		err = withLastWords(err, ptm)
		ptm.Close()
		return nil, err
	}
	if detaches {
		p.PID = pid
	}
	return ptm, nil
}

// withLastWords adds to an error what was written to the terminal before the program began.
func withLastWords(err error, ptm *os.File) error {
	buf := make([]byte, 1<<10)
	raw, rawErr := ptm.SyscallConn()
	if rawErr != nil {
		return err
	}
	n := 0
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetNonblock(int(fd), true)
		n, _ = unix.Read(int(fd), buf)
	})
	if line := strings.TrimSpace(string(buf[:max(n, 0)])); line != "" {
		return fmt.Errorf("%w: %s", err, strings.Join(strings.Fields(line), " "))
	}
	return err
}

// takeOver ends the parent of the process pid, so that this process is the parent.
func (p *Process) takeOver(pid int) error {
	adoptOrphans()
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.taken = true
	if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); err != nil {
		return fmt.Errorf("the sandbox's process %d is not this host's: %w", pid, err)
	}
	return nil
}

// controlPair is a pair of connected sockets; theirs may block.
func controlPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("the sandbox cannot be made: %w", err)
	}
	_ = unix.SetNonblock(fds[0], true) // so that it has deadlines
	return os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control"), nil
}
