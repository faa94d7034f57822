package repositories_test

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// TestBranchIsShown: a session shows the branch around its directory soon after something happened
// there: commits that its target lacks, and files that changed; one outside of repositories nothing.
func TestBranchIsShown(t *testing.T) {
	inBubble(t, func(_ *testing.T, p *place) {
		topic := p.tree("topic")
		p.session("a", topic, nil)
		p.session("none", p.fake, nil)
		p.run()
		p.shows("at the start", "a", time.Second, func(s api.Session) bool { return s.Branch == "topic" && s.Ahead == 0 && s.Changed == 0 })
		p.put(filepath.Join(topic, "b.txt"), "b\n")
		p.commit(topic, "second")
		p.put(filepath.Join(topic, "c.txt"), "c\n")
		p.happens("a", false)
		p.shows("after an event", "a", 10*time.Second, func(s api.Session) bool { return s.Ahead == 1 && s.Changed == 1 })
		p.session("later", p.dir, nil)
		p.shows("a new session", "later", time.Second, func(s api.Session) bool { return s.Branch == "main" })
		if s, _ := p.log.Session("none"); s.Branch != "" {
			p.t.Errorf("outside of repositories it shows %q", s.Branch)
		}
	})
}

// TestConflictsAreShown: two sessions whose work would collide show one another at the end of a
// turn or soon after something happened, and no longer once it would not; asked for, conflicts are found at once, and shown too.
func TestConflictsAreShown(t *testing.T) {
	inBubble(t, func(_ *testing.T, p *place) {
		one, two := p.tree("one"), p.tree("two")
		p.session("a", one, nil)
		p.session("b", two, nil)
		p.session("apart", p.dir, nil)
		end := p.run()
		synctest.Wait()
		p.put(filepath.Join(one, "a.txt"), "ONE\ntwo\nthree\n")
		p.put(filepath.Join(two, "a.txt"), "eins\ntwo\nthree\n")
		p.happens("a", true)
		p.happens("b", true)
		clash := func(with string) func(api.Session) bool {
			return func(s api.Session) bool {
				return len(s.Clashes) == 1 && s.Clashes[0] == api.Clash{Session: with, Name: "name-" + with, Kind: api.ConflictLines, Path: "a.txt"}
			}
		}
		none := func(s api.Session) bool { return len(s.Clashes) == 0 }
		p.shows("both changed a line", "a", time.Minute, clash("b"))
		p.shows("both changed a line", "b", time.Minute, clash("a"))
		p.shows("another is not concerned", "apart", 0, none)
		p.put(filepath.Join(two, "a.txt"), "one\ntwo\nthree\n")
		p.happens("b", true)
		p.shows("one took it back", "a", time.Minute, none)
		p.shows("one took it back", "b", time.Minute, none)

		time.Sleep(time.Second) // an event after the last look
		p.put(filepath.Join(two, "a.txt"), "uno\ntwo\nthree\n")
		p.happens("b", false)
		p.shows("in the middle of a turn", "a", time.Minute, clash("b"))

		end()
		p.put(filepath.Join(one, "a.txt"), "one\ntwo\nthree\n")
		if list, err := p.Conflicts(p.t.Context(), ""); err != nil || len(list) != 0 {
			p.t.Errorf("asked for: %+v %v", list, err)
		}
		p.shows("what was found when asked", "b", 0, none)
		p.put(filepath.Join(one, "a.txt"), "un\ntwo\nthree\n")
		if list, err := p.Conflicts(p.t.Context(), two); err != nil || len(list) != 1 || list[0].Repo != p.dir {
			p.t.Errorf("asked for: %+v %v", list, err)
		}
		p.shows("what was found when asked", "a", 0, clash("b"))
	})
}

// shown reports whether a session shows a pull request in a state.
func shown(state string) func(api.Session) bool {
	return func(s api.Session) bool { return s.PullRequest != nil && s.PullRequest.State == state }
}

func unshown(s api.Session) bool { return s.PullRequest == nil }

const (
	openRequest   = `{"number":7,"url":"https://example.org/7","title":"t","state":"OPEN"}`
	mergedRequest = `{"number":7,"url":"https://example.org/7","title":"t","state":"MERGED"}`
)

// TestPullRequestIsFollowed: the forge is asked about branches that were pushed only, each minute
// while the pull request is open, each five otherwise, not at all once no session is there, and
// soon after something happened.
func TestPullRequestIsFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T, p *place) {
		topic := p.tree("topic")
		p.put(filepath.Join(p.fake, "pr.json"), openRequest)
		p.session("a", topic, nil)
		p.session("main", p.dir, nil)
		p.run()
		time.Sleep(time.Hour)
		if n := p.calls(); n != 0 {
			t.Fatalf("asked %d times about branches that no forge knows", n)
		}
		p.git(topic, "push", "-q", "origin", "topic")
		p.happens("a", false)
		p.shows("it was pushed", "a", 45*time.Second, shown(api.PullRequestOpen))
		p.calls()
		time.Sleep(time.Hour + time.Second)
		if n := p.calls(); n != 60 {
			t.Errorf("open: asked %d times in an hour", n)
		}
		p.put(filepath.Join(p.fake, "pr.json"), mergedRequest)
		p.shows("it was merged", "a", 61*time.Second, shown("merged"))
		p.calls()
		time.Sleep(time.Hour + time.Second)
		if n := p.calls(); n != 12 {
			t.Errorf("merged: asked %d times in an hour", n)
		}
		p.happens("a", false)
		time.Sleep(40 * time.Second)
		for range 20 {
			p.happens("a", false)
			time.Sleep(time.Second)
		}
		if n := p.calls(); n != 2 {
			t.Errorf("asked %d times while much happened", n)
		}
		p.session("a", "", func(s *api.Session) { s.State = api.StateExited })
		time.Sleep(10 * time.Minute)
		p.calls()
		time.Sleep(time.Hour)
		if n := p.calls(); n != 0 {
			t.Errorf("asked %d times though no session is there", n)
		}
		p.shows("it has ended, and keeps what it showed", "a", 0, shown("merged"))
		if s, _ := p.log.Session("main"); s.PullRequest != nil {
			t.Errorf("the default branch shows %+v", s.PullRequest)
		}
	})
}

// TestForgeWithoutSignIn: a forge's program that is signed out is left alone for ten minutes, and
// what sessions show stays. With pull requests switched off nothing is asked or shown.
func TestForgeWithoutSignIn(t *testing.T) {
	inBubble(t, func(t *testing.T, p *place) {
		topic := p.tree("topic")
		p.git(topic, "push", "-q", "origin", "topic")
		p.put(filepath.Join(p.fake, "pr.json"), openRequest)
		p.put(filepath.Join(p.fake, "signed-out"), "")
		p.session("a", topic, nil)
		p.run()
		time.Sleep(9 * time.Minute)
		p.happens("a", false)
		p.remove(filepath.Join(p.fake, "signed-out"))
		time.Sleep(50 * time.Second)
		if n := p.calls(); n != 0 {
			t.Errorf("asked %d times", n)
		}
		p.shows("signed in", "a", 2*time.Minute, shown(api.PullRequestOpen))
		p.config.PullRequests = false
		p.shows("switched off", "a", 2*time.Minute, unshown)
		p.calls()
		time.Sleep(time.Hour)
		if n := p.calls(); n != 0 {
			t.Errorf("switched off: asked %d times", n)
		}
	})
}

// TestRunEnds: a forge that hangs holds nobody up for more than its time, and Run ends with its
// context while it hangs.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t) // the real clock: the program really hangs
	topic := p.tree("topic")
	p.git(topic, "push", "-q", "origin", "topic")
	p.put(filepath.Join(p.fake, "hang"), "")
	p.session("a", topic, nil)
	end := p.run()
	p.shows("branches go on", "a", time.Minute, func(s api.Session) bool { return s.Branch == "topic" })
	for deadline := time.Now().Add(time.Minute); p.calls() == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the forge is not asked")
		}
	}
	end() // the test hangs if it does not
}
