package policy

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// refusal is one row of `sandbox explain`: what a tool's result says that walls say.
type refusal struct {
	At   time.Time `json:"at"`
	Seq  int64     `json:"seq"`
	Tool string    `json:"tool"`
	// Says is the part of the result that was found.
	Says string `json:"says"`
}

// walled is `sandbox explain --json`.
type walled struct {
	Session  string       `json:"session"`
	Sandbox  *api.Sandbox `json:"sandbox"`
	Refusals []refusal    `json:"refusals"`
}

// wallWords are what programs print of calls that walls refuse, with what stands before on the line.
// Others print it for other reasons, too.
var wallWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\n"\\]{0,160}(?:Read-only file system|Permission denied|Operation not permitted|EROFS|EACCES|EPERM|read-only file system|permission denied|operation not permitted|is not there behind the sandbox|runs behind a sandbox)[^\n"\\]{0,80}`)
})

// maxRefusals bounds the rows, and the events that are looked through.
const (
	maxRefusals   = 50
	refusalEvents = 5000
)

func sandboxExplain(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "explain SESSION [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Show a session's walls, and what they seem to have refused",
		Long: `Show the walls around a session, and the results of its tools that read as a wall's
refusal ("Read-only file system", "Permission denied"), newest first. The kernel tells
only the administrator what it refused, so this is what the agent's hooks reported:
a refusal that a program kept to itself is not in it, and a file that is hidden looks
like one that does not exist.`,
		Example:           "  ccdir sandbox explain api",
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			s, err := c.Session(ctx, args[0])
			if err != nil {
				return err
			}
			if s.Sandbox == nil {
				return fmt.Errorf("session %s has no walls: `ccdir new --sandbox PROFILE` starts one that has", s.Name)
			}
			events, err := c.Events(ctx, client.EventFilter{Session: s.ID, Limit: refusalEvents})
			if err != nil {
				return err
			}
			v := walled{Session: s.ID, Sandbox: s.Sandbox, Refusals: refusals(events)}
			return a.Output(v, func() error { return printWalled(a, v) })
		}),
	}
	a.JSONFlag(cmd, "print it as JSON")
	return cmd
}

// refusals finds them among a session's events, newest first.
func refusals(events []api.Event) []refusal {
	list := []refusal{}
	for _, e := range slices.Backward(events) {
		if e.Kind != api.KindToolEnds && e.Kind != api.KindToolFails || len(list) == maxRefusals {
			continue
		}
		says := wallWords().Find(bytes.ReplaceAll(e.Data, []byte(`\n`), []byte("\n")))
		if says == nil {
			continue
		}
		list = append(list, refusal{At: e.At, Seq: e.Seq, Tool: e.Message, Says: strings.TrimSpace(textsafe.Line(string(says)))})
	}
	return list
}

func printWalled(a *verb.App, v walled) error {
	t := verb.Table{}
	t.Row(verb.Plain("sandbox", v.Sandbox.Name+", held by "+v.Sandbox.Mechanism+", network "+v.Sandbox.Network)...)
	for _, m := range v.Sandbox.Missing {
		t.Row(verb.Plain("missing", m)...)
	}
	for _, r := range v.Refusals {
		t.Row(verb.Plain(r.At.Local().Format("01-02 15:04:05"), r.Says+"  ("+r.Tool+")")...)
	}
	if len(v.Refusals) == 0 {
		t.Row(verb.Plain("refused", "nothing that a tool's result tells")...)
	}
	return t.Write(a.Out, a.Colours())
}
