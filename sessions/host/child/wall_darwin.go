package child

import (
	"fmt"
	"os"
	"os/exec"

	"ccdir/sandbox/wall"
	"ccdir/wire"

	"github.com/creack/pty"
)

// startWalled starts the program at path behind the plan of spec.Wall. sandbox-exec becomes the
// program, so the pid is the program's own.
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
	argv, env, err := wall.Argv(plan, path, spec.Argv, spec.Env)
	if err != nil {
		return nil, err
	}
	p.cmd = &exec.Cmd{Path: argv[0], Args: argv, Env: env, Dir: spec.CWD}
	if ptm, err = pty.StartWithSize(p.cmd, size(spec)); err != nil {
		return nil, startError(argv[0], err)
	}
	p.PID = p.cmd.Process.Pid
	return ptm, nil
}
