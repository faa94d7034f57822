package verb

import (
	"strings"

	"github.com/spf13/cobra"
)

// right says who decides whether a process inside a session may use a verb.
type right uint8

const (
	// personal: the verb changes files of the person or reaches other machines by itself. It is
	// refused before it does anything (app.personal). A verb that has no row is personal.
	personal right = iota
	// byDaemon: it acts through the daemon, or a host, which decides for each call.
	byDaemon
	// reads: it only reads, what any process of the user can.
	reads
	// byItself: it calls app.personal itself, for a part of what it does, or what it runs refuses.
	byItself
)

// Rights has a row for each verb, by its words. A new one needs a row (TestVerbsHaveRights).
var Rights = map[string]right{
	"attach": byDaemon, "focus": byDaemon, "screen": byDaemon,
	"demo":      byItself, // in a directory and with a daemon of its own
	"conflicts": byDaemon, "diff": byDaemon, "review": byDaemon, "events": byDaemon, "explain": byDaemon, "fork": byDaemon, "kill": byDaemon, "ls": byDaemon, "model": byDaemon,
	"new": byDaemon, "park": byDaemon, "wake": byDaemon, "pr": byDaemon, "rename": byDaemon, "mark": byDaemon, "reset": byDaemon, "resume": byDaemon, "restart": byDaemon, "restore": byDaemon, "rm": byDaemon,
	"open": byDaemon, "save": byDaemon,
	"show": byDaemon, "wait": byDaemon,
	"worktree add": byDaemon, "worktree checks": byDaemon, "worktree ls": byDaemon, "worktree merge": byDaemon, "worktree mv": byDaemon, "worktree prune": byDaemon,
	"worktree restore": byDaemon, "worktree rm": byDaemon, "worktree commit": byDaemon, "worktree push": byDaemon,
	"ask": byDaemon, "keys": byDaemon, "output": byDaemon, "paste": byDaemon, "pending": byDaemon, "pending cancel": byDaemon,
	"pending edit": byDaemon, "resize": byDaemon, "send": byDaemon, "transcript": byDaemon,
	"answer": byDaemon, "approvals": byDaemon, "approve": byDaemon, "decisions": byDaemon, "deny": byDaemon, "messages": byDaemon,
	"messages ack": byDaemon, "messages send": byDaemon, "override": byDaemon, "role": byDaemon, "rules": byDaemon, "rules add": byDaemon,
	"rules revoke": byDaemon, "snooze": byDaemon,
	"sandbox ls": reads, "sandbox show": reads, "sandbox explain": byDaemon, "sandbox allow": byDaemon,
	"sandbox run":  reads, // the command runs with no more rights than its caller has
	"policy check": reads, "policy explain": reads, "policy init": personal,
	"docs": byDaemon, "history": byDaemon, "search": byDaemon, "usage": byDaemon,
	"task add": byDaemon, "task cancel": byDaemon, "task clear": byDaemon, "task edit": byDaemon, "task limit": byDaemon, "task logs": byDaemon,
	"task ls": byDaemon, "task mode": byDaemon, "task move": byDaemon, "task patch": byDaemon, "task pause": byDaemon, "task resume": byDaemon, "task show": byDaemon,
	"task seen": byDaemon, "task release": byItself, "task start": byDaemon, "task wait": byDaemon,
	"schedule add": byDaemon, "schedule edit": byDaemon, "schedule ls": byDaemon, "schedule pause": byDaemon, "schedule resume": byDaemon,
	"schedule rm": byDaemon, "schedule run": byDaemon, "schedule show": byDaemon, "schedule take": byDaemon,
	"watch ls": byDaemon, "watch pause": byDaemon, "watch resume": byDaemon, "watch run": byDaemon,
	"on ls": byDaemon, "on test": byDaemon,
	"accounts": byDaemon, "agents": byDaemon, "api": byDaemon, "api openapi": reads, "api socket": reads, "api token": personal,
	"completion": reads, "config check": reads, "config get": reads, "config path": reads, "config show": reads, "config set": personal, "config edit": personal, "doctor": reads, "help": reads, "version": reads,
	"daemon logs": reads, "daemon status": byDaemon, "daemon stop": byDaemon, "daemon restart": byDaemon,
	"daemon start": byItself, "daemon run": byItself, // no session starts a daemon: client.start, daemon/process
	"hooks install": personal, "hooks status": reads, "hooks uninstall": personal,
	"init": personal, "mcp": byDaemon,
	"node add": personal, "node doctor": personal, "node down": personal, "node rm": personal, "node up": personal, "node update": personal,
	"node ls":         byItself, // connects by nodes.Remote, which refuses
	"service install": personal, "service status": reads, "service uninstall": personal,
	"update": byItself, // --check only reads
	"web":    byDaemon, "web devices": byDaemon, "web off": byDaemon, "web pair": byDaemon, "web revoke": byDaemon,
}

// GuardVerbs makes the person's verbs below cmd refuse processes of sessions.
func (a *App) GuardVerbs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		a.GuardVerbs(sub)
		run := sub.RunE
		if run == nil || Rights[PathOf(sub)] != personal {
			continue
		}
		sub.RunE = func(cmd *cobra.Command, args []string) error {
			if err := a.Personal(cmd.Context(), PathOf(cmd)); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
}

// PathOf returns the words of a verb without the program's name.
func PathOf(cmd *cobra.Command) string {
	_, words, _ := strings.Cut(cmd.CommandPath(), " ")
	return words
}
