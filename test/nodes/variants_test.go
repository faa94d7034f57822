package nodes

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/nodes/link"
	"ccdir/test/programs"
)

// TestLoginShells: a person's login shell need not be a POSIX shell.
func TestLoginShells(t *testing.T) {
	for _, shell := range []string{"fish", "csh", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip(shell + " is not installed here")
			}
			// As sshd runs it, whose ForceCommand goes through /etc/passwd's own shell.
			r := newRig(t, `ForceCommand exec `+path+` -c "$SSH_ORIGINAL_COMMAND"`)
			if out := r.addHere(); !strings.Contains(out, "online") {
				t.Error(out)
			}
			r.ok("new", "-n", "x", "box/", "--", "cat")
			r.ok("keys", "box/x", "h", "i", "Enter")
			r.until("the echo", func() bool { return strings.Contains(r.ok("output", "box/x"), "hi\nhi") })
		})
	}
}

// TestJump: a node behind another machine, by the person's ProxyJump.
func TestJump(t *testing.T) {
	jump, r := newRig(t), newRig(t)
	conf, err := os.ReadFile(jump.file("ssh_config"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(r.file("ssh_config"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("ssh_config", strings.Replace(string(conf), "Host box", "Host jump", 1)+string(own)+"  ProxyJump jump\n", 0o600)
	if out := r.addHere(); !strings.Contains(out, "online") {
		t.Error(out)
	}
	r.ok("new", "-n", "x", "box/", "--", "cat")
	log, err := os.ReadFile(jump.file("sshd.log"))
	if err != nil || !strings.Contains(string(log), "Accepted publickey") {
		t.Errorf("nothing went by the jump host: %s", log)
	}
	s, _ := r.status()
	kill(s.SSH)
	r.until("another connection", func() bool { now, ok := r.status(); return ok && now.State == "online" && now.SSH != s.SSH })
	r.ok("show", "box/x")
}

// once is what sshd's PAM asks about a password: true the first time that it is right.
const once = `#!/bin/sh
IFS= read -r given
[ "$(printf '%%s' "$given" | tr -d '\000')" = 'code 271828' ] && rm %s/code 2>/dev/null
`

// TestOneTimeCode: a code that holds once is asked for once, because one ssh carries everything; a
// link that is lost asks nobody in the background, and the person at the next `node up`.
func TestOneTimeCode(t *testing.T) {
	programs.Need(t, "unshare", "mount")
	if err := exec.Command("unshare", "-m", "true").Run(); err != nil || os.Getuid() != 0 {
		t.Skip("a PAM of the test's own needs root and mount namespaces")
	}
	const module = "pam_exec.so"
	if found, _ := filepath.Glob("/lib/*/security/" + module); len(found) == 0 {
		t.Skip(module + " is not installed here")
	}
	r := newRig(t)
	_ = r.sshd.Process.Kill()
	_, _ = r.sshd.Process.Wait()
	script := r.write("once", fmt.Sprintf(once, r.dir), 0o700)
	pam := r.write("pam", "auth required "+module+" expose_authtok quiet "+script+"\nauth optional pam_permit.so\naccount required pam_permit.so\nsession required pam_permit.so\n", 0o600)
	conf, err := os.ReadFile(r.file("sshd_config"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("UsePAM no", "UsePAM yes", "KbdInteractiveAuthentication no", "KbdInteractiveAuthentication yes\nPubkeyAuthentication no\nPermitRootLogin yes").Replace(string(conf))
	r.write("sshd_config", text, 0o600)
	daemon := exec.Command("unshare", "-m", "sh", "-c", "mount --bind "+pam+" /etc/pam.d/sshd && exec /usr/sbin/sshd -D -f "+r.file("sshd_config")+" -E "+r.file("sshd.log"))
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	r.until("sshd", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	code := func() { r.write("code", "", 0o600) }
	var asked []string
	answer := func(q string) (string, bool) {
		asked = append(asked, q)
		return "code 271828", true
	}
	_, errs, exit := r.run(append([]string{"node", "add", "--yes", "box", "box", "--home", r.far.Home, "--program", filepath.Join(bin, "ccdir-shim"), "--"}, r.sshOptions...)...)
	if exit != 1 || !strings.Contains(errs, "ccdir node up box") {
		t.Errorf("node add without a person: exit %d, %q", exit, errs)
	}
	code()
	s, err := r.remote().Up(t.Context(), nil, answer, nil)
	if err != nil || s.State != link.StateOnline || len(asked) != 1 {
		log, _ := os.ReadFile(r.file("sshd.log"))
		t.Fatalf("%+v, %v, asked %q; sshd says:\n%s", s, err, asked, log)
	}
	r.ok("new", "-n", "x", "box/", "--", "cat") // by the same ssh
	r.ok("ls", "--node", "box")
	kill(s.SSH)
	r.until("a node that asks", func() bool { s, ok := r.status(); return ok && s.State == link.StateAsks && !s.Trying })
	if len(asked) != 1 {
		t.Errorf("asked in the background: %q", asked)
	}
	code()
	if s, err = r.remote().Up(t.Context(), nil, answer, nil); err != nil || s.State != link.StateOnline || len(asked) != 2 {
		t.Errorf("%+v, %v, asked %q", s, err, asked)
	}
	r.ok("show", "box/x")
}

// TestOldProtocol: a node whose ccdir speaks another protocol is told so, with its version and what
// to do; nothing tries again by itself.
func TestOldProtocol(t *testing.T) {
	r := newRig(t)
	shim := r.write("other", "#!/bin/sh\n[ \"$1\" = version ] && echo 'ccdir-shim 0.0.7'\nexit 1\n", 0o700)
	_, errs, code := r.run(append([]string{"node", "add", "--yes", "box", "box", "--program", shim, "--"}, r.sshOptions...)...)
	if code != 1 || !strings.Contains(errs, "ccdir 0.0.7 there has no protocol in common") || !strings.Contains(errs, "`ccdir node update box`") {
		t.Errorf("exit %d, %q", code, errs)
	}
	if s, ok := r.status(); !ok || s.State != "old" || s.Trying || !s.Next.IsZero() {
		t.Errorf("%+v", s)
	}
}
