package policy_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"ccdir/policy"
	"ccdir/policy/file"
	"ccdir/policy/shell"
)

// staticCommands are the simple commands of a script whose words are plain, found
// by a walk of its own (comments and carriage returns are the parser's): what the fuzz target holds against the decision.
func staticCommands(script string) (out [][]string) {
	f, err := shell.Parse(script)
	if err != nil {
		return nil
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok {
			return true
		}
		var words []string
		for _, a := range call.Args {
			s := a.Lit()
			if len(a.Parts) == 1 {
				if q, ok := a.Parts[0].(*syntax.SglQuoted); ok && !q.Dollar {
					s = q.Value
				}
			}
			if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) || strings.ContainsAny(s, "\\*?[]{}~\"'()@ \t\n:,") {
				return true
			}
			words = append(words, s)
		}
		if len(words) > 0 {
			out = append(out, words)
		}
		return true
	})
	return out
}

// FuzzDeny: no input makes an allow out of a set that denies one of its parts,
// whatever else is allowed.
func FuzzDeny(f *testing.F) {
	// Some of each file: all of them are judged by tests, and before anything new is
	// tried each seed is run, which took longer than a campaign.
	for _, file := range evasions {
		for i, way := range readWays(f, file) {
			if i%16 == 0 {
				f.Add(strings.TrimSuffix(way, " ?"))
			}
		}
	}
	everything := "[roles.dev]\nallow = ['*', 'Bash', 'Read', 'Edit']\n"
	fixed := mustParse(f, everything+"deny = ['Bash(git push *)', 'Bash(rm -rf *)', 'Read(.env)', 'Edit(./secret/**)']")
	open := mustParse(f, everything)
	f.Fuzz(func(t *testing.T, command string) {
		without := open.Decide(bash(command)).Decision
		if with := fixed.Decide(bash(command)).Decision; with == policy.Allow && without != policy.Allow {
			t.Fatalf("%q: deny rules turned %s into allow", command, without)
		}
		for i, words := range staticCommands(command) {
			if i == 4 {
				break // each costs a policy and a decision
			}
			rule := "Bash(" + strings.Join(words, " ") + ")"
			p, err := file.Parse(fmt.Appendf(nil, "%sdeny = [%s]", everything, quoteTOML(rule)), "policy.toml")
			if err != nil {
				continue
			}
			if d := p.Decide(bash(command)); d.Decision != policy.Deny {
				t.Fatalf("%q: %s gives %s (%s)", command, rule, d.Decision, d.Reason)
			}
		}
	})
}

func quoteTOML(s string) string {
	data, _ := json.Marshal(s) // a string always can
	return string(data)
}

// TestAddingDeny: adding a deny rule never turns a decision into allow, and
// never makes one weaker.
func TestAddingDeny(t *testing.T) {
	rules := []string{"Bash", "Bash(git *)", "Bash(git push *)", "Bash(rm -rf *)", "Bash(ls *)", "Bash(echo *)", "Bash(* x)", "Read", "Read(./**)", "Read(.env)",
		"Edit", "Edit(./**)", "Edit(src/*)", "WebFetch(domain:a.org)", "mcp__a", "*", "Bash(bash f *)", "Bash(sudo *)"}
	var commands []string
	for _, file := range evasions {
		for _, way := range readWays(t, file) {
			commands = append(commands, strings.TrimSuffix(way, " ?"))
		}
	}
	commands = append(commands, "ls", "git status", "echo a > src/b", "cat .env", "ls *.go", "ls (", "", "echo $X", "bash f", "grep -r x .")
	rank := map[policy.Effect]int{policy.None: 0, policy.Allow: 0, policy.Ask: 1, policy.Deny: 2}
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func() string {
		var out []string
		for _, r := range rules {
			if rng.IntN(5) == 0 {
				out = append(out, quoteTOML(r))
			}
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	for range 300 {
		base := fmt.Sprintf("[roles.dev]\nallow=%s\nask=%s\ndeny=", pick(), pick())
		deny := strings.TrimSuffix(pick(), "]")
		sep := ","
		if deny == "[" {
			sep = ""
		}
		before, after := mustParse(t, base+deny+"]"), mustParse(t, base+deny+sep+quoteTOML(rules[rng.IntN(len(rules))])+"]")
		for range 40 {
			r := bash(commands[rng.IntN(len(commands))])
			if rng.IntN(4) == 0 {
				r.Tool, r.Input = "Read", json.RawMessage(`{"file_path":".env"}`)
			}
			b, a := before.Decide(r), after.Decide(r)
			if a.Decision == policy.Allow && b.Decision != policy.Allow || rank[a.Decision] < rank[b.Decision] {
				t.Fatalf("%s%s: %s %s: %s became %s", base, deny, r.Tool, r.Input, b.Decision, a.Decision)
			}
		}
	}
}

// bigPolicy is a policy of n rules, each about something else.
func bigPolicy(n int) string {
	var b strings.Builder
	b.WriteString("[roles.dev]\n")
	for i, list := range []string{"allow", "ask", "deny"} {
		fmt.Fprintf(&b, "%s = [\n", list)
		for j := range n / 3 {
			switch j % 4 {
			case 0:
				fmt.Fprintf(&b, "  'Bash(tool%d-%d run *)',\n", i, j)
			case 1:
				fmt.Fprintf(&b, "  'Bash(git verb%d-%d *)',\n", i, j)
			case 2:
				fmt.Fprintf(&b, "  'Read(./dir%d-%d/**)',\n", i, j)
			case 3:
				fmt.Fprintf(&b, "  'Edit(src/%d-%d/*.go)',\n", i, j)
			}
		}
		if list == "allow" {
			b.WriteString("  'Bash(git status *)', 'Bash(go test *)', 'Bash(echo *)', 'Edit(out/*)', 'Read(./**)',\n")
		}
		b.WriteString("]\n")
	}
	for i := range 5 {
		fmt.Fprintf(&b, "[[roles.dev.rule]]\nmatch = 'Bash(deploy%d *)'\neffect = 'deny'\nwhen = 'branch == \"main%d\" && hour > 8'\n", i, i)
	}
	return b.String()
}

// hostileTime bounds a decision about a command of up to 256 KB, in processor time and under
// the race detector, on a slow machine. On an idle one each shape takes less than 50 ms.
const hostileTime = 2 * time.Second

// hostileCommands are as long as a command may be, or longer, and hard to judge.
func hostileCommands() map[string]string {
	return map[string]string{
		"substitutions": strings.Repeat("$(", 3000) + strings.Repeat(")", 3000),
		"subshells":     strings.Repeat("( ", 3000) + "a" + strings.Repeat(" )", 3000),
		"arithmetic":    "echo $((" + strings.Repeat("(", 3000) + "1" + strings.Repeat(")", 3000) + "))",
		"list":          strings.Repeat("git status; ", 20000),
		"words":         "foo " + strings.Repeat("git sh env 'git push' ", 2000),
		"wrappers":      strings.Repeat("sudo env ", 3000) + "git push",
		"options":       "git push " + strings.Repeat("-a ", 50000),
		"unknown words": "git " + strings.Repeat("$X ", 20000),
		"stars":         "git " + strings.Repeat("*x", 60000),
		"braces":        "echo " + strings.Repeat("{a,b}", 300),
		"nested braces": "echo " + strings.Repeat("{a,", 300) + strings.Repeat("}", 300),
		"sequence":      "echo {1..99999999}",
		"values":        strings.Repeat("a=$a$a; ", 200) + "$a $a $a $a",
		"alternatives":  "a='sh -c'; b='git'; c='push'; " + strings.Repeat("$a $b $c; ", 300),
		"evals":         strings.Repeat("eval ", 500) + "git push",
		"eval values":   "x='eval $x $x'; y='$x $y'; eval $x $y; eval \"$y\"",
		"cds":           strings.Repeat("cd a; ", 500) + "cat < b",
		"deep path":     "cat < " + strings.Repeat("a/", 50000),
		"path":          "cat " + strings.Repeat(strings.Repeat("a/", 100)+"x ", 500),
		"aliases":       "git " + strings.Repeat("-c alias.a=b -c alias.b=a ", 500) + "a",
		"redirections":  "a " + strings.Repeat("> x < y ", 5000),
		"files":         "foo " + strings.Repeat(" a/b", 60000),
		"pieces":        "foo " + strings.Repeat("a:b=c,", 40000),
		"revisions":     "git log" + strings.Repeat(" a:b", 60000),
		"links":         "ln -s" + strings.Repeat(" a/b", 60000),
		"input":         "foo <<E\n" + strings.Repeat("a/b\n", 60000) + "E",
		"quoted":        "foo" + strings.Repeat(" 'cat a'", 30000),
		"here-document": "bash <<'E'\n" + strings.Repeat("bash <<'F'\nls\nF\n", 2000) + "E",
		"forms":         "curl" + strings.Repeat(" -F a=@b", 30000),
		"pipes":         "ls" + strings.Repeat("|cat", 60000),
		"clusters":      "foo" + strings.Repeat(" -abcdefgh/i", 20000),
		"patterns":      "git diff --" + strings.Repeat(" '*.a'", 40000),
		"searches":      strings.Repeat("find . -path './a/*' -name b -exec cat {} +;", 6000),
	}
}

// TestHostile: no command costs much more than its length.
func TestHostile(t *testing.T) {
	p := mustParse(t, bigPolicy(1000)+"[roles.other]\ndeny = ['Bash(git push *)', 'Bash(* x * y * z *)', 'Read(**/a/**/b/**/c)', 'Read(.env)']\nallow = ['*']")
	for name, command := range hostileCommands() {
		for _, role := range []string{"dev", "other"} {
			r := bash(command)
			r.Role = role
			d, took := decideTimed(p, r)
			for range 2 { // the machine may be busy with something else
				if took > hostileTime {
					d, took = decideTimed(p, r)
				}
			}
			if took > hostileTime {
				t.Errorf("%s for %s took %v", name, role, took)
			} else if took > 50*time.Millisecond {
				t.Logf("%s for %s took %v: %s", name, role, took, d.Reason)
			}
			if strings.Contains(d.Reason, "runtime error") {
				t.Errorf("%s: %s", name, d.Reason)
			}
		}
	}
}

// decideTimed tells the time on a processor, the test's share of a busy one.
func decideTimed(p *policy.Policy, r policy.Request) (policy.Decision, time.Duration) {
	before := processorTime()
	d := p.Decide(r)
	return d, processorTime() - before
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkDecide(b *testing.B) {
	p := mustParse(b, bigPolicy(200))
	dir := b.TempDir()
	for _, c := range []struct {
		name, tool, input string
		want              policy.Effect
	}{
		{"command", "Bash", `{"command":"git status --short"}`, policy.Allow},
		{"list", "Bash", `{"command":"git status && go test ./... 2>&1 | echo done > out/log"}`, policy.Allow},
		{"nothing", "Bash", `{"command":"cd sub && make -j4 all"}`, policy.None},
		{"denied", "Bash", `{"command":"sudo env A=1 sh -c 'git verb2-5 origin'"}`, policy.Deny},
		{"files", "Bash", `{"command":"cat policy/decide.go README.md | grep -n TODO | head -20"}`, policy.None},
		{"program", "Bash", `{"command":"npx eslint src/app.ts src/main.ts --ext .ts,.tsx --config=eslint.config.js --fix"}`, policy.None},
		{"mounts", "Bash", `{"command":"docker run --rm -v ./src:/src -v ./data:/data:ro -w /src golang:1.26 go test ./..."}`, policy.None},
		{"read", "Read", `{"file_path":"policy/decide.go"}`, policy.Allow},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := policy.Request{Role: "dev", Tool: c.tool, Input: json.RawMessage(c.input), Root: dir, Home: dir}
			b.ReportAllocs()
			before := processorTime()
			for b.Loop() {
				if d := p.Decide(r); d.Decision != c.want {
					b.Fatal(d)
				}
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkHostile: less than 50 ms each on an idle machine.
func BenchmarkHostile(b *testing.B) {
	p := mustParse(b, bigPolicy(1000))
	for name, command := range hostileCommands() {
		b.Run(name, func(b *testing.B) {
			r, before := bash(command), processorTime()
			for b.Loop() {
				p.Decide(r)
			}
			b.ReportMetric(float64(processorTime()-before)/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}

func BenchmarkReload(b *testing.B) {
	text := []byte(bigPolicy(1000))
	for b.Loop() {
		if _, err := file.Parse(text, "policy.toml"); err != nil {
			b.Fatal(err)
		}
	}
}
