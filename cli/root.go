package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/daemon"
	"ccdir/cli/doctor"
	"ccdir/cli/grid"
	"ccdir/cli/node"
	"ccdir/cli/policy"
	"ccdir/cli/review"
	"ccdir/cli/session"
	"ccdir/cli/setup"
	"ccdir/cli/task"
	"ccdir/cli/usage"
	"ccdir/cli/verb"
	"ccdir/cli/web"
	"ccdir/cli/worktree"
	"ccdir/internal/text/spelling"
)

// Groups of verbs in the help.
const (
	groupGrid    = "grid"
	groupSession = "session"
	groupInput   = "input"
	groupTasks   = "tasks"
	groupPermit  = "permit"
	groupSystem  = "system"
)

// Verbs returns the tree of verbs, for tools that describe it. It cannot be run.
func Verbs() *cobra.Command { return newRoot(&verb.App{}) }

// newRoot builds the tree of verbs.
func newRoot(a *verb.App) *cobra.Command {
	root, add := newGridRoot(a)
	add(groupSession, session.New(a), session.Ls(a), session.Show(a), session.Explain(a), session.Wait(a), session.Kill(a),
		session.Restart(a), session.Park(a), session.Wake(a), session.Reset(a), session.Fork(a), session.Model(a), session.Resume(a), session.Accounts(a), session.Restore(a), session.Rename(a), session.Mark(a), session.Rm(a), session.Events(a), verb.Local(session.Open(a)), verb.Local(session.Save(a)))
	add(groupInput, session.Send(a), session.Pending(a), session.Ask(a), session.Keys(a), session.Paste(a), session.Output(a), session.Transcript(a), session.Resize(a))
	add(groupSession, worktree.Worktree(a), worktree.Conflicts(a), worktree.PR(a), review.Diff(a), review.Review(a))
	add(groupSystem, daemon.Daemon(a), verb.Local(daemon.Service(a)), verb.Local(setup.Config(a)), doctor.Agents(a), verb.Local(setup.Hooks(a)), daemon.API(a), verb.Local(node.Node(a)), verb.Local(doctor.Doctor(a)), verb.Local(daemon.Version(a)), verb.Local(setup.Completion(a)), verb.Local(setup.Screen(a)))
	add(groupSystem, verb.Local(web.Web(a)), verb.Local(daemon.Update(a)))
	add(groupTasks, task.Task(a), task.Schedule(a), task.Watch(a), task.On(a), session.History(a), session.Search(a), setup.Docs(a), usage.Usage(a))
	add(groupPermit, policy.Approvals(a), policy.Approve(a), policy.Deny(a), policy.Decisions(a), policy.Answer(a), session.Snooze(a), session.Messages(a),
		policy.Policy(a), policy.Role(a), policy.Override(a), policy.Rules(a), policy.Sandbox(a))
	add(groupSystem, verb.Local(setup.MCP(a)), verb.Local(setup.Init(a)))
	return ready(a, root)
}

// rootFor builds the verbs that the arguments may name: without any it is the grid.
func rootFor(a *verb.App, args []string) *cobra.Command {
	a.Root = newRoot
	if len(args) > 0 {
		return newRoot(a)
	}
	root, _ := newGridRoot(a)
	return ready(a, root)
}

// ready prepares a tree of verbs for being run.
func ready(a *verb.App, root *cobra.Command) *cobra.Command {
	checkArgs(root)
	a.GuardVerbs(root)
	a.PlaceVerbs(root)
	a.CheckHelp(root)
	return root
}

// newGridRoot builds the root with the verbs of the grid, and the function that adds others:
// making all verbs takes half a millisecond, a twentieth of an attach.
func newGridRoot(a *verb.App) (root *cobra.Command, add func(group string, cmds ...*cobra.Command)) {
	root = &cobra.Command{
		Use:   "ccdir",
		Short: "Run coding agents side by side in one terminal",
		Long: `ccdir runs coding agents (and any other command) side by side, each in a terminal
of its own that goes on when you leave.

Without a verb it opens the grid: every session as a pane, beside a list that
says who needs you, who is done and what was done. A SESSION is named by its id,
a unique prefix of it, or its name; on another machine (` + "`ccdir node`" + `) it is
NODE/SESSION.`,
		Example: `  ccdir                              open the grid
  ccdir new -n api -C ~/src/api      start the default agent there
  ccdir new -- htop                  or any command
  ccdir send api "run the tests"     give it a prompt
  ccdir wait api                     until it is done, or asks
  ccdir output api                   what its screen shows`,
		Version:       api.Version, // --version
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := ""
			if s := nearVerbs(cmd, args[0]); len(s) > 0 {
				hint = " (did you mean " + strings.Join(s, " or ") + "?)"
			}
			return verb.Usagef(cmd, "unknown verb %q%s", args[0], hint)
		},
	}
	root.SetVersionTemplate("ccdir {{.Version}}\n")
	root.SetHelpCommandGroupID(groupSystem)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(verb.FlagError)
	root.AddGroup(
		&cobra.Group{ID: groupGrid, Title: "The grid:"},
		&cobra.Group{ID: groupSession, Title: "Sessions:"},
		&cobra.Group{ID: groupInput, Title: "Input and output:"},
		&cobra.Group{ID: groupPermit, Title: "Permissions and messages:"},
		&cobra.Group{ID: groupTasks, Title: "Tasks:"},
		&cobra.Group{ID: groupSystem, Title: "ccdir itself:"},
	)
	add = func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return grid.Open(cmd.Context(), a, "", false) }
	add(groupGrid, grid.Attach(a), session.Focus(a), verb.Local(grid.Demo(a)))
	return root, add
}

// nearVerbs returns the verbs that a misspelt word may mean: those with the word as a prefix,
// at an edit distance of one (long words: two), or with two letters swapped.
func nearVerbs(root *cobra.Command, word string) (near []string) {
	word = strings.ToLower(word)
	most := 1
	if len(word) > 5 {
		most = 2
	}
	for _, c := range root.Commands() {
		name := c.Name()
		if c.IsAvailableCommand() && (strings.HasPrefix(name, word) || spelling.Distance(word, name) <= most || swapped(word, name)) {
			near = append(near, name)
		}
	}
	return near
}

// swapped reports whether two words differ by two swapped neighbours.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}

// checkArgs turns errors about the arguments of every verb into usage errors.
func checkArgs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		if check := sub.Args; check != nil {
			sub.Args = func(cmd *cobra.Command, args []string) error {
				if err := check(cmd, args); err != nil {
					return verb.Usagef(cmd, "%s", err)
				}
				return nil
			}
		}
		sub.DisableFlagsInUseLine = true
		checkArgs(sub)
	}
}
