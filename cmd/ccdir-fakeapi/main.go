// Ccdir-fakeapi runs a command with the real agent CLI wired to a scripted
// local API, in a throw-away home: for trying ccdir by hand without an account
// and without anything being sent anywhere. Tests use test/fakeapi itself.
//
//	go run ./cmd/ccdir-fakeapi -claude testdata/agents/node_modules/.bin/claude -- bin/ccdir
//
// What the agent is told decides what the API answers:
//
//	run COMMAND       it uses the Bash tool
//	ask QUESTION      it uses AskUserQuestion; "ask ONE | TWO" asks two, the last one
//	                  with several choices
//	plan TEXT         it presents a plan (in --permission-mode plan)
//	write PATH        it writes a file
//	long N            it answers with N lines, slowly
//	err STATUS [N]    it fails with that HTTP status, N times (each time without N)
//	anything else     it is repeated
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ccdir/test/fakeapi"
)

func main() {
	claude := flag.String("claude", "", "the agent CLI's executable")
	flag.Parse()
	if flag.NArg() == 0 || *claude == "" {
		fmt.Fprintln(os.Stderr, "usage: ccdir-fakeapi -claude PATH -- COMMAND [ARG…]")
		os.Exit(2)
	}
	code, err := run(*claude, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-fakeapi:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// run returns the command's exit code.
func run(claude string, argv []string) (int, error) {
	claude, err := filepath.Abs(claude)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "ccdir-fakeapi-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	server := fakeapi.New(answer)
	defer server.Close()
	if err := seed(dir, claude); err != nil {
		return 0, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Dir = filepath.Join(dir, "project")
	if cmd.Path, err = exec.LookPath(argv[0]); err != nil {
		return 0, err
	}
	if cmd.Path, err = filepath.Abs(cmd.Path); err != nil {
		return 0, err
	}
	cmd.Env = append(os.Environ(), "HOME="+dir, "CLAUDE_CONFIG_DIR="+filepath.Join(dir, ".claude"),
		"CCDIR_HOME="+filepath.Join(dir, "ccdir"), "ANTHROPIC_BASE_URL="+server.URL(), "ANTHROPIC_AUTH_TOKEN=dummy",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1")
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// seed prepares the home: no first-start dialogs, the project trusted.
func seed(dir, claude string) error {
	project := filepath.Join(dir, "project")
	config, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "hasSeenAutoDefaultNotice": true, "hasSeenAutoDefaultNudge": true,
		"projects": map[string]any{project: map[string]any{"hasTrustDialogAccepted": true}},
	})
	if err != nil {
		return err
	}
	toml := "[agents.claude]\ncommand = " + strconv.Quote(claude) + "\nargs = [\"--permission-mode\", \"manual\"]\n"
	for path, data := range map[string]string{
		filepath.Join(dir, ".claude", ".claude.json"):        string(config),
		filepath.Join(dir, "ccdir", "config", "config.toml"): toml,
		filepath.Join(project, "README.md"):                  "A project to try things in.\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// answer is the script: see the package comment.
func answer(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	verb, rest, _ := strings.Cut(strings.TrimSpace(r.Prompt), " ")
	if _, wrote := plans.LoadAndDelete(r.Session); wrote && r.Main() {
		return fakeapi.Tool("ExitPlanMode", map[string]any{})
	}
	if !r.Main() || len(r.Results) > 0 {
		return fakeapi.Echo(ctx, r)
	}
	switch verb {
	case "run":
		return fakeapi.Tool("Bash", map[string]any{"command": rest, "description": "what was asked for"})
	case "write":
		return fakeapi.Tool("Write", map[string]any{"file_path": rest, "content": "written by the agent\n"})
	case "ask":
		return fakeapi.Tool("AskUserQuestion", map[string]any{"questions": questions(strings.Split(rest, " | "))})
	case "plan":
		return planned(rest, r)
	case "err":
		return failing(rest, r)
	case "long":
		n, _ := strconv.Atoi(rest)
		return long(ctx, n)
	}
	return fakeapi.Echo(ctx, r)
}

// planFile finds where the CLI wants its plan to be written.
var planFile = regexp.MustCompile(`create your plan at ([^ "\\\\]+\.md)`)

// plans are the sessions that have written theirs.
var plans sync.Map

// planned writes a plan where the CLI wants it, to be presented then.
func planned(about string, r fakeapi.Request) fakeapi.Reply {
	m := planFile.FindSubmatch(r.Body)
	if m == nil {
		return fakeapi.Text("I am in no plan mode.")
	}
	plans.Store(r.Session, true)
	return fakeapi.Tool("Write", map[string]any{"file_path": string(m[1]),
		"content": "# " + about + "\n\n1. Look at **README.md**.\n2. Write `notes.md`:\n\n```go\nfunc main() {}\n```\n"})
}

// questions are those of a call; of several the last one takes several choices.
func questions(texts []string) (all []any) {
	for i, text := range texts {
		all = append(all, map[string]any{
			"question": text, "header": "Question", "multiSelect": i > 0 && i == len(texts)-1,
			"options": []any{
				map[string]any{"label": "Yes", "description": "do it"},
				map[string]any{"label": "No", "description": "leave it"},
				map[string]any{"label": "Later", "description": "not today"},
			},
		})
	}
	return all
}

// failures counts the failures of each prompt, one request at a time.
var failures sync.Map // of *atomic.Int64

// failing fails as "STATUS [N]" says.
func failing(how string, r fakeapi.Request) fakeapi.Reply {
	word, times, _ := strings.Cut(how, " ")
	status, _ := strconv.Atoi(word)
	most, err := strconv.ParseInt(times, 10, 64)
	n, _ := failures.LoadOrStore(r.Session+r.Prompt, new(atomic.Int64))
	if status < 400 || err == nil && n.(*atomic.Int64).Add(1) > most {
		return fakeapi.Text("At last: " + how)
	}
	kind := map[int]string{429: "rate_limit_error", 529: "overloaded_error", 500: "api_error"}[status]
	return fakeapi.Reply{Status: status, Type: cmp.Or(kind, "invalid_request_error"), Message: "scripted failure"}
}

// long answers line by line, ten a second.
func long(ctx context.Context, n int) fakeapi.Reply {
	var blocks []fakeapi.Block
	for i := range min(max(n, 1), 600) {
		ready := make(chan struct{})
		timer := time.AfterFunc(time.Duration(i)*100*time.Millisecond, func() { close(ready) })
		context.AfterFunc(ctx, func() { timer.Stop() })
		blocks = append(blocks, fakeapi.Block{Text: fmt.Sprintf("Line %d of the answer.\n\n", i+1), Wait: ready})
	}
	return fakeapi.Reply{Blocks: blocks}
}
