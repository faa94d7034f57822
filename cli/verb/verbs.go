package verb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/client"
)

// Connected makes the body of a verb that needs the daemon, which is started if none runs.
func (a *App) Connected(do func(ctx context.Context, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), c, args)
	}
}

// Output prints a value as JSON with --json, and by text otherwise.
func (a *App) Output(v any, text func() error) error {
	if a.JSON {
		return a.PrintJSON(v)
	}
	return text()
}

// PrintList prints a list: as a JSON array (never null) with --json, as ids if quiet, and by
// text otherwise.
func PrintList[T any](a *App, list []T, quiet bool, id func(T) string, text func() error) error {
	switch {
	case a.JSON && list == nil:
		return a.PrintJSON([]T{})
	case a.JSON:
		return a.PrintJSON(list)
	case quiet:
		for _, v := range list {
			fmt.Fprintln(a.Out, id(v))
		}
		return nil
	}
	return text()
}

// Listed prints a list that is often empty: as a JSON array with --json, and by text
// otherwise; for an empty one it prints empty on standard error.
func Listed[T any](a *App, list []T, empty string, text func() error) error {
	return PrintList(a, list, false, nil, func() error {
		if len(list) == 0 {
			if a.Part == Whole {
				fmt.Fprintln(a.Stderr, empty)
			}
			return nil
		}
		return text()
	})
}

// NamesOf returns states as strings.
func NamesOf[S ~string](known []S) []string {
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = string(s)
	}
	return names
}

// ParseNames reads a list of states, S,S…; what describes one of them in errors.
func ParseNames[S ~string](cmd *cobra.Command, names, what string, known []S) (list []S, err error) {
	if names == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		s := S(strings.TrimSpace(name))
		if !slices.Contains(known, s) {
			return nil, Usagef(cmd, "unknown %s %q: the states are %s", what, name, strings.Join(NamesOf(known), ", "))
		}
		list = append(list, s)
	}
	return list, nil
}

// ShowVerb makes cmd a verb that shows the thing of its argument.
func ShowVerb[T any](a *App, cmd *cobra.Command, argument, doc string, get func(*client.Client, context.Context, string) (T, error), text func(*App, T) error) *cobra.Command {
	cmd.Args = Exactly(1, argument)
	cmd.RunE = a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
		v, err := get(c, ctx, args[0])
		if err != nil {
			return err
		}
		return a.Output(v, func() error { return text(a, v) })
	})
	a.JSONFlag(cmd, doc)
	return cmd
}

// ListVerb makes cmd a verb without arguments that lists things; empty says what to do where there is none.
func ListVerb[T any](a *App, cmd *cobra.Command, doc, empty string, get func(*client.Client, context.Context) ([]T, error), text func(*App, []T) error) *cobra.Command {
	cmd.Args, cmd.ValidArgsFunction = NoArgs, cobra.NoFileCompletions
	cmd.RunE = a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
		list, err := get(c, ctx)
		if err != nil {
			return err
		}
		return Listed(a, list, empty, func() error { return text(a, list) })
	})
	a.JSONFlag(cmd, doc)
	return cmd
}

// EachVerb makes cmd a verb that calls do for each argument and prints the results.
func EachVerb[T any](a *App, cmd *cobra.Command, argument, doc string, do func(*client.Client, context.Context, string) (T, error), print func(*App, []T, error) error) *cobra.Command {
	cmd.Args = AtLeast(1, argument)
	cmd.RunE = a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
		var list []T
		err := EachSession(args, func(ref string) error {
			v, err := do(c, ctx, ref)
			if err == nil {
				list = append(list, v)
			}
			return err
		})
		return print(a, list, err)
	})
	a.JSONFlag(cmd, doc)
	return cmd
}

// JSONFlag adds --json.
func (a *App) JSONFlag(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&a.JSON, "json", false, what)
}

// EachSession calls do for each; one failure does not keep the others from it. It joins the
// errors into one line.
func EachSession(refs []string, do func(ref string) error) error {
	var failed []string
	for _, ref := range refs {
		if err := do(ref); err != nil {
			if len(refs) == 1 {
				return err
			}
			failed = append(failed, err.Error())
		}
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; "))
	}
	return nil
}
