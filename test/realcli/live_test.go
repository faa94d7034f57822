package realcli

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/test/fakeapi"
)

var liveAll = flag.Bool("live-all", false, "play every scenario in sessions of ccdir, with every version")

// liveOnes are scenarios that always run: those in which a request is held, or that
// need something that a session has and a pane lacks (its file is read as the product
// does).
var liveOnes = []string{"permission-yes", "permission-escape", "permission-no", "two-permissions", "two-tools-at-once", "question", "question-escape",
	"question-several", "plan-escape", "panel-while-busy", "background-task", "escape-while-streaming", "clear", "auto-unjudged", "killed-in-dialog", "trust"}

// silentOnes are those that are played always without a program status too: what a
// person answers in the pane is then seen on the screen that the host tells.
var silentOnes = []string{"permission-yes", "permission-no", "two-permissions"}

// TestProductStates plays scenarios in sessions of ccdir, whose requests are held, and
// compares the states that a watcher gets with the truth.
func TestProductStates(t *testing.T) {
	t.Parallel()
	Claude(t)
	p := Install(t, Home(t, ""))
	p.Run(limit(t), "daemon", "start")
	t.Run("scenarios", func(t *testing.T) {
		for i, v := range castings() {
			for _, sc := range scenarios() {
				always := i == 0 && slices.Contains(liveOnes, sc.name) || v.noPSP && slices.Contains(silentOnes, sc.name)
				if !*liveAll && !always {
					continue
				}
				if sc.unheld || sc.chance || sc.only != nil && !sc.only(v) {
					continue
				}
				t.Run(v.name+"/"+sc.name, func(t *testing.T) {
					t.Parallel()
					play := func(slack int64) []string { return playLive(t, p.with(t), sameScenario(sc.name), v, slack) }
					if wrong := playAgain(t, watchMachine, play); len(wrong) > 0 {
						t.Errorf("the state is wrong:\n%s", strings.Join(wrong, "\n"))
					}
				})
			}
		}
	})
}

// playLive plays one scenario in a session of the product's and returns where the
// state was wrong, with what was seen. The tolerances are multiplied by slack.
func playLive(t *testing.T, p *Product, sc scenario, v variant, slack int64) (wrong []string) {
	fake := fakeapi.New(sc.script)
	defer fake.Close()
	ctx, cancel := context.WithTimeout(t.Context(), sceneLimit)
	defer cancel()
	place := HomeWith(t, fake.URL(), sc.seed)
	if sc.prepare != nil {
		sc.prepare(t, &place)
	}
	opt := Options{Place: place, Args: sc.args, NoPSP: v.noPSP, Version: v.version, CLI: v.cli(t), ExtraEnv: sc.env}
	l := OpenLive(ctx, t, p, opt)
	s := &Scene{Stage: l, Fake: fake, Conversation: func() string { return p.Show(ctx, l.id).Conversation }, opt: opt, ctx: ctx, t: t}
	sc.play(s)
	real := truth(s.Entries())
	// States that are not shown by now are missed: the judge needs some time to decide
	// that.
	for last := real[len(real)-1]; time.Since(l.start).Milliseconds() < last.from+5*graceMS*slack+1; {
		if shown := l.States(); last.state == Unsaid || shown[len(shown)-1].state == last.state {
			break
		}
		s.Pass(10 * time.Millisecond)
	}
	shown, end := l.States(), time.Since(l.start).Milliseconds()
	t.Logf("delays in ms: %s", strings.Join(delays(real, shown), ", "))
	if wrong = judge(real, shown, end, slack); len(wrong) > 0 {
		wrong = append(wrong, l.Log())
	}
	return wrong
}
