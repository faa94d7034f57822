package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// History makes the verb `history`.
func History(a *verb.App) *cobra.Command {
	var limit int
	var ansi bool
	cmd := &cobra.Command{
		Use:         "history [ID] [--ansi] [--limit N] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Past sessions and tasks; with ID what one showed",
		Long: `List the sessions and tasks that have ended, newest first; a task and its sessions
are one row (--json lists both). With the ID of a session or task: what it showed
until its end, with its history; with colours on a terminal, and elsewhere with
--ansi.
--json adds the turns of its conversations (see ccdir transcript).
How much is kept is history_kept and history_max_age of the configuration.`,
		Example:           "  ccdir history\n  ccdir history t3 --ansi | less -R",
		Args:              verb.AtMostOne,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return verb.Usagef(cmd, "--limit %d: list at least one", limit)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) == 1 {
				t, err := c.Transcript(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if a.JSON {
					return printPast(cmd.Context(), a, c, t)
				}
				return a.Output(t, func() error {
					text := t.ANSI
					switch {
					case verb.Terminal(a.Stdout):
						text = textsafe.Styled(text)
					case !ansi:
						text = verb.Styles().ReplaceAllString(text, "")
					}
					_, err := fmt.Fprint(a.Out, text)
					return err
				})
			}
			if a.JSON {
				list, err := c.History(cmd.Context(), limit)
				if err != nil {
					return err
				}
				return verb.Listed(a, list, "", nil)
			}
			rows, err := pastRows(cmd.Context(), c, cmp.Or(limit, historyRows))
			if err != nil {
				return err
			}
			return verb.Listed(a, rows, "nothing has ended yet", func() error { return printHistory(a, rows) })
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` rows, with --json entries (default 50)")
	cmd.Flags().BoolVar(&ansi, "ansi", false, "with colours and attributes, whatever it is written to")
	a.JSONFlag(cmd, "print a JSON array, or the transcript as JSON")
	return cmd
}

// historyRows is how many rows the list of the past has if nothing else is asked for.
const historyRows = 50

// pastRows returns so many rows of the past. It asks for more entries than that: the sessions of
// a task share its row, and that may come after them.
func pastRows(ctx context.Context, c *client.Client, limit int) ([]api.HistoryEntry, error) {
	for ask := 2*limit + historyRows; ; ask *= 2 {
		list, err := c.History(ctx, ask)
		if err != nil {
			return nil, err
		}
		rows := api.HistoryRows(list)
		if len(rows) >= limit || len(list) < ask {
			return rows[:min(len(rows), limit)], nil
		}
	}
}

// printPast prints what is kept of a session as JSON: its screen, and the turns of its
// conversations.
func printPast(ctx context.Context, a *verb.App, c *client.Client, t api.Transcript) error {
	past := struct {
		api.Transcript
		Turns []api.Turn `json:"turns"`
	}{t, []api.Turn{}}
	err := c.Turns(ctx, t.ID, 0, func(turn api.Turn) error { past.Turns = append(past.Turns, turn); return nil })
	if code := api.CodeOf(err); err != nil && code != api.CodeConflict && code != api.CodeNotFound {
		return err // else there is no conversation
	}
	return a.PrintJSON(past)
}

func printHistory(a *verb.App, rows []api.HistoryEntry) error {
	t := verb.Table{}
	t.Row(verb.Plain("ENDED", "KIND", "ID", "NAME", "AGENT", "STATE", "TOOK", "PROMPT")...)
	for _, e := range rows {
		state := e.State
		if e.ExitCode != nil {
			state += fmt.Sprintf(" (%d)", *e.ExitCode)
		}
		first, _, _ := strings.Cut(e.Text, "\n")
		t.Row(verb.Plain(e.Ended.Local().Format(time.DateTime), e.Kind, e.ID, e.Name, e.Agent, state,
			e.Ended.Sub(e.Started).Round(time.Second).String(), textsafe.Cut(first, 60))...)
	}
	return t.Write(a.Out, a.Colours())
}

// Search makes the verb `search`.
func Search(a *verb.App) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "search TEXT… [--limit N] [--json]",
		Short: "Find words in conversations, tasks, transcripts, events and running sessions",
		Long: `Find what has all the words: the conversations of all agents, running and ended, by
prompts, answers, tool inputs and results; tasks by prompt and result, ended sessions
by what they showed; newest first. Before them come lines of running sessions, of
screen and scrollback, after them events by their message, each message of a session
once; sessions that do not answer in time are named. The last word may be the
beginning of one, in conversations from three letters on.
A place in a conversation is SESSION:TURN and what of the turn it is; "ccdir transcript
SESSION" prints it, and in the grid C-b / and Enter go there. --json has session,
conversation, turn, part (prompt, answer, thinking, note, input, result, subagent) and place.`,
		Example:           "  ccdir search flaky test\n  ccdir search --json timeout | jq -r '.[] | select(.kind==\"turn\") | \"\\(.session) \\(.turn)\"'",
		Args:              verb.AtLeast(1, "TEXT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return verb.Usagef(cmd, "--limit %d: list at least one", limit)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			hits, err := c.Search(cmd.Context(), strings.Join(args, " "), limit)
			if err != nil {
				return err
			}
			hits = slices.DeleteFunc(hits, func(h api.SearchHit) bool {
				switch {
				case h.Kind != api.HitLeftOut: // a place
				case h.ID == "":
					a.Tell("%s", h.Line)
				default:
					a.Tell("session %s: %s", h.ID, h.Line)
				}
				return h.Kind == api.HitLeftOut
			})
			return verb.Listed(a, hits, "nothing has these words", func() error {
				t := verb.Table{}
				for _, h := range hits {
					kind, id := h.Kind, h.ID
					if kind == api.HitTurn {
						kind, id = string(h.Part), fmt.Sprintf("%s:%d", h.Session, h.Turn)
					}
					t.Row(verb.Plain(h.At.Local().Format(time.DateTime), kind, id, verb.OrNone(cmp.Or(h.Name, h.Session)), h.Line)...)
				}
				return t.Write(a.Out, a.Colours())
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` places (default 50)")
	a.JSONFlag(cmd, "print a JSON array of the places")
	return cmd
}
