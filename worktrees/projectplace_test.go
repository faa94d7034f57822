package worktrees

import (
	"strings"
	"testing"

	"ccdir/api"
)

// TestProjectPlace: a project's file puts work trees into the repository or beside it, and nowhere
// else; the person's own configuration puts them anywhere.
func TestProjectPlace(t *testing.T) {
	r := &Repo{Root: "/home/u/src/app", Common: "/home/u/src/app/.git"}
	anywhere := ""
	k := &Keeper{o: Options{Home: "/home/u", Trees: "/home/u/.local/state/ccdir/worktrees", Place: func() string { return anywhere }}}
	for place, want := range map[string]string{
		"":                                       "/home/u/.local/state/ccdir/worktrees/app/fix",
		"{root}.{branch}":                        "/home/u/src/app.fix",
		"../{repo}-trees/{branch}":               "/home/u/src/app-trees/fix",
		".worktrees":                             "/home/u/src/app/.worktrees/fix",
		"~/.ssh/{branch}":                        "",
		"~/.config/x":                            "",
		"../.hidden":                             "",
		"../x/.y/{branch}":                       "",
		"/etc/{branch}":                          "",
		"../../other":                            "",
		"~/.local/state/ccdir/sessions/{branch}": "",
		".git/x":                                 "",
	} {
		got, err := k.placeFor(r, api.NewWorktree{Branch: "fix"}, Settings{Place: place})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("place %q: %q, %v", place, got, err)
		}
	}
	anywhere = "~/.trees/{repo}"
	if got, err := k.placeFor(r, api.NewWorktree{Branch: "fix"}, Settings{}); err != nil || got != "/home/u/.trees/app/fix" {
		t.Errorf("%q, %v", got, err)
	}
	_, err := k.placeFor(r, api.NewWorktree{Branch: "fix"}, Settings{Place: "~/x"})
	if err == nil || !strings.Contains(err.Error(), "worktree_place") {
		t.Errorf("%v", err)
	}
}
