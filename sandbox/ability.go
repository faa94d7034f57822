package sandbox

import "slices"

// Ability is what a machine can hold.
type Ability struct {
	// Bubblewrap: the program is there and works for this user. Why says why not.
	Bubblewrap bool   `json:"bubblewrap"`
	Why        string `json:"why,omitempty"`
	// Landlock is the version of the kernel's interface; 0: none.
	Landlock int `json:"landlock"`
	// Seccomp: system calls can be refused.
	Seccomp bool `json:"seccomp"`
	// SandboxExec: macOS has its program.
	SandboxExec bool `json:"sandbox_exec"`
}

// Versions of Landlock's interface with what is asked of it.
const (
	landlockTrunc   = 3 // truncating
	landlockPorts   = 4 // ports of TCP
	landlockScopes  = 6 // signals, abstract sockets; beside bubblewrap links, too
	landlockSockets = 9 // sockets that are files
)

// Mechanisms are those that a machine has, the best first.
func (a Ability) Mechanisms() (list []string) {
	for name, has := range map[string]bool{Bubblewrap: a.Bubblewrap && a.Seccomp, Landlock: a.Landlock >= landlockTrunc && a.Seccomp, SandboxExec: a.SandboxExec} {
		if has {
			list = append(list, name)
		}
	}
	slices.Sort(list) // bubblewrap before landlock
	return list
}

// For is the plan held by a mechanism of a machine; "" is the best. Without any the plan has no
// mechanism, and says what is missing.
func (p Plan) For(a Ability, mechanism string) Plan {
	has := a.Mechanisms()
	if mechanism == "" && len(has) > 0 {
		mechanism = has[0]
	}
	if !slices.Contains(has, mechanism) {
		p.Mechanism, p.Missing = "", []string{"everything: this machine has neither a bubblewrap that works (" + a.Why + ") nor a kernel with Landlock"}
		return p
	}
	p.Mechanism = mechanism
	p.Missing = nil
	switch mechanism {
	case Bubblewrap:
		p.Missing = p.missingBubblewrap(a)
	case Landlock:
		p.Missing = p.missingLandlock(a)
	case SandboxExec:
		p.Missing = []string{"anything for certain: the profile for sandbox-exec was never run on a Mac by its makers"}
		if p.Network == NetworkHosts {
			p.Missing = append(p.Missing, "a list of hosts: there is only the loopback instead")
		}
	}
	return p
}

func (p Plan) missingBubblewrap(a Ability) (list []string) {
	if a.Landlock < landlockScopes {
		list = append(list, "signals to, and tracing of, your other processes: the kernel's Landlock is too old")
		if p.Tree && p.Git.Linked() {
			list = append(list, "symbolic links among the repository's references and logs, by which your own git would write elsewhere: the kernel's Landlock is too old")
		}
	}
	return append(list, p.missingGit()...)
}

func (p Plan) missingGit() []string {
	if p.Tree && p.Git != nil && !p.Git.Linked() {
		return []string{"git in " + p.Git.Top + ": in a repository's main work tree a file .git/commondir can be made, by which your own git would read another configuration; start it in a linked work tree (-w BRANCH)"}
	}
	return nil
}

func (p Plan) missingLandlock(a Ability) []string {
	list := []string{
		"names, modes and times of files that cannot be read: they can be seen, and modes of yours be changed",
		"/dev/shm, System V shared memory and the terminals of other sessions",
	}
	if len(p.Keep) > 0 {
		list = append(list, "single files within what may be written: settings of agents, .envrc, .vscode, the work tree's .git")
	}
	if a.Landlock < landlockScopes {
		list = append(list, "signals to your other processes, abstract sockets")
	}
	if a.Landlock < landlockSockets {
		list = append(list, "sockets of other programs: docker, ssh-agent, tmux")
	}
	if p.hidesWithin() {
		list = append(list, "what the profile hides within what it lets through")
	}
	if p.Network == NetworkLoopback {
		list = append(list, "a loopback of its own: there is no network at all instead")
	}
	switch {
	case p.Network == NetworkHosts && a.Landlock < landlockPorts:
		list = append(list, "a list of hosts: the kernel's Landlock is too old, and there is no network at all instead")
	case p.Network == NetworkHosts:
		list = append(list, "a loopback of its own, and other hosts at the few ports that lead to the listed ones: one that listens there is reached")
	}
	return append(list, p.missingGit()...)
}

// hidesWithin reports whether something hidden lies within what is let through.
func (p Plan) hidesWithin() bool {
	return slices.ContainsFunc(p.Hidden, func(path string) bool {
		return slices.ContainsFunc(slices.Concat(p.Read, p.Write), func(dir string) bool { return within(path, dir) })
	})
}
