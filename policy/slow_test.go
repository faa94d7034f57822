package policy_test

import (
	"strings"
	"testing"
	"time"
)

// TestSlowCommands: a command that was made to be hard to read is judged, or refused,
// before the agent's hook gives up waiting (api.HookTimeout).
func TestSlowCommands(t *testing.T) {
	p := mustParse(t, "[roles.dev]\nallow = ['*', 'Bash', 'Read', 'Edit']\ndeny = ['Bash(git push *)', 'Bash(rm -rf *)', 'Read(.env)', 'Edit(./secret/**)']\nask = ['Bash(curl *)']")
	shapes := map[string]func(n int) string{
		"commands":     func(n int) string { return strings.Repeat("ls;", n/3) },
		"pipes":        func(n int) string { return "ls" + strings.Repeat("|cat", n/4) },
		"words":        func(n int) string { return "ls" + strings.Repeat(" a", n/2) },
		"one word":     func(n int) string { return "ls " + strings.Repeat("a", n) },
		"parentheses":  func(n int) string { return strings.Repeat("(", n/2) + "ls" + strings.Repeat(")", n/2) },
		"substitution": func(n int) string { return "echo " + strings.Repeat("$(echo ", n/8) + strings.Repeat(")", n/8) },
		"backquotes":   func(n int) string { return "echo " + strings.Repeat("`ls` ", n/5) },
		"braces":       func(n int) string { return "echo " + strings.Repeat("{a,b}", n/5) },
		"globs":        func(n int) string { return "cat " + strings.Repeat("*a", n/2) },
		"paths":        func(n int) string { return "cat " + strings.Repeat("a/../", n/5) },
		"assignments":  func(n int) string { return strings.Repeat("a=b ", n/4) + "ls" },
		"variables":    func(n int) string { return strings.Repeat("a=$a$a;", n/7) + "ls $a" },
		"functions":    func(n int) string { return strings.Repeat("f() { ls; };", n/12) + "f" },
		"heredocs":     func(n int) string { return strings.Repeat("cat <<E\nx\nE\n", n/12) },
		"redirections": func(n int) string { return "ls" + strings.Repeat(" >a", n/3) },
		"loops": func(n int) string {
			return strings.Repeat("for i in a b; do ", n/35) + "ls" + strings.Repeat("; done", n/35)
		},
		"wrappers":  func(n int) string { return strings.Repeat("env ", n/4) + "ls" },
		"scripts":   func(n int) string { return strings.Repeat("sh -c '", 6) + strings.Repeat("ls;", n/3) },
		"quotes":    func(n int) string { return "ls " + strings.Repeat("'a'\"b\"", n/6) },
		"escapes":   func(n int) string { return "ls " + strings.Repeat("\\a", n/2) },
		"carriage":  func(n int) string { return strings.Repeat("ls\r", n/3) },
		"options":   func(n int) string { return "git" + strings.Repeat(" -c a.b=c", n/9) + " status" },
		"finds":     func(n int) string { return "find ." + strings.Repeat(" -name a", n/8) },
		"no script": func(n int) string { return strings.Repeat("<", n) },
		"zeros":     func(n int) string { return strings.Repeat("\x00", n) },
	}
	// By processor time, the best of some: the machine may be busy.
	const size, most = 128 << 10, 3 * time.Second
	for name, shape := range shapes {
		command, best := shape(size), time.Hour
		for n := 0; n < 3 && (n == 0 || best > most); n++ {
			began := processorTime()
			p.Decide(bash(command))
			best = min(best, processorTime()-began)
		}
		if best > most {
			t.Errorf("%s: %d bytes take %s", name, len(command), best)
		}
		// A shorter one may be read where the whole is refused.
		began := processorTime()
		p.Decide(bash(shape(size / 8)))
		if took := processorTime() - began; took > most {
			t.Errorf("%s: %d bytes take %s", name, size/8, took)
		}
	}
}
