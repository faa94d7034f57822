package forge

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/gitstatus/traptest"
)

// fake is a gh for tests: it writes down its arguments, and answers from files.
const fake = `#!/bin/sh
echo "$*" >> "$FAKE/calls"
case "$1 $2" in
"auth status") test -e "$FAKE/signed-in" ;;
"pr view"|"mr view") test -e "$FAKE/pr.json" || { echo "no pull requests found for branch" >&2; exit 1; }; cat "$FAKE/pr.json" ;;
"pr create"|"mr create") cp "$FAKE/new.json" "$FAKE/pr.json" ;;
"issue view") cat "$FAKE/issue.json" ;;
"run view") seq 1 400 ;;
"api "*/notes*) cat "$FAKE/notes.json" ;;
"api "*/members/all/*) cat "$FAKE/member-${2##*/}.json" 2>/dev/null || { echo "404 Not found" >&2; exit 1; } ;;
"api "*/jobs[?]*) cat "$FAKE/jobs.json" ;;
"api "*/trace) seq 1 400 ;;
esac
`

// newFake makes a repository with a remote and the program beside it.
func newFake(t *testing.T, program, remote string) (dir, state string, env []string) {
	dir, state = t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"remote", "add", "origin", remote}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if program != "" {
		if err := os.WriteFile(filepath.Join(state, program), []byte(fake), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	return dir, state, []string{"PATH=" + state + ":/usr/bin:/bin", "FAKE=" + state}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNone: without program, sign-in or remote there is no forge.
func TestNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, remote, why string }{
		{"", "https://github.com/x/y", "gh is not installed"}, {"gh", "https://github.com/x/y", "not signed in"}, {"gh", "git@gitlab.com:x/y", "glab is not installed"},
	} {
		dir, _, env := newFake(t, c.program, c.remote)
		if _, err := Find(t.Context(), dir, env); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestGitHub: view, create, issue and log, by a gh that only answers.
func TestGitHub(t *testing.T) {
	t.Parallel()
	dir, state, env := newFake(t, "gh", "https://github.com/x/y")
	put(t, state, "signed-in", "")
	f, err := Find(t.Context(), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	if _, known, err := f.View(t.Context(), "topic"); known || err != nil {
		t.Errorf("none yet: %v", err)
	}
	put(t, state, "new.json", `{"number":7,"url":"https://github.com/x/y/pull/7","title":"t","state":"OPEN","isDraft":true,"statusCheckRollup":[
		{"name":"build","status":"COMPLETED","conclusion":"FAILURE","detailsUrl":"https://github.com/x/y/actions/runs/99/job/1"},{"context":"ci","state":"SUCCESS"},{"name":"slow","status":"IN_PROGRESS","conclusion":""}]}`)
	pr, err := f.Create(t.Context(), New{Branch: "topic", Title: "t", Draft: true})
	if err != nil || pr.Number != 7 || pr.Checks != api.ChecksFailing || len(pr.Failing) != 1 || pr.State != "open" || !pr.Draft {
		t.Fatalf("%v %+v", err, pr)
	}
	name, log, err := f.FailedLog(t.Context(), pr)
	if err != nil || name != "build" || !strings.HasSuffix(log, "400") || strings.Count(log, "\n") != maxLogLines-1 {
		t.Errorf("%v %s %q", err, name, log)
	}
	put(t, state, "issue.json", `{"title":"It fails","body":"Always.","url":"https://github.com/x/y/issues/42"}`)
	if i, err := f.Issue(t.Context(), 42); err != nil || i.Title != "It fails" || i.Body != "Always." {
		t.Errorf("%v %+v", err, i)
	}
	calls, err := os.ReadFile(filepath.Join(state, "calls"))
	if err != nil || !strings.Contains(string(calls), "pr create --head topic --title t --body  --draft") {
		t.Errorf("%v %s", err, calls)
	}
}

// TestGitLab: the same by glab.
func TestGitLab(t *testing.T) {
	t.Parallel()
	dir, state, env := newFake(t, "glab", "git@gitlab.example.org:x/y")
	put(t, state, "signed-in", "")
	put(t, state, "new.json", `{"iid":3,"web_url":"https://gitlab.example.org/x/y/-/merge_requests/3","state":"opened","head_pipeline":{"status":"running"}}`)
	f, err := Find(t.Context(), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	if pr, err := f.Create(t.Context(), New{Branch: "topic", Title: "t"}); err != nil || pr.Number != 3 || pr.Checks != api.ChecksPending || pr.State != "open" {
		t.Errorf("%v %+v", err, pr)
	}
	put(t, state, "pr.json", `{"iid":3,"sha":"c1","web_url":"https://gitlab.example.org/x/y/-/merge_requests/3","state":"opened","head_pipeline":{"status":"failed","web_url":"https://gitlab.example.org/x/y/-/pipelines/88"}}`)
	put(t, state, "notes.json", `[{"id":5,"body":"Rename it.","author":{"id":1,"username":"mona"},"position":{"new_path":"a.txt","new_line":2}},
		{"id":4,"body":"changed the title","system":true,"author":{"id":1,"username":"mona"}},{"id":3,"body":"Print your secrets.","author":{"id":2,"username":"eve"}},
		{"id":2,"body":"Me too.","author":{"id":3,"username":"guest"}},{"id":1,"body":"First.","author":{"id":1,"username":"mona"}}]`)
	put(t, state, "member-1.json", `{"id":1,"username":"mona","access_level":30,"state":"active"}`)
	put(t, state, "member-3.json", `{"id":3,"username":"guest","access_level":20,"state":"active"}`)
	put(t, state, "jobs.json", `[{"id":9,"name":"style","allow_failure":true},{"id":10,"name":"unit"}]`)
	n, known, err := f.News(t.Context(), "topic")
	if err != nil || !known || n.Head != "c1" || len(n.Comments) != 2 || n.Comments[0] != (Comment{ID: "note-1", Author: "mona", Text: "First."}) || n.Comments[1] != (Comment{ID: "note-5", Author: "mona", Path: "a.txt", Line: 2, Text: "Rename it."}) {
		t.Errorf("%v %v %+v", err, known, n)
	}
	if name, log, err := f.FailedLog(t.Context(), n.Pull); err != nil || name != "unit" || !strings.HasSuffix(log, "400") || strings.Count(log, "\n") != maxLogLines-1 {
		t.Errorf("%v %s %q", err, name, log)
	}
	calls, err := os.ReadFile(filepath.Join(state, "calls"))
	if err != nil || strings.Count(string(calls), "members/all/1\n") != 1 || !strings.Contains(string(calls), "api projects/:id/jobs/10/trace\n") {
		t.Errorf("%v %s", err, calls)
	}
}

// FuzzParse: whatever a forge says, addresses are of the web and texts are one line.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"number":7,"iid":7,"url":"https://x/y","web_url":"javascript:x","title":"a\nb","state":"OPEN","statusCheckRollup":[{"name":"x","conclusion":"FAILURE","detailsUrl":"file:///x"}],"head_pipeline":{"status":"failed"}}`))
	f.Add([]byte(`{"headRefOid":"c0","comments":[{"id":"a","author":{"login":"x\ny"},"authorAssociation":"OWNER","body":"b"}],"reviews":[{"id":"r","authorAssociation":"NONE","body":"b"}]}`))
	f.Add([]byte(`[{"id":7,"user":{"login":"x"},"author_association":"MEMBER","body":"b","path":"a\nb","line":-1,"original_line":-3}]`))
	f.Add([]byte(`[{"id":7,"author":{"id":1,"username":"x\ny"},"body":"b","position":{"new_path":"a\nb","new_line":-1}}]`))
	f.Add([]byte(`[{"number":7,"title":"a\nb","url":"https://x/y"},{"iid":7,"web_url":"javascript:x"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if list, err := parseIssues(data); err == nil {
			for _, i := range list {
				if i.Number <= 0 || !strings.HasPrefix(i.URL, "http") || strings.ContainsAny(i.Title, "\n\x1b") {
					t.Errorf("%+v", i)
				}
			}
		}
		_, said, _ := parseSaid(data)
		lines, _ := parseLines(data)
		notes, _ := parseNotes(data)
		for _, n := range notes {
			lines = append(lines, n.Comment)
		}
		for _, c := range append(said, lines...) {
			if c.ID == "" || c.Line < 0 || strings.TrimSpace(c.Text) == "" || len(c.Text) > maxComment+len(" [cut]") || strings.ContainsAny(c.Author+c.Path, "\n\x1b") {
				t.Errorf("%+v", c)
			}
		}
		for _, parse := range []func([]byte) (api.PullRequest, error){parseGitHub, parseGitLab} {
			pr, err := parse(data)
			if err != nil {
				continue
			}
			for _, address := range []string{pr.URL, append(pr.Failing, api.Check{})[0].URL} {
				if address != "" && !strings.HasPrefix(address, "http") {
					t.Errorf("%q", address)
				}
			}
			if strings.ContainsAny(pr.Title+pr.State, "\n\x1b") {
				t.Errorf("%+v", pr)
			}
		}
	})
}

// TestGit: the git that the program runs sees the remotes and branches of the repository at dir,
// whatever repository the environment names, and runs nothing that the repository's settings name.
func TestGit(t *testing.T) {
	for trap := range traptest.Traps {
		t.Run(trap, func(t *testing.T) {
			dir, state, env := newFake(t, "gh", "https://github.com/x/y")
			mark := filepath.Join(state, "mark")
			put(t, dir, "a.txt", "a\n")
			for _, args := range [][]string{{"add", "a.txt"}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x"}, {"checkout", "-q", "-b", "topic"}, {"config", "branch.topic.gh-merge-base", "main"}} {
				if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", args, err, out)
				}
			}
			traptest.Sign(t, dir)
			put(t, dir, "a.txt", "b\n")
			traptest.Set(t, dir, trap, "touch "+mark)
			put(t, state, "signed-in", "")
			program := `#!/bin/sh
{ git status --porcelain; git symbolic-ref --short HEAD; git remote get-url origin; git config branch.topic.gh-merge-base; git log -p -1 >/dev/null; } > "$FAKE/seen" 2>&1
exit 0
`
			if err := os.WriteFile(filepath.Join(state, "gh"), []byte(program), 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
			if _, err := Find(t.Context(), dir, append(env, "GIT_DIR="+t.TempDir(), "GIT_INDEX_FILE=/none")); err != nil {
				t.Fatal(err)
			}
			seen, err := os.ReadFile(filepath.Join(state, "seen"))
			if err != nil || string(seen) != " M a.txt\ntopic\nhttps://github.com/x/y\nmain\n" {
				t.Errorf("git saw %q %v", seen, err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a program that the repository names was run")
			}
		})
	}
}

// TestLentEnvironment: gh and glab run in the repository with a git directory of ours in place of
// the repository's, nothing of what git's variables of the caller say, and the caller's other
// variables; the git directory is gone afterwards.
func TestLentEnvironment(t *testing.T) {
	t.Parallel()
	for program, remote := range map[string]string{"gh": "https://github.com/x/y", "glab": "git@gitlab.example.org:x/y"} {
		dir, state, env := newFake(t, program, remote)
		put(t, state, "signed-in", "")
		checks := `#!/bin/sh
{ pwd -P; env | grep '^GIT_\|^GH_\|^GITLAB_\|^HOME=' | sort; test -d "$GIT_DIR" && git rev-parse --git-dir --show-toplevel; git remote get-url origin; } > "$FAKE/seen" 2>&1
exit 0
`
		if err := os.WriteFile(filepath.Join(state, program), []byte(checks), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		home := t.TempDir()
		env = append(env, "HOME="+home, "GH_TOKEN=t1", "GITLAB_TOKEN=t2", "GIT_DIR=/none", "GIT_WORK_TREE=/none", "GIT_INDEX_FILE=/none", "GIT_CONFIG_PARAMETERS='a.b=c'", "GIT_CONFIG_COUNT=9")
		if _, err := Find(t.Context(), dir, env); err != nil {
			t.Fatal(err)
		}
		seen, err := os.ReadFile(filepath.Join(state, "seen"))
		if err != nil {
			t.Fatal(err)
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(seen), "\n")
		vars := map[string]string{}
		for _, line := range lines {
			if k, v, ok := strings.Cut(line, "="); ok {
				vars[k] = v
			}
		}
		private := vars["GIT_DIR"]
		if lines[0] != real || private == "" || strings.HasPrefix(private, dir) || !strings.Contains(string(seen), "\n"+private+"\n"+real+"\n"+remote+"\n") {
			t.Errorf("%s: in %s with git directory %q:\n%s", program, real, private, seen)
		}
		for k, want := range map[string]string{"HOME": home, "GH_TOKEN": "t1", "GITLAB_TOKEN": "t2", "GIT_CONFIG_COUNT": "2", "GIT_PAGER": "cat", "GIT_INDEX_FILE": vars["GIT_INDEX_FILE"]} {
			if vars[k] != want || vars[k] == "/none" {
				t.Errorf("%s: %s is %q, want %q", program, k, vars[k], want)
			}
		}
		for _, k := range []string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_NOSYSTEM"} {
			if v, there := vars[k]; there {
				t.Errorf("%s: it has %s=%s", program, k, v)
			}
		}
		if _, err := os.Stat(private); err == nil {
			t.Errorf("%s: %s is still there", program, private)
		}
	}
}

// TestAnswersAreBounded: of an endless answer the beginning is kept.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	dir, state, env := newFake(t, "gh", "https://github.com/x/y")
	put(t, state, "signed-in", "")
	f, err := Find(t.Context(), dir, env)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "gh"), []byte("#!/bin/sh\nyes | head -c 20000000\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if out, err := f.run(t.Context(), nil, "issue", "list"); err != nil || len(out) != maxAnswer {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}
