package session

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
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// Ls makes the verb `ls`.
func Ls(a *verb.App) *cobra.Command {
	var quiet bool
	cmd := &cobra.Command{
		Use:     "ls [--all] [-q] [--json]",
		Aliases: []string{"list"},
		Short:   "List the sessions with their states",
		Example: `  ccdir ls
  ccdir ls --all
  ccdir ls --json | jq -r '.[] | select(.state == "waiting_for_permission") | .name'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			warn := warnUnsaved(ctx, a, c)
			list, err := c.Sessions(ctx)
			if err != nil {
				return err
			}
			warn()
			return verb.PrintList(a, list, quiet, func(s api.Session) string { return s.ID }, func() error {
				unseen, err := c.UnseenTasks(ctx)
				if err != nil {
					return err
				}
				return printSessions(a, list, api.News(unseen))
			})
		}),
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "ids only")
	a.AllFlag(cmd)
	a.JSONFlag(cmd, "print a JSON array of sessions")
	return cmd
}

// warnUnsaved asks whether the daemon can save changes, beside another call; the function that it
// returns says on standard error that it cannot.
func warnUnsaved(ctx context.Context, a *verb.App, c *client.Client) (warn func()) {
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

// printSessions prints sessions, and with them what failed in the queue, those that need a
// person first; on stderr what the queue has done since a person looked.
func printSessions(a *verb.App, list []api.Session, news api.TaskNews) error {
	now := time.Now()
	slices.SortStableFunc(list, func(x, y api.Session) int {
		return cmp.Or(cmp.Compare(place(x, now), place(y, now)), cmp.Compare(x.Standing(now).Rank(), y.Standing(now).Rank()))
	})
	failed := news.Apart(list, now)
	t, rows := verb.Table{}, len(list)+len(failed)
	head := verb.Plain("ID", "NAME", "STATE", "FOR", "WHERE", "")
	marked := slices.ContainsFunc(list, func(s api.Session) bool { return noted(s.Marks) != "" })
	if marked {
		head = slices.Insert(head, whereColumn+1, verb.Plain("NOTED")...)
	}
	t.Row(head...)
	for _, s := range belowOwners(list) {
		if s.Beside == nil && s.Standing(now) != api.StandingAsks {
			taskRows(a, &t, failed, now, marked)
			failed = nil
		}
		name := s.Name
		if s.Beside != nil && s.Beside.Floating {
			name = "└ " + name
			if !a.Unicode() {
				name = "` " + s.Name
			}
		}
		r := verb.Plain(s.ID, name, "", verb.Age(now, s.Since), whereText(a, s), s.Headline(now))
		r[2] = standingCell(a, s, now)
		if marked {
			r = slices.Insert(r, whereColumn+1, verb.Plain(noted(s.Marks))...)
		}
		t.Row(r...)
	}
	taskRows(a, &t, failed, now, marked)
	if rows > 0 {
		if err := t.WriteWithin(a.Out, a.Colours(), a.Columns()); err != nil {
			return err
		}
	} else if a.Part == verb.Whole {
		fmt.Fprintln(a.Stderr, "no sessions: start one with `ccdir new`")
	}
	if text := news.String(); text != "" {
		fmt.Fprintln(a.Stderr, "queue: "+text+": `ccdir task ls` shows them, `ccdir task seen` notes that you have looked")
	}
	return nil
}

// whereColumn is the column of the branch or directory.
const whereColumn = 4

// place is where a session stands in the list: what asks, what a person has pinned, the others.
func place(s api.Session, now time.Time) int {
	switch {
	case s.Standing(now) == api.StandingAsks:
		return 0
	case s.Marks.Pinned:
		return 1
	}
	return 2
}

// noted is what a person has noted of a session, short; "" for nothing.
func noted(m api.Marks) string {
	parts := []string{textsafe.Cut(textsafe.Line(m.Group), 16), textsafe.Cut(textsafe.Line(m.Note), 24)}
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

// taskRows are the rows of tasks, behind the sessions that ask.
func taskRows(a *verb.App, t *verb.Table, list []api.Task, now time.Time, marked bool) {
	for _, task := range list {
		r := verb.Plain(task.ID, textsafe.Cut(task.Title(), 20), "", verb.Age(now, task.Since), verb.Tail(a.ShortPath(task.CWD), 24), task.Headline(""))
		r[2] = a.StandingCell(task.Standing(), task.StandingWord())
		if marked {
			r = slices.Insert(r, whereColumn+1, verb.Plain("")...)
		}
		t.Row(r...)
	}
}

// belowOwners puts each tool that floats beside a session below that session.
func belowOwners(list []api.Session) (out []api.Session) {
	below := map[string][]api.Session{}
	for _, s := range list {
		if s.Beside != nil && slices.ContainsFunc(list, func(o api.Session) bool { return o.ID == s.Beside.Session }) {
			below[s.Beside.Session] = append(below[s.Beside.Session], s)
		} else {
			out = append(out, s)
		}
	}
	for i := 0; i < len(out); i++ {
		tools := below[out[i].ID]
		delete(below, out[i].ID)
		out = slices.Insert(out, i+1, tools...)
	}
	return out
}

// standingCell is a session's standing: sign, words, colour.
func standingCell(a *verb.App, s api.Session, now time.Time) verb.Cell {
	c := a.StandingCell(s.Standing(now), stateWords(s, now))
	if s.Retry != nil {
		c.Sgr = verb.StandingSGR(api.StandingAsks) // amber
	}
	return c
}

// stateCell is a session's standing, with its state where that says more.
func stateCell(a *verb.App, s api.Session) verb.Cell {
	now := time.Now()
	c := standingCell(a, s, now)
	if s.State.NeedsPerson() || s.Plain != "" && s.State == api.StateIdle {
		c.Text += " (" + string(s.State) + ")"
	}
	return c
}

// stateWords returns the session's standing in words.
func stateWords(s api.Session, now time.Time) string {
	words := s.StandingWord(now)
	if s.Standing(now) == api.StandingSnoozed {
		words += " until " + verb.Clock(now, s.SnoozedUntil)
	}
	if s.LimitLine(now) != "" && s.Limit.Until.After(now) {
		words += " until " + verb.Clock(now, s.Limit.Until)
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
func whereText(a *verb.App, s api.Session) string {
	if s.Branch == "" {
		return verb.Tail(a.ShortPath(s.CWD), 24)
	}
	s.Branch = verb.Tail(s.Branch, 24)
	return s.BranchLine()
}

// Show makes the verb `show`.
func Show(a *verb.App) *cobra.Command {
	return verb.ShowVerb(a, &cobra.Command{
		Use:         "show SESSION [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Show everything about one session",
		Example: `  ccdir show api
  ccdir show api --json | jq .pid`,
		ValidArgsFunction: a.CompleteSession,
	}, "SESSION", "print the session as JSON", shownSession, printShown)
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

func printSession(a *verb.App, s api.Session, notParked string) error {
	t := verb.Table{}
	add := func(key, value string) { t.Row(verb.Plain(key, value)...) }
	add("id", s.ID)
	add("name", s.Name)
	add("agent", strings.TrimSpace(verb.OrNone(s.AgentLine())+" "+s.Model))
	t.Row(verb.Cell{Text: "state"}, stateCell(a, s))
	for _, kv := range [][2]string{{"role", s.Role}, {"mode", s.PermissionMode}, {"no policy", s.Unguarded}, {"sandbox", sandboxLine(s)}, {"asks", s.Asks}, {"retry", s.RetryLine(time.Now())}, {"failure", failureText(s.Failure)}, {"limit", s.LimitLine(time.Now())}, {"answer", s.Answer}, {"prompt", s.Prompt}, {"usage", s.UsageLine()}, {"branch", s.BranchLine()}, {"last turn", s.LastTurn.Line()},
		{"kept draft", s.KeptDraft}, {"not parked", notParked}} {
		if kv[1] != "" {
			add(kv[0], kv[1])
		}
	}
	add("since", s.Since.Local().Format(time.DateTime))
	add("created", s.Created.Local().Format(time.DateTime))
	add("directory", s.CWD)
	add("size", sizeText(s))
	add("pid", verb.PidText(s.PID))
	add("host pid", verb.PidText(s.HostPID))
	add("host version", verb.OrNone(s.HostVersion))
	add("command", verb.OrNone(strings.Join(quoteArgs(s.Argv), " ")))
	add("exit code", verb.ExitText(s))
	for _, kv := range [][2]string{{"title", s.Title}, {"conversation", s.Conversation}, {"task", s.Task}, {"question", s.Question}, {"error", s.Error}} {
		if kv[1] != "" {
			add(kv[0], kv[1])
		}
	}
	if s.Tool != "" {
		add("asks about", s.Tool+" "+string(s.Input))
	}
	if now := time.Now(); s.PutOff(now) {
		add("put off until", verb.Clock(now, s.SnoozedUntil))
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
	return t.Write(a.Out, a.Colours())
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

// Explain makes the verb `explain`.
func Explain(a *verb.App) *cobra.Command {
	explain := func(c *client.Client, ctx context.Context, ref string) (api.Explanation, error) {
		e, err := c.Explain(ctx, ref)
		if e.Overruled == nil {
			e.Overruled = []api.Overruled{}
		}
		return e, err
	}
	return verb.ShowVerb(a, &cobra.Command{
		Use:               "explain SESSION [--json]",
		Annotations:       verb.FirstRef(),
		Short:             "Tell which evidence gave a session its state",
		Example:           `  ccdir explain api`,
		ValidArgsFunction: a.CompleteSession,
	}, "SESSION", "print the explanation as JSON", explain, printExplanation)
}

func printExplanation(a *verb.App, e api.Explanation) error {
	now := time.Now()
	t := verb.Table{}
	t.Row(verb.Cell{Text: "state"}, verb.Cell{Text: textsafe.Line(string(e.State)), Sgr: verb.StandingSGR(e.State.Standing())})
	t.Row(verb.Plain("for", verb.Age(now, e.Since))...)
	if e.Retry != nil {
		t.Row(verb.Cell{Text: "but"}, verb.Cell{Text: textsafe.Line(e.Retry.Line(now)), Sgr: verb.StandingSGR(api.StandingAsks)})
	}
	if e.Rule != "" {
		t.Row(verb.Plain("rule", e.Rule)...)
	}
	t.Row(verb.Plain("because", verb.OrNone(e.Reason))...)
	if e.Winner != nil {
		t.Row(verb.Plain("evidence", evidenceText(now, *e.Winner))...)
	}
	for _, o := range e.Overruled {
		t.Row(verb.Plain("overruled", evidenceText(now, o.Evidence)+": "+o.Reason)...)
	}
	for _, c := range e.Changes {
		t.Row(verb.Plain("would change", c)...)
	}
	for _, l := range e.Lacks {
		t.Row(verb.Plain("lacks", l)...)
	}
	return t.Write(a.Out, a.Colours())
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
	return text + ", " + verb.Age(now, e.At) + " ago"
}

// sandboxLine is a session's walls in one line, with what is missing.
func sandboxLine(v api.Session) string {
	s := v.Sandbox
	if s == nil {
		return v.Walls()
	}
	return strings.TrimSuffix(s.Line()+", held by "+cmp.Or(s.Mechanism, "nothing")+", "+s.Reaches()+"; "+s.Lacks(), "; ")
}
