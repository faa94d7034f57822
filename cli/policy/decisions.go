package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
	"ccdir/policy/enforce"
	"ccdir/tui/answer/request"
	"ccdir/tui/widget/format"
)

// Decisions makes the verb `decisions`.
func Decisions(a *verb.App) *cobra.Command {
	var f api.LedgerFilter
	var since, head string
	var verify, sum bool
	cmd := &cobra.Command{
		Use:   "decisions [--session S] [--tool T] [--by WHO] [--decision D] [--since TIME] [--limit N | --sum] [--json] | --verify [--head HEAD]",
		Short: "Print who allowed and denied what",
		Long: `Print the ledger: every decision about what agents wanted to do, oldest first, the
newest ` + strconv.Itoa(defaultDecisions) + ` without --limit. Rows are only ever added, and each is chained to those before it by a
hash. --verify recomputes the chain and shows an edited or a removed row. That the
end was cut off, or that all was written anew, can be seen only against a head
that was kept elsewhere: ccdir keeps one next to the database (decisions.head), and
--head takes one that you kept, as --verify printed it.

--since without another filter prints what happened since then in a few lines, as --sum
does, and what walls of sessions refused; with --limit, --json or a filter it lists the
rows. --by unasked lists calls that nobody was asked about: no rule is about them, and
the agent's own permission mode let them run. They are read from the event log, which
keeps the newest events (events_kept in config.toml), and are no rows of the ledger.
--by agent lists calls that the agent's own classifier refused.`,
		Example: `  ccdir decisions --session api --by person
  ccdir decisions --since 8h
  ccdir decisions --since 24h --decision deny --json
  ccdir decisions --by unasked --session api
  ccdir decisions --verify`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Limit < 0 {
				return verb.Usagef(cmd, "--limit is a number from 1")
			}
			if sum && (f.Tool != "" || f.By != "" || f.Decision != "" || f.Limit > 0 || verify) {
				return verb.Usagef(cmd, "--sum counts all decisions: only --session and --since go with it")
			}
			if head != "" && !verify {
				return verb.Usagef(cmd, "--head is for --verify")
			}
			if err := oneOf(cmd, "by", f.By, api.LedgerDeciders()); err != nil {
				return err
			}
			if err := oneOf(cmd, "decision", f.Decision, api.LedgerDecisions()); err != nil {
				return err
			}
			var err error
			if f.Since, err = verb.Since(since, time.Now()); err != nil {
				return verb.Usagef(cmd, "%s", err)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if verify {
				return verifyDecisions(a, cmd, c, head)
			}
			if sums(cmd, sum, a.JSON) {
				return sumDecisions(cmd.Context(), a, c, f)
			}
			rows, err := c.Decisions(cmd.Context(), f)
			if err != nil {
				return err
			}
			return verb.Listed(a, rows, "no decisions", func() error { return printDecisions(a, rows) })
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.Session, "session", "", "only about this `SESSION`")
	verb.RefFlag(cmd, "session")
	fl.StringVar(&f.Tool, "tool", "", "only about this `TOOL`")
	fl.StringVar(&f.By, "by", "", "only by `WHO`: "+strings.Join(api.LedgerDeciders(), ", "))
	fl.StringVar(&f.Decision, "decision", "", "only this `DECISION`: "+strings.Join(api.LedgerDecisions(), ", "))
	fl.StringVar(&since, "since", "", "only from this `TIME` on: 2h, 2006-01-02, 2006-01-02T15:04:05Z")
	fl.IntVar(&f.Limit, "limit", 0, "at most `N` rows, the newest ones")
	fl.BoolVar(&sum, "sum", false, "count the decisions instead of listing them")
	fl.BoolVar(&verify, "verify", false, "check that no row was edited or removed")
	fl.StringVar(&head, "head", "", "check against this `NUMBER:HASH` instead of the one next to the database")
	a.JSONFlag(cmd, "print a JSON array of the rows, or the result of --sum or --verify")
	_ = cmd.RegisterFlagCompletionFunc("session", a.CompleteSession)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(api.LedgerDeciders(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("decision", cobra.FixedCompletions(api.LedgerDecisions(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// oneOf refuses an unknown word of a flag: a misspelled filter would match nothing.
func oneOf(cmd *cobra.Command, flag, word string, known []string) error {
	if !cmd.Flags().Changed(flag) || slices.Contains(known, word) {
		return nil
	}
	return verb.Usagef(cmd, "--%s is one of %s, not %q", flag, strings.Join(known, ", "), word)
}

// defaultDecisions is the daemon's limit where none is given.
const defaultDecisions = 200

func printDecisions(a *verb.App, rows []api.LedgerRow) error {
	t := verb.Table{}
	t.Row(verb.Plain("ROW", "TIME", "SESSION", "ROLE", "TOOL", "DECISION", "BY", "INPUT")...)
	for _, r := range rows {
		name := r.Name
		if name == "" {
			name = r.Session
		}
		row := strconv.FormatInt(r.Seq, 10)
		if r.Seq == 0 {
			row = "-"
		}
		t.Row(verb.Plain(row, r.At.Local().Format("01-02 15:04:05"), name, r.Role, r.Tool, r.Decision, decidedBy(r, a.ShortPath),
			textsafe.Cut(rowText(r), verb.ShownInput))...)
	}
	return t.Write(a.Out, a.Colours())
}

// decidedBy describes who decided and by which rule.
func decidedBy(r api.LedgerRow, short func(string) string) string {
	who := r.By
	switch {
	case r.By == api.ByLead:
		who += " " + r.Lead
	case r.By == api.ByPerson && r.Client != "":
		who += " (" + r.Client + ")"
	case r.By == "" && r.Outcome != "":
		who = "nobody: " + string(r.Outcome)
	}
	if r.File != "" && r.Line > 0 {
		who += fmt.Sprintf(" %s:%d", short(r.File), r.Line)
	}
	return who
}

// rowText describes a row in one line.
func rowText(r api.LedgerRow) string {
	if len(r.Input) == 0 {
		return strings.TrimSpace(r.Rule + " " + r.Reason)
	}
	text := requestText(api.Request{Tool: r.Tool, Input: r.Input})
	if request.Asked(r.Input) != "" && r.Decision == api.EffectAllow && r.Reason != "" {
		return text + " → " + textsafe.Line(r.Reason)
	}
	if len(r.Edited) > 0 {
		text = requestText(api.Request{Tool: r.Tool, Input: r.Edited}) + "  (edited; was: " + text + ")"
	}
	return text
}

// verifyDecisions checks the chain against a head: the caller's, or the one in the file next
// to the database.
func verifyDecisions(a *verb.App, cmd *cobra.Command, c *client.Client, text string) error {
	head, err := keptHead(a, text)
	if err != nil {
		return err
	}
	check, err := c.VerifyDecisions(cmd.Context(), head)
	if err != nil {
		return err
	}
	if a.JSON {
		if err := a.PrintJSON(check); err != nil {
			return err
		}
	}
	if check.Problem != "" {
		return fmt.Errorf("the ledger is not what it was, at row %d: %s", check.At, check.Problem)
	}
	if a.JSON {
		return nil
	}
	fmt.Fprintf(a.Out, "ok: %s, none edited or removed\n", format.Plural(int(check.Rows), "row", "rows"))
	if check.Rows > 0 {
		fmt.Fprintf(a.Out, "head: %d:%s\n", check.Head.Seq, check.Head.Hash)
	}
	switch {
	case head == nil:
		fmt.Fprintln(a.Out, "No head was kept: a cut-off end would not be seen.")
	case text == "":
		fmt.Fprintf(a.Out, "The end was checked against row %d of decisions.head, which can be changed by anyone who can change the database: keep the head elsewhere to be sure.\n", head.Seq)
	}
	return nil
}

func keptHead(a *verb.App, text string) (*api.LedgerHead, error) {
	if text == "" {
		p, err := a.Paths()
		if err != nil {
			return nil, err
		}
		head, err := enforce.ReadHead(p.LedgerHead())
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", p.LedgerHead(), err)
		}
		return head, nil
	}
	seq, hash, ok := strings.Cut(text, ":")
	n, err := strconv.ParseInt(seq, 10, 64)
	if !ok || err != nil || len(hash) != 64 {
		return nil, errors.New("--head wants NUMBER:HASH as --verify prints it")
	}
	return &api.LedgerHead{Seq: n, Hash: hash}, nil
}
