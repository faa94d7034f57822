package nodes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestLogins: a login shell that prints, one that is no POSIX shell, and a closed standard error.
func TestLogins(t *testing.T) {
	for name, command := range map[string]string{
		"prints":         `echo "Welcome to box"; printf 'no end of line'; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`,
		"no errors":      `exec 2>&-; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`,
		"prints a lot":   `head -c 50000 /dev/zero | tr '\0' 'x'; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`,
		"another umask":  `umask 000; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`,
		"read ahead":     `exec bash -c "$SSH_ORIGINAL_COMMAND"`,
		"nested session": `exec /bin/sh -c "exec $SSH_ORIGINAL_COMMAND"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "ForceCommand "+command)
			if out := r.addHere(); !strings.Contains(out, "online") {
				t.Error(out)
			}
			r.ok("ls", "--node", "box")
		})
	}
}

// TestBoundKey: a key that authorized_keys binds to the bridge needs no shell.
func TestBoundKey(t *testing.T) {
	r := newRig(t)
	key, err := os.ReadFile(r.file("authorized_keys"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("authorized_keys", `restrict,command="CCDIR_HOME=`+r.far.Home+` `+filepath.Join(bin, "ccdir-shim")+` bridge" `+string(key), 0o600)
	r.addHere()
	r.ok("new", "-n", "x", "box/", "--", "cat")
	if list := r.nodes(); list[0].Sessions != 1 {
		t.Errorf("%+v", list)
	}
}

// TestNoise: a login that says only other things is told with what it said.
func TestNoise(t *testing.T) {
	r := newRig(t, `ForceCommand echo "This account is not available."`)
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "box", "box", "--"}, r.sshOptions...)...)
	if code != 1 || !strings.Contains(errs, "This account is not available.") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// TestPermission: a machine that takes none of our keys asks; nothing tries it again by itself.
func TestPermission(t *testing.T) {
	r := newRig(t)
	r.write("authorized_keys", "", 0o600)
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "box", "box", "--"}, r.sshOptions...)...)
	if code != 1 || !strings.Contains(errs, "Permission denied") {
		t.Errorf("exit %d, %q", code, errs)
	}
	if list := r.nodes(); list[0].State != "asks" {
		t.Errorf("%+v", list)
	}
}

// TestChangedHostKey: ssh refuses a host whose key has changed, and the person is told.
func TestChangedHostKey(t *testing.T) {
	r := newRig(t)
	pub, err := os.ReadFile(r.file("key.pub")) // a key that is not the host's
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(pub))
	r.write("known_hosts", "[127.0.0.1]:"+itoa(r.port)+" "+fields[0]+" "+fields[1]+"\n", 0o600)
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "box", "box", "--"}, r.sshOptions...)...)
	if code != 1 || !strings.Contains(errs, "host key") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// TestInstall: a machine without ccdir is told so; --install brings it there by the same ssh, and
// update brings it again.
func TestInstall(t *testing.T) {
	r := newRig(t)
	home := r.file("person") // of the person there: the login shell's HOME
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	r.write("sshd_rc", "", 0o600)
	key, err := os.ReadFile(r.file("authorized_keys"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("authorized_keys", `command="HOME=`+home+`; export HOME; PATH=/usr/bin:/bin; exec $SSH_ORIGINAL_COMMAND" `+string(key), 0o600)
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "box", "box", "--home", r.far.Home, "--"}, r.sshOptions...)...)
	if code != 1 || !strings.Contains(errs, "not installed there") || !strings.Contains(errs, "ccdir node update box") {
		t.Errorf("exit %d, %q", code, errs)
	}
	if list := r.nodes(); list[0].State != "old" {
		t.Errorf("%+v", list)
	}
	if out := r.add("--install"); !strings.Contains(out, "online") {
		t.Error(out)
	}
	dir := filepath.Join(home, ".local/share/ccdir", api.Version)
	for _, name := range []string{"ccdir", "ccdir-daemon", "ccdir-shim"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", name, info, err)
			continue
		}
		there, _ := os.ReadFile(filepath.Join(dir, name))
		here, _ := os.ReadFile(filepath.Join(bin, name))
		if string(there) != string(here) {
			t.Errorf("%s differs from ours", name)
		}
	}
	r.ok("new", "-n", "x", "box/", "--", "cat")
	if out := r.ok("node", "update", "box"); !strings.Contains(out, "online") || !strings.Contains(out, "1 session, 0 ask") {
		t.Error(out)
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".local/share/ccdir/*")); len(left) != 1 {
		t.Errorf("left there: %v", left)
	}
}

// TestSameMachine: one machine under two names, and this machine as its own node, are told.
func TestSameMachine(t *testing.T) {
	r := newRig(t)
	r.addHere()
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "again", "box", "--home", r.far.Home, "--program", filepath.Join(bin, "ccdir-shim"), "--"}, r.sshOptions...)...)
	if code != 0 || !strings.Contains(errs, "is the same as node box") {
		t.Errorf("exit %d, %q", code, errs)
	}
	r.ok("node", "rm", "again")
	r.ok("ls") // starts the daemon here
	_, errs, code = r.run(append([]string{"node", "add", "--yes", "self", "box", "--home", r.near.Home, "--program", filepath.Join(bin, "ccdir-shim"), "--"}, r.sshOptions...)...)
	if code != 0 || !strings.Contains(errs, "this machine itself") {
		t.Errorf("exit %d, %q", code, errs)
	}
	r.ok("node", "rm", "self")
}
