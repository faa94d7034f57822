package sessionlist

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// named is a session that began after seconds after the epoch.
func named(id, name string, st api.State, after time.Duration) api.Session {
	at := epoch.Add(after * time.Second)
	return api.Session{ID: id, Name: name, Agent: "claude", State: st, CWD: "/work", Created: at, Since: at}
}

// listed are rows in words.
func listed(rows []Row) string {
	var out []string
	for _, r := range rows {
		if r.Heading != "" {
			out = append(out, fmt.Sprintf("%s%s(%d):", r.Node, r.Heading, r.Count))
		} else {
			out = append(out, r.Session.Name)
		}
	}
	return strings.Join(out, " ")
}

// TestRows: orders, groups and filters.
func TestRows(t *testing.T) {
	at := func(v api.Session, since time.Duration, f func(*api.Session)) api.Session {
		v.Since = epoch.Add(since)
		if f != nil {
			f(&v)
		}
		return v
	}
	src := Source{
		Sessions: []api.Session{
			at(named("1", "exited", api.StateExited, 0), 0, nil),
			at(named("2", "idle", api.StateIdle, 0), 0, func(v *api.Session) { v.CWD = "/a/shop/web" }),
			at(named("3", "done", api.StateIdle, 0), 5, func(v *api.Session) { v.Unread, v.Prompt = true, "x" }),
			at(named("4", "works", api.StateWorking, 0), 0, func(v *api.Session) { v.Prompt = "paint the\n fence"; v.CWD = "/a/shop" }),
			at(named("5", "asks-late", api.StateInput, 0), 9, nil),
			at(named("6", "asks-early", api.StateInput, 0), 3, nil),
			at(named("7", "permission", api.StatePermission, 0), 20, func(v *api.Session) { v.CWD = "/a/shop" }),
			at(named("8", "Boss", api.StateWorking, 0), 0, nil),
			at(named("9", "other", api.StateIdle, 0), 0, func(v *api.Session) { v.External = true }),
		},
		Requests: []api.Request{{ID: "r", Session: "8"}},
		Hidden:   map[string]bool{"2": true},
		Projects: map[string]string{"/a/shop/web": "/a/shop", "/a/shop": "/a/shop"},
	}
	for _, c := range []struct {
		opt    api.GridList
		filter string
		want   string
	}{
		{api.GridList{}, "", "Boss asks-early asks-late permission done works idle other exited"},
		{api.GridList{Sort: "name"}, "", "asks-early asks-late Boss done exited idle other permission works"},
		{api.GridList{Sort: "grid"}, "", "exited idle done works asks-late asks-early permission Boss other"},
		{api.GridList{Group: true}, "", "/work(6): Boss asks-early asks-late done other exited /a/shop(3): permission works idle"},
		{api.GridList{}, "waiting_for_input", "asks-early asks-late"},
		{api.GridList{}, "shop", "permission works idle"},
		{api.GridList{}, "FENCE", "works"}, {api.GridList{}, "hidden", "idle"}, {api.GridList{}, "outside", "other"},
		{api.GridList{}, "akly", "asks-early"}, {api.GridList{}, "shop work", "works"}, {api.GridList{}, "zzz", ""},
	} {
		src.Opt = c.opt
		if got := listed(src.Rows(c.filter)); got != c.want {
			t.Errorf("%+v %q: %s\nwant %s", c.opt, c.filter, got, c.want)
		}
	}
}

func TestProjectOf(t *testing.T) {
	files := map[string]string{"/a/b/.git": "", "/.git": "", "/trees/b/fix/.git": "gitdir: /a/b/.git/worktrees/fix\n", "/trees/b/near/.git": "gitdir: ../../../a/b/.git/worktrees/near\n",
		"/a/b/sub/.git": "gitdir: ../.git/modules/sub\n", "/trees/bare/.git": "gitdir: /srv/r.git/worktrees/bare\n", "/odd/.git": "no repository"}
	git := func(path string) (string, bool) { text, ok := files[path]; return text, ok }
	for dir, want := range map[string]string{"/a/b/c/d": "/a/b", "/a/b": "/a/b", "/a": "/", "rel/x": "rel/x", "": "",
		"/trees/b/fix/cmd": "/a/b", "/trees/b/near": "/a/b", "/a/b/sub/x": "/a/b/sub", "/trees/bare": "/srv/r.git", "/odd": "/odd"} {
		if got := ProjectOf(dir, git); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
	if got := ProjectOf("/x/y", func(string) (string, bool) { return "", false }); got != "/x/y" {
		t.Errorf("without a repository: %q", got)
	}
}

// TestGroupedByMachine: the same directory of two machines are two projects, and this machine's
// file system says nothing about another's.
func TestGroupedByMachine(t *testing.T) {
	far, here := named("gpu1/1", "gpu1/api", api.StateIdle, 0), named("2", "web", api.StateIdle, 0)
	far.Node = "gpu1"
	src := Source{Sessions: []api.Session{here, far}, Projects: map[string]string{"/work": "/"}, Opt: api.GridList{Group: true}}
	if got := listed(src.Rows("")); got != "/(1): web gpu1/work(1): gpu1/api" {
		t.Error(got)
	}
}

// TestPinsAndGroups: pinned ones stand first, by need behind those that ask; a group has a heading of its own,
// is found by its name, and is a scope.
func TestPinsAndGroups(t *testing.T) {
	pinned, grouped, asks := named("2", "pinned", api.StateIdle, 0), named("3", "grouped", api.StateIdle, 0), named("4", "asks", api.StateInput, 0)
	pinned.Marks.Pinned, grouped.Marks = true, api.Marks{Group: "shop", Note: "waits for Ann"}
	src := Source{Sessions: []api.Session{named("1", "done", api.StateIdle, 0), grouped, pinned, asks}}
	for opt, want := range map[api.GridList]string{
		{}: "asks pinned done grouped", {Sort: ByName}: "pinned asks done grouped", {Sort: ByGrid}: "pinned done grouped asks",
		{Group: true}: "/work(3): asks pinned done #shop(1): grouped",
	} {
		src.Opt = opt
		if got := listed(src.Rows("")); got != want {
			t.Errorf("%+v: %s, want %s", opt, got, want)
		}
	}
	src.Opt = api.GridList{}
	for _, filter := range []string{"shop", "Ann"} {
		if got := listed(src.Rows(filter)); got != "grouped" {
			t.Errorf("filter %s: %s", filter, got)
		}
	}
	scopes := src.Scopes()
	if len(scopes) != 2 || scopes[0].Group != "shop" || scopes[1].Repository != "/work" || scopes[1].Sessions != 4 || ScopeName(scopes[0].GridScope) != "#shop" {
		t.Errorf("scopes %+v", scopes)
	}
	if !src.In(scopes[0].GridScope, grouped) || src.In(scopes[0].GridScope, pinned) {
		t.Error("a group as a scope")
	}
}
