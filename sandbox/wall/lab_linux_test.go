package wall

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ccdir/sandbox"

	"golang.org/x/sys/unix"
)

// unprivileged is the user of attempts where the tests run as root, whom files do not refuse.
const unprivileged = 12345

// envLandlock is the version of Landlock's interface that the shim knows at most.
const envLandlock = "CCDIR_TEST_LANDLOCK"

// asItIs is a version that masks none.
const asItIs = 1000

// TestMain: the test's program is the shim too, and makes attempts that no shell can.
func TestMain(m *testing.M) {
	if v, err := strconv.Atoi(os.Getenv(envLandlock)); err == nil {
		knownLandlock = v
	}
	if len(os.Args) > 1 && (os.Args[1] == Verb || os.Args[1] == InnerVerb) {
		err := error(nil)
		if os.Args[1] == Verb {
			self, _ := os.Executable()
			err = Exec(self, os.Args[2:], os.Environ())
		} else {
			err = Inner(os.Args[2:], os.Environ())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(126)
	}
	if len(os.Args) > 2 && os.Args[1] == "attempt" {
		attempt(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// attempt prints "got out" if it did what its name says.
func attempt(name string, args []string) {
	var err error
	switch name {
	case "ptrace":
		pid, _ := strconv.Atoi(args[0])
		err = unix.PtraceSeize(pid)
	case "kill":
		pid, _ := strconv.Atoi(args[0])
		err = unix.Kill(pid, 0)
	case "dial":
		var c net.Conn
		if c, err = net.Dial(args[0], args[1]); err == nil {
			_, err = c.Write([]byte("x"))
		}
	case "through":
		fmt.Println(through(args[0], strings.Join(args[1:], "")))
		return
	case "greeting":
		var c net.Conn
		if c, err = net.Dial("tcp", args[0]); err == nil {
			said, _ := io.ReadAll(c)
			fmt.Println(string(said))
			return
		}
	case "tiocsti": // of another descriptor the kernel says that it is no terminal
		if err = unix.IoctlSetPointerInt(0, unix.TIOCSTI, 'x'); err == unix.ENOTTY {
			err = nil
		}
	case "keyring":
		_, err = unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
	case "mount":
		err = unix.Mount("none", args[0], "tmpfs", 0, "")
		if err == unix.EPERM && unix.Unshare(unix.CLONE_FS) == nil {
			cmd := exec.Command("/proc/self/exe", "attempt", "mount-inside", args[0], args[1])
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}}
			cmd.Stdout = os.Stdout
			err = cmd.Run()
			if err == nil {
				return
			}
		}
	case "mount-inside": // what covers the secret is taken away
		_ = unix.Unmount(args[0], unix.MNT_DETACH)
		_, err = os.ReadFile(args[1])
	case "memory":
		id, _ := strconv.Atoi(args[0])
		_, err = unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
	case "fd-of-other":
		pid, _ := strconv.Atoi(args[0])
		var fd int
		if fd, err = unix.PidfdOpen(pid, 0); err == nil {
			_, err = unix.PidfdGetfd(fd, 0, 0)
		}
	case "memory-of-other":
		pid, _ := strconv.Atoi(args[0])
		var f *os.File
		if f, err = os.Open(fmt.Sprintf("/proc/%d/mem", pid)); err == nil {
			_ = f.Close()
		}
	case "uring":
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(ptr(&params)), 0)
		if errno != 0 {
			err = errno
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("got out")
}

func basic(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// lab is a home with secrets, a repository with a linked work tree, and other programs of the
// user.
type lab struct {
	t                     testing.TB
	root, home, work, src string
	secret, self          string
	victim                *exec.Cmd
	socket, abstract      string
	tcp, udp              string
	shm                   int
	private, state        string
	landlock              int      // the version of Landlock's interface that the shim knows at most
	ends                  []func() // the last one first
}

func newLab(t testing.TB) *lab {
	root, err := os.MkdirTemp("/tmp", "wall")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, landlock: asItIs, root: root, home: root + "/home", work: root + "/wt", src: root + "/src", private: root + "/private", state: root + "/home/.agent",
		secret: "secret-" + filepath.Base(root), abstract: "@" + filepath.Base(root)}
	t.Cleanup(l.end)
	l.after(func() { os.RemoveAll(root) })
	l.self = root + "/bin/shim"
	l.file(l.self, program(), 0o755)
	l.file(l.home+"/.ssh/id", l.secret, 0o600)
	l.file(l.home+"/.bashrc", "mine", 0o600)
	l.file(l.home+"/.gitconfig", gitConfig, 0o600)
	l.file(l.state+"/settings.json", "{}", 0o600)
	l.file(root+"/run/other", "", 0o600)
	for name, text := range repository() {
		l.file(filepath.Join(root, name), strings.ReplaceAll(text, "{ROOT}", root), 0o600)
	}
	l.owned()
	l.others()
	return l
}

// after adds something to be done when the lab is not needed any more.
func (l *lab) after(f func()) { l.ends = append(l.ends, f) }

func (l *lab) end() {
	for _, f := range slices.Backward(l.ends) {
		f()
	}
	l.ends = nil
}

const gitConfig = "[user]\nname = a\nemail = a@x\n[init]\ndefaultBranch = main\n"

// repository is the files of src, a repository, and wt, its linked work tree, where these lie in
// {ROOT}: git makes them once for all labs.
var repository = sync.OnceValue(func() map[string]string {
	root, err := os.MkdirTemp("/tmp", "wall")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	files := map[string]string{}
	err = errors.Join(os.Mkdir(root+"/src", 0o700), os.WriteFile(root+"/.gitconfig", []byte(gitConfig), 0o600),
		os.WriteFile(root+"/src/.envrc", []byte("mine"), 0o600), os.WriteFile(root+"/src/a", []byte("a"), 0o600))
	cmd := exec.Command("/bin/sh", "-c", "git init -q && git add -A && git commit -qm one && git branch precious && git worktree add -q -b feat ../wt")
	cmd.Dir, cmd.Env = root+"/src", []string{"HOME=" + root, "PATH=/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1"}
	if out, runErr := cmd.CombinedOutput(); err != nil || runErr != nil {
		panic(fmt.Sprint(err, runErr, string(out)))
	}
	for _, dir := range []string{"src", "wt"} {
		err = errors.Join(err, filepath.Walk(filepath.Join(root, dir), func(path string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			name, _ := filepath.Rel(root, path)
			files[name] = strings.ReplaceAll(string(data), root, "{ROOT}")
			return err
		}))
	}
	if err != nil {
		panic(err)
	}
	return files
})

// program is the test's own.
var program = sync.OnceValue(func() string {
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	return string(data)
})

// owned gives all files to the unprivileged user.
func (l *lab) owned() {
	if os.Getuid() != 0 {
		return
	}
	_ = filepath.Walk(l.root, func(path string, _ os.FileInfo, _ error) error { return os.Lchown(path, unprivileged, unprivileged) })
}

func (l *lab) file(path, text string, mode os.FileMode) {
	l.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) command(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + l.home, "PATH=/usr/local/bin:/usr/bin:/bin", "SECRET=" + l.secret, "GIT_CONFIG_NOSYSTEM=1"}
	if l.landlock < asItIs {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", envLandlock, l.landlock))
	}
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	return cmd
}

// others are programs of the user that a walled process must not reach.
func (l *lab) others() {
	l.victim = l.command(l.home, "/bin/sh", "-c", "exec 9<.ssh/id; exec sleep 600")
	if err := l.victim.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.after(func() { _ = l.victim.Process.Kill(); _ = l.victim.Wait() })
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", l.victim.Process.Pid)); bytes.Contains(environ, []byte(l.secret)) {
			if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", l.victim.Process.Pid)); bytes.HasPrefix(line, []byte("sleep")) {
				break
			}
		}
	}
	l.socket = l.root + "/run/agent.sock"
	for _, address := range [][2]string{{"unix", l.socket}, {"unix", l.abstract}, {"tcp", "127.0.0.1:0"}} {
		listener, err := net.Listen(address[0], address[1])
		if err != nil {
			l.t.Fatal(err)
		}
		l.after(func() { listener.Close() })
		if address[0] == "tcp" {
			l.tcp = listener.Addr().String()
		}
	}
	_ = os.Chmod(l.socket, 0o777)
	packet, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		l.t.Fatal(err)
	}
	l.after(func() { packet.Close() })
	l.udp = packet.LocalAddr().String()
	if l.shm, err = unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o666); err != nil {
		l.t.Fatal(err)
	}
	l.after(func() { _, _ = unix.SysvShmCtl(l.shm, unix.IPC_RMID, nil) })
}

// plan is a profile in the lab's linked work tree.
func (l *lab) plan(profile, mechanism string) sandbox.Plan {
	l.t.Helper()
	p, err := sandbox.Find(profile, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	git := l.src + "/.git"
	plan, err := sandbox.Make(p, sandbox.Place{Home: l.home, Dir: l.work, Git: &sandbox.Git{Top: l.work, Dir: git + "/worktrees/wt", Common: git},
		Agent:   sandbox.Needs{Write: []string{l.state}, Keep: []string{l.state + "/settings.json", l.state + "/hooks"}},
		Private: l.private, Programs: []string{filepath.Dir(l.self)}, OS: "linux"})
	if err != nil {
		l.t.Fatal(err)
	}
	a := able()
	a.Landlock = min(a.Landlock, l.landlock)
	return plan.For(a, mechanism)
}

// behind is the command that runs a program behind a plan; without a mechanism behind none.
func (l *lab) behind(p sandbox.Plan, argv ...string) *exec.Cmd {
	l.t.Helper()
	if p.Mechanism == "" {
		return l.command(l.work, argv[0], argv[1:]...)
	}
	l.write(p)
	return l.command(l.work, l.self, append([]string{Verb, l.root + "/plan.json", "--"}, argv...)...)
}

// write writes a plan, as the user.
func (l *lab) write(p sandbox.Plan) {
	l.t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		l.t.Fatal(err)
	}
	l.file(l.root+"/plan.json", string(data), 0o644)
	l.owned()
}

// able is what this machine can hold, tried as the user of the attempts.
var able = sync.OnceValue(func() sandbox.Ability { return Able(context.Background()) })

// mechanisms are those of this machine; one that lacks is named.
func mechanisms(t testing.TB) []string {
	t.Helper()
	a := able()
	if !a.Bubblewrap {
		t.Log("without bubblewrap: " + a.Why)
	}
	if a.Landlock == 0 {
		t.Log("without Landlock: the kernel has none")
	}
	if strings.Join(a.Mechanisms(), "") == "" {
		t.Skip("this machine has nothing that holds a sandbox")
	}
	return a.Mechanisms()
}
