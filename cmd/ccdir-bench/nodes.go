package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The measured node is this machine behind a real sshd and a slow line, with a home of its own.

// nodeRig is a laptop, a node and the sshd between them.
type nodeRig struct {
	o         options
	dir       string
	near, far string // CCDIR_HOME of each
	sshdPort  int
	sshd      *exec.Cmd
	line      *slowLine
	homes     []string // of further nodes
}

// newNodeRig starts sshd.
func newNodeRig(o options) (*nodeRig, error) {
	dir, err := os.MkdirTemp("", "cb")
	if err != nil {
		return nil, err
	}
	r := &nodeRig{o: o, dir: dir, near: filepath.Join(dir, "near"), far: filepath.Join(dir, "far")}
	for _, key := range []string{"hostkey", "key"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", r.file(key)).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.sshdPort = l.Addr().(*net.TCPAddr).Port
	l.Close()
	_ = os.Mkdir("/run/sshd", 0o755) // root's sshd wants it
	conf := fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes no\nUsePAM no\n",
		r.sshdPort, r.file("hostkey"), r.file("key.pub"))
	if err := os.WriteFile(r.file("sshd_config"), []byte(conf), 0o600); err != nil {
		return nil, err
	}
	r.sshd = exec.Command("/usr/sbin/sshd", "-D", "-f", r.file("sshd_config"), "-E", r.file("sshd.log"))
	return r, r.sshd.Start()
}

func (r *nodeRig) file(name string) string { return filepath.Join(r.dir, name) }

// through puts a line between laptop and node, and connects.
func (r *nodeRig) through(round time.Duration, rate int) error {
	if r.line != nil {
		_, _ = r.near1("node", "down", "box")
		r.line.close()
	}
	var err error
	if r.line, err = newSlowLine("127.0.0.1:"+strconv.Itoa(r.sshdPort), round, rate); err != nil {
		return err
	}
	who, err := user.Current()
	if err != nil {
		return err
	}
	conf := fmt.Sprintf("Host box\n  HostName 127.0.0.1\n  Port %d\n  User %s\n  IdentityFile %s\n  IdentitiesOnly yes\n  UserKnownHostsFile /dev/null\n  StrictHostKeyChecking no\n  LogLevel ERROR\n",
		r.line.port(), who.Username, r.file("key"))
	if err := os.WriteFile(r.file("ssh_config"), []byte(conf), 0o600); err != nil {
		return err
	}
	_, err = r.near1("node", "add", "--yes", "box", "box", "--home", r.far, "--program", filepath.Join(r.o.bin, "ccdir-shim"), "--", "-F", r.file("ssh_config"))
	if err == nil {
		_, err = r.near1("node", "up", "box")
	}
	return err
}

func (r *nodeRig) env(home string) []string { return append(cleanEnv(), "CCDIR_HOME="+home) }

// near1 runs ccdir on the laptop.
func (r *nodeRig) near1(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(r.o.bin, "ccdir"), args...)
	cmd.Env = r.env(r.near)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ccdir %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(out)), nil
}

func (r *nodeRig) close() {
	_, _ = r.near1("node", "down", "box")
	for _, home := range append(r.homes, r.near, r.far) {
		cmd := exec.Command(filepath.Join(r.o.bin, "ccdir"), "daemon", "stop", "--kill-sessions")
		cmd.Env = r.env(home)
		_ = cmd.Run() // none may run
	}
	if r.line != nil {
		r.line.close()
	}
	_ = r.sshd.Process.Kill()
	_ = r.sshd.Wait()
	os.RemoveAll(r.dir)
}

// benchNodes measures a node behind lines of several kinds.
func benchNodes(ctx context.Context, o options) error {
	r, err := newNodeRig(o)
	if err != nil {
		return err
	}
	defer r.close()
	var lines [][]string
	row := func(what string, f func() (string, error)) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := f()
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		lines = append(lines, []string{what, v})
		fmt.Fprintf(os.Stderr, "%s: %s\n", what, v)
		return nil
	}
	for _, round := range []time.Duration{0, 20 * time.Millisecond, 80 * time.Millisecond} {
		if err := r.through(round, 0); err != nil {
			return err
		}
		if round == 0 {
			if _, err := r.near1("new", "-n", "echo", "box/", "--", "sh", "-c", "stty raw -echo; printf '"+ready+"'; exec cat"); err != nil {
				return err
			}
		}
		name := fmt.Sprintf("echo, %d ms: ", round.Milliseconds())
		if err := row(name+"ccdir there, over ssh", func() (string, error) { return r.echoes("ssh") }); err != nil {
			return err
		}
		if err := row(name+"grid here", func() (string, error) { return r.echoes("grid") }); err != nil {
			return err
		}
		if err := row(fmt.Sprintf("ls of the node, %d ms", round.Milliseconds()), r.listing); err != nil {
			return err
		}
	}
	if err := row("memory of link and bridge", r.memory); err != nil {
		return err
	}
	if err := r.through(20*time.Millisecond, 0); err != nil {
		return err
	}
	if err := row("ssh killed, 20 ms: until the next echo", r.killed); err != nil {
		return err
	}
	if err := row("local echo beside a node whose line stalls", r.stalled); err != nil {
		return err
	}
	if err := r.through(40*time.Millisecond, 250_000); err != nil {
		return err
	}
	if err := row("echo beside three floods, 40 ms and 250 KB/s", r.flooded); err != nil {
		return err
	}
	if err := r.through(0, 0); err != nil {
		return err
	}
	if err := row(fmt.Sprintf("local echo beside %d nodes with %d sessions each", manyNodes, manySessions), r.many); err != nil {
		return err
	}
	table("a node, load "+load(), "what\tp50 / p95 / p99\t", lines)
	return nil
}

// open opens a grid whose keys go to the node's session.
func (r *nodeRig) open(how string) (*outer, error) {
	argv, env := []string{filepath.Join(r.o.bin, "ccdir"), "attach", "box/echo"}, r.env(r.near)
	if how == "ssh" {
		argv = []string{"ssh", "-tt", "-F", r.file("ssh_config"), "box", "env", "CCDIR_HOME=" + r.far, "TERM=xterm-256color", filepath.Join(r.o.bin, "ccdir"), "attach", "echo"}
	}
	if how == "local" {
		argv = []string{filepath.Join(r.o.bin, "ccdir"), "attach", "local"}
	}
	term, err := startOuter(r.o, env, argv...)
	if err != nil {
		return nil, err
	}
	term.answers = true
	if err := term.quiet(time.Second, 15*time.Second); err != nil {
		term.close()
		return nil, err
	}
	return term, nil
}

// echoMarks are keys that are in no escape sequence, so that they are seen as text.
var echoMarks = []string{"~", "^", "%", "@", "&", "|", "="}

// typeMarks types keys and returns the time of each until its echo.
func (r *nodeRig) typeMarks(term *outer, n int) (times []time.Duration, err error) {
	for i := range n {
		d, err := term.echo(echoMarks[i%len(echoMarks)])
		if err != nil {
			return times, err
		}
		times = append(times, d)
		if err := term.quiet(5*time.Millisecond, 50*time.Millisecond); err != nil {
			return times, err
		}
	}
	return times, nil
}

func three(times []time.Duration) string {
	return ms(quantile(times, 50)) + " / " + ms(quantile(times, 95)) + " / " + ms(quantile(times, 99))
}

func (r *nodeRig) echoes(how string) (string, error) {
	term, err := r.open(how)
	if err != nil {
		return "", err
	}
	defer term.close()
	if _, err := r.typeMarks(term, 10); err != nil { // the direct line, the sizes
		return "", err
	}
	times, err := r.typeMarks(term, min(r.o.keys, 100))
	return three(times), err
}

// listing is `ccdir ls --node box` by the running link.
func (r *nodeRig) listing() (string, error) {
	var times []time.Duration
	for range 10 {
		start := time.Now()
		if _, err := r.near1("ls", "--node", "box", "--json"); err != nil {
			return "", err
		}
		times = append(times, time.Since(start))
	}
	return three(times), nil
}

// pids are the link's process, its ssh's and the bridge's.
func (r *nodeRig) pids() (link, ssh int, bridges []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(dir))
		switch text := string(line); {
		case strings.Contains(text, "\x00link\x00") && strings.Contains(text, r.dir):
			link = pid
		case strings.HasPrefix(text, "ssh\x00-T") && strings.Contains(text, r.dir):
			ssh = pid
		case strings.Contains(text, "\x00bridge\x00"):
			if env, err := os.ReadFile(filepath.Join(dir, "environ")); err == nil && bytes.Contains(env, []byte(r.far)) {
				bridges = append(bridges, pid)
			}
		}
	}
	return link, ssh, bridges
}

func (r *nodeRig) memory() (string, error) {
	link, _, bridges := r.pids()
	if link == 0 || len(bridges) == 0 {
		return "", fmt.Errorf("link %d, bridges %v", link, bridges)
	}
	return fmt.Sprintf("%.1f and %.1f MB", rss(link), rss(bridges[0])), nil
}

// rss is a process's resident memory in megabytes.
func rss(pid int) float64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return float64(kb) / 1024
}

// killed kills ssh under the grid and types until there is an echo again.
func (r *nodeRig) killed() (string, error) {
	term, err := r.open("grid")
	if err != nil {
		return "", err
	}
	defer term.close()
	var times []time.Duration
	for range 5 {
		if _, err := r.typeMarks(term, 5); err != nil {
			return "", err
		}
		_, ssh, _ := r.pids()
		start := time.Now()
		if err := syscall.Kill(ssh, syscall.SIGKILL); err != nil {
			return "", err
		}
		for i := 0; ; i++ {
			mark := echoMarks[i%len(echoMarks)]
			if _, err := term.ptmx.WriteString(mark); err != nil {
				return "", err
			}
			if term.until(mark, 100*time.Millisecond) == nil && time.Since(start) > 150*time.Millisecond {
				break
			}
			if time.Since(start) > 30*time.Second {
				return "", fmt.Errorf("no echo within 30 s")
			}
		}
		times = append(times, time.Since(start))
		if err := term.quiet(time.Second, 5*time.Second); err != nil {
			return "", err
		}
	}
	return three(times), nil
}

// stalled is the echo of a local session with the link's line stalled.
func (r *nodeRig) stalled() (string, error) {
	if _, err := r.near1("new", "-n", "local", "--", "sh", "-c", "stty raw -echo; exec cat"); err != nil {
		return "", err
	}
	term, err := r.open("local")
	if err != nil {
		return "", err
	}
	defer term.close()
	before, err := r.typeMarks(term, 50)
	if err != nil {
		return "", err
	}
	goOn := r.line.stall()
	defer goOn()
	time.Sleep(time.Second)
	during, err := r.typeMarks(term, 50)
	return three(during) + " (before: " + three(before) + ")", err
}

// flooded is the echo beside three panes that print without end.
func (r *nodeRig) flooded() (string, error) {
	for i := range 3 {
		if _, err := r.near1("new", "-n", fmt.Sprint("flood", i), "box/", "--", "sh", "-c", "while :; do head -c 2000 /dev/urandom | base64; done"); err != nil {
			return "", err
		}
	}
	if _, err := r.near1("kill", "--force", "local"); err == nil {
		_, _ = r.near1("rm", "local")
	}
	term, err := startOuter(r.o, r.env(r.near), filepath.Join(r.o.bin, "ccdir"))
	if err != nil {
		return "", err
	}
	defer term.close()
	term.answers = true
	if _, err := term.drain(3 * time.Second); err != nil {
		return "", err
	}
	if _, err := r.near1("focus", "box/echo"); err != nil {
		return "", err
	}
	if _, err := term.drain(2 * time.Second); err != nil {
		return "", err
	}
	var times []time.Duration
	for i := range min(r.o.keys, 60) {
		mark := echoMarks[i%3] // base64 has none of these
		d, err := term.echo(mark)
		if err != nil {
			return "", err
		}
		times = append(times, d)
		if _, err := term.drain(30 * time.Millisecond); err != nil {
			return "", err
		}
	}
	return three(times), nil
}
