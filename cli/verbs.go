package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/client"
)

// connected makes the body of a verb that needs the daemon, which is started if none runs.
func (a *app) connected(do func(ctx context.Context, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := a.connect(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), c, args)
	}
}

// output prints a value as JSON with --json, and by text otherwise.
func (a *app) output(v any, text func() error) error {
	if a.json {
		return a.printJSON(v)
	}
	return text()
}

// printList prints a list: as a JSON array (never null) with --json, as ids if quiet, and by
// text otherwise.
func printList[T any](a *app, list []T, quiet bool, id func(T) string, text func() error) error {
	switch {
	case a.json && list == nil:
		return a.printJSON([]T{})
	case a.json:
		return a.printJSON(list)
	case quiet:
		for _, v := range list {
			fmt.Fprintln(a.out, id(v))
		}
		return nil
	}
	return text()
}

// listed prints a list that is often empty: as a JSON array with --json, and by text
// otherwise; for an empty one it prints empty on standard error.
func listed[T any](a *app, list []T, empty string, text func() error) error {
	return printList(a, list, false, nil, func() error {
		if len(list) == 0 {
			if !a.several {
				fmt.Fprintln(a.Stderr, empty)
			}
			return nil
		}
		return text()
	})
}

// namesOf returns states as strings.
func namesOf[S ~string](known []S) []string {
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = string(s)
	}
	return names
}

// parseNames reads a list of states, S,S…; what describes one of them in errors.
func parseNames[S ~string](cmd *cobra.Command, names, what string, known []S) (list []S, err error) {
	if names == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		s := S(strings.TrimSpace(name))
		if !slices.Contains(known, s) {
			return nil, usagef(cmd, "unknown %s %q: the states are %s", what, name, strings.Join(namesOf(known), ", "))
		}
		list = append(list, s)
	}
	return list, nil
}

// showVerb makes cmd a verb that shows the thing of its argument.
func showVerb[T any](a *app, cmd *cobra.Command, argument, doc string, get func(*client.Client, context.Context, string) (T, error), text func(T) error) *cobra.Command {
	cmd.Args = exactly(1, argument)
	cmd.RunE = a.connected(func(ctx context.Context, c *client.Client, args []string) error {
		v, err := get(c, ctx, args[0])
		if err != nil {
			return err
		}
		return a.output(v, func() error { return text(v) })
	})
	a.jsonFlag(cmd, doc)
	return cmd
}

// eachVerb makes cmd a verb that calls do for each argument and prints the results.
func eachVerb[T any](a *app, cmd *cobra.Command, argument, doc string, do func(*client.Client, context.Context, string) (T, error), print func([]T, error) error) *cobra.Command {
	cmd.Args = atLeast(1, argument)
	cmd.RunE = a.connected(func(ctx context.Context, c *client.Client, args []string) error {
		var list []T
		err := eachSession(args, func(ref string) error {
			v, err := do(c, ctx, ref)
			if err == nil {
				list = append(list, v)
			}
			return err
		})
		return print(list, err)
	})
	a.jsonFlag(cmd, doc)
	return cmd
}

// jsonFlag adds --json.
func (a *app) jsonFlag(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&a.json, "json", false, what)
}

// eachSession calls do for each; one failure does not keep the others from it. It joins the
// errors into one line.
func eachSession(refs []string, do func(ref string) error) error {
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
