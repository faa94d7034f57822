package task

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
)

// fleetHelp is what --fleet says of itself in every verb.
const fleetHelp = "of the fleet's queue instead of this machine's (see ccdir-fleet)"

// fleetFlag adds --fleet to a verb about tasks: with it, op is asked of the fleet for each TASK, and print
// prints the tasks.
func fleetFlag(a *verb.App, cmd *cobra.Command, op string, print func(*verb.App, []api.Task, error) error) *cobra.Command {
	var fleet bool
	cmd.Flags().BoolVar(&fleet, "fleet", false, fleetHelp)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !fleet {
			return run(cmd, args)
		}
		var list []api.Task
		for _, ref := range args {
			reply, err := a.AskFleet(cmd.Context(), api.FleetRequest{Op: op, Ref: ref})
			if err != nil {
				return print(a, list, err)
			}
			list = append(list, reply.Tasks...)
		}
		return print(a, list, nil)
	}
	return cmd
}

// fleetTasks lists the fleet's tasks.
func fleetTasks(ctx context.Context, a *verb.App) (list []api.Task, err error) {
	list, _, err = a.FleetTasks(ctx, math.MaxInt, func(api.Task) bool { return true })
	return list, err
}

// addToFleet adds tasks to the fleet's queue. Their directories are those of the machines.
func addToFleet(ctx context.Context, a *verb.App, list []api.NewTask, where api.Placement) error {
	for i := range list {
		w := where
		if list[i].Fleet != nil {
			w = *list[i].Fleet
		}
		if w.Node != "" || w.OnNodeLoss != "" || len(w.Needs) > 0 {
			list[i].Fleet = &w
		}
		list[i].Env = nil
	}
	reply, err := a.AskFleet(ctx, api.FleetRequest{Op: api.FleetAdd, Tasks: list})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(reply.Tasks)
	}
	for _, t := range reply.Tasks {
		fmt.Fprintln(a.Out, t.ID)
	}
	return nil
}

// printPlaced prints the fleet's tasks with their machines.
func printPlaced(a *verb.App, list []api.Task) {
	line := func(cells ...any) {
		fmt.Fprintln(a.Out, strings.TrimRight(a.Safe("%-6s %-10s %-12s %-40.40s %s", cells...), " "))
	}
	if len(list) > 0 {
		line("TASK", "STATE", "MACHINE", "PROMPT", "REASON")
	}
	for _, t := range list {
		place := t.Place
		if place == "" {
			place = "-"
		}
		line(t.ID, t.State, place, strings.Join(strings.Fields(t.Prompt), " "), t.Reason)
	}
	if len(list) == 0 {
		a.Tell("the fleet has no task: `ccdir task add --fleet PROMPT` adds one")
	}
}

func newTaskReleaseCmd(a *verb.App) *cobra.Command {
	cmd := verb.Local(&cobra.Command{
		Use: "release TASK… [--json]", Short: "Give tasks of the fleet to other machines than those that are away",
		Annotations: verb.AllRefs(),
		Long: `Give tasks of the fleet anew: the machine that has each one is away, or should not have it. What
that machine still does of it counts for nothing; it is told to end it when it is back.`,
		Example:           "  ccdir task release t5",
		Args:              verb.AtLeast(1, "TASK"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			var list []api.Task
			for _, ref := range args {
				reply, err := a.AskFleet(cmd.Context(), api.FleetRequest{Op: api.FleetRelease, Ref: ref})
				if err != nil {
					return printChanged(a, list, err)
				}
				list = append(list, reply.Tasks...)
			}
			return printChanged(a, list, nil)
		},
	})
	a.JSONFlag(cmd, "print a JSON array of the tasks")
	return cmd
}
