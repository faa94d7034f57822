// Package forge asks a forge about pull requests and issues, by its own command line: gh for
// GitHub, glab for GitLab.
//
// Contract: without that program, or while it is not signed in, there is no forge (Find says
// why), and nothing else is tried. Answers are bounded and not trusted: texts of people are
// made harmless by whoever shows them. The program runs in the caller's environment, asks
// nothing, and ends with the context. The git that it runs looks (gitstatus.Lend): of the
// repository's settings it has the remotes alone, and it runs none of its programs.
package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// ErrNone: the forge's program is missing or not signed in; the error says which.
var ErrNone = errors.New("no forge")

// maxAnswer bounds what a program says, in bytes.
const maxAnswer = 4 << 20

// Forge is a forge that can be asked. Make one with Find.
type Forge struct {
	// program is the executable, gitlab: it is glab.
	program string
	gitlab  bool
	dir     string
	env     []string
	// Remote is the remote of git that the forge is.
	Remote string
}

// Find finds the forge of the repository at dir: by its remote, the program in the PATH of
// env, and whether that is signed in.
func Find(ctx context.Context, dir string, env []string) (*Forge, error) {
	f := &Forge{dir: dir, env: append(slices.Clone(env), "GH_PROMPT_DISABLED=1", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GH_NO_UPDATE_NOTIFIER=1"), Remote: "origin"}
	url, err := gitstatus.Run(ctx, dir, "config", "remote.origin.url")
	if err != nil || strings.TrimSpace(url) == "" {
		return nil, fmt.Errorf("%w: the repository has no remote called origin", ErrNone)
	}
	f.gitlab = strings.Contains(strings.ToLower(url), "gitlab")
	name := f.name()
	for _, kv := range env {
		path, ok := strings.CutPrefix(kv, "PATH=")
		for _, at := range filepath.SplitList(path) {
			if ok && f.program == "" && filepath.IsAbs(at) {
				if found, err := exec.LookPath(filepath.Join(at, name)); err == nil {
					f.program = found
				}
			}
		}
	}
	if f.program == "" {
		return nil, fmt.Errorf("%w: %s is not installed", ErrNone, name)
	}
	if _, err := f.run(ctx, nil, "auth", "status"); err != nil {
		return nil, fmt.Errorf("%w: %s is not signed in (`%[2]s auth login`)", ErrNone, name)
	}
	return f, nil
}

func (f *Forge) name() string {
	if f.gitlab {
		return "glab"
	}
	return "gh"
}

// limited keeps the first bytes that are written.
type limited struct{ kept []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p[:min(maxAnswer-len(l.kept), len(p))]...)
	return len(p), nil
}

// run runs the program. Its error has the first line that it said.
func (f *Forge) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	env, done, err := gitstatus.Lend(ctx, f.dir, f.env)
	if err != nil {
		return nil, err
	}
	defer done()
	cmd := exec.CommandContext(ctx, f.program, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = f.dir, env, time.Second
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var out, said limited
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s did not answer in time", f.name())
		}
		line, _, _ := strings.Cut(strings.TrimSpace(string(said.kept)), "\n")
		if line == "" {
			line = err.Error()
		}
		return nil, fmt.Errorf("%s says: %s", f.name(), textsafe.Cut(textsafe.Line(line), 300))
	}
	return out.kept, nil
}

// View returns the pull request of a branch; known is false if it has none.
func (f *Forge) View(ctx context.Context, branch string) (pr api.PullRequest, known bool, err error) {
	if f.gitlab {
		out, err := f.run(ctx, nil, "mr", "view", branch, "--output", "json")
		if err != nil {
			return pr, false, none(err)
		}
		pr, err = parseGitLab(out)
		return pr, err == nil, err
	}
	out, err := f.run(ctx, nil, "pr", "view", branch, "--json", "number,url,title,state,isDraft,statusCheckRollup")
	if err != nil {
		return pr, false, none(err)
	}
	pr, err = parseGitHub(out)
	return pr, err == nil, err
}

// none drops the error of a branch without pull request.
func none(err error) error {
	text := strings.ToLower(err.Error())
	for _, words := range []string{"no pull requests found", "no open merge request", "no merge request", "not found", "could not find"} {
		if strings.Contains(text, words) {
			return nil
		}
	}
	return err
}

// New describes a pull request to open.
type New struct {
	Branch, Base, Title, Body string
	Draft                     bool
}

// Create makes the pull request of a branch that the remote has.
func (f *Forge) Create(ctx context.Context, n New) (pr api.PullRequest, err error) {
	args := []string{"pr", "create", "--head", n.Branch, "--title", n.Title, "--body", n.Body}
	base := "--base"
	if f.gitlab {
		args = []string{"mr", "create", "--source-branch", n.Branch, "--title", n.Title, "--description", n.Body, "--yes"}
		base = "--target-branch"
	}
	if n.Base != "" {
		args = append(args, base, n.Base)
	}
	if n.Draft {
		args = append(args, "--draft")
	}
	if _, err := f.run(ctx, nil, args...); err != nil {
		return pr, err
	}
	pr, known, err := f.View(ctx, n.Branch)
	if err == nil && !known {
		err = fmt.Errorf("%s made it and does not find it", f.name())
	}
	return pr, err
}

// Issue is a task that a forge has.
type Issue struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	URL   string `json:"url"`
}

// Issue returns an issue by its number.
func (f *Forge) Issue(ctx context.Context, number int) (i Issue, err error) {
	if f.gitlab {
		out, err := f.run(ctx, nil, "issue", "view", fmt.Sprint(number), "--output", "json")
		if err != nil {
			return i, err
		}
		var answer struct {
			Title       string `json:"title"`
			Description string `json:"description"`
			URL         string `json:"web_url"`
		}
		err = json.Unmarshal(out, &answer)
		return Issue{Title: answer.Title, Body: answer.Description, URL: answer.URL}, err
	}
	out, err := f.run(ctx, nil, "issue", "view", fmt.Sprint(number), "--json", "title,body,url")
	if err == nil {
		err = json.Unmarshal(out, &i)
	}
	return i, err
}

// FailedLog returns the end of the log of a check that failed, by its pull request.
func (f *Forge) FailedLog(ctx context.Context, pr api.PullRequest) (name, log string, err error) {
	if f.gitlab && len(pr.Failing) > 0 {
		if name, log, err = f.failedJob(ctx, pr.Failing[0].URL); name != "" || err != nil {
			return cmp.Or(name, pr.Failing[0].Name), log, err
		}
	}
	for _, c := range pr.Failing {
		_, run, ok := strings.Cut(c.URL, "/actions/runs/")
		if !ok || f.gitlab {
			continue
		}
		run, _, _ = strings.Cut(run, "/")
		out, err := f.run(ctx, nil, "run", "view", run, "--log-failed")
		if err != nil {
			return c.Name, "", err
		}
		return c.Name, lastLines(string(out)), nil
	}
	if len(pr.Failing) > 0 {
		return pr.Failing[0].Name, "its log is at " + pr.Failing[0].URL, nil
	}
	return "", "", nil
}

// Bounds of a log that is sent to an agent.
const (
	maxLogLines = 150
	maxLog      = 16 << 10
)

// lastLines is the end of a log.
func lastLines(log string) string {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	log = strings.Join(lines[max(0, len(lines)-maxLogLines):], "\n")
	return textsafe.Block(strings.ToValidUTF8(log[max(0, len(log)-maxLog):], ""))
}
