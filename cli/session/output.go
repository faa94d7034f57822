package session

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
	"ccdir/wire"
)

// Output makes the verb `output`.
func Output(a *verb.App) *cobra.Command {
	var p wire.OutputParams
	var ansi, raw bool
	cmd := &cobra.Command{
		Use:         "output SESSION [--scrollback] [--ansi|--raw] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Print what a session's screen shows",
		Long: `Print the screen as text; with --scrollback the history before it, with --ansi
styled. --raw writes the last bytes of the terminal as the application printed
them, and not to a terminal. It works on sessions that have ended, too; of the
session of a task that is done it prints all that was kept.`,
		Example: `  ccdir output api
  ccdir output api --scrollback | grep FAIL
  ccdir output api --raw > api.bytes`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case ansi && raw:
				return verb.Usagef(cmd, "--ansi and --raw exclude one another")
			case raw && p.Scrollback:
				return verb.Usagef(cmd, "--raw has no --scrollback: it holds the last bytes as they were printed")
			case raw && !a.JSON && verb.Terminal(a.Stdout):
				return verb.Usagef(cmd, "--raw is not for a terminal, which would do whatever the application says: write it into a file, or to another program")
			case ansi:
				p.Format = "ansi"
			case raw:
				p.Format = "raw"
			default:
				p.Format = "text"
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			r, err := verb.Output(cmd.Context(), c, args[0], p)
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(outputJSON(r, p.Format))
			}
			return printOutput(a, r, p.Format)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&p.Scrollback, "scrollback", false, "the history before the screen")
	f.BoolVar(&ansi, "ansi", false, "with colours and attributes")
	f.BoolVar(&raw, "raw", false, "the last bytes of the terminal as they were printed")
	a.JSONFlag(cmd, "print text, or base64 and positions, as JSON")
	return cmd
}

// outputJSON returns the result of `ccdir output --json`: text, or raw bytes (base64) with
// the positions of their first byte and of their end in the terminal's output.
func outputJSON(r wire.OutputResult, format string) any {
	if format == "raw" {
		return struct {
			Raw   []byte `json:"raw"`
			Start uint64 `json:"start"`
			End   uint64 `json:"end"`
		}{append([]byte{}, r.Raw...), r.Start, r.End}
	}
	return struct {
		Text string `json:"text"`
		End  uint64 `json:"end"`
	}{r.Text, r.End}
}

func printOutput(a *verb.App, r wire.OutputResult, format string) error {
	if format == "raw" {
		_, err := a.Out.Write(r.Raw)
		return err
	}
	text := r.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if verb.Terminal(a.Stdout) {
		// Cells have no control characters, but may have characters that reorder or hide
		// text.
		text = textsafe.Styled(text)
	}
	_, err := io.WriteString(a.Out, text)
	return err
}

// Resize makes the verb `resize`.
func Resize(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:         "resize SESSION COLSxROWS",
		Annotations: verb.FirstRef(),
		Short:       "Give a session another size until somebody uses its pane",
		Example: `  ccdir resize api 120x40
  ccdir resize api 80x24`,
		Args:              verb.Exactly(2, "SESSION and COLSxROWS"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			cols, rows, ok := verb.ParseSize(args[1])
			if !ok {
				return verb.Usagef(cmd, "%q is not a size: give columns and rows, such as 80x24", args[1])
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return c.Resize(cmd.Context(), args[0], cols, rows)
		},
	}
}
