package task

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/disk/untrusted"
)

const (
	// projectFile is a project's file of settings, maxProjectFile its bound in bytes.
	projectFile    = ".ccdir.toml"
	maxProjectFile = 1 << 20
	// agreedTo begins the label that says which text of a schedule the person agreed to.
	agreedTo = projectFile + ":"
)

func newScheduleTakeCmd(a *verb.App) *cobra.Command {
	var dir string
	var yes bool
	cmd := &cobra.Command{
		Use:   "take [-C DIR] [--yes] [--json]",
		Short: "Take the schedules of a project's .ccdir.toml, after you agreed to each",
		Long: `Take [[schedule]] of the .ccdir.toml in a directory: each is shown whole and
becomes a schedule when you agree to it. What was agreed to is what runs: when the file
changes, nothing does until the verb is used again, which asks about what is new or
another text. Its schedules are named PROJECT.NAME and run in that directory.`,
		Example:           "  ccdir schedule take -C ~/src/api",
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			top, err := a.FromHere(dir, "an absolute one with -C")
			if err != nil {
				return err
			}
			if a.Node != "" {
				return fmt.Errorf("the file is read where ccdir runs: use the verb on %s", a.Node)
			}
			list, err := projectSchedules(top)
			if err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			taken, err := takeSchedules(cmd.Context(), a, c, filepath.Base(top), list, yes)
			return printSchedules(a, taken, err)
		},
	}
	cmd.Flags().StringVarP(&dir, "dir", "C", "", "`DIR` with the file (default: the current one)")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "agree to all of them")
	_ = cmd.MarkFlagDirname("dir")
	a.JSONFlag(cmd, "print a JSON array of the schedules")
	return cmd
}

// projectSchedules reads the schedules of the project in top.
func projectSchedules(top string) ([]config.Schedule, error) {
	file := filepath.Join(top, projectFile)
	data, err := untrusted.Read(file, maxProjectFile)
	if err != nil {
		return nil, err
	}
	list, err := config.ProjectSchedules(data, file, top)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has no [[schedule]]: docs/schedules.md shows one", file)
	}
	return list, err
}

// takeSchedules makes a schedule of each in list that the person agrees to, in place of an older text of it.
func takeSchedules(ctx context.Context, a *verb.App, c *client.Client, project string, list []config.Schedule, yes bool) (taken []api.Schedule, err error) {
	known, err := c.Schedules(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		n, text, err := asked(project, s)
		if err != nil {
			return taken, err
		}
		label := n.Task.Labels[len(n.Task.Labels)-1]
		i := slices.IndexFunc(known, func(v api.Schedule) bool { return v.Name == n.Name })
		if i >= 0 && known[i].Task != nil && slices.Contains(known[i].Task.Labels, label) {
			taken = append(taken, known[i])
			continue
		}
		a.Tell("the project's %s wants this schedule:", projectFile)
		for line := range strings.Lines(text) {
			a.Tell("  %s", strings.TrimRight(line, "\n"))
		}
		if !yes {
			if err := a.Confirm("take " + n.Name + "?"); err != nil {
				return taken, err
			}
		}
		n.Task.Env = a.Env
		old := ""
		if i >= 0 {
			if err := replaceable(known[i]); err != nil {
				return taken, err
			}
			old = known[i].ID
		}
		v, err := replaceSchedule(ctx, c, old, n)
		if err != nil {
			return taken, err
		}
		taken = append(taken, v)
	}
	return taken, nil
}

// replaceSchedule adds a schedule in place of the one with id old, "" for none. That one stays if n is refused.
func replaceSchedule(ctx context.Context, c *client.Client, old string, n api.NewSchedule) (v api.Schedule, err error) {
	if old == "" {
		return c.AddSchedule(ctx, n)
	}
	aside := ""
	if _, err := c.EditSchedule(ctx, old, api.EditSchedule{Name: &aside}); err != nil {
		return v, err
	}
	if v, err = c.AddSchedule(ctx, n); err != nil {
		_, back := c.EditSchedule(ctx, old, api.EditSchedule{Name: &n.Name})
		return v, errors.Join(err, back)
	}
	return v, c.RemoveSchedule(ctx, old)
}

// replaceable fails for a schedule that did not come from a project's file.
func replaceable(v api.Schedule) error {
	if v.Task != nil && slices.ContainsFunc(v.Task.Labels, func(l string) bool { return strings.HasPrefix(l, agreedTo) }) {
		return nil
	}
	return fmt.Errorf("schedule %s has the name %s, and did not come from a project: give it another name (`ccdir schedule edit %s -n NAME`)", v.ID, v.Name, v.ID)
}

// asked is what a project's schedule becomes, with the label of its text last, and that text.
func asked(project string, s config.Schedule) (n api.NewSchedule, text string, err error) {
	n = api.NewSchedule{Name: project + "." + s.Name, When: s.When, At: s.At, Zone: s.Zone, Missed: s.Missed, Overlap: s.Overlap, Task: s.Task}
	data, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return n, "", err
	}
	sum := sha256.Sum256(data)
	n.Task.Labels = append(slices.Clone(n.Task.Labels), agreedTo+hex.EncodeToString(sum[:]))
	return n, string(data), nil
}
