package policy_test

import (
	"strings"
	"testing"

	"ccdir/policy"
)

// everydayRules are what a person who knows Claude Code would allow.
const everydayRules = `[roles.dev]
allow = [
  "Read(./**)", "Edit(out/**)",
  "Bash(git *)", "Bash(ls *)", "Bash(pwd)", "Bash(cat *)", "Bash(head *)", "Bash(tail *)", "Bash(wc *)", "Bash(find *)", "Bash(grep *)", "Bash(rg *)", "Bash(xargs *)",
  "Bash(sed *)", "Bash(awk *)", "Bash(sort *)", "Bash(uniq *)", "Bash(cut *)", "Bash(tr *)", "Bash(diff *)", "Bash(jq *)", "Bash(echo *)", "Bash(printf *)", "Bash(basename *)",
  "Bash(go *)", "Bash(gofmt *)", "Bash(make *)", "Bash(npm run *)", "Bash(npm test *)", "Bash(npm install)", "Bash(npm ci)", "Bash(npx tsc *)", "Bash(npx prettier *)", "Bash(tsc *)", "Bash(prettier *)",
  "Bash(pnpm install)", "Bash(yarn build)", "Bash(node *)", "Bash(python3 *)", "Bash(pip install *)", "Bash(cargo *)",
  "Bash(docker *)", "Bash(kubectl get *)", "Bash(mkdir *)", "Bash(touch *)", "Bash(cp *)", "Bash(mv *)", "Bash(rm *)", "Bash(chmod *)", "Bash(ln *)", "Bash(tar *)", "Bash(zip *)", "Bash(unzip *)",
  "Bash(du *)", "Bash(df *)", "Bash(ps *)", "Bash(kill *)", "Bash(which *)", "Bash(command -v *)", "Bash(date *)", "Bash(env)", "Bash(sleep *)", "Bash(true)", "Bash(test *)", "Bash([ *)", "Bash([[ *)",
  "Bash(cd *)", "Bash(curl *)", "Bash(rsync *)", "Bash(ssh *)", "Bash(scp *)", "Bash(gh pr *)", "Bash(tee *)", "Bash(sqlite3 *)", "Bash(bash script.sh *)",
]
deny = ["Bash(git push *)", "Bash(rm -rf *)", "Read(.env)", "Edit(./secret/**)"]
`

// TestHarmless: what is harmless is allowed, although there are deny rules.
func TestHarmless(t *testing.T) {
	p := mustParse(t, everydayRules)
	lines := readWays(t, "harmless.txt")
	if len(lines) < 100 {
		t.Errorf("only %d lines", len(lines))
	}
	for _, line := range lines {
		if line, other := strings.CutSuffix(line, " ?"); other {
			if d := p.Decide(bash(line)); d.Decision == policy.Deny {
				t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
			}
			continue
		}
		if d := p.Decide(bash(line)); d.Decision != policy.Allow {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}

// TestSneak: nothing gets into allow beside a command that is allowed.
func TestSneak(t *testing.T) {
	p := mustParse(t, `[roles.dev]
allow = [
  "Bash(git *)", "Bash(npm run *)", "Bash(ls *)", "Bash(echo *)", "Bash(cat *)", "Bash(find *)", "Bash(make *)", "Bash(go *)", "Bash(cargo *)", "Bash(awk *)", "Bash(sed *)",
  "Bash(tar *)", "Bash(rsync *)", "Bash(sort *)", "Bash(rg *)", "Bash(jq *)", "Bash(printf *)", "Bash(test *)", "Bash([ *)", "Bash([[ *)", "Bash(ssh *)", "Bash(gh *)", "Bash(docker *)",
  "Bash(python3 *)", "Bash(node *)", "Bash(perl *)", "Bash(true)", "Bash(:)", "Bash(npm exec *)", "Bash(npm *)",
]`)
	for _, line := range readWays(t, "sneak.txt") {
		if d := p.Decide(bash(line)); d.Decision == policy.Allow {
			t.Errorf("%q is allowed by %s", line, d.Rule)
		}
	}
	// None of the ways to write git push and rm -rf gets in by rules about others.
	p = mustParse(t, `[roles.dev]
allow = ["Bash(npm run *)", "Bash(ls *)", "Bash(echo *)", "Bash(cat *)", "Bash(printf *)", "Bash(true)", "Bash(:)", "Bash(cd *)", "Bash(test *)", "Bash([ *)", "Bash([[ *)", "Bash(read *)", "Bash(f *)"]`)
	for _, file := range evasions {
		for _, line := range readWays(t, file) {
			line = strings.TrimSuffix(line, " ?")
			if d := p.Decide(bash(line)); d.Decision == policy.Allow {
				t.Errorf("%s: %q is allowed by %s", file, line, d.Rule)
			}
		}
	}
}

// evasions are the files with ways to write git push and rm -rf.
var evasions = []string{"push.txt", "push-options.txt", "push-runners.txt", "push-tools.txt", "push-variables.txt", "push-here-documents.txt", "remove.txt"}

// besideDenied are the rules for beside-denied-files.txt.
const besideDenied = `[roles.dev]
allow = ["Bash", "Read(./**)", "Edit(./**)"]
deny = ["Bash(git push *)", "Bash(rm -rf /)", "Bash(rm -rf / *)", "Read(.env)", "Read(./secrets/**)", "Read(*.pem)", "Read(~/.ssh/**)", "Edit(./secret/**)"]
`

// TestBesideDeniedFiles: rules about files hinder nothing that doesn't name such files.
func TestBesideDeniedFiles(t *testing.T) {
	p := mustParse(t, besideDenied)
	for _, line := range readWays(t, "beside-denied-files.txt") {
		line, other := strings.CutSuffix(line, " ?")
		d := p.Decide(bash(line))
		if other && d.Decision != policy.Deny || !other && d.Decision == policy.Allow {
			continue
		}
		t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
	}
}

// TestFoundNames: what find finds begins as the directory that it was given, so it is
// neither an option nor another directory.
func TestFoundNames(t *testing.T) {
	p := mustParse(t, "[roles.dev]\nallow = ['Bash']\ndeny = ['Bash(rm -rf /)', 'Bash(rm -rf / *)', 'Bash(rm -rf ~)']")
	for line, want := range map[string]policy.Effect{
		"find . -name X -type d -exec rm -r {} +": policy.Allow, "find build -name X -exec rm {} \\;": policy.Allow, "find . -name X -exec rm -rf {} +": policy.Allow,
		"find / -name X -exec rm -rf {} +": policy.Ask, "find \"$X\" -exec rm -rf {} +": policy.Ask, "find . -exec rm -rf /{} +": policy.Ask, "find a / -exec rm -rf {} +": policy.Ask,
	} {
		if d := p.Decide(bash(line)); d.Decision != want {
			t.Errorf("%s: %s (%s), want %s", line, d.Decision, d.Reason, want)
		}
	}
}

// TestNearEveryday: what looks like an everyday line and runs something else is asked about.
func TestNearEveryday(t *testing.T) {
	p := mustParse(t, besideDenied)
	for _, line := range []string{
		"NODE_OPTIONS='--require ./x.js' npm run build", "NODE_OPTIONS='-r ./x.js' node a.js", "NODE_OPTIONS='--max-old-space-size=1 --import=./x.mjs' node a.js", "NODE_OPTIONS=$X node a.js",
		"GOFLAGS=-toolexec=./x go build ./...", "GOFLAGS='-mod=mod -exec=./x' go test ./...", "RUSTFLAGS='-Clinker=./x' cargo build", "RUSTFLAGS='-D warnings -C linker=./x' cargo build", "PYTHONPATH=/tmp/x pytest", "PYTHONPATH=..:x pytest",
		`psql -c '\! git push'`, `psql -c '\dt \! git push'`, `psql -c "\\dt | git push"`, "sqlite3 x.db .tables '.shell git push'", "sqlite3 x.db '.tables\n.shell git push'", ". .venv/bin/activate.sh", "source \"$X/bin/activate\"", "nc -z -e x h 1", "tmux ls ';' run x",
	} {
		if d := p.Decide(bash(line)); d.Decision != policy.Ask && d.Decision != policy.Deny {
			t.Errorf("%s: %s (%s)", line, d.Decision, d.Reason)
		}
	}
}
