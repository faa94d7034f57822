package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ccdir/internal/disk/paths"
)

// fakes are the programs that the pages' examples use; each writes down what it was given.
var fakes = map[string]string{
	"gh": `case "$1 $2" in
'auth status') ;;
'repo view') echo '{"visibility":"PRIVATE"}' ;;
'issue list') echo '[{"number":7,"title":"It fails","url":"https://github.com/x/shop/issues/7"}]' ;;
'issue view') echo '{"title":"It fails","body":"Always.","url":"https://github.com/x/shop/issues/7"}' ;;
'issue comment') cat >>"$HOME/said" ;;
*) exit 1 ;;
esac`,
	"my-linear": `echo '[{"identifier":"L-1","title":"From Linear","description":"It is slow.","url":"https://linear.example/L-1"}]'`,
	"curl":      `echo "$*" >>"$HOME/curl"; case "$*" in *@-*) cat >>"$HOME/curl" ;; esac`,
	"logger":    `echo "$*" >>"$HOME/logger"`,
}

// examples are the blocks of a page: of commands, and of settings in config.toml and in a project's file.
func examples(t *testing.T, page string) (commands []string, config, project string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`\s+#.*$`)
	for _, block := range regexp.MustCompile("(?ms)^```(toml)?\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		switch {
		case block[1] == "toml" && strings.HasPrefix(block[2], "# .ccdir.toml"):
			project += block[2]
		case block[1] == "toml":
			config += block[2] + "\n"
		default:
			for line := range strings.Lines(block[2]) {
				if line = comment.ReplaceAllString(strings.TrimSpace(line), ""); line != "" {
					commands = append(commands, line)
				}
			}
		}
	}
	return commands, config, project
}

// TestExamples runs every command of the pages about what brings work in against a daemon that has all settings of the page, with
// programs that answer as the person's would; and each does what its page says.
func TestExamples(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not installed: examples need it")
	}
	for page, shows := range map[string][]struct{ command, want string }{
		"schedules.md": {{"ccdir schedule ls", "api.nightly"}, {"ccdir schedule ls", "standup"}, {"ccdir events --type schedule", "s1: added task t1"},
			{"ccdir task ls --all --json", `"schedule:s1"`}},
		"watches.md": {{"ccdir task ls --json", `"watch:bugs"`}, {"ccdir task ls --json", "From Linear"}, {"cat said", "Taken by ccdir"}, {"ccdir watch ls", "label agent"}},
		"events.md":  {{"cat logger", "-t ccdir"}, {"ccdir on ls", "task.failed"}},
	} {
		t.Run(page, func(t *testing.T) {
			home, fake := t.TempDir(), t.TempDir()
			p, err := paths.New(func(key string) string { return map[string]string{"CCDIR_HOME": filepath.Join(home, ".c")}[key] }, os.Getuid())
			if err != nil {
				t.Fatal(err)
			}
			env := []string{"CCDIR_HOME=" + p.Home, "HOME=" + home, "PATH=" + fake + ":" + bin + ":" + os.Getenv("PATH"), "SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=xterm-256color",
				"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.org", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.org"}
			write := func(path, text string) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // some are programs
					t.Fatal(err)
				}
			}
			run := func(line string) string {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), untilTimeout)
				defer cancel()
				cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
				cmd.Dir, cmd.Env = home, env
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v\n%s", line, err, out)
				}
				return string(out)
			}
			t.Cleanup(func() { leaveNothing(t, p) })
			commands, config, project := examples(t, page)
			for name, text := range fakes {
				write(filepath.Join(fake, name), "#!/bin/sh\n"+text+"\n")
			}
			write(filepath.Join(filepath.Dir(p.Runtime), "x"), "") // its directory
			write(p.ConfigFile(), "[agents.claude]\nkind = 'demo'\n"+config)
			write(filepath.Join(filepath.Dir(p.ConfigFile()), "policy.toml"), "[roles.outsider]\ndeny = [\"Bash(git push *)\"]\n")
			for _, name := range []string{"api", "shop"} {
				write(filepath.Join(home, "src", name, ".ccdir.toml"), project)
				run("cd src/" + name + " && git init -q -b main && git add -A && git commit -q -m one && git remote add origin https://github.com/x/" + name)
			}
			run("ccdir new -n api -a demo -C src/api")
			for _, line := range commands {
				run(line)
			}
			if project != "" {
				run("ccdir schedule take -C ~/src/api --yes") // nobody is there to ask
			}
			for _, s := range shows {
				for end := time.Now().Add(untilTimeout); ; time.Sleep(50 * time.Millisecond) {
					out := run(s.command)
					if strings.Contains(out, s.want) {
						break
					}
					if time.Now().After(end) {
						t.Fatalf("%s does not say %q:\n%s", s.command, s.want, out)
					}
				}
			}
			if says := run("ccdir events --type config.error"); strings.Contains(says, "config.error") {
				t.Error(says)
			}
		})
	}
}
