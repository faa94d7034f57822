package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

func newLsCmd(a *app) *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:     "ls [--all] [-q] [--json]",
		Aliases: []string{"list"},
		Short:   "List the sessions with their states",
		Example: `  ccdir ls
  ccdir ls --all
  ccdir ls --json | jq -r '.[] | select(.state == "waiting_for_permission") | .name'`,
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.connected(func(ctx context.Context, c *client.Client, _ []string) error {
			warn := a.warnUnsaved(ctx, c)
			list, err := c.Sessions(ctx)
			if err != nil {
				return err
			}
			warn()
			return printList(a, list, quiet, func(s api.Session) string { return s.ID }, func() error {
				if len(list) == 0 && a.several {
					return nil
				}
				if len(list) == 0 {
					fmt.Fprintln(a.Stderr, "no sessions: start one with `ccdir new`")
					return nil
				}
				return a.printSessions(list)
			})
		}),
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "ids only")
	a.allFlag(cmd)
	a.jsonFlag(cmd, "print a JSON array of sessions")
	return cmd
}

// warnUnsaved asks whether the daemon can save changes, beside another call; the function that it
// returns says on standard error that it cannot.
func (a *app) warnUnsaved(ctx context.Context, c *client.Client) (warn func()) {
	unsaved := make(chan string, 1)
	go func() {
		srv, err := c.Health(ctx)
		if err != nil {
			srv.Unsaved = ""
		}
		unsaved <- srv.Unsaved
	}()
	return func() {
		if why := <-unsaved; why != "" {
			fmt.Fprintln(a.Stderr, "warning: not saved: "+textsafe.Line(why))
		}
	}
}

func (a *app) printSessions(list []api.Session) error {
	now := time.Now()
	slices.SortStableFunc(list, func(x, y api.Session) int {
		return cmp.Compare(x.Standing(now).Rank(), y.Standing(now).Rank())
	})
	t := table{}
	t.row(plain("ID", "NAME", "STATE", "FOR", "WHERE", "")...)
	for _, s := range list {
		r := plain(s.ID, s.Name, "", age(now, s.Since), a.whereText(s), s.Headline(now))
		r[2] = a.standingCell(s, now)
		t.row(r...)
	}
	return t.writeWithin(a.out, a.colours(), a.columns())
}

// standingCell is a session's standing: sign, words, colour.
func (a *app) standingCell(s api.Session, now time.Time) cell {
	standing := s.Standing(now)
	return cell{text: standing.Sign(!a.unicode()) + " " + stateWords(s, now), sgr: standingSGR(standing)}
}

// stateCell is a session's standing, with its state where that says more.
func (a *app) stateCell(s api.Session) cell {
	now := time.Now()
	c := a.standingCell(s, now)
	if s.State.NeedsPerson() {
		c.text += " (" + string(s.State) + ")"
	}
	return c
}

// stateWords returns the session's standing in words.
func stateWords(s api.Session, now time.Time) string {
	words := s.StandingWord(now)
	if s.Standing(now) == api.StandingSnoozed {
		words += " until " + clock(now, s.SnoozedUntil)
	}
	if s.Queued > 0 {
		words += fmt.Sprintf(" +%d", s.Queued)
	}
	if s.Pending > 0 {
		words += fmt.Sprintf(", %d later", s.Pending)
	}
	return words
}

// whereText returns the branch, or the directory of a session outside of repositories.
func (a *app) whereText(s api.Session) string {
	if s.Branch == "" {
		return tail(a.shortPath(s.CWD), 24)
	}
	s.Branch = tail(s.Branch, 24)
	return s.BranchLine()
}

func newShowCmd(a *app) *cobra.Command {
	return showVerb(a, &cobra.Command{
		Use:   "show SESSION [--json]",
		Short: "Show everything about one session",
		Example: `  ccdir show api
  ccdir show api --json | jq .pid`,
		ValidArgsFunction: a.completeSession,
	}, "SESSION", "print the session as JSON", session, a.printSession)
}

// failureText is why a turn failed, in one line; "" without a failure.
func failureText(f *api.TurnFailure) string {
	if f == nil {
		return ""
	}
	text := string(f.Kind) + ": " + f.Message
	if !f.RetryAt.IsZero() {
		text += " (again from " + f.RetryAt.Local().Format(time.DateTime) + ")"
	}
	return text
}

func (a *app) printSession(s api.Session) error {
	t := table{}
	add := func(key, value string) { t.row(plain(key, value)...) }
	add("id", s.ID)
	add("name", s.Name)
	add("agent", strings.TrimSpace(orNone(s.AgentLine())+" "+s.Model))
	t.row(cell{text: "state"}, a.stateCell(s))
	for _, kv := range [][2]string{{"no policy", s.Unguarded}, {"asks", s.Asks}, {"failure", failureText(s.Failure)}, {"answer", s.Answer}, {"prompt", s.Prompt}, {"usage", s.UsageLine()}, {"branch", s.BranchLine()}} {
		if kv[1] != "" {
			add(kv[0], kv[1])
		}
	}
	add("since", s.Since.Local().Format(time.DateTime))
	add("created", s.Created.Local().Format(time.DateTime))
	add("directory", s.CWD)
	add("size", sizeText(s))
	add("pid", pidText(s.PID))
	add("host pid", pidText(s.HostPID))
	add("host version", orNone(s.HostVersion))
	add("command", orNone(strings.Join(quoteArgs(s.Argv), " ")))
	add("exit code", exitText(s))
	for _, kv := range [][2]string{{"title", s.Title}, {"conversation", s.Conversation}, {"task", s.Task}, {"question", s.Question}, {"error", s.Error}} {
		if kv[1] != "" {
			add(kv[0], kv[1])
		}
	}
	if s.Tool != "" {
		add("asks about", s.Tool+" "+string(s.Input))
	}
	if now := time.Now(); s.PutOff(now) {
		add("put off until", clock(now, s.SnoozedUntil))
	}
	if s.AnswerInPane {
		add("to answer", "in the pane: ↑ ↓ choose, Enter answers, Esc refuses (or `ccdir keys "+s.Name+" KEY`)")
	}
	for i, q := range s.QueuedPrompts {
		add(fmt.Sprintf("queued %d", i+1), q)
	}
	if s.Pending > 0 {
		add("for later", fmt.Sprintf("%d (`ccdir pending %s`)", s.Pending, s.Name))
	}
	if s.Undelivered != "" {
		add("undelivered", s.Undelivered)
	}
	if s.Unread {
		add("unread", "yes")
	}
	return t.write(a.out, a.colours())
}

// sizeText returns the size of a session's pane; "-" for one without a pane.
func sizeText(s api.Session) string {
	if s.External {
		return "outside"
	}
	return fmt.Sprintf("%dx%d", s.Cols, s.Rows)
}

// quoteArgs quotes arguments with blanks or quotes.
func quoteArgs(args []string) []string {
	out := make([]string, len(args))
	for i, s := range args {
		out[i] = s
		if s == "" || strings.ContainsAny(s, " \t\n\"'\\") {
			out[i] = fmt.Sprintf("%q", s)
		}
	}
	return out
}

func newExplainCmd(a *app) *cobra.Command {
	explain := func(c *client.Client, ctx context.Context, ref string) (api.Explanation, error) {
		e, err := c.Explain(ctx, ref)
		if e.Overruled == nil {
			e.Overruled = []api.Overruled{}
		}
		return e, err
	}
	return showVerb(a, &cobra.Command{
		Use:               "explain SESSION [--json]",
		Short:             "Tell which evidence gave a session its state",
		Example:           `  ccdir explain api`,
		ValidArgsFunction: a.completeSession,
	}, "SESSION", "print the explanation as JSON", explain, a.printExplanation)
}

func (a *app) printExplanation(e api.Explanation) error {
	now := time.Now()
	t := table{}
	t.row(cell{text: "state"}, cell{text: textsafe.Line(string(e.State)), sgr: standingSGR(e.State.Standing())})
	t.row(plain("for", age(now, e.Since))...)
	if e.Rule != "" {
		t.row(plain("rule", e.Rule)...)
	}
	t.row(plain("because", orNone(e.Reason))...)
	if e.Winner != nil {
		t.row(plain("evidence", evidenceText(now, *e.Winner))...)
	}
	for _, o := range e.Overruled {
		t.row(plain("overruled", evidenceText(now, o.Evidence)+": "+o.Reason)...)
	}
	for _, c := range e.Changes {
		t.row(plain("would change", c)...)
	}
	for _, l := range e.Lacks {
		t.row(plain("lacks", l)...)
	}
	return t.write(a.out, a.colours())
}

func evidenceText(now time.Time, e api.Evidence) string {
	text := string(e.Source) + " " + e.Name
	if e.Says != "" {
		text += " says " + string(e.Says)
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	if len(e.Fields) > 0 {
		if data, err := json.Marshal(e.Fields); err == nil {
			text += " " + string(data)
		}
	}
	return text + ", " + age(now, e.At) + " ago"
}
