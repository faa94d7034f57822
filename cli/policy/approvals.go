package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/patchtext"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
)

// Approvals makes the verb `approvals`.
func Approvals(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approvals [--all] [--json]",
		Short: "List the open permission requests",
		Long: `List what agents ask permission for, oldest first, and by which rules
` + "`ccdir approve --always`" + ` can allow more than the very call. The same question stands in
the agent's pane; the first answer wins, wherever it is given.`,
		Example: `  ccdir approvals
  ccdir approvals --all && ccdir approve gpu1/r3
  ccdir approvals --json | jq -r '.[] | select(.tool == "Bash") | .input.command'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.Approvals(ctx)
			if err != nil {
				return err
			}
			return verb.Listed(a, list, "no open permission requests", func() error { return printApprovals(ctx, a, list) })
		}),
	}
	a.AllFlag(cmd)
	a.JSONFlag(cmd, "print a JSON array of requests")
	return cmd
}

func printApprovals(ctx context.Context, a *verb.App, list []api.Request) error {
	names := map[string]string{}
	if sessions, err := a.Client.Sessions(ctx); err == nil { // else the ids are shown
		for _, s := range sessions {
			names[s.ID] = s.Name
		}
	}
	now := time.Now()
	t := verb.Table{}
	t.Row(verb.Plain("REQUEST", "SESSION", "FOR", "TOOL", "INPUT")...)
	for _, r := range list {
		name := names[r.Session]
		if name == "" {
			name = r.Session
		}
		tool := r.Tool
		if r.Kind == api.RequestPlan {
			tool = "plan"
		}
		if r.Kind == api.RequestQuestion && r.Origin != api.OriginMCP && r.Questions == 0 {
			tool += " (in the pane)"
		}
		input := textsafe.Cut(requestText(r), verb.ShownInput)
		if len(r.AlwaysRules) > 1 {
			input += "  (--always " + strings.Join(r.AlwaysRules[1:], ", ") + ")"
		}
		if len(r.Modes) > 0 {
			input += "  (--mode " + strings.Join(r.Modes, ", ") + ")"
		}
		t.Row(verb.Plain(r.ID, name, verb.Age(now, r.Since), tool, input)...)
	}
	return t.Write(a.Out, a.Colours())
}

// requestText describes the request in one line. The input of unknown tools is shown whole,
// because the meaning of its members is not known.
func requestText(r api.Request) string {
	if plan := request.PlanLine(r.Input); plan != "" && (r.Kind == api.RequestPlan || r.Tool == api.ToolPlan) {
		return plan
	}
	if r.Tool == api.ToolPatch {
		if line := patchLine(r.Input); line != "" {
			return line
		}
	}
	var in map[string]json.RawMessage
	if !strings.HasPrefix(r.Tool, "mcp__") && json.Unmarshal(r.Input, &in) == nil {
		for _, key := range []string{"command", "file_path", "notebook_path", "url"} {
			var s string
			if json.Unmarshal(in[key], &s) == nil && s != "" {
				return s
			}
		}
	}
	if text := request.Asked(r.Input); text != "" && r.Kind != api.RequestPermission && !strings.HasPrefix(r.Tool, "mcp__") {
		return text
	}
	if r.Kind == api.RequestQuestion && r.Question != "" {
		return r.Question // which has the choices
	}
	return string(r.Input)
}

// patchLine names the files of a patch, what becomes of each, and how many lines; "" if the input
// is none.
func patchLine(input json.RawMessage) string {
	var in struct {
		Files []patchtext.File `json:"files"`
	}
	if json.Unmarshal(input, &in) != nil {
		return ""
	}
	var parts []string
	for _, f := range in.Files {
		part := f.Change + " " + f.Path
		if f.MoveTo != "" {
			part += " → " + f.MoveTo
		}
		added, removed := f.Lines()
		if added > 0 {
			part += fmt.Sprintf(" +%d", added)
		}
		if removed > 0 {
			part += fmt.Sprintf(" -%d", removed)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// Approve makes the verb `approve`.
func Approve(a *verb.App) *cobra.Command {
	var always bool
	var scope, input, mode string
	var answers []string
	cmd := &cobra.Command{
		Use:         "approve REQUEST [--always [RULE] [--scope SCOPE] | --input JSON | --answer TEXT | --mode MODE] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Allow what an agent asks permission for",
		Long: `Allow what an agent asks permission for. REQUEST is an id, or a unique prefix of
one, as ` + "`ccdir approvals`" + ` lists them. With --always a rule for the same command,
file or site is written: for the session, or with --scope into the policy file of
the project or the user. RULE is a wider one of those that ` + "`ccdir approvals`" + ` offers for
the request, such as 'Bash(go test *)'. Where no rule is narrow enough, or the policy would
ask again all the same, --always is refused. --input replaces what is run; the policy
decides about it again. A question is answered with --answer: the label of a
choice or a text of your own; more than once for a question that takes several
choices, and once for each of several questions, in their order. A plan is approved with
the permission mode in which the agent goes on, one of those that ` + "`ccdir approvals`" + ` names
for it.`,
		Example: `  ccdir approve k3vfa
  ccdir approve k3vfa --always
  ccdir approve k3vfa --always 'Bash(go test *)' --scope project
  ccdir approve k3vfa --input '{"command":"git push --dry-run"}'
  ccdir approve k3vfa --answer "PostgreSQL"
  ccdir approve k3vfa --mode acceptEdits`,
		Args:              verb.Between(1, 2, "REQUEST and RULE"),
		ValidArgsFunction: verb.Completing(a, completeApproval),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && !always {
				return verb.Usagef(cmd, "%q says by which rule to allow it --always: give that, too", args[1])
			}
			if scope != "" && !always {
				return verb.Usagef(cmd, "--scope says how far --always reaches: give both")
			}
			said := api.Answer{Behavior: api.AnswerAllow, Always: always, Scope: scope, Mode: mode, Text: strings.Join(answers, "\n")}
			if len(args) == 2 {
				said.Rule = args[1]
			}
			if input != "" {
				if !json.Valid([]byte(input)) {
					return verb.Usagef(cmd, `--input wants JSON, such as {"command":"…"}`)
				}
				said.Input = json.RawMessage(input)
			}
			return answer(a, cmd, args[0], said)
		},
	}
	cmd.Flags().BoolVar(&always, "always", false, "write a rule, so that the same call is not asked about again")
	cmd.Flags().StringVar(&mode, "mode", "", "the permission `MODE` in which the agent goes on after its plan")
	cmd.Flags().StringVar(&scope, "scope", "", "the `SCOPE` of --always: session (default), project or user")
	cmd.Flags().StringArrayVar(&answers, "answer", nil, "`TEXT` that answers a question; may be repeated")
	cmd.Flags().StringVar(&input, "input", "", "run this `JSON` instead of the tool's input")
	a.JSONFlag(cmd, "print the decision as JSON")
	return cmd
}

// Deny makes the verb `deny`.
func Deny(a *verb.App) *cobra.Command {
	var message string
	cmd := &cobra.Command{
		Use:         "deny REQUEST [--message TEXT] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Refuse what an agent asks permission for",
		Long:        "Refuse what an agent asks permission for. The agent reads the message and goes on without the tool.",
		Example: `  ccdir deny k3vfa
  ccdir deny k3vfa --message "write to tmp/ instead"`,
		Args:              verb.Exactly(1, "REQUEST"),
		ValidArgsFunction: verb.Completing(a, completeRequest),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answer(a, cmd, args[0], api.Answer{Behavior: api.AnswerDeny, Message: message})
		},
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "`TEXT` to tell the agent")
	a.JSONFlag(cmd, "print the decision as JSON")
	return cmd
}

// answer gives an answer and prints what was decided.
func answer(a *verb.App, cmd *cobra.Command, ref string, answer api.Answer) error {
	c, err := a.Connect(cmd.Context())
	if err != nil {
		return err
	}
	d, err := c.Answer(cmd.Context(), ref, answer)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(d)
	}
	word := "approved"
	switch {
	case answer.Behavior == api.AnswerDeny:
		word = "denied"
	case answer.Text != "":
		word = "answered"
	case answer.Always:
		word = "approved for this session, by " + cmp.Or(answer.Rule, d.Request.AlwaysRule)
		if d.Answer != nil && d.Answer.File != "" && d.Answer.Scope != api.ScopeSession {
			word = fmt.Sprintf("approved for the %s, by %s (%s:%d)", d.Answer.Scope, d.Answer.Rule, a.ShortPath(d.Answer.File), d.Answer.Line)
		}
	case len(answer.Input) > 0:
		word = "approved with another input than it asked for"
	}
	_, err = fmt.Fprintln(a.Out, verb.Plain(fmt.Sprintf("%s: %s %s: %s", d.Request.ID, d.Request.Tool, word,
		textsafe.Cut(requestText(d.Request), verb.ShownInput)))[0].Text)
	return err
}

// completeRequest completes ids of open requests.
func completeRequest(a *verb.App, cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range openRequests(a, cmd) {
		out = append(out, cobra.CompletionWithDesc(r.ID, textsafe.Line(r.Tool+" "+textsafe.Cut(requestText(r), 60))))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeApproval completes ids of open requests, then the rules by which one can be allowed
// always.
func completeApproval(a *verb.App, cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeRequest(a, cmd, args, typed)
	}
	var out []string
	for _, r := range openRequests(a, cmd) {
		if len(args) == 1 && r.ID == args[0] {
			out = r.AlwaysRules
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// openRequests are the open requests, for completions; none if they cannot be had at once.
func openRequests(a *verb.App, cmd *cobra.Command) []api.Request {
	c, err := a.NewClient("completion")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), verb.CompleteTimeout)
	defer cancel()
	list, err := c.Approvals(ctx)
	if err != nil {
		return nil
	}
	return list
}
