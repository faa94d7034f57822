package nodes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/nodes/link"
	"ccdir/test/programs"
)

// bin holds the programs, built once.
var bin string

func TestMain(m *testing.M) {
	if dir := os.Getenv(envFilter); dir != "" {
		_ = os.Unsetenv(envFilter)
		os.Exit(filter(dir, os.Args[1:]))
	}
	os.Exit(programs.Main(func(dir string) { bin = dir }, m.Run, programs.Ccdir, programs.Shim, programs.Daemon, programs.Fleet))
}

// patience bounds each wait for another process.
const patience = time.Minute

// rig is a laptop, a node called box, and the sshd between them.
type rig struct {
	*testing.T
	dir        string
	near, far  paths.Paths
	port       int
	sshd       *exec.Cmd
	secretEnv  string
	sshOptions []string
	grids      int
	bin        string // of the laptop's programs
	path       string // PATH of the laptop; "": the test's
}

// newRig starts an sshd with further lines of its configuration.
func newRig(t *testing.T, more ...string) *rig {
	t.Helper()
	sshd := "/usr/sbin/sshd" // it has to be called by its path
	if _, err := os.Stat(sshd); err != nil {
		sshd = "sshd"
	}
	programs.Need(t, sshd, "ssh", "ssh-keygen")
	dir, err := os.MkdirTemp("", "cn") // its sockets' names are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{T: t, dir: dir, secretEnv: "LAPTOP_TOKEN=do-not-travel", bin: bin}
	r.near, r.far = home(t, filepath.Join(dir, "near")), home(t, filepath.Join(dir, "far"))
	r.startSSHD(sshd, more)
	t.Cleanup(r.endAll)
	return r
}

// endAll ends link, daemons and sessions.
func (r *rig) endAll() {
	r.run("node", "down", "box")
	for _, h := range []string{r.near.Home, r.far.Home} {
		cmd := exec.Command(filepath.Join(bin, "ccdir"), "daemon", "stop", "--kill-sessions")
		cmd.Env = []string{"CCDIR_HOME=" + h, "PATH=" + os.Getenv("PATH"), "HOME=" + h}
		_ = cmd.Run() // none may run
	}
	os.RemoveAll(r.near.Runtime)
	os.RemoveAll(r.far.Runtime)
}

func home(t *testing.T, dir string) paths.Paths {
	t.Helper()
	p, err := paths.New(func(key string) string { return map[string]string{"CCDIR_HOME": dir}[key] }, os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

func (r *rig) file(name string) string { return filepath.Join(r.dir, name) }

func (r *rig) write(name, text string, mode os.FileMode) string {
	r.Helper()
	if err := os.WriteFile(r.file(name), []byte(text), mode); err != nil {
		r.Fatal(err)
	}
	return r.file(name)
}

// startSSHD starts sshd on a free port of loopback and waits until it accepts.
func (r *rig) startSSHD(sshd string, more []string) {
	r.Helper()
	for _, key := range []string{"hostkey", "key"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", r.file(key)).CombinedOutput(); err != nil {
			r.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	pub, err := os.ReadFile(r.file("key.pub"))
	if err != nil {
		r.Fatal(err)
	}
	r.write("authorized_keys", string(pub), 0o600)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Fatal(err)
	}
	r.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	_ = os.Mkdir("/run/sshd", 0o755) // root's sshd wants it; fails if it is there
	who, err := user.Current()
	if err != nil {
		r.Fatal(err)
	}
	config := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nLogLevel VERBOSE\n%s\n",
		r.port, r.file("hostkey"), r.file("authorized_keys"), strings.Join(more, "\n"))
	r.write("sshd_config", config, 0o600)
	r.write("ssh_config", fmt.Sprintf("Host box\n  HostName 127.0.0.1\n  Port %d\n  User %s\n  IdentityFile %s\n  IdentitiesOnly yes\n  UserKnownHostsFile %s\n  StrictHostKeyChecking accept-new\n",
		r.port, who.Username, r.file("key"), r.file("known_hosts")), 0o600)
	r.sshOptions = []string{"-F", r.file("ssh_config")}
	r.sshd = exec.Command(sshd, "-D", "-f", r.file("sshd_config"), "-E", r.file("sshd.log"))
	if err := r.sshd.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		_ = r.sshd.Process.Kill()
		_ = r.sshd.Wait()
	})
	r.until("sshd", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// until polls a condition of other processes, which send no event.
func (r *rig) until(what string, done func() bool) {
	r.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			log, _ := os.ReadFile(r.file("sshd.log"))
			r.Fatalf("%s: not within %s; sshd says:\n%s", what, patience, log[max(0, len(log)-2000):])
		}
	}
}

// command makes a call of ccdir on the laptop.
func (r *rig) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(r.bin, "ccdir"), args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"CCDIR_HOME=" + r.near.Home, "HOME=" + os.Getenv("HOME"), "PATH=" + cmp.Or(r.path, os.Getenv("PATH")), "SHELL=/bin/sh", "TERM=xterm", "LANG=C.UTF-8", r.secretEnv}
	return cmd
}

// run runs ccdir on the laptop and returns its output, error and exit code.
func (r *rig) run(args ...string) (out, errs string, code int) {
	r.Helper()
	cmd := r.command(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		r.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// ok is run that has to succeed.
func (r *rig) ok(args ...string) string {
	r.Helper()
	out, errs, code := r.run(args...)
	if code != 0 {
		log, _ := os.ReadFile(r.file("sshd.log"))
		r.Fatalf("ccdir %s: exit %d\n%s%s\nsshd says:\n%s", strings.Join(args, " "), code, out, errs, log[max(0, len(log)-1500):])
	}
	return strings.TrimSpace(out)
}

// add adds the node.
func (r *rig) add(more ...string) string {
	r.Helper()
	args := append([]string{"node", "add", "--yes", "box", "box", "--home", r.far.Home}, more...)
	return r.ok(append(append(args, "--"), r.sshOptions...)...)
}

// addHere is add with the programs of this build.
func (r *rig) addHere(more ...string) string {
	r.Helper()
	return r.add(append([]string{"--program", filepath.Join(bin, "ccdir-shim")}, more...)...)
}

// node is one element of `node ls --json`.
type node struct {
	Name, SSH, State, Version, Reason string
	RTT                               *float64 `json:"rtt_ms"`
	Sessions, Asks                    int
	LastSeen                          *time.Time `json:"last_seen"`
}

func (r *rig) nodes() []node {
	r.Helper()
	var list []node
	r.decode(r.ok("node", "ls", "--json"), &list)
	return list
}

func (r *rig) decode(text string, v any) {
	r.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		r.Fatalf("%v: %s", err, text)
	}
}

// status is what the link says; ok is false if none runs.
func (r *rig) status() (s link.Status, ok bool) {
	_, s, err := link.Call(r.Context(), r.near.NodeSocket("box"), link.Request{})
	return s, err == nil
}

// bridges are the processes of bridges of this rig's programs whose CCDIR_HOME is the node's.
func (r *rig) processes(verb, home string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || !strings.Contains(string(line), "\x00"+verb+"\x00") {
			continue
		}
		if v, ok := proc.Getenv(pid, "CCDIR_HOME"); ok && v == home {
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }
