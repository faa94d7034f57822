package link

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
	"ccdir/nodes/mux"
)

// quietTime is how long the bridge lives without a frame: the link pings it all the time, and
// a laptop that sleeps comes back with another ssh.
const quietTime = 90 * time.Second

// Bridge is the program on the node: `bridge [NONCE]` or `bridge --check MIN MAX`. It returns
// the exit code.
func Bridge(args []string, in io.Reader, out *os.File, environ []string) int {
	if len(args) == 3 && args[0] == "--check" {
		lo, errLo := strconv.Atoi(args[1])
		hi, errHi := strconv.Atoi(args[2])
		if errLo != nil || errHi != nil || lo > muxMax || hi < muxMin {
			return 1
		}
		fmt.Fprintln(out, "ccdir-bridge "+sortKey(api.Version))
		return 0
	}
	r := bufio.NewReader(in)
	nonce := ""
	if len(args) > 0 {
		nonce = args[0]
	} else if nonce = readNonce(r); nonce == "" { // bound to a key by authorized_keys
		fmt.Fprintln(os.Stderr, "ccdir-shim: bridge is started by ssh, for `ccdir node`")
		return 2
	}
	b, err := newBridge(environ)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-shim: "+err.Error())
		return 1
	}
	data, err := json.Marshal(b.greet())
	if err != nil {
		return 1
	}
	if _, err := fmt.Fprintf(out, "%s %s %s\n", greetingWord, nonce, data); err != nil {
		return 1
	}
	quiet := time.AfterFunc(quietTime, func() { os.Exit(0) })
	m := mux.New(r, out, mux.Options{
		Dial:  b.dial,
		First: hostSocket,
		Heard: func() { quiet.Reset(quietTime) },
		// A write to an ssh that is gone may hang; what was dialled ends with the process.
		Ended: func() { time.AfterFunc(2*time.Second, func() { os.Exit(0) }) },
	})
	_ = m.Run()
	return 0
}

// readNonce reads the script of which sshd's ForceCommand made us the reader.
func readNonce(r *bufio.Reader) string {
	nonce := ""
	for total := 0; total < maxNoise; {
		line, err := r.ReadString('\n')
		if err != nil {
			return ""
		}
		total += len(line)
		line = strings.TrimSpace(line)
		if n, ok := strings.CutPrefix(line, "# "+greetingWord+" "); ok && nonce == "" {
			nonce = n
		}
		if nonce != "" && strings.HasSuffix(line, endMark(nonce)) {
			return nonce
		}
	}
	return ""
}

// sortKey makes versions sortable as text.
func sortKey(version string) string {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	var parts []string
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // 0 for words
		parts = append(parts, fmt.Sprintf("%06d", n))
	}
	return strings.Join(parts, ".")
}

// bridge dials the sockets of this machine's ccdir.
type bridge struct {
	paths   paths.Paths
	uid     int
	environ []string
	exe     string
}

func newBridge(environ []string) (*bridge, error) {
	env := map[string]string{}
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			env[k] = v
		}
	}
	p, err := paths.New(func(key string) string { return env[key] }, os.Getuid())
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(exe); err == nil {
		exe = real
	}
	return &bridge{paths: p, uid: os.Getuid(), environ: environ, exe: exe}, nil
}

// greet makes sure that the daemon runs, and describes this machine.
func (b *bridge) greet() Greeting {
	g := Greeting{Mux: [2]int{muxMin, muxMax}, Version: api.Version, System: runtime.GOOS + "/" + runtime.GOARCH, Program: b.exe}
	g.Home, _ = os.UserHomeDir()
	srv, err := b.health()
	if err != nil {
		if err = b.startDaemon(); err == nil {
			srv, err = b.health()
		}
	}
	if err != nil {
		g.Problem = err.Error()
		return g
	}
	g.Server = &srv
	return g
}

// hostSocket reports whether a name is that of a host's socket.
func hostSocket(name string) bool {
	id, sock := strings.CutSuffix(name, ".sock")
	id, host := strings.CutPrefix(id, "h-")
	return sock && host && id != "" && len(id) <= 64 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-") == ""
}

// dial connects to a socket of this installation.
func (b *bridge) dial(name string) (net.Conn, error) {
	daemon := filepath.Base(b.paths.Socket())
	if name != daemon && !hostSocket(name) {
		return nil, fmt.Errorf("%q is no socket of ccdir", name)
	}
	conn, err := b.dialSocket(name)
	if name == daemon && gone(err) {
		if err = b.startDaemon(); err == nil {
			conn, err = b.dialSocket(name)
		}
	}
	return conn, err
}

// gone reports whether nobody listens at a socket.
func gone(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// dialSocket refuses sockets that another user could have made.
func (b *bridge) dialSocket(name string) (net.Conn, error) {
	for _, dir := range b.paths.RuntimeDirs() {
		if err := closedDir(dir, b.uid); err != nil {
			return nil, err
		}
	}
	conn, err := net.DialTimeout("unix", filepath.Join(b.paths.Runtime, name), 5*time.Second)
	if err != nil {
		return nil, err
	}
	if err := proc.CheckDialled(conn.(*net.UnixConn), b.uid); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// closedDir fails unless dir is the user's own and closed to others.
func closedDir(dir string, uid int) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(st.Uid) != uid || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("the socket directory %s is not yours alone", dir)
	}
	return nil
}

// maxHealth bounds the daemon's answer, in bytes.
const maxHealth = 64 << 10

// health asks the daemon who it is, without net/http, which would double the program.
func (b *bridge) health() (srv api.Server, err error) {
	conn, err := b.dialSocket(filepath.Base(b.paths.Socket()))
	if err != nil {
		return srv, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, "GET /v1/health HTTP/1.0\r\nHost: ccdir\r\n\r\n"); err != nil {
		return srv, err
	}
	data, err := io.ReadAll(io.LimitReader(conn, maxHealth))
	if err != nil {
		return srv, err
	}
	head, body, ok := strings.Cut(string(data), "\r\n\r\n")
	if status := strings.Fields(head); !ok || len(status) < 2 || status[1] != "200" {
		return srv, errors.New("the daemon there does not say who it is")
	}
	return srv, json.Unmarshal([]byte(body), &srv)
}

// startTimes bound the start of the daemon: by the login shell, and directly.
const startTime = 20 * time.Second

// startDaemon starts the daemon as a login would: agents need the PATH of a login.
func (b *bridge) startDaemon() error {
	ccdir := b.exe
	if strings.HasPrefix(filepath.Base(ccdir), "ccdir-shim") {
		ccdir = filepath.Join(filepath.Dir(ccdir), "ccdir")
	}
	var said string
	for _, argv := range [][]string{{loginShell(b.environ), "-lc", "exec " + quote(ccdir) + " daemon start"}, {ccdir, "daemon", "start"}} {
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		out, err := runQuiet(ctx, argv, b.environ)
		cancel()
		if err == nil {
			return nil
		}
		said = strings.TrimSpace(out)
		if said == "" {
			said = err.Error()
		}
	}
	return fmt.Errorf("the daemon there does not start: %s", tail([]byte(said)))
}

// loginShell returns the person's shell.
func loginShell(environ []string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], "SHELL="); ok && filepath.IsAbs(v) {
			return v
		}
	}
	return "/bin/sh"
}
