package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestPullRequestsAreShown: a session whose branch was pushed shows its pull request and what the
// checks say, by a fake gh; one on another branch, or without gh, shows nothing.
func TestPullRequestsAreShown(t *testing.T) {
	bin, repo, says := t.TempDir(), filepath.Join(t.TempDir(), "repo"), filepath.Join(t.TempDir(), "pr.json")
	p := newPlace(t) // after the directories: its daemon works in them until it has ended
	script := "#!/bin/sh\ncase \"$1 $2 $3\" in\n'auth status '*) ;;\n'pr view topic') cat " + says + ";;\n*) echo 'no pull requests found' >&2; exit 1;;\nesac\n"
	write := func(file, text string, mode os.FileMode) {
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(bin, "gh"), script, 0o700)
	write(says, `{"number":12,"url":"https://example.org/12","title":"topic","state":"OPEN","statusCheckRollup":[{"name":"test","status":"COMPLETED","conclusion":"FAILURE"}]}`, 0o600)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	if err := os.MkdirAll(repo, 0o700); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("remote", "add", "origin", "https://github.com/x/y")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	git("worktree", "add", "-q", "-b", "topic", repo+"-topic")
	git("update-ref", "refs/remotes/origin/topic", "HEAD")
	p.run()
	at := func(dir string) string {
		var v api.Session
		p.call("POST", "/v1/sessions", api.NewSession{CWD: dir, Argv: sh("sleep 1000"), Worktree: "-"}, &v)
		return v.ID
	}
	main, topic := at(repo), at(repo+"-topic")
	show := func(id string) (v api.Session) {
		p.call("GET", "/v1/sessions/"+id, nil, &v)
		return v
	}
	until(t, "the pull request is shown", func() bool {
		line, bad := show(topic).PullRequestLine()
		return line == "#12 ✗" && bad && strings.HasPrefix(show(topic).PullRequest.URL, "https://")
	})
	if v := show(main); v.PullRequest != nil {
		t.Errorf("the default branch shows %+v", v.PullRequest)
	}
}
