package policy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"ccdir/policy"
	"ccdir/policy/file"
)

func mustParse(t testing.TB, text string) *policy.Policy {
	t.Helper()
	p, err := file.Parse([]byte(text), "policy.toml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bash is a request to run command in /home/u/project.
func bash(command string) policy.Request {
	in, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return policy.Request{Role: "dev", Tool: "Bash", Input: in, Root: "/home/u/project", Home: "/home/u", FS: memFS{}}
}

// readWays reads a file of testdata: commands that mean one thing.
func readWays(t testing.TB, name string) (ways []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	comments := true
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if comments = comments && strings.HasPrefix(line, "#"); !comments && line != "" {
			ways = append(ways, strings.NewReplacer("␤", "\n", "␍", "\r").Replace(line))
		}
	}
	return ways
}

// TestEvasions: what a rule denies is denied, or at least asked about, however
// it is written, although everything is allowed otherwise.
func TestEvasions(t *testing.T) {
	for _, c := range []struct{ file, deny string }{{"push.txt", "Bash(git push *)"}, {"push-options.txt", "Bash(git push *)"}, {"remove.txt", "Bash(rm -rf *)"},
		{"push-runners.txt", "Bash(git push *)"}, {"push-tools.txt", "Bash(git push *)"}, {"push-variables.txt", "Bash(git push *)"},
		{"push-here-documents.txt", "Bash(git push *)"}} {
		deny := mustParse(t, fmt.Sprintf("[roles.dev]\nallow=[%q]\ndeny=[%q]\n", "*", c.deny))
		ask := mustParse(t, fmt.Sprintf("[roles.dev]\nallow=[%q, %q, %q]\nask=[%q]\n", "Bash", "Read", "Edit", c.deny))
		for _, way := range readWays(t, c.file) {
			way, hidden := strings.CutSuffix(way, " ?")
			want := policy.Deny
			if hidden {
				want = policy.Ask
			}
			if got := deny.Decide(bash(way)); got.Decision != want {
				t.Errorf("%s: %s\n  got %s (%s), want %s", c.file, way, got.Decision, got.Reason, want)
			}
			got := ask.Decide(bash(way))
			if refused := got.Decision == policy.Deny && strings.HasSuffix(got.Reason, "; write it another way"); got.Decision != policy.Ask && !refused {
				t.Errorf("%s: %s\n  with ask: got %s (%s)", c.file, way, got.Decision, got.Reason)
			}
		}
	}
}

// TestNotEvasions: what only looks like it is not hindered.
func TestNotEvasions(t *testing.T) {
	p := mustParse(t, `[roles.dev]
allow = ["Bash"]
deny = ["Bash(git push *)", "Bash(rm -rf *)"]`)
	for _, command := range []string{
		"git status", "git log --grep push", "git stash push", "git commit -m 'git push'", "git commit -m push",
		"echo git push", "echo rm -rf x", "grep -rf patterns .", "rm x", "rm -r x", "rm -f x", "git log -- push",
		"git -C push status", "ls push", "go test ./...", "sh -c 'git status'", "timeout 5 ls", "sed -n 1,5p f", "sed 's/a/b/g;2d' f",
		"awk '{print $1}' f", "python3 script.py", "python3 -m pytest", "find . -name '*.go'", "xargs grep x", "ls *.go",
		"cat <<'E'\ngit push\nE", "cat <<E\nx \\\nE\ngit push\nE", "echo 'x # \\\ngit push'", "ls # git push", "cp x/git.txt y", "npm run build", "make all", "LANG=C ls", "git --version", "node server.js",
	} {
		if got := p.Decide(bash(command)); got.Decision != policy.Allow {
			t.Errorf("%s: got %s (%s)", command, got.Decision, got.Reason)
		}
	}
}
