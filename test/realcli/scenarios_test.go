package realcli

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/test/fakeapi"
)

// scenario is one thing that happens to people, played with the real CLI.
type scenario struct {
	name string
	// script answers the API; nil is Echo.
	script fakeapi.Script
	seed   Seed
	args   []string
	env    []string
	// prepare changes the home before the CLI starts.
	prepare func(t *testing.T, p *Place)
	// only selects variants; nil is all.
	only func(v variant) bool
	// chance: the outcome is random, so the state is not checked.
	chance bool
	// unheld: it is played only where requests are not held.
	unheld bool
	play   func(s *Scene)
}

// newest selects the version with a program status.
func newest(v variant) bool { return v.version == "" && !v.noPSP }

// current selects the newest version, with and without an answer to its query; its
// auto mode asks the API for a verdict, other than that of the older one.
func current(v variant) bool { return v.version == "" }

// scenarios are all of them, with their gates closed.
func scenarios() []scenario {
	return slices.Concat(plainScenarios(), gatedScenarios(), dialogScenarios(), turnScenarios(), keyScenarios(), momentScenarios(), oddScenarios())
}

// liveSlack is how much more time than in the recordings a scenario gets that is
// played beside others.
const liveSlack = 3

// variant is a version of the CLI, with or without an answer to its OSC 7501
// query.
type variant struct {
	name    string
	cli     func(testing.TB) string
	version string // "" is Version
	noPSP   bool
}

// castings are the variants that every scenario is played with. CCDIR_TEST_CLAUDE with
// CCDIR_TEST_CLAUDE_VERSION plays another version instead, CCDIR_NO_PSP=1 leaves
// its query without an answer.
func castings() []variant {
	if version := os.Getenv("CCDIR_TEST_CLAUDE_VERSION"); version != "" {
		return []variant{{"claude-" + version, Claude, version, os.Getenv("CCDIR_NO_PSP") != ""}}
	}
	return []variant{
		{"claude-" + Version, Claude, "", false},
		{"claude-" + Version + "-nopsp", Claude, "", true},
		{"claude-" + Older, ClaudeOlder, Older, false},
	}
}

var allCastings = flag.Bool("all-castings", false, "play every scenario with every variant")

// turns reports whether the n-th scenario is the variant's turn. The newest version with
// its status plays all. Of those that both variants without a status can play, each
// plays every eighth; what was recorded with each is folded by TestFoldOnTimelines.
func (v variant) turns(n int, sc scenario, record string) bool {
	list := castings()
	if *allCastings || record != "" || len(list) == 1 || !v.noPSP && v.version == "" {
		return true
	}
	if slices.ContainsFunc(list[1:], func(o variant) bool { return sc.only != nil && !sc.only(o) }) {
		return true
	}
	if v.noPSP {
		return n%8 == 0
	}
	return n%8 == 4
}

// TestScenarios plays every scenario with the newest version, and some without a status
// with it or the older one (with -all-castings every one with each), and folds the
// evidence: the state must be right at all times. With CCDIR_RECORD=DIR it writes the
// timelines there, in a directory for each variant.
func TestScenarios(t *testing.T) {
	record := os.Getenv("CCDIR_RECORD")
	for _, v := range castings() {
		t.Run(v.name, func(t *testing.T) {
			cli := v.cli(t)
			if record == "" {
				t.Parallel() // a recording wants the machine for itself
			}
			for n, sc := range scenarios() {
				if sc.only != nil && !sc.only(v) || !v.turns(n, sc, record) {
					continue
				}
				t.Run(sc.name, func(t *testing.T) {
					if record == "" {
						t.Parallel()
					}
					play := func(slack int64) []string { return playScenario(t, sameScenario(sc.name), v, cli, record, slack) }
					if record != "" {
						play(liveSlack)
					} else if wrong := playAgain(t, watchMachine, play); len(wrong) > 0 {
						t.Errorf("the state is wrong:\n%s", strings.Join(wrong, "\n"))
					}
				})
			}
		})
	}
}

// sceneLimit is a time that only a failing scenario takes.
const sceneLimit = 2 * time.Minute

// sameScenario is the scenario of that name, to be played anew.
func sameScenario(name string) scenario {
	list := scenarios()
	return list[slices.IndexFunc(list, func(sc scenario) bool { return sc.name == name })]
}

// playScenario plays one and returns where the fold was wrong, with what was seen. The
// tolerances are multiplied by slack.
func playScenario(t *testing.T, sc scenario, v variant, cli, record string, slack int64) (wrong []string) {
	fake := fakeapi.New(sc.script)
	defer fake.Close()
	ctx, cancel := context.WithTimeout(t.Context(), sceneLimit)
	defer cancel()
	place := HomeWith(t, fake.URL(), sc.seed)
	if sc.prepare != nil {
		sc.prepare(t, &place)
	}
	opt := Options{Place: place, Args: sc.args, NoPSP: v.noPSP, Version: v.version, CLI: cli, ExtraEnv: sc.env}
	pane := Open(t, shipped(), opt)
	s := &Scene{Stage: pane, Fake: fake, Conversation: func() string { return pane.Conversation }, opt: opt, ctx: ctx, t: t}
	sc.play(s)
	wrong, _ = replay(Recording{Entries: s.Entries()}, slack)
	// The last evidence may be on its way.
	for begun := time.Now(); len(wrong) > 0 && !sc.chance && time.Since(begun) < graceMS*time.Duration(slack)*time.Millisecond; {
		s.Pass(50 * time.Millisecond)
		wrong, _ = replay(Recording{Entries: s.Entries()}, slack)
	}
	if record != "" {
		version := v.version
		if version == "" {
			version = Version
		}
		s.Record(sc.name, version, filepath.Join(record, v.name))
	}
	if testing.Verbose() {
		t.Logf("\n%s\n%s", s.Text(), s.Log())
	}
	if sc.chance || len(wrong) == 0 {
		return nil
	}
	return append(wrong, s.Log())
}
