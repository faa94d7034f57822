package session

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
)

// Mark makes the verb `mark`.
func Mark(a *verb.App) *cobra.Command {
	var group, note, color string
	var pin, unpin bool
	cmd := &cobra.Command{
		Use:         "mark SESSION [--group GROUP] [--pin | --unpin] [--note TEXT] [--color COLOR] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Note a group, a pin, a text or a colour of a session",
		Long: `Note for yourself what a session is about: a group, by which the grid's list groups and
its scope narrows (C-b w); a pin, which puts it first in lists; a line of text; the colour of
its name. They change nothing that it does, and stay until you change them; an empty text
takes one away. Without flags it prints what is noted.`,
		Example: `  ccdir mark api --group shop --pin
  ccdir mark api --note "waits for the review" --color cyan
  ccdir mark api --group "" --unpin`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if pin && unpin {
				return verb.Usagef(cmd, "give --pin or --unpin, not both")
			}
			var m api.SetMarks
			for _, f := range []struct {
				name string
				to   **string
				text *string
			}{{"group", &m.Group, &group}, {"note", &m.Note, &note}, {"color", &m.Color, &color}} {
				if cmd.Flags().Changed(f.name) {
					*f.to = f.text
				}
			}
			if pin || unpin {
				m.Pinned = &pin
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			change := m != (api.SetMarks{})
			var s api.Session
			if change {
				s, err = c.MarkSession(cmd.Context(), args[0], m)
			} else {
				s, err = c.Session(cmd.Context(), args[0])
			}
			switch {
			case err != nil:
				return err
			case a.JSON:
				return a.PrintJSON(s)
			case change:
				return nil
			}
			_, err = fmt.Fprintln(a.Out, cmp.Or(marksText(s.Marks), "nothing is noted"))
			return err
		},
	}
	cmd.Flags().StringVar(&group, "group", "", "the `GROUP` it belongs to; \"\" none")
	cmd.Flags().BoolVar(&pin, "pin", false, "put it first in lists")
	cmd.Flags().BoolVar(&unpin, "unpin", false, "put it first no longer")
	cmd.Flags().StringVar(&note, "note", "", "a line of `TEXT`; \"\" none")
	cmd.Flags().StringVar(&color, "color", "", "the `COLOR` of its name: "+strings.Join(api.MarkColors(), ", ")+"; \"\" none")
	for _, text := range []string{"group", "note"} {
		_ = cmd.RegisterFlagCompletionFunc(text, cobra.NoFileCompletions)
	}
	_ = cmd.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(api.MarkColors(), cobra.ShellCompDirectiveNoFileComp))
	a.JSONFlag(cmd, "print the session as JSON")
	return cmd
}

// marksText are marks in one line; "" for none.
func marksText(m api.Marks) string {
	var parts []string
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	if m.Group != "" {
		parts = append(parts, "group "+textsafe.Line(m.Group))
	}
	if m.Color != "" {
		parts = append(parts, m.Color)
	}
	if m.Note != "" {
		parts = append(parts, textsafe.Line(m.Note))
	}
	return strings.Join(parts, " · ")
}
