package policy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ccdir/policy"
)

// TestDecide is the semantics, sentence by sentence.
func TestDecide(t *testing.T) {
	links := memFS{
		"/home/u/project/link":    "/etc",
		"/home/u/project/inside":  "src",
		"/home/u/project/env":     ".env",
		"/home/u/project/new":     "/home/u/secret/new",
		"/home/u/secret/new":      "-",
		"/home/u/project/loop":    "loop",
		"/home/u/project/src/up":  "..",
		"/home/u/project/missing": "-",
	}
	for _, c := range []struct {
		name, rules, tool, input string
		want                     policy.Effect
		rule                     string
	}{
		// Order.
		{"no rule", `allow=["Bash(ls *)"]`, "Bash", "git status", policy.None, ""},
		{"allow", `allow=["Bash(git status *)"]`, "Bash", "git status", policy.Allow, "Bash(git status *)"},
		{"ask before allow", "allow=['Bash(git *)']\nask=['Bash(git push *)']", "Bash", "git push", policy.Ask, "Bash(git push *)"},
		{"deny before ask", "ask=['Bash(git *)']\ndeny=['Bash(git push *)']", "Bash", "git push", policy.Deny, "Bash(git push *)"},
		{"deny before allow", "allow=['Bash(git push *)']\ndeny=['Bash(git push *)']", "Bash", "git push", policy.Deny, "Bash(git push *)"},
		{"first of two", "deny=['Bash(git *)', 'Bash(git push *)']", "Bash", "git push", policy.Deny, "Bash(git *)"},
		// Commands.
		{"star at the end takes the bare command", `allow=["Bash(ls *)"]`, "Bash", "ls", policy.Allow, "Bash(ls *)"},
		{"but not another word", `allow=["Bash(ls *)"]`, "Bash", "lsof", policy.None, ""},
		{"star without space does", `allow=["Bash(ls*)"]`, "Bash", "lsof", policy.Allow, "Bash(ls*)"},
		{"colon star", `allow=["Bash(npm run:*)"]`, "Bash", "npm run build", policy.Allow, "Bash(npm run:*)"},
		{"exact", `allow=["Bash(npm test)"]`, "Bash", "npm test", policy.Allow, "Bash(npm test)"},
		{"exact with more", `allow=["Bash(npm test)"]`, "Bash", "npm test x", policy.None, ""},
		{"star inside", `allow=["Bash(git * main)"]`, "Bash", "git checkout main", policy.Allow, "Bash(git * main)"},
		{"whole tool", `allow=["Bash"]`, "Bash", "ls | wc", policy.Allow, "Bash"},
		{"whole tool with star", `deny=["Bash(*)"]`, "Bash", "ls", policy.Deny, "Bash(*)"},
		{"quotes don't matter", `allow=["Bash(git status *)"]`, "Bash", `"git" 'status'`, policy.Allow, "Bash(git status *)"},
		{"a word with a space is one word", `allow=["Bash(git log *)"]`, "Bash", `git "log x"`, policy.None, ""},
		{"path of a system directory", `allow=["Bash(git status *)"]`, "Bash", "/usr/bin/git status", policy.Allow, "Bash(git status *)"},
		{"path of another directory", `allow=["Bash(git status *)"]`, "Bash", "./git status", policy.None, ""},
		{"path of another directory is denied", `deny=["Bash(git status *)"]`, "Bash", "./git status", policy.Deny, "Bash(git status *)"},
		// Parts.
		{"allow needs every part", `allow=["Bash(git status *)"]`, "Bash", "git status && make", policy.None, ""},
		{"all parts", `allow=["Bash(git status *)", "Bash(make *)"]`, "Bash", "git status && make", policy.Allow, "Bash(git status *)"},
		{"pipe", `allow=["Bash(ls *)"]`, "Bash", "ls | sh", policy.None, ""},
		{"substitution", "allow=['Bash']\ndeny=['Bash(rm *)']", "Bash", "echo $(rm x)", policy.Deny, "Bash(rm *)"},
		{"deny any part", "allow=['Bash']\ndeny=['Bash(rm *)']", "Bash", "ls; rm x", policy.Deny, "Bash(rm *)"},
		{"ask any part", "allow=['Bash']\nask=['Bash(rm *)']", "Bash", "ls; rm x", policy.Ask, "Bash(rm *)"},
		{"free wrapper", `allow=["Bash(ls *)"]`, "Bash", "timeout 5 nice ls", policy.Allow, "Bash(ls *)"},
		{"wrapper that isn't free", `allow=["Bash(ls *)"]`, "Bash", "sudo ls", policy.None, ""},
		{"wrapper that isn't free, allowed", `allow=["Bash(ls *)", "Bash(sudo ls *)"]`, "Bash", "sudo ls", policy.Allow, "Bash(sudo ls *)"},
		{"allowing a wrapper isn't enough", `allow=["Bash(sudo *)"]`, "Bash", "sudo ls", policy.None, ""},
		{"sh -c", `allow=["Bash(ls *)"]`, "Bash", "sh -c 'ls -l'", policy.Allow, "Bash(ls *)"},
		{"sh -c needs every part", `allow=["Bash(sh *)", "Bash(ls *)"]`, "Bash", "sh -c 'ls; make'", policy.None, ""},
		{"here-document", `allow=["Bash(ls *)"]`, "Bash", "bash <<'X'\nls\nX", policy.Allow, "Bash(ls *)"},
		{"harmless variable", `allow=["Bash(ls *)"]`, "Bash", "LANG=C ls", policy.Allow, "Bash(ls *)"},
		{"other variable", `allow=["Bash(ls *)"]`, "Bash", "FOO=1 ls", policy.None, ""},
		{"variable in the rule", `allow=["Bash(FOO=1 ls *)"]`, "Bash", "FOO=1 ls", policy.Allow, "Bash(FOO=1 ls *)"},
		{"variable is seen past for deny", `deny=["Bash(ls *)"]`, "Bash", "FOO=1 ls", policy.Deny, "Bash(ls *)"},
		{"git -C inside the project", `allow=["Bash(git status *)"]`, "Bash", "git -C src status", policy.Allow, "Bash(git status *)"},
		{"git -C outside", `allow=["Bash(git status *)"]`, "Bash", "git -C ../x status", policy.None, ""},
		{"git -C through a link", `allow=["Bash(git status *)"]`, "Bash", "git -C link status", policy.None, ""},
		{"git -c", `allow=["Bash(git *)"]`, "Bash", "git -c core.pager=x log", policy.None, ""},
		// What isn't known before it runs.
		{"dynamic", `allow=["Bash(git *)"]`, "Bash", "git $X", policy.None, ""},
		{"dynamic with the whole tool", `allow=["Bash"]`, "Bash", "git $X", policy.None, ""},
		{"dynamic that could be denied", "allow=['Bash']\ndeny=['Bash(git push *)']", "Bash", "git $X", policy.Ask, "Bash(git push *)"},
		{"dynamic that can't be what is denied", "allow=['Bash']\ndeny=['Bash(git push *)']", "Bash", "ls $X", policy.None, ""},
		{"dynamic after what is denied", "deny=['Bash(git push *)']", "Bash", "git push $X", policy.Deny, "Bash(git push *)"},
		{"a comment that ends with a backslash", `allow=["Bash(echo *)"]`, "Bash", "echo # \\\nmake", policy.None, ""},
		{"two of them", `allow=["Bash(echo *)"]`, "Bash", "echo # \\\n# \\\nmake", policy.None, ""},
		{"no comment", `allow=["Bash(gh *)"]`, "Bash", "gh pr create --title \"Fix #12\" \\\n  --body x", policy.Allow, "Bash(gh *)"},
		{"an empty word of braces", `allow=["Bash(echo *)"]`, "Bash", "{,make} echo x", policy.None, ""},
		{"names of files", `allow=["Bash(ls *)"]`, "Bash", "ls src/*.go", policy.Allow, "Bash(ls *)"},
		{"names of files where the rule has a word", `allow=["Bash(cat a.go)"]`, "Bash", "cat *.go", policy.None, ""},
		{"interpreter with inline code", `allow=["Bash(python3 *)"]`, "Bash", "python3 -c 'x'", policy.None, ""},
		{"interpreter with a file", `allow=["Bash(python3 *)"]`, "Bash", "python3 x.py", policy.Allow, "Bash(python3 *)"},
		{"script that a rule names", "allow=['Bash(bash ci/test.sh *)']\ndeny=['Bash(rm *)']", "Bash", "bash ci/test.sh -v", policy.Allow, "Bash(bash ci/test.sh *)"},
		{"script that no rule names", `allow=["Bash(bash *)"]`, "Bash", "bash x.sh", policy.None, ""},
		{"doesn't parse, rules about Bash", `allow=["Bash(ls *)"]`, "Bash", "ls (", policy.Deny, ""},
		{"doesn't parse, no rules about Bash", `allow=["Read"]`, "Bash", "ls (", policy.None, ""},
		{"doesn't parse, rules about files", `deny=["Read(.env)"]`, "Bash", "ls (", policy.Ask, "Read(.env)"},
		{"NUL", `allow=["Bash"]`, "Bash", `{"command":"ls \u0000"}`, policy.Deny, ""},
		{"empty", `allow=["Bash"]`, "Bash", `{"command":""}`, policy.None, ""},
		{"key twice", `allow=["Bash"]`, "Bash", `{"command":"ls","command":"rm x"}`, policy.Deny, ""},
		{"another case of the key", `allow=["Bash(ls)"]`, "Bash", `{"Command":"ls","command":"rm x"}`, policy.None, ""},
		{"no command", `allow=["Bash"]`, "Bash", `{"command":["ls"]}`, policy.Deny, ""},
		{"outside of the sandbox", `allow=["Bash"]`, "Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, policy.None, ""},
		{"a tool that runs commands too", `deny=["Bash(rm *)"]`, "Monitor", "rm x", policy.Deny, "Bash(rm *)"},
		// Redirections are files.
		{"write needs Edit", `allow=["Bash(echo *)"]`, "Bash", "echo a > b", policy.None, ""},
		{"write with Edit", `allow=["Bash(echo *)", "Edit(b)"]`, "Bash", "echo a > b", policy.Allow, "Bash(echo *)"},
		{"write to null", `allow=["Bash(echo *)"]`, "Bash", "echo a > /dev/null 2>&1", policy.Allow, "Bash(echo *)"},
		{"write is Edit for deny", "allow=['Bash']\ndeny=['Edit(./secret/**)']", "Bash", "echo a >> secret/b", policy.Deny, "Edit(./secret/**)"},
		{"read is Read for deny", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat < .env", policy.Deny, "Read(.env)"},
		{"arguments of cat", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat x ./sub/../.env", policy.Deny, "Read(.env)"},
		{"arguments of tee", "allow=['Bash']\ndeny=['Edit(/x)']", "Bash", "tee x", policy.Deny, "Edit(/x)"},
		{"after cd", "allow=['Bash']\ndeny=['Read(./secret/**)']", "Bash", "cd secret && cat < key", policy.Deny, "Read(./secret/**)"},
		{"after a cd that isn't known", "allow=['Bash']\ndeny=['Read(./secret/**)']", "Bash", "cd - && cat < key", policy.Ask, "Read(./secret/**)"},
		{"write elsewhere after cd", `allow=["Bash", "Edit(./**)"]`, "Bash", "cd .. && echo > x", policy.None, ""},
		{"write to what isn't known", `allow=["Bash", "Edit"]`, "Bash", "echo > $X", policy.None, ""},
		{"network", `allow=["Bash", "Edit"]`, "Bash", "echo > /dev/tcp/h/1", policy.None, ""},
		{"pattern that finds a hidden name", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat .e*", policy.Ask, "Read(.env)"},
		{"pattern that doesn't", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat *.go", policy.Allow, "Bash"},
		{"output of git", `allow=["Bash(git log *)"]`, "Bash", "git log --output=x", policy.None, ""},
		{"output of git, next word", `allow=["Bash(git log *)"]`, "Bash", "git log --output x", policy.None, ""},
		// Files.
		{"below the project", `allow=["Read(./**)"]`, "Read", "a/b", policy.Allow, "Read(./**)"},
		{"absolute path below the project", `allow=["Read(./**)"]`, "Read", "/home/u/project/a", policy.Allow, "Read(./**)"},
		{"outside", `allow=["Read(./**)"]`, "Read", "/home/u/other", policy.None, ""},
		{"out by dots", `allow=["Read(./**)"]`, "Read", "a/../../other", policy.None, ""},
		{"beside with the same beginning", `allow=["Read(./**)"]`, "Read", "/home/u/projectx/a", policy.None, ""},
		{"any depth", `deny=["Read(.env)"]`, "Read", "a/b/.env", policy.Deny, "Read(.env)"},
		{"any depth outside", `deny=["Read(.env)"]`, "Read", "/x/.env", policy.Deny, "Read(.env)"},
		{"other case is denied", `deny=["Read(.env)"]`, "Read", ".ENV", policy.Deny, "Read(.env)"},
		{"other case isn't allowed", `allow=["Read(a.go)"]`, "Read", "A.go", policy.None, ""},
		{"one level", `allow=["Read(src/*)"]`, "Read", "src/a/b", policy.None, ""},
		{"directory", `allow=["Read(src)"]`, "Read", "src/a/b", policy.Allow, "Read(src)"},
		{"slash at the end", `deny=["Edit(src/)"]`, "Edit", "src/a", policy.Deny, "Edit(src/)"},
		{"two stars in between", `allow=["Read(src/**/x.go)"]`, "Read", "src/a/b/x.go", policy.Allow, "Read(src/**/x.go)"},
		{"two stars are none too", `allow=["Read(src/**/x.go)"]`, "Read", "src/x.go", policy.Allow, "Read(src/**/x.go)"},
		{"absolute rule", `allow=["Read(//etc/hosts)"]`, "Read", "/etc/hosts", policy.Allow, "Read(//etc/hosts)"},
		{"one slash is the project", `allow=["Read(/etc/hosts)"]`, "Read", "/etc/hosts", policy.None, ""},
		{"home", `deny=["Read(~/.ssh/**)"]`, "Read", "/home/u/.ssh/id", policy.Deny, "Read(~/.ssh/**)"},
		{"home in the input", `deny=["Read(~/.ssh/**)"]`, "Read", "~/.ssh/id", policy.Deny, "Read(~/.ssh/**)"},
		{"directory above", `allow=["Read(../lib/**)"]`, "Read", "/home/u/lib/a", policy.Allow, "Read(../lib/**)"},
		{"classes", `allow=["Read([a-c].go)"]`, "Read", "b.go", policy.Allow, "Read([a-c].go)"},
		{"link out isn't allowed", `allow=["Read(./**)"]`, "Read", "link/passwd", policy.None, ""},
		{"both ends allowed", `allow=["Read(./**)", "Read(//etc/**)"]`, "Read", "link/passwd", policy.Allow, "Read(./**)"},
		{"link inside", `allow=["Read(./**)"]`, "Read", "inside/a", policy.Allow, "Read(./**)"},
		{"link to what is denied", "allow=['Read(./**)']\ndeny=['Read(.env)']", "Read", "env", policy.Deny, "Read(.env)"},
		{"link that dangles", `allow=["Edit(./**)"]`, "Write", "new", policy.None, ""},
		{"dots after a link", `allow=["Read(./src/**)"]`, "Read", "src/up/../x", policy.None, ""},
		{"loop", "allow=['Read(./**)']\nask=['Read(x)']", "Read", "loop", policy.Ask, "Read(x)"},
		{"file that isn't there yet", `allow=["Edit(./**)"]`, "Write", "missing/a", policy.Allow, "Edit(./**)"},
		{"another process's files", "allow=['Read']\ndeny=['Read(.env)']", "Read", "/proc/self/cwd/.env", policy.Deny, "Read(.env)"},
		{"another process's directory", "allow=['Read']\ndeny=['Read(./s/**)']", "Read", "/proc/self/cwd/s/x", policy.Ask, "Read(./s/**)"},
		{"Edit holds for Write", `deny=["Edit(x)"]`, "Write", "x", policy.Deny, "Edit(x)"},
		{"Edit holds for MultiEdit", `deny=["Edit(x)"]`, "MultiEdit", "x", policy.Deny, "Edit(x)"},
		{"Edit holds for NotebookEdit", `deny=["Edit(x)"]`, "NotebookEdit", `{"notebook_path":"x"}`, policy.Deny, "Edit(x)"},
		{"Write rule denies Edit", `deny=["Write(x)"]`, "Edit", "x", policy.Deny, "Write(x)"},
		{"Write rule allows Write only", `allow=["Write(x)"]`, "Edit", "x", policy.None, ""},
		{"Edit doesn't hold for Read", `allow=["Edit(x)"]`, "Read", "x", policy.None, ""},
		{"Read holds for Grep", `deny=["Read(./s/**)"]`, "Grep", `{"pattern":"a","path":"s"}`, policy.Deny, "Read(./s/**)"},
		{"Read holds for Glob", `deny=["Read(./s/**)"]`, "Glob", `{"pattern":"s/**/*.go"}`, policy.Deny, "Read(./s/**)"},
		{"Grep above what is denied", "allow=['Read(./**)']\ndeny=['Read(./s/**)']", "Grep", `{"pattern":"a"}`, policy.None, ""},
		{"Grep beside", "allow=['Read(./**)']\ndeny=['Read(./s/**)']", "Grep", `{"pattern":"a","path":"src"}`, policy.Allow, "Read(./**)"},
		{"Grep by name", "allow=['Read(./**)']\ndeny=['Read(.env)']", "Grep", `{"pattern":"a","glob":".env"}`, policy.Ask, "Read(.env)"},
		{"every key of a file counts", "allow=['Read(a)']\ndeny=['Read(.env)']", "Read", `{"file_path":"a","path":".env"}`, policy.Deny, "Read(.env)"},
		{"no path", `allow=["Read"]`, "Read", `{}`, policy.None, ""},
		// Web.
		{"domain", `allow=["WebFetch(domain:go.dev)"]`, "WebFetch", "https://go.dev/x", policy.Allow, "WebFetch(domain:go.dev)"},
		{"domain with port and case", `deny=["WebFetch(domain:go.dev)"]`, "WebFetch", "http://GO.dev.:80/x", policy.Deny, "WebFetch(domain:go.dev)"},
		{"other domain", `allow=["WebFetch(domain:go.dev)"]`, "WebFetch", "https://go.dev.evil.com", policy.None, ""},
		{"user before the host", "allow=['WebFetch(domain:go.dev)']", "WebFetch", "https://go.dev@evil.com", policy.None, ""},
		{"backslash", "ask=['WebFetch(domain:evil.com)']", "WebFetch", `{"url":"https://go.dev\\@evil.com"}`, policy.Ask, "WebFetch(domain:evil.com)"},
		{"star", `allow=["WebFetch(domain:*.go.dev)"]`, "WebFetch", "https://pkg.go.dev", policy.Allow, "WebFetch(domain:*.go.dev)"},
		{"number as address", "deny=['WebFetch(domain:127.0.0.1)']", "WebFetch", "http://2130706433/", policy.Ask, "WebFetch(domain:127.0.0.1)"},
		{"other scheme", `allow=["WebFetch(domain:go.dev)"]`, "WebFetch", "file://go.dev/x", policy.None, ""},
		// Other tools.
		{"mcp tool", `allow=["mcp__git__log"]`, "mcp__git__log", `{}`, policy.Allow, "mcp__git__log"},
		{"mcp server", `allow=["mcp__git"]`, "mcp__git__log", `{}`, policy.Allow, "mcp__git"},
		{"mcp server with star", `allow=["mcp__git__*"]`, "mcp__git__log", `{}`, policy.Allow, "mcp__git__*"},
		{"mcp other server", `allow=["mcp__git"]`, "mcp__github__log", `{}`, policy.None, ""},
		{"mcp any server", `deny=["mcp__*__delete*"]`, "mcp__x__delete_all", `{}`, policy.Deny, "mcp__*__delete*"},
		{"any tool", `ask=["*"]`, "Whatever", `{}`, policy.Ask, "*"},
		{"named", `allow=["Agent(Explore)"]`, "Agent", "Explore", policy.Allow, "Agent(Explore)"},
		// Conditions.
		{"condition holds", "[[roles.dev.rule]]\nmatch='Bash(git push *)'\neffect='deny'\nwhen='branch == \"main\"'\nreason='no'", "Bash", "git push", policy.Deny, "Bash(git push *)"},
		{"condition doesn't", "[[roles.dev.rule]]\nmatch='Bash(git push *)'\neffect='deny'\nwhen='branch == \"dev\"'", "Bash", "git push", policy.None, ""},
		{"path in a condition", "[[roles.dev.rule]]\nmatch='Edit'\neffect='allow'\nwhen='path startsWith \"/home/u/project/src/\"'", "Edit", "src/a", policy.Allow, "Edit"},
		{"time, cost, label, agent", "[[roles.dev.rule]]\nmatch='Bash'\neffect='ask'\nwhen='hour == 3 && time >= \"03:00\" && weekday == \"saturday\" && cost > 1 && label == \"l\" && agent == \"claude\"'", "Bash", "ls", policy.Ask, "Bash"},
		{"each label, tokens", "[[roles.dev.rule]]\nmatch='Bash'\neffect='ask'\nwhen='\"risky\" in labels && tokens > 500 && !(\"calm\" in labels)'", "Bash", "ls", policy.Ask, "Bash"},
		{"set in a condition", "[[roles.dev.rule]]\nmatch='Bash'\neffect='deny'\nwhen='glob(branch, sets.protected)'", "Bash", "ls", policy.Deny, "Bash"},
		{"set in a rule", `deny=["Read(@secrets)"]`, "Read", "x.pem", policy.Deny, "Read(*.pem)"},
		{"condition on what isn't known", "[[roles.dev.rule]]\nmatch='Bash(ls *)'\neffect='allow'\nwhen='command == \"ls x\"'", "Bash", "ls x*", policy.None, ""},
		// The policy itself.
		{"policy file", `allow=["Edit"]`, "Edit", ".ccdir/policy.toml", policy.Ask, ""},
		{"policy file by redirection", `allow=["Bash", "Edit"]`, "Bash", "echo > .ccdir/policy.toml", policy.Ask, ""},
		{"policy file by cp", `allow=["Bash"]`, "Bash", "cp x .ccdir/policy.toml", policy.Ask, ""},
	} {
		p := mustParse(t, "[sets]\nprotected=['main', 'release/*']\nsecrets=['.env', '*.pem']\n[roles.dev]\n"+c.rules)
		input, err := policy.InputOf(c.tool, c.input)
		if err != nil {
			input = json.RawMessage(c.input)
		}
		d := p.Decide(policy.Request{Role: "dev", Tool: c.tool, Input: input, Root: "/home/u/project", Home: "/home/u", FS: links, Facts: policy.Facts{
			Branch: "main", Now: time.Date(2026, 11, 21, 3, 30, 0, 0, time.UTC), Cost: 1.5, Tokens: 900, Labels: []string{"l", "risky"}, Agent: "claude"}})
		if d.Decision != c.want || d.Rule != c.rule {
			t.Errorf("%s: %s %s: got %s by %q (%s), want %s by %q", c.name, c.tool, c.input, d.Decision, d.Rule, d.Reason, c.want, c.rule)
		}
		if d.Rule != "" && (d.File != "policy.toml" || d.Line == 0) {
			t.Errorf("%s: the rule is at %s:%d", c.name, d.File, d.Line)
		}
		if d.Reason == "" || strings.ContainsAny(d.Reason, "\n\x00\x1b") {
			t.Errorf("%s: reason %q", c.name, d.Reason)
		}
	}
}

// TestRoles: what inherits and what a role without a table has.
func TestRoles(t *testing.T) {
	p := mustParse(t, `
[roles.dev]
allow = ["Bash(ls *)"]
deny = ["Bash(rm *)"]
[roles.tester]
inherits = "dev"
allow = ["Bash(make *)", "Bash(rm *)"]
`)
	for _, c := range []struct {
		role, command string
		want          policy.Effect
	}{
		{"tester", "make", policy.Allow}, {"tester", "ls", policy.Allow}, {"tester", "rm x", policy.Deny}, {"dev", "make", policy.None},
		{"lead", "ls", policy.Allow}, {"person", "rm x", policy.Deny}, {"guest", "ls", policy.None}, {"", "rm x", policy.None},
	} {
		r := bash(c.command)
		r.Role = c.role
		if d := p.Decide(r); d.Decision != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.role, c.command, d.Decision, c.want)
		}
	}
	if d := policy.Empty().Decide(bash("rm -rf /")); d.Decision != policy.None {
		t.Errorf("without a policy: %+v", d)
	}
}
