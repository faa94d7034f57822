package review

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// reviewFlags are the flags of `review`.
type reviewFlags struct {
	scope, side, to, words string
	turn                   int
	comments, drop         []string
	stage, putBack         []string
	question, send, list   bool
	undo                   bool
	reviewer               bool
}

// Review makes the verb `review`.
func Review(a *verb.App) *cobra.Command {
	var f reviewFlags
	cmd := &cobra.Command{
		Use:         "review SESSION [--comment PATH:LINE[-LINE] TEXT…] [--question] [--send] [--list] [--stage PATH[:LINE[-LINE]]] [--put-back PATH[:LINE[-LINE]]] [--undo] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Comment on what a session has changed, and send the comments",
		Long: `Without flags: list the comments on a session's work, and what became of them.

--comment keeps a comment as a draft: on lines of a difference (PATH:LINE or
PATH:LINE-LINE), a file (PATH) or the whole of it (.). It is TEXT; - reads
standard input. Several --comment take one TEXT each. --scope and --turn say in
which difference the lines count, as in ccdir diff; a line that is not in it is
refused, with what stands there. --send sends all drafts as one prompt, once, to
the session, to that of --to, or to a new session with the role reviewer
(--reviewer). It waits on disk until the session takes it. With --scope plan the
comments are on the plan that the agent asks approval for (plan.md:LINE), and
--send refuses it with them: ccdir approve approves it.

The list says of each what became of it when the turn that took it has ended:
changed (its lines are not as they were, wherever they have moved to), answered
(the agent replied) or untouched. The next round's difference is
ccdir diff SESSION --scope seen.

--stage takes changes into git's index, --put-back takes them out of the work
tree: all of a file (PATH), or those that touch lines of it as it is in the
difference (PATH:LINE or PATH:LINE-LINE). --undo undoes the last of these. A file
that is not as it was compared is refused, and so are binary ones. No filter and
no hook of the repository runs.`,
		Example: `  ccdir review api --comment main.go:12-14 "use the helper" --send
  ccdir review api --comment main.go:30 --question "why twice?"
  ccdir review api --comment a.go:1 "one" --comment b.go:2 "two"
  ccdir review api --list --json | jq -r '.[] | select(.state == "untouched").id'
  ccdir review api --drop c12
  ccdir review api --scope plan --comment plan.md:3 "first the tests" --send
  ccdir review api --scope uncommitted --stage main.go:12
  ccdir review api --put-back main.go:30-34
  ccdir review api --undo`,
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			texts, err := f.check(cmd, a, args[1:])
			if err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), a, c, args[0], texts)
		},
	}
	scopeFlag(cmd, &f.scope)
	cmd.Flags().IntVar(&f.turn, "turn", 0, "with the scope turn: turn `N`, from 1 (default the last one)")
	cmd.Flags().StringArrayVar(&f.comments, "comment", nil, "keep a comment on `PATH:LINE[-LINE]`, PATH or . (the whole)")
	cmd.Flags().StringVar(&f.side, "side", string(api.SideNew), "the lines are those of before (old) or after (new) the change: `SIDE`")
	_ = cmd.RegisterFlagCompletionFunc("side", cobra.FixedCompletions([]string{string(api.SideOld), string(api.SideNew)}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().BoolVar(&f.question, "question", false, "the comments are questions: the agent answers and changes nothing")
	cmd.Flags().BoolVar(&f.send, "send", false, "send all drafts as one prompt")
	cmd.Flags().StringVar(&f.to, "to", "", "with --send: to `SESSION` instead of the one whose work it is")
	verb.RefFlag(cmd, "to")
	_ = cmd.RegisterFlagCompletionFunc("to", func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return a.CompleteSession(cmd, nil, prefix)
	})
	cmd.Flags().BoolVar(&f.reviewer, "reviewer", false, "with --send: to a new session with the role reviewer")
	cmd.Flags().StringVar(&f.words, "words", "", "with --send: `TEXT` before the comments")
	cmd.Flags().BoolVar(&f.list, "list", false, "list the comments")
	cmd.Flags().StringArrayVar(&f.stage, "stage", nil, "take the changes of `PATH[:LINE[-LINE]]` into git's index")
	cmd.Flags().StringArrayVar(&f.putBack, "put-back", nil, "take the changes of `PATH[:LINE[-LINE]]` out of the work tree")
	cmd.Flags().BoolVar(&f.undo, "undo", false, "undo what was staged or put back last")
	cmd.Flags().StringArrayVar(&f.drop, "drop", nil, "remove the draft with that `ID`")
	_ = cmd.RegisterFlagCompletionFunc("drop", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return drafts(cmd.Context(), a, args), cobra.ShellCompDirectiveNoFileComp
	})
	a.JSONFlag(cmd, "print the list, the new comments, or what was sent as JSON")
	return cmd
}

// drafts are the drafts on a session's work, for completion.
func drafts(ctx context.Context, a *verb.App, args []string) (ids []string) {
	if len(args) == 0 {
		return nil
	}
	c, err := a.Connect(ctx)
	if err != nil {
		return nil
	}
	list, _ := c.Comments(ctx, args[0]) // none, then
	for _, k := range list {
		if k.State == api.CommentDraft {
			ids = append(ids, k.ID+"\t"+place(k)+" "+textsafe.Cut(textsafe.Line(k.Text), 60))
		}
	}
	return ids
}

// check checks the flags, and returns a text for each comment.
func (f *reviewFlags) check(cmd *cobra.Command, a *verb.App, args []string) (texts []string, err error) {
	doing := 0
	for _, on := range []bool{len(f.comments) > 0 || f.send, len(f.drop) > 0, f.list, len(f.stage) > 0, len(f.putBack) > 0, f.undo} {
		if on {
			doing++
		}
	}
	switch {
	case doing > 1:
		return nil, verb.Usagef(cmd, "--comment and --send, --drop, --list, --stage, --put-back, --undo: choose one")
	case (f.to != "" || f.reviewer || f.words != "") && !f.send:
		return nil, verb.Usagef(cmd, "--to, --reviewer and --words need --send")
	case f.to != "" && f.reviewer:
		return nil, verb.Usagef(cmd, "--to and --reviewer: choose one")
	case len(f.comments) == 0 && len(args) > 0:
		return nil, verb.Usagef(cmd, "a text belongs to --comment PATH:LINE")
	case len(f.comments) == 0:
		return nil, nil
	case len(f.comments) > 1:
		if len(args) != len(f.comments) {
			return nil, verb.Usagef(cmd, "%d --comment want as many texts: quote each", len(f.comments))
		}
		return args, nil
	case len(args) == 0:
		return nil, verb.Usagef(cmd, "--comment wants a text")
	}
	text, err := a.TextArg(args)
	return []string{text}, err
}

func (f *reviewFlags) run(ctx context.Context, a *verb.App, c *client.Client, ref string, texts []string) error {
	for _, id := range f.drop {
		if err := c.DropComment(ctx, ref, id); err != nil {
			return err
		}
	}
	if len(f.drop) > 0 {
		return nil
	}
	if len(f.stage)+len(f.putBack) > 0 || f.undo {
		return f.change(ctx, a, c, ref)
	}
	var made []api.ReviewComment
	for i, at := range f.comments {
		n := api.NewComment{Text: texts[i], Side: api.DiffSide(f.side), Question: f.question, Scope: api.DiffScope(f.scope), Turn: f.turn}
		n.Path, n.Line, n.End = placeOf(at)
		k, err := c.AddComment(ctx, ref, n)
		if err != nil {
			return err
		}
		made = append(made, k)
	}
	switch {
	case f.send:
		in := api.SendComments{Request: rand.Text(), To: f.to, Reviewer: f.reviewer, Words: f.words}
		if f.scope == string(api.DiffPlan) {
			in.Scope = api.DiffPlan
		}
		out, err := c.SendComments(ctx, ref, in)
		if err != nil {
			return err
		}
		return a.Output(out, func() error { return printSent(ctx, a, c, out) })
	case len(made) > 0:
		return a.Output(made, func() error {
			for _, k := range made {
				if _, err := fmt.Fprintln(a.Out, k.ID, place(k)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	list, err := c.Comments(ctx, ref)
	if err != nil {
		return err
	}
	return a.Output(list, func() error { return printComments(a, ref, list) })
}

func printSent(ctx context.Context, a *verb.App, c *client.Client, out api.SentComments) error {
	name := out.To
	if s, err := c.Session(ctx, out.To); err == nil {
		name = s.Name
	}
	n := "1 comment"
	if len(out.Comments) != 1 {
		n = fmt.Sprintf("%d comments", len(out.Comments))
	}
	_, err := fmt.Fprintf(a.Out, "round %d: %s to session %s\n", out.Round, n, textsafe.Line(name))
	return err
}

// placeOf reads PATH, PATH:LINE or PATH:LINE-LINE; "." is the whole difference.
func placeOf(text string) (path string, line, end int) {
	if text == "." {
		return "", 0, 0
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0, 0
	}
	from, to, ranged := strings.Cut(text[i+1:], "-")
	a, err1 := strconv.ParseUint(from, 10, 31)
	b := a
	var err2 error
	if ranged {
		b, err2 = strconv.ParseUint(to, 10, 31)
	}
	if err1 != nil || err2 != nil || a == 0 {
		return text, 0, 0
	}
	return text[:i], int(a), int(b)
}

// place is where a comment is, for people.
func place(k api.ReviewComment) string {
	switch {
	case k.Path == "":
		return "."
	case k.Line == 0:
		return textsafe.Line(k.Path)
	case k.End == k.Line:
		return fmt.Sprintf("%s:%d", textsafe.Line(k.Path), k.Line)
	}
	return fmt.Sprintf("%s:%d-%d", textsafe.Line(k.Path), k.Line, k.End)
}

// stateColours are the SGR parameters of the states.
var stateColours = map[api.CommentState]string{api.CommentDraft: "33", api.CommentSent: "36", api.CommentChanged: "32", api.CommentAnswered: "32", api.CommentUntouched: "31"}

func printComments(a *verb.App, ref string, list []api.ReviewComment) error {
	if len(list) == 0 {
		a.Tell("no comments: `ccdir review %s --comment PATH:LINE TEXT` makes one", ref)
		return nil
	}
	on := a.Colours()
	// Rounds first, then drafts: those are next.
	slices.SortStableFunc(list, func(x, y api.ReviewComment) int {
		if (x.Round == 0) != (y.Round == 0) {
			return y.Round - x.Round
		}
		return x.Round - y.Round
	})
	round := -1
	for _, k := range list {
		if k.Round != round {
			round = k.Round
			head := fmt.Sprintf("round %d", round)
			if round == 0 {
				head = "drafts"
			}
			if _, err := fmt.Fprintln(a.Out, verb.Paint(on, sgrFile, head)); err != nil {
				return err
			}
		}
		if err := printComment(a.Out, on, k); err != nil {
			return err
		}
	}
	return nil
}

func printComment(w io.Writer, on bool, k api.ReviewComment) error {
	head := fmt.Sprintf("%-5s %s %s", k.ID, verb.Paint(on, stateColours[k.State], fmt.Sprintf("%-9s", k.State)), place(k))
	var notes []string
	if k.Side == api.SideOld {
		notes = append(notes, "old")
	}
	if k.Question {
		notes = append(notes, "question")
	}
	if k.Stale {
		notes = append(notes, "stale")
	}
	if k.Author != "" {
		notes = append(notes, "by "+textsafe.Line(k.Author))
	}
	if len(notes) > 0 {
		head += " " + verb.Paint(on, sgrDim, "("+strings.Join(notes, ", ")+")")
	}
	text := indented(k.Text, "      ")
	if k.Reply != "" {
		text += indented("→ "+k.Reply, "      ")
	}
	_, err := fmt.Fprint(w, head+"\n"+text)
	return err
}

// indented are the lines of a foreign text, each behind a margin.
func indented(text, margin string) string {
	return margin + strings.ReplaceAll(textsafe.Block(strings.TrimSpace(text)), "\n", "\n"+margin) + "\n"
}
