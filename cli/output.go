package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/internal/text/textsafe"
	"ccdir/wire"
)

func newOutputCmd(a *app) *cobra.Command {
	var p wire.OutputParams
	var ansi, raw bool
	cmd := &cobra.Command{
		Use:   "output SESSION [--scrollback] [--ansi|--raw] [--json]",
		Short: "Print what a session's screen shows",
		Long: `Print the screen as text; with --scrollback the history before it, with --ansi
styled. --raw writes the last bytes of the terminal as the application printed
them, and not to a terminal. It works on sessions that have ended, too; of the
session of a task that is done it prints all that was kept.`,
		Example: `  ccdir output api
  ccdir output api --scrollback | grep FAIL
  ccdir output api --raw > api.bytes`,
		Args:              exactly(1, "SESSION"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case ansi && raw:
				return usagef(cmd, "--ansi and --raw exclude one another")
			case raw && p.Scrollback:
				return usagef(cmd, "--raw has no --scrollback: it holds the last bytes as they were printed")
			case raw && !a.json && terminal(a.Stdout):
				return usagef(cmd, "--raw is not for a terminal, which would do whatever the application says: write it into a file, or to another program")
			case ansi:
				p.Format = "ansi"
			case raw:
				p.Format = "raw"
			default:
				p.Format = "text"
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			r, err := output(cmd.Context(), c, args[0], p)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(outputJSON(r, p.Format))
			}
			return a.printOutput(r, p.Format)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&p.Scrollback, "scrollback", false, "the history before the screen")
	f.BoolVar(&ansi, "ansi", false, "with colours and attributes")
	f.BoolVar(&raw, "raw", false, "the last bytes of the terminal as they were printed")
	a.jsonFlag(cmd, "print text, or base64 and positions, as JSON")
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

func (a *app) printOutput(r wire.OutputResult, format string) error {
	if format == "raw" {
		_, err := a.out.Write(r.Raw)
		return err
	}
	text := r.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if terminal(a.Stdout) {
		// Cells have no control characters, but may have characters that reorder or hide
		// text.
		text = textsafe.Styled(text)
	}
	_, err := io.WriteString(a.out, text)
	return err
}

func newResizeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "resize SESSION COLSxROWS",
		Short: "Give a session another size until somebody uses its pane",
		Example: `  ccdir resize api 120x40
  ccdir resize api 80x24`,
		Args:              exactly(2, "SESSION and COLSxROWS"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			cols, rows, ok := parseSize(args[1])
			if !ok {
				return usagef(cmd, "%q is not a size: give columns and rows, such as 80x24", args[1])
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return c.Resize(cmd.Context(), args[0], cols, rows)
		},
	}
}
