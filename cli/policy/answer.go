package policy

import (
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
)

// Answer makes the verb `answer`.
func Answer(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "answer REQUEST TEXT… [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Answer a question that an agent asks",
		Long: `Answer a question that an agent asks, with the tool ask_person or in its pane. Where it offers
choices the answer is one of them; where several may be taken, each is an argument
of its own. ` + "`ccdir approvals`" + ` lists the questions, ` + "`ccdir deny`" + ` declines one.`,
		Example:           `  ccdir answer k3vfa blue`,
		Args:              verb.AtLeast(2, "REQUEST and TEXT"),
		ValidArgsFunction: verb.Completing(a, completeRequest),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answer(a, cmd, args[0], api.Answer{Behavior: api.AnswerAllow, Text: strings.Join(args[1:], "\n")})
		},
	}
	a.JSONFlag(cmd, "print the decision as JSON")
	return cmd
}
