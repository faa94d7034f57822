package task

import (
	"context"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
)

func newTaskPatchCmd(a *verb.App) *cobra.Command {
	var fleet bool
	cmd := &cobra.Command{
		Use:         "patch TASK [--fleet]",
		Annotations: verb.FirstRef(),
		Short:       "Print what a task has changed, as a patch",
		Long: `Print what the session of the task's last attempt has changed since it began, in files
and in commits, as ` + "`git apply`" + ` takes it. What git ignores is not in it. With --fleet the
machine that has the task is asked.`,
		Example:           "  ccdir task patch t3 | git apply --3way\n  ccdir task patch --fleet t3 > t3.patch",
		Args:              verb.Exactly(1, "TASK"),
		ValidArgsFunction: verb.Completing(a, completeAnyTask),
		RunE: func(cmd *cobra.Command, args []string) error {
			if fleet {
				return printFleetPatch(cmd.Context(), a, args[0])
			}
			return printTaskPatch(cmd.Context(), a, args[0])
		},
	}
	cmd.Flags().BoolVar(&fleet, "fleet", false, fleetHelp)
	return cmd
}

func printTaskPatch(ctx context.Context, a *verb.App, ref string) error {
	c, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	t, err := c.Task(ctx, ref)
	if err != nil {
		return err
	}
	if t.Session == "" {
		return api.Errorf(api.CodeConflict, "%s has no session (%s): nothing was changed", t.ID, t.State)
	}
	d, err := c.Diff(ctx, t.Session, api.DiffQuestion{Scope: api.DiffSession, Patch: true})
	if err != nil {
		return err
	}
	return verb.PrintPatch(a, d)
}

// printFleetPatch prints nothing unless the patch is whole: half of one can be applied, too.
func printFleetPatch(ctx context.Context, a *verb.App, ref string) error {
	var d api.ReviewDiff
	whole := ""
	for more := true; more; {
		r, err := a.AskFleet(ctx, api.FleetRequest{Op: api.FleetPatch, Ref: ref, From: len(d.Patch)})
		if err != nil {
			return err
		}
		if whole != "" && whole != r.Whole {
			return api.Errorf(api.CodeConflict, "%s changed its files while they were read: try again", ref)
		}
		if whole == "" && r.Text != "" {
			a.Tell("note: %s", r.Text)
		}
		d.Patch, whole, more = append(d.Patch, r.Part...), r.Whole, r.More
	}
	return verb.PrintPatch(a, d)
}
