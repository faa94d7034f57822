package fleetpage

import (
	"cmp"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// mostTasks is how many open tasks are shown.
const mostTasks = 200

// Widths of columns.
const (
	wideName  = 16
	wideUse   = 9
	wideTask  = 7
	wideState = 11
)

// Lines are the page's in w columns.
func (t text) Lines(env ui.Env, w int) (string, []string) {
	f := modal.Facts{Theme: env.Theme, Width: w}
	dim := theme.FG(env.Theme.Dim)
	if t.problem != "" {
		f.Add("", t.problem, theme.Bold(env.Theme.Alert))
	}
	switch {
	case t.known != nil:
		addMachines(&f, env, t.known.fleet)
		addTasks(&f, *t.known)
	case t.problem != "":
		f.Add("", "a fleet is several machines that share one queue: `ccdir-fleet serve` begins one (docs/fleet.md)", dim)
	default:
		f.Add("", "asking the fleet…", dim)
	}
	return "fleet", f.Out
}

// addMachines adds a row for each machine, and below it what is left of its accounts' limits.
func addMachines(f *modal.Facts, env ui.Env, fleet api.Fleet) {
	dim := theme.FG(f.Theme.Dim)
	f.Heading("machines")
	if len(fleet.Nodes) == 0 {
		f.Add("", "none has joined: `ccdir-fleet invite NAME` prints an invitation", dim)
	}
	for _, n := range fleet.Nodes {
		use, style, about := fmt.Sprintf("%d of %d", n.Used, n.Slots), cells.Style{}, strings.Join(n.Labels, " ")
		if n.Used >= n.Slots {
			style = theme.FG(f.Theme.Input)
		}
		if n.Version != api.Version {
			about += "  " + n.Version
		}
		if !n.Away.IsZero() {
			style, about = theme.Bold(f.Theme.Alert), "away for "+format.Age(env.Now, n.Away)+", its tasks wait for it"
		}
		f.Out = append(f.Out, modal.Columns(f.Width, modal.Column(textsafe.Line(n.Name), wideName, cells.Style{}),
			modal.Column(use, wideUse, style), modal.Column(textsafe.Line(about), f.Width, dim)))
		for _, left := range limits(env, n) {
			f.Out = append(f.Out, modal.Columns(f.Width, modal.Column("", wideName, dim), modal.Column(textsafe.Line(left), f.Width, dim)))
		}
	}
}

// limits are the windows of a machine, a line for each account.
func limits(env ui.Env, n api.FleetNode) (lines []string) {
	of := map[string]int{}
	for _, win := range n.Windows {
		account := win.Agent + "/" + win.Account
		i, known := of[account]
		if !known {
			i = len(lines)
			of[account], lines = i, append(lines, account)
		}
		lines[i] += "  " + win.Short(env.Now)
	}
	if len(n.Limited) > 0 {
		lines = append(lines, "at the limit, takes no task of: "+strings.Join(n.Limited, ", "))
	}
	return lines
}

// addTasks adds the open tasks: what runs where, then what waits, and why.
func addTasks(f *modal.Facts, a answer) {
	dim := theme.FG(f.Theme.Dim)
	f.Heading("queue")
	f.Add("leader", a.fleet.Leader, cells.Style{})
	f.Add("tasks", ui.TaskCounts(a.fleet.Queue), cells.Style{})
	if len(a.open) == 0 {
		f.Add("", "none is open: `ccdir task add --fleet` adds one", dim)
	}
	for _, here := range []bool{true, false} { // those that a machine has stand first
		for _, task := range a.open[:min(len(a.open), mostTasks)] {
			if (task.Place != "") != here {
				continue
			}
			where := cmp.Or(task.Place, task.Reason)
			if task.Place != "" && task.Reason != "" {
				where += ": " + task.Reason
			}
			f.Out = append(f.Out, modal.Columns(f.Width, modal.Column(task.ID, wideTask, dim), modal.Column(string(task.State), wideState, cells.Style{}),
				modal.Column(textsafe.Line(cmp.Or(task.Name, strings.Join(strings.Fields(task.Prompt), " "))), max(f.Width/3, wideName), cells.Style{}), modal.Column(textsafe.Line(where), f.Width, dim)))
		}
	}
	if a.more || len(a.open) > mostTasks {
		f.Add("", "there are more: `ccdir task ls --fleet`", dim)
	}
}
