package policy

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
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
		want                     Effect
		rule                     string
	}{
		// Order.
		{"no rule", `allow=["Bash(ls *)"]`, "Bash", "git status", None, ""},
		{"allow", `allow=["Bash(git status *)"]`, "Bash", "git status", Allow, "Bash(git status *)"},
		{"ask before allow", "allow=['Bash(git *)']\nask=['Bash(git push *)']", "Bash", "git push", Ask, "Bash(git push *)"},
		{"deny before ask", "ask=['Bash(git *)']\ndeny=['Bash(git push *)']", "Bash", "git push", Deny, "Bash(git push *)"},
		{"deny before allow", "allow=['Bash(git push *)']\ndeny=['Bash(git push *)']", "Bash", "git push", Deny, "Bash(git push *)"},
		{"first of two", "deny=['Bash(git *)', 'Bash(git push *)']", "Bash", "git push", Deny, "Bash(git *)"},
		// Commands.
		{"star at the end takes the bare command", `allow=["Bash(ls *)"]`, "Bash", "ls", Allow, "Bash(ls *)"},
		{"but not another word", `allow=["Bash(ls *)"]`, "Bash", "lsof", None, ""},
		{"star without space does", `allow=["Bash(ls*)"]`, "Bash", "lsof", Allow, "Bash(ls*)"},
		{"colon star", `allow=["Bash(npm run:*)"]`, "Bash", "npm run build", Allow, "Bash(npm run:*)"},
		{"exact", `allow=["Bash(npm test)"]`, "Bash", "npm test", Allow, "Bash(npm test)"},
		{"exact with more", `allow=["Bash(npm test)"]`, "Bash", "npm test x", None, ""},
		{"star inside", `allow=["Bash(git * main)"]`, "Bash", "git checkout main", Allow, "Bash(git * main)"},
		{"whole tool", `allow=["Bash"]`, "Bash", "ls | wc", Allow, "Bash"},
		{"whole tool with star", `deny=["Bash(*)"]`, "Bash", "ls", Deny, "Bash(*)"},
		{"quotes don't matter", `allow=["Bash(git status *)"]`, "Bash", `"git" 'status'`, Allow, "Bash(git status *)"},
		{"a word with a space is one word", `allow=["Bash(git log *)"]`, "Bash", `git "log x"`, None, ""},
		{"path of a system directory", `allow=["Bash(git status *)"]`, "Bash", "/usr/bin/git status", Allow, "Bash(git status *)"},
		{"path of another directory", `allow=["Bash(git status *)"]`, "Bash", "./git status", None, ""},
		{"path of another directory is denied", `deny=["Bash(git status *)"]`, "Bash", "./git status", Deny, "Bash(git status *)"},
		// Parts.
		{"allow needs every part", `allow=["Bash(git status *)"]`, "Bash", "git status && make", None, ""},
		{"all parts", `allow=["Bash(git status *)", "Bash(make *)"]`, "Bash", "git status && make", Allow, "Bash(git status *)"},
		{"pipe", `allow=["Bash(ls *)"]`, "Bash", "ls | sh", None, ""},
		{"substitution", "allow=['Bash']\ndeny=['Bash(rm *)']", "Bash", "echo $(rm x)", Deny, "Bash(rm *)"},
		{"deny any part", "allow=['Bash']\ndeny=['Bash(rm *)']", "Bash", "ls; rm x", Deny, "Bash(rm *)"},
		{"ask any part", "allow=['Bash']\nask=['Bash(rm *)']", "Bash", "ls; rm x", Ask, "Bash(rm *)"},
		{"free wrapper", `allow=["Bash(ls *)"]`, "Bash", "timeout 5 nice ls", Allow, "Bash(ls *)"},
		{"wrapper that isn't free", `allow=["Bash(ls *)"]`, "Bash", "sudo ls", None, ""},
		{"wrapper that isn't free, allowed", `allow=["Bash(ls *)", "Bash(sudo ls *)"]`, "Bash", "sudo ls", Allow, "Bash(sudo ls *)"},
		{"allowing a wrapper isn't enough", `allow=["Bash(sudo *)"]`, "Bash", "sudo ls", None, ""},
		{"sh -c", `allow=["Bash(ls *)"]`, "Bash", "sh -c 'ls -l'", Allow, "Bash(ls *)"},
		{"sh -c needs every part", `allow=["Bash(sh *)", "Bash(ls *)"]`, "Bash", "sh -c 'ls; make'", None, ""},
		{"here-document", `allow=["Bash(ls *)"]`, "Bash", "bash <<'X'\nls\nX", Allow, "Bash(ls *)"},
		{"harmless variable", `allow=["Bash(ls *)"]`, "Bash", "LANG=C ls", Allow, "Bash(ls *)"},
		{"other variable", `allow=["Bash(ls *)"]`, "Bash", "FOO=1 ls", None, ""},
		{"variable in the rule", `allow=["Bash(FOO=1 ls *)"]`, "Bash", "FOO=1 ls", Allow, "Bash(FOO=1 ls *)"},
		{"variable is seen past for deny", `deny=["Bash(ls *)"]`, "Bash", "FOO=1 ls", Deny, "Bash(ls *)"},
		{"git -C inside the project", `allow=["Bash(git status *)"]`, "Bash", "git -C src status", Allow, "Bash(git status *)"},
		{"git -C outside", `allow=["Bash(git status *)"]`, "Bash", "git -C ../x status", None, ""},
		{"git -C through a link", `allow=["Bash(git status *)"]`, "Bash", "git -C link status", None, ""},
		{"git -c", `allow=["Bash(git *)"]`, "Bash", "git -c core.pager=x log", None, ""},
		// What isn't known before it runs.
		{"dynamic", `allow=["Bash(git *)"]`, "Bash", "git $X", None, ""},
		{"dynamic with the whole tool", `allow=["Bash"]`, "Bash", "git $X", None, ""},
		{"dynamic that could be denied", "allow=['Bash']\ndeny=['Bash(git push *)']", "Bash", "git $X", Ask, "Bash(git push *)"},
		{"dynamic that can't be what is denied", "allow=['Bash']\ndeny=['Bash(git push *)']", "Bash", "ls $X", None, ""},
		{"dynamic after what is denied", "deny=['Bash(git push *)']", "Bash", "git push $X", Deny, "Bash(git push *)"},
		{"a comment that ends with a backslash", `allow=["Bash(echo *)"]`, "Bash", "echo # \\\nmake", None, ""},
		{"two of them", `allow=["Bash(echo *)"]`, "Bash", "echo # \\\n# \\\nmake", None, ""},
		{"no comment", `allow=["Bash(gh *)"]`, "Bash", "gh pr create --title \"Fix #12\" \\\n  --body x", Allow, "Bash(gh *)"},
		{"an empty word of braces", `allow=["Bash(echo *)"]`, "Bash", "{,make} echo x", None, ""},
		{"names of files", `allow=["Bash(ls *)"]`, "Bash", "ls src/*.go", Allow, "Bash(ls *)"},
		{"names of files where the rule has a word", `allow=["Bash(cat a.go)"]`, "Bash", "cat *.go", None, ""},
		{"interpreter with inline code", `allow=["Bash(python3 *)"]`, "Bash", "python3 -c 'x'", None, ""},
		{"interpreter with a file", `allow=["Bash(python3 *)"]`, "Bash", "python3 x.py", Allow, "Bash(python3 *)"},
		{"script that a rule names", "allow=['Bash(bash ci/test.sh *)']\ndeny=['Bash(rm *)']", "Bash", "bash ci/test.sh -v", Allow, "Bash(bash ci/test.sh *)"},
		{"script that no rule names", `allow=["Bash(bash *)"]`, "Bash", "bash x.sh", None, ""},
		{"doesn't parse, rules about Bash", `allow=["Bash(ls *)"]`, "Bash", "ls (", Deny, ""},
		{"doesn't parse, no rules about Bash", `allow=["Read"]`, "Bash", "ls (", None, ""},
		{"doesn't parse, rules about files", `deny=["Read(.env)"]`, "Bash", "ls (", Ask, "Read(.env)"},
		{"NUL", `allow=["Bash"]`, "Bash", `{"command":"ls \u0000"}`, Deny, ""},
		{"empty", `allow=["Bash"]`, "Bash", `{"command":""}`, None, ""},
		{"key twice", `allow=["Bash"]`, "Bash", `{"command":"ls","command":"rm x"}`, Deny, ""},
		{"another case of the key", `allow=["Bash(ls)"]`, "Bash", `{"Command":"ls","command":"rm x"}`, None, ""},
		{"no command", `allow=["Bash"]`, "Bash", `{"command":["ls"]}`, Deny, ""},
		{"outside of the sandbox", `allow=["Bash"]`, "Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, None, ""},
		{"a tool that runs commands too", `deny=["Bash(rm *)"]`, "Monitor", "rm x", Deny, "Bash(rm *)"},
		// Redirections are files.
		{"write needs Edit", `allow=["Bash(echo *)"]`, "Bash", "echo a > b", None, ""},
		{"write with Edit", `allow=["Bash(echo *)", "Edit(b)"]`, "Bash", "echo a > b", Allow, "Bash(echo *)"},
		{"write to null", `allow=["Bash(echo *)"]`, "Bash", "echo a > /dev/null 2>&1", Allow, "Bash(echo *)"},
		{"write is Edit for deny", "allow=['Bash']\ndeny=['Edit(./secret/**)']", "Bash", "echo a >> secret/b", Deny, "Edit(./secret/**)"},
		{"read is Read for deny", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat < .env", Deny, "Read(.env)"},
		{"arguments of cat", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat x ./sub/../.env", Deny, "Read(.env)"},
		{"arguments of tee", "allow=['Bash']\ndeny=['Edit(/x)']", "Bash", "tee x", Deny, "Edit(/x)"},
		{"after cd", "allow=['Bash']\ndeny=['Read(./secret/**)']", "Bash", "cd secret && cat < key", Deny, "Read(./secret/**)"},
		{"after a cd that isn't known", "allow=['Bash']\ndeny=['Read(./secret/**)']", "Bash", "cd - && cat < key", Ask, "Read(./secret/**)"},
		{"write elsewhere after cd", `allow=["Bash", "Edit(./**)"]`, "Bash", "cd .. && echo > x", None, ""},
		{"write to what isn't known", `allow=["Bash", "Edit"]`, "Bash", "echo > $X", None, ""},
		{"network", `allow=["Bash", "Edit"]`, "Bash", "echo > /dev/tcp/h/1", None, ""},
		{"pattern that finds a hidden name", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat .e*", Ask, "Read(.env)"},
		{"pattern that doesn't", "allow=['Bash']\ndeny=['Read(.env)']", "Bash", "cat *.go", Allow, "Bash"},
		{"output of git", `allow=["Bash(git log *)"]`, "Bash", "git log --output=x", None, ""},
		{"output of git, next word", `allow=["Bash(git log *)"]`, "Bash", "git log --output x", None, ""},
		// Files.
		{"below the project", `allow=["Read(./**)"]`, "Read", "a/b", Allow, "Read(./**)"},
		{"absolute path below the project", `allow=["Read(./**)"]`, "Read", "/home/u/project/a", Allow, "Read(./**)"},
		{"outside", `allow=["Read(./**)"]`, "Read", "/home/u/other", None, ""},
		{"out by dots", `allow=["Read(./**)"]`, "Read", "a/../../other", None, ""},
		{"beside with the same beginning", `allow=["Read(./**)"]`, "Read", "/home/u/projectx/a", None, ""},
		{"any depth", `deny=["Read(.env)"]`, "Read", "a/b/.env", Deny, "Read(.env)"},
		{"any depth outside", `deny=["Read(.env)"]`, "Read", "/x/.env", Deny, "Read(.env)"},
		{"other case is denied", `deny=["Read(.env)"]`, "Read", ".ENV", Deny, "Read(.env)"},
		{"other case isn't allowed", `allow=["Read(a.go)"]`, "Read", "A.go", None, ""},
		{"one level", `allow=["Read(src/*)"]`, "Read", "src/a/b", None, ""},
		{"directory", `allow=["Read(src)"]`, "Read", "src/a/b", Allow, "Read(src)"},
		{"slash at the end", `deny=["Edit(src/)"]`, "Edit", "src/a", Deny, "Edit(src/)"},
		{"two stars in between", `allow=["Read(src/**/x.go)"]`, "Read", "src/a/b/x.go", Allow, "Read(src/**/x.go)"},
		{"two stars are none too", `allow=["Read(src/**/x.go)"]`, "Read", "src/x.go", Allow, "Read(src/**/x.go)"},
		{"absolute rule", `allow=["Read(//etc/hosts)"]`, "Read", "/etc/hosts", Allow, "Read(//etc/hosts)"},
		{"one slash is the project", `allow=["Read(/etc/hosts)"]`, "Read", "/etc/hosts", None, ""},
		{"home", `deny=["Read(~/.ssh/**)"]`, "Read", "/home/u/.ssh/id", Deny, "Read(~/.ssh/**)"},
		{"home in the input", `deny=["Read(~/.ssh/**)"]`, "Read", "~/.ssh/id", Deny, "Read(~/.ssh/**)"},
		{"directory above", `allow=["Read(../lib/**)"]`, "Read", "/home/u/lib/a", Allow, "Read(../lib/**)"},
		{"classes", `allow=["Read([a-c].go)"]`, "Read", "b.go", Allow, "Read([a-c].go)"},
		{"link out isn't allowed", `allow=["Read(./**)"]`, "Read", "link/passwd", None, ""},
		{"both ends allowed", `allow=["Read(./**)", "Read(//etc/**)"]`, "Read", "link/passwd", Allow, "Read(./**)"},
		{"link inside", `allow=["Read(./**)"]`, "Read", "inside/a", Allow, "Read(./**)"},
		{"link to what is denied", "allow=['Read(./**)']\ndeny=['Read(.env)']", "Read", "env", Deny, "Read(.env)"},
		{"link that dangles", `allow=["Edit(./**)"]`, "Write", "new", None, ""},
		{"dots after a link", `allow=["Read(./src/**)"]`, "Read", "src/up/../x", None, ""},
		{"loop", "allow=['Read(./**)']\nask=['Read(x)']", "Read", "loop", Ask, "Read(x)"},
		{"file that isn't there yet", `allow=["Edit(./**)"]`, "Write", "missing/a", Allow, "Edit(./**)"},
		{"another process's files", "allow=['Read']\ndeny=['Read(.env)']", "Read", "/proc/self/cwd/.env", Deny, "Read(.env)"},
		{"another process's directory", "allow=['Read']\ndeny=['Read(./s/**)']", "Read", "/proc/self/cwd/s/x", Ask, "Read(./s/**)"},
		{"Edit holds for Write", `deny=["Edit(x)"]`, "Write", "x", Deny, "Edit(x)"},
		{"Edit holds for MultiEdit", `deny=["Edit(x)"]`, "MultiEdit", "x", Deny, "Edit(x)"},
		{"Edit holds for NotebookEdit", `deny=["Edit(x)"]`, "NotebookEdit", `{"notebook_path":"x"}`, Deny, "Edit(x)"},
		{"Write rule denies Edit", `deny=["Write(x)"]`, "Edit", "x", Deny, "Write(x)"},
		{"Write rule allows Write only", `allow=["Write(x)"]`, "Edit", "x", None, ""},
		{"Edit doesn't hold for Read", `allow=["Edit(x)"]`, "Read", "x", None, ""},
		{"Read holds for Grep", `deny=["Read(./s/**)"]`, "Grep", `{"pattern":"a","path":"s"}`, Deny, "Read(./s/**)"},
		{"Read holds for Glob", `deny=["Read(./s/**)"]`, "Glob", `{"pattern":"s/**/*.go"}`, Deny, "Read(./s/**)"},
		{"Grep above what is denied", "allow=['Read(./**)']\ndeny=['Read(./s/**)']", "Grep", `{"pattern":"a"}`, None, ""},
		{"Grep beside", "allow=['Read(./**)']\ndeny=['Read(./s/**)']", "Grep", `{"pattern":"a","path":"src"}`, Allow, "Read(./**)"},
		{"Grep by name", "allow=['Read(./**)']\ndeny=['Read(.env)']", "Grep", `{"pattern":"a","glob":".env"}`, Ask, "Read(.env)"},
		{"every key of a file counts", "allow=['Read(a)']\ndeny=['Read(.env)']", "Read", `{"file_path":"a","path":".env"}`, Deny, "Read(.env)"},
		{"no path", `allow=["Read"]`, "Read", `{}`, None, ""},
		// Web.
		{"domain", `allow=["WebFetch(domain:go.dev)"]`, "WebFetch", "https://go.dev/x", Allow, "WebFetch(domain:go.dev)"},
		{"domain with port and case", `deny=["WebFetch(domain:go.dev)"]`, "WebFetch", "http://GO.dev.:80/x", Deny, "WebFetch(domain:go.dev)"},
		{"other domain", `allow=["WebFetch(domain:go.dev)"]`, "WebFetch", "https://go.dev.evil.com", None, ""},
		{"user before the host", "allow=['WebFetch(domain:go.dev)']", "WebFetch", "https://go.dev@evil.com", None, ""},
		{"backslash", "ask=['WebFetch(domain:evil.com)']", "WebFetch", `{"url":"https://go.dev\\@evil.com"}`, Ask, "WebFetch(domain:evil.com)"},
		{"star", `allow=["WebFetch(domain:*.go.dev)"]`, "WebFetch", "https://pkg.go.dev", Allow, "WebFetch(domain:*.go.dev)"},
		{"number as address", "deny=['WebFetch(domain:127.0.0.1)']", "WebFetch", "http://2130706433/", Ask, "WebFetch(domain:127.0.0.1)"},
		{"other scheme", `allow=["WebFetch(domain:go.dev)"]`, "WebFetch", "file://go.dev/x", None, ""},
		// Other tools.
		{"mcp tool", `allow=["mcp__git__log"]`, "mcp__git__log", `{}`, Allow, "mcp__git__log"},
		{"mcp server", `allow=["mcp__git"]`, "mcp__git__log", `{}`, Allow, "mcp__git"},
		{"mcp server with star", `allow=["mcp__git__*"]`, "mcp__git__log", `{}`, Allow, "mcp__git__*"},
		{"mcp other server", `allow=["mcp__git"]`, "mcp__github__log", `{}`, None, ""},
		{"mcp any server", `deny=["mcp__*__delete*"]`, "mcp__x__delete_all", `{}`, Deny, "mcp__*__delete*"},
		{"any tool", `ask=["*"]`, "Whatever", `{}`, Ask, "*"},
		{"named", `allow=["Agent(Explore)"]`, "Agent", "Explore", Allow, "Agent(Explore)"},
		// Conditions.
		{"condition holds", "[[roles.dev.rule]]\nmatch='Bash(git push *)'\neffect='deny'\nwhen='branch == \"main\"'\nreason='no'", "Bash", "git push", Deny, "Bash(git push *)"},
		{"condition doesn't", "[[roles.dev.rule]]\nmatch='Bash(git push *)'\neffect='deny'\nwhen='branch == \"dev\"'", "Bash", "git push", None, ""},
		{"path in a condition", "[[roles.dev.rule]]\nmatch='Edit'\neffect='allow'\nwhen='path startsWith \"/home/u/project/src/\"'", "Edit", "src/a", Allow, "Edit"},
		{"time, cost, label, agent", "[[roles.dev.rule]]\nmatch='Bash'\neffect='ask'\nwhen='hour == 3 && time >= \"03:00\" && weekday == \"saturday\" && cost > 1 && label == \"l\" && agent == \"claude\"'", "Bash", "ls", Ask, "Bash"},
		{"each label, tokens", "[[roles.dev.rule]]\nmatch='Bash'\neffect='ask'\nwhen='\"risky\" in labels && tokens > 500 && !(\"calm\" in labels)'", "Bash", "ls", Ask, "Bash"},
		{"set in a condition", "[[roles.dev.rule]]\nmatch='Bash'\neffect='deny'\nwhen='glob(branch, sets.protected)'", "Bash", "ls", Deny, "Bash"},
		{"set in a rule", `deny=["Read(@secrets)"]`, "Read", "x.pem", Deny, "Read(*.pem)"},
		{"condition on what isn't known", "[[roles.dev.rule]]\nmatch='Bash(ls *)'\neffect='allow'\nwhen='command == \"ls x\"'", "Bash", "ls x*", None, ""},
		// The policy itself.
		{"policy file", `allow=["Edit"]`, "Edit", ".ccdir/policy.toml", Ask, ""},
		{"policy file by redirection", `allow=["Bash", "Edit"]`, "Bash", "echo > .ccdir/policy.toml", Ask, ""},
		{"policy file by cp", `allow=["Bash"]`, "Bash", "cp x .ccdir/policy.toml", Ask, ""},
	} {
		p := mustParse(t, "[sets]\nprotected=['main', 'release/*']\nsecrets=['.env', '*.pem']\n[roles.dev]\n"+c.rules)
		input, err := InputOf(c.tool, c.input)
		if err != nil {
			input = json.RawMessage(c.input)
		}
		d := p.Decide(Request{Role: "dev", Tool: c.tool, Input: input, Root: "/home/u/project", Home: "/home/u", FS: links, Facts: Facts{
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
		want          Effect
	}{
		{"tester", "make", Allow}, {"tester", "ls", Allow}, {"tester", "rm x", Deny}, {"dev", "make", None},
		{"lead", "ls", Allow}, {"person", "rm x", Deny}, {"guest", "ls", None}, {"", "rm x", None},
	} {
		r := bash(c.command)
		r.Role = c.role
		if d := p.Decide(r); d.Decision != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.role, c.command, d.Decision, c.want)
		}
	}
	if d := Empty().Decide(bash("rm -rf /")); d.Decision != None {
		t.Errorf("without a policy: %+v", d)
	}
}
