// Package review has the verbs that show what sessions changed, and comment on it.
package review

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// scopeFlag adds --scope to a verb.
func scopeFlag(cmd *cobra.Command, scope *string) {
	var names []string
	for _, s := range append(api.DiffScopes(), api.DiffPlan) {
		names = append(names, string(s))
	}
	cmd.Flags().StringVar(scope, "scope", string(api.DiffTurn), "what is compared: `SCOPE` is "+strings.Join(names, ", "))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// whole reports whether a scope has all that is new since a person looked.
func whole(s api.DiffScope) bool {
	return s == api.DiffSeen || s == api.DiffSession || s == api.DiffBase
}

// Diff makes the verb `diff`.
func Diff(a *verb.App) *cobra.Command {
	var scope string
	var turn int
	var stat, patch bool
	cmd := &cobra.Command{
		Use:         "diff SESSION [PATH…] [--scope SCOPE] [--turn N] [--stat | --patch] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "What a session has changed: in a turn, since it began, uncommitted",
		Long: `Show what differs in a session's work tree. SCOPE says from when:

  turn         the last turn, or that of --turn: from its beginning to its end
  seen         since you last looked: with this scope, session or base
  session      since the session began
  base         since the branch left the default branch
  uncommitted  from the commit that is checked out
  plan         no files: the plan that the agent asks approval for, as plan.md

ccdir makes a snapshot of the work tree when a session begins and when a turn begins
and ends, beside the agent; turns count from the first one that it saw. The index,
the stash and the refs of the repository are not touched. What git ignores is
not in it. A session that was removed is compared up to its last snapshot, as long as
` + "`ccdir history`" + ` has it. Files that programs write (go.sum, *.min.js, attribute
linguist-generated) and large ones are counted and their lines left out,
unless a PATH, from the top of the work tree, names them. --patch prints all of it
as ` + "`git apply`" + ` takes it.`,
		Example: `  ccdir diff api
  ccdir diff api --scope session --stat
  ccdir diff api --turn 3 go.sum
  ccdir diff api --scope session --patch | git -C ../other apply
  ccdir diff api --json | jq -r '.files[].path'`,
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			d, err := c.Diff(ctx, args[0], api.DiffQuestion{Scope: api.DiffScope(scope), Turn: turn, Stat: stat, Patch: patch, Paths: args[1:]})
			if err != nil {
				return err
			}
			looked := whole(d.Scope) && !stat && !patch && len(args) == 1
			return a.Output(d, func() error {
				if d.Note != "" {
					a.Tell("note: %s", d.Note)
				}
				if d.Running {
					a.Tell("note: the turn has not ended")
				}
				if patch {
					return verb.PrintPatch(a, d)
				}
				if err := printDiff(a, d, stat); err != nil || !looked {
					return err
				}
				if err := c.Looked(ctx, args[0], d.Head); err != nil && api.CodeOf(err) != api.CodeForbidden { // an agent's looking is no person's
					return err
				}
				return nil
			})
		}),
	}
	scopeFlag(cmd, &scope)
	cmd.Flags().IntVar(&turn, "turn", 0, "with the scope turn: turn `N`, from 1 (default the last one)")
	cmd.Flags().BoolVar(&stat, "stat", false, "files and counts, without lines")
	cmd.Flags().BoolVar(&patch, "patch", false, "all of it as a patch for git apply")
	cmd.MarkFlagsMutuallyExclusive("stat", "patch")
	a.JSONFlag(cmd, "print the difference as JSON")
	return cmd
}

// Colours of lines (SGR parameters).
const (
	sgrAdded   = "32"
	sgrRemoved = "31"
	sgrHunk    = "36"
	sgrFile    = "1"
	sgrDim     = "90"
)

func printDiff(a *verb.App, d api.ReviewDiff, stat bool) error {
	on := a.Colours()
	if stat {
		t := verb.Table{}
		for _, f := range d.Files {
			t.Row(append(verb.Plain(f.Status, nameOf(f)), verb.Cell{Text: signed("+", f.Added), Sgr: sgrAdded}, verb.Cell{Text: signed("-", f.Removed), Sgr: sgrRemoved}, verb.Cell{Text: about(f), Sgr: sgrDim})...)
		}
		if err := t.Write(a.Out, on); err != nil {
			return err
		}
		_, err := fmt.Fprintln(a.Out, d.Line())
		return err
	}
	w := bufio.NewWriter(a.Out)
	for _, f := range d.Files {
		printFile(w, on, f)
	}
	fmt.Fprintln(w, d.Line())
	return w.Flush()
}

func printFile(w io.Writer, on bool, f api.ReviewFile) {
	head := verb.Paint(on, sgrFile, f.Status+" "+nameOf(f))
	for _, part := range [][2]string{{signed("+", f.Added), sgrAdded}, {signed("-", f.Removed), sgrRemoved}, {about(f), sgrDim}} {
		if part[0] != "" {
			head += " " + verb.Paint(on, part[1], part[0])
		}
	}
	fmt.Fprintln(w, head)
	for _, h := range f.Hunks {
		fmt.Fprintln(w, verb.Paint(on, sgrHunk, fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)))
		for _, l := range h.Lines {
			text := textsafe.Block(l.Text) // a tab stays one
			switch l.Kind {
			case api.LineAdded:
				text = verb.Paint(on, sgrAdded, "+"+text)
			case api.LineRemoved:
				text = verb.Paint(on, sgrRemoved, "-"+text)
			default:
				text = " " + text
			}
			fmt.Fprintln(w, text)
			if l.NoNewline {
				fmt.Fprintln(w, verb.Paint(on, sgrDim, `\ no newline at the end`))
			}
		}
	}
}

// nameOf is a file's name, with the one that it had.
func nameOf(f api.ReviewFile) string {
	if f.OldPath != "" {
		return textsafe.Line(f.OldPath) + " → " + textsafe.Line(f.Path)
	}
	return textsafe.Line(f.Path)
}

// signed is a count with its sign; "" if it is 0 or not known.
func signed(sign string, n *int) string {
	if n == nil || *n == 0 {
		return ""
	}
	return sign + strconv.Itoa(*n)
}

// about says what a file is besides its lines.
func about(f api.ReviewFile) string {
	var words []string
	if f.OldMode != "" && f.Mode != "" && f.OldMode != f.Mode {
		words = append(words, "mode "+f.OldMode+" → "+f.Mode)
	} else if m := f.Mode + f.OldMode; m != "" {
		words = append(words, map[string]string{"120000": "link", "120000120000": "link", "160000": "submodule", "160000160000": "submodule"}[m])
		if words[0] == "" {
			words[0] = "mode " + m[:6]
		}
	}
	if f.Binary {
		words = append(words, "binary")
	}
	if f.LeftOut != "" {
		words = append(words, "left out: "+strings.ReplaceAll(f.LeftOut, "_", " "))
	}
	return strings.Join(words, ", ")
}
