package policy_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ccdir/policy"
	"ccdir/policy/shell"
)

// TestSuggest: what "always" offers besides the call itself.
func TestSuggest(t *testing.T) {
	for _, tt := range []struct {
		tool, input string // of Bash: the command
		want        []string
	}{
		{"Bash", "go test ./a -run X", []string{"Bash(go test ./a *)", "Bash(go test *)"}},
		{"Bash", "go test ./a", []string{"Bash(go test ./a *)", "Bash(go test *)"}},
		{"Bash", "go test -race ./a", []string{"Bash(go test *)"}},
		{"Bash", "go test", []string{"Bash(go test *)"}},
		{"Bash", "go test ./a ./b", []string{"Bash(go test *)"}},
		{"Bash", "go test -run 'A|B' ./a", []string{"Bash(go test *)"}},
		{"Bash", "timeout 60 go test ./a -v", []string{"Bash(go test ./a *)", "Bash(go test *)"}},
		{"Bash", "git diff main -- a.go", []string{"Bash(git diff main *)", "Bash(git diff *)"}},
		{"Bash", "npm run lint -- --fix", []string{"Bash(npm run lint *)"}},
		{"Bash", "gh pr view 12 --comments", []string{"Bash(gh pr view 12 *)", "Bash(gh pr view *)"}},
		{"Bash", "pytest tests/a.py -k b", []string{"Bash(pytest tests/a.py *)", "Bash(pytest *)"}},
		{"Bash", "ls -la", []string{"Bash(ls *)"}},
		// Only this very command.
		{"Bash", "go test ./a -exec sh", nil}, {"Bash", "go run ./a", nil}, {"Bash", "go test ./a | sh", nil},
		{"Bash", "go test ./a > out", nil}, {"Bash", "go test $(cat x)", nil}, {"Bash", "GOFLAGS=-x go test ./a", nil},
		{"Bash", "./go test ./a", nil}, {"Bash", "go test ./a; ls", nil}, {"Bash", "go \"$X\" ./a", nil},
		{"Bash", "bash x.sh", nil}, {"Bash", "bash -c 'ls'", []string{"Bash(ls *)"}}, {"Bash", "bash -c 'cat x'", nil}, {"Bash", "cd sub && go test ./a", nil}, {"Bash", "sudo go test ./a", nil}, {"Bash", "env go test ./a -v", []string{"Bash(go test ./a *)", "Bash(go test *)"}},
		{"Bash", "find . -name x", nil}, {"Bash", "find . -exec ls {} +", nil}, {"Bash", "git -c a.b=c status", nil}, {"Bash", "git push origin main", nil},
		{"Bash", "git config --get x", nil}, {"Bash", "python x.py", nil}, {"Bash", "python3 -c 1", nil}, {"Bash", "xargs rm", nil}, {"Bash", "npx tsc", nil},
		{"Bash", "npm install x", nil}, {"Bash", "npm exec x", nil}, {"Bash", "docker run x", nil}, {"Bash", "kubectl exec x", nil}, {"Bash", "make test", nil},
		{"Bash", "rm -rf ./a", nil}, {"Bash", "curl https://a.org", nil}, {"Bash", "sed -n 1p a", nil}, {"Bash", "unknown test a", nil}, {"Bash", "", nil}, {"Bash", "go test (", nil},
		// Files.
		{"Edit", `{"file_path":"/home/u/project/src/a/b.go"}`, []string{"Edit(./src/a/**)"}},
		{"Write", `{"file_path":"/home/u/project/b.go"}`, []string{"Edit(./**)"}},
		{"Read", `{"file_path":"/etc/x/y.conf"}`, []string{"Read(//etc/x/**)"}},
		{"Read", `{"file_path":"/home/u/other/y"}`, []string{"Read(//home/u/other/**)"}},
		{"Read", `{"file_path":"/home/u/y"}`, nil}, {"Read", `{"file_path":"/y"}`, nil}, {"Edit", `{"file_path":"/home/y"}`, nil},
		{"Edit", `{"file_path":"src/a.go"}`, []string{"Edit(./src/**)"}}, {"Edit", `{"file_path":"../a.go"}`, nil}, {"Edit", `{"file_path":"/home/u/project/src/[a]/b"}`, nil}, {"Edit", `{"file_path":"/home/u/project/../x/b"}`, nil}, {"Edit", `{}`, nil},
		{"Patch", `{"files":[{"path":"src/a.go","change":"update"}]}`, []string{"Edit(./src/**)"}},
		{"Patch", `{"files":[{"path":"src/a/x.go","change":"add"},{"path":"src/b.go","change":"delete"}]}`, []string{"Edit(./src/**)"}},
		{"Patch", `{"files":[{"path":"src/a.go","change":"update","move_to":"lib/a.go"}]}`, []string{"Edit(./**)"}},
		{"Patch", `{"files":[{"path":"src/a.go"},{"path":"/etc/a"}]}`, nil}, {"Patch", `{"text":"x"}`, nil}, {"Patch", `{"files":[{"path":"../a.go"}]}`, nil},
		{"Grep", `{"pattern":"x","path":"/home/u/project/src"}`, []string{"Read(./src/**)"}}, {"Grep", `{"pattern":"x"}`, []string{"Read(./**)"}},
		{"LS", `{"path":"src"}`, []string{"Read(./src/**)"}}, {"Glob", `{"pattern":"*.go","path":"/etc"}`, []string{"Read(//etc/**)"}}, {"Glob", `{"pattern":"../*"}`, nil}, {"Grep", `{"path":"/"}`, nil},
		{"Read", `{"paths":["src/a.go","src/b/c.go"]}`, []string{"Read(./src/**)"}}, {"Read", `{"paths":["src/*.go"]}`, nil},
		// Others.
		{"Type", `{"text":"ls"}`, nil},
		{"mcp__files__read", `{}`, []string{"mcp__files"}}, {"mcp__files", `{}`, nil}, {"mcp__*__x", `{}`, nil},
		{"WebFetch", `{"url":"https://a.org/x"}`, nil}, {"AskUserQuestion", `{}`, nil},
	} {
		r := bash(tt.input)
		if tt.tool != "Bash" {
			r.Tool, r.Input = tt.tool, json.RawMessage(tt.input)
		}
		if got := policy.Suggest(r); !slices.Equal(got, tt.want) {
			t.Errorf("%s %s: %q, want %q", tt.tool, tt.input, got, tt.want)
		}
	}
}

// TestExact: the narrowest rule of a call, whichever agent makes it.
func TestExact(t *testing.T) {
	for _, c := range []struct{ tool, input, rule string }{
		{"Bash", `{"command":"go test ./..."}`, "Bash(go test ./...)"},
		{"Bash", `{"command":"rm *.o"}`, ""},       // would allow rm of anything that ends so
		{"Bash", `{"command":"a\nb"}`, ""},         // more than one line
		{"Bash", `{"command":"printf '\\n'"}`, ""}, // escapes
		{"Bash", `{"command":" ls"}`, ""}, {"Bash", `{}`, ""}, {"Bash", `nonsense`, ""},
		{"Bash", `{"command":"ls","Command":"rm -rf x","COMMAND":"y"}`, "Bash(ls)"},
		{"Type", `{"text":"ls"}`, ""}, {"Monitor", `{"command":"ls"}`, ""},
		{"Write", `{"file_path":"/src/a b.go"}`, "Edit(//src/a b.go)"},
		{"Edit", `{"file_path":"/src/a.go"}`, "Edit(//src/a.go)"},
		{"Edit", `{"file_path":"/a","File_Path":"/b","Notebook_path":"/c"}`, "Edit(//a)"},
		{"NotebookEdit", `{"notebook_path":"/n.ipynb"}`, "Edit(//n.ipynb)"},
		{"Read", `{"file_path":"/etc/hosts"}`, "Read(//etc/hosts)"}, {"Read", `{"paths":["/etc/hosts"]}`, "Read(//etc/hosts)"}, {"Read", `{"paths":["/etc/hosts","/a"]}`, ""},
		{"Write", `{"file_path":"/src/../etc/passwd"}`, ""}, {"Write", `{"file_path":"/src/[a].go"}`, ""}, {"Write", `{"file_path":"/"}`, ""},
		{"Write", `{"file_path":"rel.go"}`, "Edit(//home/u/project/rel.go)"},
		{"Patch", `{"files":[{"path":"src/a.go","change":"update","edits":[]}]}`, "Edit(//home/u/project/src/a.go)"},
		{"Patch", `{"files":[{"path":"src/a.go"},{"path":"/home/u/project/src/a.go"}]}`, "Edit(//home/u/project/src/a.go)"},
		{"Patch", `{"files":[{"path":"src/a.go"},{"path":"b.go"}]}`, ""}, {"Patch", `{"files":[{"path":"a.go","move_to":"b.go"}]}`, ""}, {"Patch", `{"files":[]}`, ""},
		{"Grep", `{"pattern":"x","path":"/etc"}`, ""}, {"LS", `{"path":"/etc"}`, ""},
		{"WebFetch", `{"url":"https://go.dev:443/x"}`, "WebFetch(domain:go.dev)"}, {"WebFetch", `{"url":"https://a.example","URL":"https://b.example"}`, "WebFetch(domain:a.example)"},
		{"WebFetch", `{"urls":["https://go.dev/x"]}`, "WebFetch(domain:go.dev)"}, {"WebFetch", `{"urls":["https://go.dev/x","https://a.org"]}`, ""},
		{"WebFetch", `{"url":"go.dev"}`, ""}, {"WebFetch", `{"url":"https://*.dev/"}`, ""},
		{"mcp__a__b", `{}`, "mcp__a__b"}, {"mcp__a__b*", `{}`, ""}, {"acme_send", `{}`, ""},
		{"Agent", `{"subagent_type":"explore"}`, "Agent(explore)"}, {"Agent", `{"subagent_type":"*"}`, ""}, {"Task", `{}`, ""}, {"Skill", `{"skill":"pdf"}`, "Skill(pdf)"},
	} {
		r := bash("")
		r.Tool, r.Input = c.tool, json.RawMessage(c.input)
		got, ok := policy.Exact(r)
		if !ok {
			got = ""
		}
		if got != c.rule {
			t.Errorf("%s %s: %q, want %q", c.tool, c.input, got, c.rule)
		}
		if g, err := policy.NewGrants([]string{got}, "session"); ok && (err != nil || mustParse(t, "").DecideWith(r, policy.Extra{Grants: g}).Decision != policy.Allow) {
			t.Errorf("%s %s is not allowed by %s: %v", c.tool, c.input, got, err)
		}
	}
	if rule, ok := policy.Exact(policy.Request{Tool: "Edit", Input: json.RawMessage(`{"file_path":"a.go"}`)}); ok {
		t.Errorf("of a file in an unknown directory: %s", rule)
	}
}

// FuzzExact: what is offered for a call allows it, and a rule for a file names it from the root.
func FuzzExact(f *testing.F) {
	for _, tool := range []string{"Bash", "Read", "Edit", "Patch", "Grep", "LS", "WebFetch", "Agent", "Skill", "mcp__a__b", "x"} {
		for _, input := range []string{`{"command":"ls"}`, `{"file_path":"a/b"}`, `{"paths":["a","/b"]}`, `{"files":[{"path":"a","move_to":"b"}]}`, `{"path":"..","glob":"*"}`, `{"url":"http://a.b"}`, `{"skill":"a"}`, `null`} {
			f.Add(tool, input)
		}
	}
	f.Fuzz(func(t *testing.T, tool, input string) {
		r := bash("")
		r.Tool, r.Input = tool, json.RawMessage(input)
		exact, ok := policy.Exact(r)
		for i, rule := range append(policy.Suggest(r), exact) {
			if rule == "" || rule == exact && !ok {
				continue
			}
			if strings.ContainsFunc(rule, func(c rune) bool { return c < ' ' || c == 0x7f }) {
				t.Fatalf("%s %q: %q", tool, input, rule)
			}
			g, err := policy.NewGrants([]string{rule}, "session")
			if rule != exact && (err != nil || mustParse(t, "").DecideWith(r, policy.Extra{Grants: g}).Decision != policy.Allow) {
				t.Fatalf("%s %q is not allowed by %q (%d): %v", tool, input, rule, i, err)
			}
			if file, ok := strings.CutPrefix(rule, "Edit("); ok && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "./") {
				t.Fatalf("%s %q: %q", tool, input, rule)
			}
		}
	})
}

// TestSuggestedPrograms: no pattern is for a program that the tables know to run others.
func TestSuggestedPrograms(t *testing.T) {
	runs := "bash sh zsh fish python python3 perl ruby node deno php awk sed find fd xargs env sudo doas nice timeout nohup watch parallel strace ssh tmux screen make tar rsync scp eval source exec su chroot busybox time command npx docker kubectl git go npm cargo psql mysql sqlite3 vim less man sort rg curl wget tee dd rm mv cp chmod kill trap alias hash"
	for _, program := range strings.Fields(runs) {
		for _, rest := range []string{"", " x", " -c x", " -x y", " run x", " exec x"} {
			for _, rule := range policy.Suggest(bash(program + rest)) {
				if program != "npm" || rule != "Bash(npm run x *)" {
					t.Errorf("%s%s: %s", program, rest, rule)
				}
			}
		}
	}
}

// FuzzSuggest: what is suggested allows the call, and of other calls none that runs another
// program or subcommand, or something that nobody can see through.
func FuzzSuggest(f *testing.F) {
	for _, c := range []string{"go test ./a -run X", "git log -3", "npm run a", "ls -l", "cd a && go vet ./b"} {
		for _, tail := range []string{"", "-exec sh", "; rm -rf x", "| sh", "$(rm x)", "> /etc/x", "& ls", "\nrm x", "-toolexec=a", "`ls`", "--output=x", "<(sh)"} {
			f.Add(c, tail)
		}
	}
	for _, file := range evasions {
		for i, way := range readWays(f, file) {
			if i%16 == 0 {
				f.Add(strings.TrimSuffix(way, " ?"), "x")
			}
		}
	}
	f.Fuzz(func(t *testing.T, command, tail string) {
		if !utf8.ValidString(command + tail) {
			return // JSON has no such text
		}
		for _, rule := range policy.Suggest(bash(command)) {
			g, err := policy.NewGrants([]string{rule}, "session")
			if err != nil {
				t.Fatalf("%q: %s: %v", command, rule, err)
			}
			p := mustParse(t, "[roles.dev]\n")
			if d := p.DecideWith(bash(command), policy.Extra{Grants: g}); d.Decision != policy.Allow {
				t.Fatalf("%q: %s gives %s (%s)", command, rule, d.Decision, d.Reason)
			}
			fixed := strings.TrimSuffix(strings.TrimPrefix(rule, "Bash("), " *)")
			if strings.ContainsAny(fixed, "*?;|&$`<>()'\"\\\n") {
				t.Fatalf("%q: %s", command, rule)
			}
			other := fixed + " " + tail
			if p.DecideWith(bash(other), policy.Extra{Grants: g}).Decision != policy.Allow {
				continue
			}
			parts, err := shell.Split(other, shell.Context{Home: "/home/u", Dir: "/home/u/project"}, nil)
			if err != nil {
				t.Fatalf("%q is allowed by %s: %v", other, rule, err)
			}
			for i := range parts {
				q := &parts[i]
				if q.Possible || q.Covered {
					continue
				}
				if q.Kind != shell.KindCommand && q.Kind != shell.KindRead || q.Barred != "" || q.Kind == shell.KindCommand && q.Text != fixed && !strings.HasPrefix(q.Text, fixed+" ") {
					t.Fatalf("%q is allowed by %s: it does %q", other, rule, q.Text)
				}
			}
		}
	})
}
