package setup

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// docsID is the form of the ids that docs prints.
var docsID = regexp.MustCompile(`^[a-z]+:.+@[^@#]*#[0-9]+$`)

// Docs makes the verb `docs`.
func Docs(a *verb.App) *cobra.Command {
	var dir, ecosystem, pkg string
	cmd := &cobra.Command{
		Use:   "docs QUERY… [-C DIR] [--package NAME[@VERSION]] [--ecosystem E] [--json]",
		Short: "Documentation of the versions in use, offline",
		Long: `Find documentation of exactly the versions of libraries that the work tree uses, and
of the project itself: Go (standard library, module cache), Node (node_modules), Python
(.venv or the python3 in PATH), Rust (Cargo.lock), README and docs. QUERY is a symbol, says
in words what it is to do, or is the id of a result, which is then printed whole. man NAME
or NAME(1) in front looks into a manual page, as does an option such as --exclude beside NAME. NAME@VERSION in it asks for that version: another one than the installed is
refused. Nothing is downloaded and no program run. The first question builds indexes, which
all work trees share; what is not ready yet is said.`,
		Example: `  ccdir docs sync.WaitGroup
  ccdir docs "wait for goroutines to finish" -C ~/src/app
  ccdir docs --package react useEffect
  ccdir docs "tar --exclude"
  ccdir docs --json http.Server | jq -r '.[] | "\(.file):\(.line) \(.symbol)"'`,
		Args:              verb.AtLeast(1, "QUERY"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			at, err := a.FromHere(dir, "an absolute one with -C")
			if err != nil {
				return err
			}
			query := strings.Join(args, " ")
			if docsID.MatchString(query) {
				hit, err := c.DocsPiece(ctx, at, query)
				if err != nil {
					return err
				}
				return a.Output([]api.DocsHit{hit}, func() error { return printDocs(a, []api.DocsHit{hit}) })
			}
			answer, err := c.Docs(ctx, api.DocsQuestion{Dir: at, Query: query, Package: pkg, Ecosystem: ecosystem})
			if err != nil {
				return err
			}
			for _, n := range answer.Notes {
				a.Tell("%s", n)
			}
			return verb.Listed(a, answer.Hits, "nothing was found: ask with other words, or name the package with --package", func() error { return printDocs(a, answer.Hits) })
		}),
	}
	cmd.Flags().StringVarP(&dir, "dir", "C", "", "`DIR` in the work tree (default: the current one)")
	cmd.Flags().StringVar(&pkg, "package", "", "of `NAME[@VERSION]` alone")
	cmd.Flags().StringVar(&ecosystem, "ecosystem", "", "of `E` alone: go, node, python, rust, man, project")
	_ = cmd.RegisterFlagCompletionFunc("dir", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	_ = cmd.RegisterFlagCompletionFunc("package", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("ecosystem", cobra.FixedCompletions([]string{"go", "node", "python", "rust", "man", "project"}, cobra.ShellCompDirectiveNoFileComp))
	a.JSONFlag(cmd, "print a JSON array of the pieces")
	return cmd
}

// printDocs prints pieces of documentation, each as a paragraph.
func printDocs(a *verb.App, hits []api.DocsHit) error {
	for i, h := range hits {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		fmt.Fprintf(a.Out, "%s  %s@%s  (%s, %s)\n", h.Symbol, h.Package, h.Version, h.Ecosystem, h.Source)
		if h.Signature != "" {
			fmt.Fprintln(a.Out, indented(h.Signature))
		}
		if h.Text != "" {
			fmt.Fprintln(a.Out, indented(h.Text))
		}
		if _, err := fmt.Fprintf(a.Out, "    %s:%d  %s\n", a.ShortPath(h.File), h.Line, h.ID); err != nil {
			return err
		}
	}
	return nil
}

func indented(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
