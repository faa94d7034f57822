package wall

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"ccdir/sandbox"
)

func ptr(p *[120]byte) unsafe.Pointer { return unsafe.Pointer(p) }

// escapes are attempts by a process in the profile worktree. In a line {HOME}, {WORK}, {SRC},
// {ROOT}, {SELF}, {PID}, {SOCKET}, {ABSTRACT}, {TCP}, {UDP}, {SHM} and {STATE} are those of the lab. An
// attempt got out if its output has "got out", or the secret, or if the file got is different (or
// there) afterwards. out names the mechanisms that cannot hold it ("b" bubblewrap, "l" Landlock); every
// attempt gets out without a wall.
var escapes = []struct{ name, line, got, out string }{
	{"write-bashrc", "echo x >> ~/.bashrc", "home/.bashrc", ""},
	{"new-file-in-home", "mkdir -p ~/.config/autostart && echo x > ~/.config/autostart/x.desktop", "home/.config/autostart/x.desktop", ""},
	{"read-key", "cat ~/.ssh/id", "", ""},
	{"hardlink-key", "ln ~/.ssh/id k; cat k", "", ""},
	{"hardlink-key-to-write", "ln ~/.ssh/id k2; echo x >> k2", "home/.ssh/id", ""},
	{"rename-key", "mv ~/.ssh s; cat s/id", "", ""},
	{"symlink-read", "ln -sf ~/.ssh/id l; cat l", "", ""},
	{"symlink-write", "ln -sf ~/.bashrc l; echo x >> l", "home/.bashrc", ""},
	{"symlink-directory", "ln -sfn {HOME} h; cat h/.ssh/id", "", ""},
	{"dotdot", "cat ../home/.ssh/id", "", ""},
	{"truncate", ": > ~/.bashrc", "home/.bashrc", ""},
	{"delete", "rm -f ~/.bashrc", "home/.bashrc", ""},
	{"move-over", "echo x > n; mv n ~/.bashrc", "home/.bashrc", ""},
	{"chmod-key", "chmod 666 ~/.ssh/id", "home/.ssh/id", "l"},
	{"stat-names", "stat ~/.ssh/id >/dev/null && echo got out", "", "l"},
	{"list-home", "ls -a ~ | grep -q ssh && echo got out", "", ""},
	{"proc-root", "cat /proc/{PID}/root{HOME}/.ssh/id", "", ""},
	{"proc-cwd", "cat /proc/{PID}/cwd/.ssh/id", "", ""},
	{"proc-init-root", "cat /proc/1/root{HOME}/.ssh/id /proc/{PID}/root{HOME}/.ssh/id", "", ""},
	{"proc-environ", "tr '\\0' '\\n' < /proc/{PID}/environ", "", ""},
	{"proc-fd", "cat /proc/{PID}/fd/9", "", ""},
	{"proc-mem", "{SELF} attempt memory-of-other {PID}", "", ""},
	{"proc-cmdline", "tr '\\0' ' ' < /proc/{PID}/cmdline | grep -q sleep && echo got out", "", "bl"},
	{"ptrace", "{SELF} attempt ptrace {PID}", "", ""},
	{"pidfd-getfd", "{SELF} attempt fd-of-other {PID}", "", ""},
	{"kill", "{SELF} attempt kill {PID}", "", ""},
	{"abstract-socket", "{SELF} attempt dial unix {ABSTRACT}", "", ""},
	{"socket-of-other", "{SELF} attempt dial unix {SOCKET}", "", "l"},
	{"tiocsti", "{SELF} attempt tiocsti < /dev/null", "", ""},
	{"keyring", "{SELF} attempt keyring", "", ""},
	{"uring", "{SELF} attempt uring", "", ""},
	{"sysv-memory", "{SELF} attempt memory {SHM}", "", "l"},
	{"dev-shm", "echo x > /dev/shm/{NAME}", "/dev/shm/{NAME}", "l"},
	{"tmp-of-all", "echo x > {ROOT}.mark", "{ROOT}.mark", ""},
	{"umount", "{SELF} attempt mount {HOME} {HOME}/.ssh/id", "", ""},
	{"git-hook", "echo x > {SRC}/.git/hooks/post-checkout", "src/.git/hooks/post-checkout", ""},
	{"git-config", "git config core.fsmonitor evil", "src/.git/config", ""},
	{"git-config-moved", "echo x > c; mv c {SRC}/.git/config", "src/.git/config", ""},
	{"git-commondir", "echo x > {SRC}/.git/commondir", "src/.git/commondir", ""},
	{"git-attributes", "echo x > {SRC}/.git/info/attributes", "src/.git/info/attributes", ""},
	{"git-own-commondir", "echo x > {SRC}/.git/worktrees/wt/commondir", "src/.git/worktrees/wt/commondir", "l"},
	{"git-own-gitdir", "rm -f {SRC}/.git/worktrees/wt/gitdir; echo x > {SRC}/.git/worktrees/wt/gitdir", "src/.git/worktrees/wt/gitdir", "l"},
	{"git-own-config", "echo x > {SRC}/.git/worktrees/wt/config.worktree", "src/.git/worktrees/wt/config.worktree", "l"},
	{"git-log-link", "ln -sf {HOME}/.bashrc {SRC}/.git/logs/refs/heads/main", "src/.git/logs/refs/heads/main", ""},
	{"git-log-link-moved", "ln -s {HOME}/.bashrc k3; mv -f k3 {SRC}/.git/logs/HEAD; [ -L {SRC}/.git/logs/HEAD ] && echo got out", "", ""},
	{"git-reference-link", "ln -s {HOME}/.bashrc {SRC}/.git/refs/heads/link", "src/.git/refs/heads/link", ""},
	{"git-object-link", "mkdir -p {SRC}/.git/objects/info; ln -s {HOME}/.bashrc {SRC}/.git/objects/info/alternates", "src/.git/objects/info/alternates", ""},
	{"git-own-link", "ln -s {HOME}/.bashrc {SRC}/.git/worktrees/wt/FETCH_HEAD", "src/.git/worktrees/wt/FETCH_HEAD", ""},
	{"git-own-log-link", "rm -rf {SRC}/.git/worktrees/wt/logs; ln -s {HOME} {SRC}/.git/worktrees/wt/logs && echo got out", "", ""},
	{"git-dotgit", "rm -f .git; echo x > .git", "wt/.git", "l"},
	{"git-directory-moved", "mv {SRC}/.git/worktrees/wt {SRC}/.git/worktrees/w && mkdir {SRC}/.git/worktrees/wt && echo x > {SRC}/.git/worktrees/wt/commondir", "src/.git/worktrees/wt/commondir", ""},
	{"git-packed", "git pack-refs --all", "src/.git/packed-refs", ""},
	{"git-refs-of-others", "git update-ref -d refs/heads/precious", "src/.git/refs/heads/precious", "b"},
	{"git-main-tree", "echo x >> {SRC}/a", "src/a", ""},
	{"agent-settings", "echo x > {STATE}/s; mv {STATE}/s {STATE}/settings.json", "home/.agent/settings.json", "l"},
	{"agent-hooks-new", "mkdir -p {STATE}/hooks; echo x > {STATE}/hooks/h", "home/.agent/hooks/h", "l"},
	{"planted-envrc", "echo x >> .envrc", "wt/.envrc", "l"},
	{"planted-envrc-moved", "echo x > e; mv e .envrc", "wt/.envrc", "l"},
	{"go-cache", "mkdir -p ~/.cache/go-build; echo x > ~/.cache/go-build/p", "home/.cache/go-build/p", ""},
	{"plan", "echo x > {ROOT}/plan.json", "plan.json", ""},
	{"shim", "echo x >> {SELF}", "bin/shim", ""},
}

// TestEscapes: with the profile worktree, by each mechanism of this machine. Attempts that change nothing
// are made behind the same wall; the next one after a change has a lab and a wall of its own.
func TestEscapes(t *testing.T) {
	for _, mechanism := range append([]string{""}, mechanisms(t)...) {
		t.Run("by-"+mechanism, func(t *testing.T) {
			t.Parallel()
			b := fresh(t, mechanism, asItIs)
			for _, e := range escapes {
				t.Run(e.name, func(t *testing.T) {
					want := mechanism == "" || mechanism == sandbox.Bubblewrap && strings.Contains(e.out, "b") || mechanism == sandbox.Landlock && strings.Contains(e.out, "l")
					if got, output := b.escaped(t, e.line, e.got); got != want {
						t.Errorf("got out: %v, want %v\n%s", got, want, output)
					}
				})
				if !b.unchanged() {
					b.end()
					b = fresh(t, mechanism, asItIs)
				}
			}
		})
	}
}

// escaped makes an attempt.
func (b *bench) escaped(t *testing.T, line, got string) (bool, string) {
	t.Helper()
	fill := strings.NewReplacer("{HOME}", b.home, "{WORK}", b.work, "{SRC}", b.src, "{ROOT}", b.root, "{SELF}", b.self, "{PID}", fmt.Sprint(b.victim.Process.Pid), "{SOCKET}", b.socket,
		"{ABSTRACT}", b.abstract, "{TCP}", b.tcp, "{UDP}", b.udp, "{SHM}", fmt.Sprint(b.shm), "{STATE}", b.state, "{NAME}", filepath.Base(b.root))
	file := fill.Replace(got)
	if file != "" && !strings.HasPrefix(file, "/") {
		file = filepath.Join(b.root, file)
	}
	if !sandbox.Within(file, b.root) {
		defer os.Remove(file)
	}
	before := look(file)
	out, _ := b.run(t, fill.Replace(line))
	return strings.Contains(out, "got out") || strings.Contains(out, b.secret) || file != "" && look(file) != before, out
}

// look is what can be seen of a file from outside.
func look(path string) string {
	if path == "" {
		return ""
	}
	info, err := os.Lstat(path)
	if err != nil {
		return "none"
	}
	data, _ := os.ReadFile(path)
	return fmt.Sprint(info.Mode(), string(data))
}

// TestEscapesMasked: with each version of Landlock's interface below this kernel's what is held is the same, but for what the
// plan then says is missing; where that is everything, the plan has no mechanism.
func TestEscapesMasked(t *testing.T) {
	for _, mechanism := range mechanisms(t) {
		for version := 0; version < able().Landlock; version++ {
			t.Run(fmt.Sprint(mechanism, "-", version), func(t *testing.T) {
				t.Parallel()
				b := fresh(t, mechanism, version)
				plan := b.plan(sandbox.Worktree, mechanism)
				scopes := version >= 6
				if missing := strings.Contains(strings.Join(plan.Missing, "\n"), "signals to"); plan.Mechanism != "" && missing == scopes {
					t.Errorf("it says that this is missing: %q", plan.Missing)
				}
				if mechanism == sandbox.Landlock && version < 3 {
					if plan.Mechanism != "" {
						t.Errorf("it is held by %s", plan.Mechanism)
					}
					return
				}
				for _, e := range escapes {
					t.Run(e.name, func(t *testing.T) {
						want := strings.Contains(e.out, mechanism[:1]) || !scopes && (e.name == "kill" || e.name == "abstract-socket" || mechanism == sandbox.Bubblewrap && strings.HasPrefix(e.name, "git-") && strings.Contains(e.name, "-link"))
						if got, output := b.escaped(t, e.line, e.got); got != want {
							t.Errorf("got out: %v, want %v\n%s", got, want, output)
						}
					})
					if !b.unchanged() {
						b.end()
						b = fresh(t, mechanism, version)
					}
				}
			})
		}
	}
}
