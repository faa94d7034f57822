package service

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/test/programs"
)

// patience bounds each wait for another process.
const patience = 30 * time.Second

var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ccdir-service-")
	if err == nil {
		err = programs.Build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	bin = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// manager starts systemd --user and D-Bus, tells when they answer, and ends with its input.
// It is in mounts of its own, because systemd wants /run/systemd/system. $1 is the group
// of processes, $2 the directory that becomes the user's runtime directory.
const manager = `
set -e
mount -t tmpfs none /run
mkdir -p /run/systemd/system
mkdir -m 700 -p "$2"
for root in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ -e "$root/cgroup.procs" ] || continue
	mkdir -p "$root/$1"
	echo $$ >"$root/$1/cgroup.procs"
done
export XDG_RUNTIME_DIR="$2" DBUS_SESSION_BUS_ADDRESS="unix:path=$2/bus"
dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --nofork --nopidfile &
bus=$!
trap 'kill $bus' EXIT
/lib/systemd/systemd --user --log-target=console &
until systemctl --user is-system-running 2>/dev/null | grep -q running; do sleep 0.05; done
echo ready
exec 3<&0
while read -r line <&3; do
	eval "$line" </dev/null >"$HOME/said" 2>&1 && echo "0" || echo "$?"
done
systemctl --user exit || true
`

// rig is a user with a systemd --user of their own.
type rig struct {
	t     *testing.T
	home  string
	in    interface{ Write([]byte) (int, error) }
	lines chan string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	programs.Need(t, "systemd-run", "dbus-daemon", "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can mount: run the tests as root, as CI does")
	}
	home, err := os.MkdirTemp("", "cc") // the names of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, home: home, lines: make(chan string, 16)}
	group := filepath.Base(home)
	cmd := exec.Command("unshare", "--mount", "bash", "-c", manager, "bash", group+"/user@0.service", "/run/user/ccdir")
	cmd.Env = []string{"HOME=" + home, "CCDIR_HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "SHELL=/bin/sh"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	log := &bytes.Buffer{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.in = in
	go func() {
		defer close(r.lines)
		buf := make([]byte, 4096)
		rest := ""
		for {
			n, err := out.Read(buf)
			rest += string(buf[:n])
			for {
				line, after, ok := strings.Cut(rest, "\n")
				if !ok {
					break
				}
				r.lines <- line
				rest = after
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		r.run("ccdir daemon stop --kill-sessions")
		in.Close()
		for range r.lines { // until the manager has ended
		}
		err := cmd.Wait()
		if t.Failed() {
			t.Logf("systemd: %v\n%s", err, log)
		}
		killGroup(t, group)
		os.RemoveAll(home)
	})
	for line := range r.lines {
		if line == "ready" {
			return r
		}
	}
	t.Fatalf("systemd --user does not start:\n%s", log)
	return nil
}

// killGroup kills what is left in the control groups and removes them.
func killGroup(t *testing.T, group string) {
	for _, root := range []string{"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		dir := filepath.Join(root, group)
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err != nil {
			continue
		}
		_ = exec.Command("sh", "-c", `for p in $(find "$1" -name cgroup.procs -exec cat {} +); do kill -9 $p; done; find "$1" -depth -type d -exec rmdir {} \;`, "sh", dir).Run()
	}
}

// run runs a line of shell in the rig, and returns what it wrote and whether it succeeded.
func (r *rig) run(line string) (string, bool) {
	r.t.Helper()
	fmt.Fprintln(r.in, line)
	code, open := <-r.lines
	if !open {
		r.t.Fatalf("systemd has ended, at: %s", line)
	}
	said, err := os.ReadFile(filepath.Join(r.home, "said"))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(said)), code == "0"
}

func (r *rig) ok(line string) string {
	r.t.Helper()
	said, ok := r.run(line)
	if !ok {
		r.t.Fatalf("%s: %s", line, said)
	}
	return said
}

// until runs a line until it succeeds.
func (r *rig) until(line string) string {
	r.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		said, ok := r.run(line)
		if ok {
			return said
		}
		if time.Now().After(end) {
			r.t.Fatalf("%s: %s", line, said)
		}
	}
}

// pids are the processes of agent and host of the session.
func (r *rig) pids(session string) string {
	r.t.Helper()
	return r.ok("ccdir show " + session + " --json | grep -E '\"(pid|host_pid)\"'")
}

// unit is the name of the service.
func (r *rig) unit() string { return r.ok("basename $HOME/.config/systemd/user/*.service") }

// TestService: the whole life of the service. Its end, whatever the way, ends no session.
func TestService(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	// A daemon and a session from before.
	r.ok("ccdir new -n before -- sleep 1000")
	before := r.pids("before")
	r.ok("ccdir service install")
	if said := r.ok("ccdir service install"); !strings.Contains(said, "installed already") {
		t.Errorf("the second time: %s", said)
	}
	unit := r.unit()
	status := r.ok("ccdir service status")
	for _, want := range []string{unit, "starts by itself  yes", "runs"} {
		if !strings.Contains(status, want) {
			t.Errorf("status lacks %q:\n%s", want, status)
		}
	}
	main := func() string { return r.ok("systemctl --user show --property=MainPID --value " + unit) }
	if first := main(); r.ok("ccdir daemon status --json | grep '\"pid\"'") == "" || !strings.Contains(r.ok("ccdir daemon status --json"), first) {
		t.Errorf("the daemon is not the service's process %s", first)
	}
	r.ok("ccdir new -n api -a demo --prompt 'run ls'")
	r.ok("ccdir wait api --state idle --timeout 60s")
	api := r.pids("api")
	number := func(key string) string {
		return strings.Trim(strings.Split(r.ok(`ccdir show api --json | grep '"`+key+`"'`), ":")[1], " ,")
	}
	host := number("host_pid")
	if group := r.ok("cat /proc/" + host + "/cgroup"); strings.Contains(group, unit) || !strings.Contains(group, ".scope") {
		t.Errorf("the host is in the service:\n%s", group)
	}
	if env := r.ok("tr '\\0' '\\n' </proc/" + number("pid") + "/environ"); strings.Contains(env, "NOTIFY_SOCKET") || strings.Contains(env, "INVOCATION_ID") {
		t.Errorf("the agent has the service's variables:\n%s", env)
	}
	alive := func(after string) {
		t.Helper()
		r.until("ccdir show api --json | grep -E '\"state\": \"idle\"'")
		if now := r.pids("api"); now != api {
			t.Errorf("after %s: %s, and before %s", after, now, api)
		}
		if now := r.pids("before"); now != before {
			t.Errorf("after %s: %s, and before %s", after, now, before)
		}
	}
	alive("the installation")

	r.ok("systemctl --user restart " + unit)
	alive("a restart of the unit")

	old := main()
	r.ok("kill -9 " + old)
	r.until("p=$(systemctl --user show --property=MainPID --value " + unit + "); [ $p != 0 ] && [ $p != " + old + " ] && systemctl --user is-active " + unit)
	alive("a crash")

	old = main()
	r.ok("ccdir daemon restart")
	if now := main(); now == old || now == "0" {
		t.Errorf("daemon restart: the service's process was %s and is %s", old, now)
	}
	alive("daemon restart")

	r.ok("ccdir daemon stop")
	if said, active := r.run("systemctl --user is-active " + unit); active {
		t.Errorf("after daemon stop the unit is %s", said)
	}
	alive("daemon stop") // its first verb starts the daemon, by the manager
	if now := main(); now == "0" {
		t.Error("a verb has started a daemon beside the service")
	}

	r.ok("systemctl --user stop " + unit)
	alive("a stop of the unit")

	if said := r.ok("ccdir service uninstall"); !strings.Contains(said, "sessions keep running") {
		t.Errorf("uninstall says: %s", said)
	}
	alive("the removal")
	if said, ok := r.run("ccdir service status"); ok || !strings.Contains(said, "ccdir service install") {
		t.Errorf("status of nothing: %s", said)
	}
	if said := r.ok("ccdir service uninstall"); said != "not installed" {
		t.Errorf("the second time: %s", said)
	}
}

// TestServiceWithoutScope: where no scope can be made, hosts survive in the service.
func TestServiceWithoutScope(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.ok("mkdir $HOME/bin && printf '#!/bin/sh\\nexit 1\\n' >$HOME/bin/systemd-run && chmod +x $HOME/bin/systemd-run")
	r.ok("PATH=$HOME/bin:$PATH ccdir service install")
	unit := r.unit()
	r.ok("ccdir new -n one -- sleep 1000")
	one := r.pids("one")
	r.ok("grep 'no scope could be made' " + r.home + "/state/daemon.log")
	r.ok("systemctl --user restart " + unit)
	if now := r.until("ccdir show one --json | grep -E '\"(pid|host_pid)\"'"); now != one {
		t.Errorf("%s, and before %s", now, one)
	}
}
