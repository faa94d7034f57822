package wall

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exec is the verb Verb, `wall PLAN -- PROGRAM ARG…`: this process becomes the program behind the
// plan in the file PLAN. self is the shim. It returns only if that failed.
func Exec(self string, args, env []string) error {
	if len(args) < 3 || args[1] != "--" {
		return errors.New("wall is started by ccdir, not by hand (`ccdir sandbox run` tries a profile)")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	p, err := Read(file)
	if err != nil {
		return err
	}
	path, err := exec.LookPath(args[2])
	if err != nil {
		return err
	}
	if p.Dir, err = os.Getwd(); err != nil {
		return err
	}
	fds := Descriptors{Plan: int(file.Fd()), Control: None, Proxy: None}
	pass := []*os.File{file}
	way, err := DialProxy(p)
	if err != nil {
		return err
	}
	if way != nil {
		fds.Proxy, pass = int(way.Fd()), append(pass, way)
	}
	argv, err := Argv(p, self, fds, path, args[2:])
	if err != nil {
		return err
	}
	for _, f := range pass {
		if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
			return err
		}
	}
	return syscall.Exec(argv[0], argv, env)
}
