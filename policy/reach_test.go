package policy_test

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/policy"
	"ccdir/policy/file"
)

// filesDenied are rules about files, with all else allowed.
const filesDenied = `[roles.dev]
allow = ["*", "Bash", "Read", "Edit", "Bash(git *)"]
deny = ["Read(./secrets/**)", "Read(.env)"]
[roles.editor]
allow = ["*", "Bash", "Read", "Edit"]
deny = ["Edit(./secrets/**)"]
[roles.open]
allow = ["*", "Bash", "Read", "Edit"]
`

// TestNamedFiles: a command that names a file which rules are about is denied or asked
// about, whatever the program and however the file is named.
func TestNamedFiles(t *testing.T) {
	user := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(user, []byte(filesDenied), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := file.Load(file.Options{User: user, Home: "/home/u", UID: os.Getuid(), Protect: []string{"/home/u/.config/ccdir", "/home/u/.local/state/ccdir"}})
	if err != nil {
		t.Fatal(err)
	}
	for file, role := range map[string]string{
		"read.txt": "dev", "edit.txt": "editor", "settings.txt": "open",
	} {
		for _, line := range readWays(t, file) {
			r := bash(line)
			r.Role = role
			if d := p.Decide(r); d.Decision != policy.Deny && d.Decision != policy.Ask {
				t.Errorf("%s: %s: %s (%s)", file, line, d.Decision, d.Reason)
			}
		}
	}
}

// TestNamedBelow: git names files from the top of the repository also in a directory
// below, whether the agent went there or was started there.
func TestNamedBelow(t *testing.T) {
	p := mustParse(t, `[roles.dev]
allow = ["*", "Bash(git *)"]
deny = ["Read(./secrets/**)", "Read(./sub/secrets/**)"]`)
	for _, line := range []string{
		"git show HEAD:secrets/key", "git cat-file -p HEAD:secrets/key", "git show :secrets/key", "git log -p -- :/secrets", "git log -p -- ':(top)secrets'", "git diff -- ':(top,glob)sec*/key'",
		"git grep x -- :/secrets", "git blame main:secrets/key", "git archive HEAD:secrets", "git cat-file --batch <<< HEAD:secrets/key", "git show HEAD:sub/secrets/key", "cd a/b && git show HEAD:secrets/key",
	} {
		r := bash(line)
		r.Cwd = "/home/u/project/src"
		if d := p.Decide(r); d.Decision != policy.Deny && d.Decision != policy.Ask {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
	r := bash("git show HEAD:sub/secrets/key")
	r.Root = "/home/u/project/sub"
	r.Cwd = r.Root
	if d := p.Decide(r); d.Decision != policy.Deny && d.Decision != policy.Ask {
		t.Errorf("started below: %s (%s)", d.Decision, d.Reason)
	}
}

// TestWholeTree: what reads a whole tree is not allowed if a rule is about files in it.
func TestWholeTree(t *testing.T) {
	p := mustParse(t, filesDenied)
	for _, line := range []string{
		"git grep --no-index x .", "git grep --no-index x", "git diff --no-index /dev/null .", "git diff --no-index -- . ../x", "strace grep -r x .", "flock f tar c .", "docker run -v .:/w alpine cat /w/secrets/key",
		"find . -type f -exec cat {} +", "find . -type f -print0 | xargs -0 cat", "fd -x cat", "grep -r KEY .", "grep -rn KEY", "grep -rA 3 KEY", "grep -r --include='*' KEY src", "rg -uu KEY src", "rg --hidden KEY src", "rg -. KEY src",
		"git ls-files | xargs cat", "git ls-files secrets | xargs cat", "git ls-files -z | xargs -0 grep x", "git ls-files -s '*.go' | xargs cat",
		"7z a x.7z .", "ditto . /tmp/x", "pax -rw . /tmp/x", "ugrep -r KEY", "egrep -ri KEY", "find . | cpio -o", "find . -type f -print0 | tar -cT - --null", "restic -r r backup .", "az storage blob upload-batch -s . -d c",
		"multipass mount . vm", "git grep --untracked KEY", "tar cf - --exclude=x . | ssh h tar x",
		"docker run --mount type=bind,source=.,target=/w alpine ls", "docker run -v /home/u/project:/w:ro alpine ls", "docker cp . web:/app", "aws s3 sync . s3://b", "rclone copy . remote:x", "kubectl cp . pod:/x",
	} {
		if d := p.Decide(bash(line)); d.Decision == policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}

// TestNames: who looks at names only sees nothing of a file, but what there is in a
// directory; who removes a file does not read it.
func TestNames(t *testing.T) {
	p := mustParse(t, filesDenied+`[roles.keeper]
allow = ["*", "Bash"]
deny = ["Edit(.env)"]
`)
	for _, c := range []struct {
		role, line string
		want       policy.Effect
	}{
		{"dev", "ls -la .env src", policy.Allow}, {"dev", "stat -c %a sub/.env", policy.Allow}, {"dev", "readlink -f .env", policy.Allow}, {"dev", "git rm --cached .env", policy.Allow},
		{"dev", "ls secrets", policy.Deny}, {"dev", "ls -l secrets/key", policy.Deny}, {"dev", "cd secrets && ls", policy.Ask}, {"dev", "ls -R .", policy.None}, {"dev", "ls .env $(cat .env)", policy.Deny},
		{"dev", "ls .env | xargs cat", policy.Ask}, {"dev", "stat .env; cat .env", policy.Deny}, {"dev", "ls < .env", policy.Deny}, {"dev", "git mv .env x", policy.Deny}, {"dev", "frobnicate ls .env", policy.Ask},
		{"keeper", "git rm --cached .env", policy.Deny}, {"keeper", "ls .env", policy.Allow},
	} {
		r := bash(c.line)
		r.Role = c.role
		if d := p.Decide(r); d.Decision != c.want {
			t.Errorf("%s: %s: %s (%s), want %s", c.role, c.line, d.Decision, d.Reason, c.want)
		}
	}
}

// TestSearches: a search that cannot read what is denied is allowed.
func TestSearches(t *testing.T) {
	p := mustParse(t, filesDenied)
	env := mustParse(t, "[roles.dev]\nallow = ['Bash']\ndeny = ['Read(.env)']")
	for _, line := range []string{"rg -n foo src", "rg foo --type go src/", "rg -l foo src -g '*.ts'", "grep -rn foo src --include='*.go'"} {
		if d := p.Decide(bash(line)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
	for _, line := range []string{"rg foo", "grep -rn foo --include='*.go' .", "git ls-files '*.go' | xargs wc -l", "find . -path './src/*' -name '*.go' -exec cat {} +"} {
		if d := env.Decide(bash(line)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
	for _, line := range []string{"rg foo .env", "rg foo src/.env", "grep -r foo --include='.e*' .", "grep -r foo --include='*.go' --include='.env' .", "grep -rn foo src", "rg foo -g '!x' -u", "rg foo -g .env", "rg foo -g x -g .env src", "rg foo --glob=.e* src", "rg foo --iglob .ENV src", "rg -g*.env foo", "grep -r --include=*env foo ."} {
		if d := env.Decide(bash(line)); d.Decision == policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}

// TestBeingInside: in a directory in which nothing may be read or changed, commands ask
// although they don't name a file, on the line that goes there and on later ones.
func TestBeingInside(t *testing.T) {
	p := mustParse(t, filesDenied+`[roles.broad]
allow = ["*", "Bash"]
ask = ["Read(./**)", "Edit(./**)"]
`)
	for line, want := range map[string]policy.Effect{"make": policy.Ask, "frobnicate --all": policy.Ask, "python3 x.py": policy.Ask, "tar xf ../a.tar": policy.Ask, "pwd": policy.Allow, "cd ..": policy.Allow, "echo x": policy.Allow} {
		for cwd, line := range map[string]string{"/home/u/project/secrets": line, "/home/u/project": "cd secrets && " + line} {
			r := bash(line)
			r.Cwd = cwd
			if d := p.Decide(r); d.Decision != want && d.Decision != policy.Deny {
				t.Errorf("%s in %s: %s (%s), want %s", line, cwd, d.Decision, d.Reason, want)
			}
		}
	}
	for role, line := range map[string]string{"dev": "cd src && make", "editor": "cd secrets && make", "broad": "cd src && frobnicate"} {
		r := bash(line)
		if r.Role = role; p.Decide(r).Decision != policy.Allow {
			t.Errorf("%s: %s: %v", role, line, p.Decide(r))
		}
	}
}

// TestNamedCopies: a program that rules are about gets no other name by a copy.
func TestNamedCopies(t *testing.T) {
	p := mustParse(t, "[roles.dev]\nallow = ['*', 'Bash', 'Read', 'Edit']\ndeny = ['Bash(git push *)']")
	for _, line := range []string{
		"cat /usr/bin/git > src/g; src/g push", "cat < /usr/bin/git > src/g", "dd if=/usr/bin/git of=g", "tee g < /usr/bin/git", "base64 /usr/bin/git | base64 -d > g", "head -c 9999999 /usr/bin/git > g",
		"rsync /usr/bin/git g", "objcopy /usr/bin/git g", "tar cf x.tar /usr/bin/git", "install -m755 ../bin/git g",
	} {
		if d := p.Decide(bash(line)); d.Decision != policy.Ask {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
	for _, line := range []string{"ls -l /usr/bin/git", "file /usr/bin/git", "cat docs/git.md", "grep -rn x internal/git", "go test ./internal/git", "which git"} {
		if d := p.Decide(bash(line)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}

// TestPythonModules: modules that run code are seen behind other options and modules.
func TestPythonModules(t *testing.T) {
	p := mustParse(t, "[roles.dev]\nallow = ['*', 'Bash', 'Read', 'Edit']\ndeny = ['Bash(git push *)']")
	for _, line := range []string{
		"python3 -Im timeit 'import os'", "python3 -Imcode", "python3 -Bmpdb x.py", "python3 -mcProfile -m timeit 'x'", "python3 -m cProfile -s time -m timeit 'x'", "python3 -m trace --count -m timeit x",
		"python3 -m profile /dev/stdin <<< x", "python3 -m cProfile /dev/stdin", "python3 -m trace --trace /proc/self/fd/0", "python3 -sm asyncio", "python3 -m runpy /dev/stdin", "python3 -m cProfile -o out -m code",
	} {
		if d := p.Decide(bash(line)); d.Decision != policy.Ask {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
	for _, line := range []string{"python3 -m cProfile -o out/p app.py", "python3 -m trace --count app.py", "python3 -Im pytest -q", "python3 -m pytest -m slow"} {
		if d := p.Decide(bash(line)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}
