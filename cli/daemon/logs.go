package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
	"ccdir/internal/disk/logfile"
	"ccdir/internal/text/textsafe"
)

// followedLines is how many past lines `daemon logs -f` begins with.
const followedLines = 20

func newDaemonLogs(a *verb.App) *cobra.Command {
	var follow bool
	var lines int
	cmd := &cobra.Command{
		Use:   "logs [-f] [--lines N] [--json]",
		Short: "Print the daemon's log",
		Long: `Print the log of the daemon, oldest first, or its newest N lines. With --follow it
goes on as the daemon writes, also over restarts. It needs no daemon. What repeats
is one line a minute, with "repeated" in it; the two newest files of 4 MB are kept.
The log of a ccdir daemon run by hand is on its standard error instead.`,
		Example: `  ccdir daemon logs --lines 50
  ccdir daemon logs -f
  ccdir daemon logs --json | jq -r 'select(.level == "ERROR") | .message'`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if lines < 0 {
				return verb.Usagef(cmd, "--lines is a number from 1")
			}
			p, err := a.Paths()
			if err != nil {
				return err
			}
			r, err := logfile.NewReader(p.DaemonLog())
			if err != nil {
				return fmt.Errorf("the daemon's log cannot be read: %w", err)
			}
			defer r.Close()
			if !follow && !r.Exists() {
				return fmt.Errorf("there is no log yet (%s): a daemon writes it (`ccdir daemon start`)", p.DaemonLog())
			}
			if follow && lines == 0 {
				lines = followedLines
			}
			if err := printLog(a, r, lines); err != nil || !follow {
				return err
			}
			return followLog(cmd.Context(), a, r)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with new lines until interrupted")
	cmd.Flags().IntVarP(&lines, "lines", "n", 0, "only the newest `N` lines (with --follow 20 if not given)")
	a.JSONFlag(cmd, "one JSON object a line: at, level, message, fields")
	return cmd
}

// printLog prints what there is: all of it, or the newest n lines.
func printLog(a *verb.App, r *logfile.Reader, n int) error {
	var newest []string
	for {
		line, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			for _, line := range newest[max(0, len(newest)-n):] {
				if err := printLogLine(a, line); err != nil {
					return err
				}
			}
			return nil
		case err != nil:
			return err
		case n == 0:
			if err := printLogLine(a, line); err != nil {
				return err
			}
		default:
			if newest = append(newest, line); len(newest) >= 2*n {
				newest = append(newest[:0], newest[len(newest)-n:]...)
			}
		}
	}
}

// followLog prints lines as they are written.
func followLog(ctx context.Context, a *verb.App, r *logfile.Reader) error {
	for {
		if err := logfile.Wait(ctx); err != nil {
			return err
		}
		if err := printLog(a, r, 0); err != nil {
			return err
		}
	}
}

func printLogLine(a *verb.App, line string) error {
	if a.JSON {
		return a.PrintJSONLine(readLogLine(line))
	}
	_, err := fmt.Fprintln(a.Out, textsafe.Line(line))
	return err
}

// logLine is a line of `daemon logs --json`. What the runtime prints at a crash has a message
// only.
type logLine struct {
	// At is the time of the line as RFC 3339.
	At      string            `json:"at,omitempty"`
	Level   string            `json:"level,omitempty"`
	Message string            `json:"message"`
	Fields  map[string]string `json:"fields,omitempty"`
}

// readLogLine decodes a line of slog's text handler: key=value, quoted where needed.
func readLogLine(text string) logLine {
	var l logLine
	for rest := text; rest != ""; {
		key, value, after, ok := logField(rest)
		if !ok {
			return logLine{Message: text}
		}
		rest = after
		switch {
		case key == "time" && l.At == "":
			l.At = value
		case key == "level" && l.Level == "":
			l.Level = value
		case key == "msg" && l.Message == "":
			l.Message = value
		default:
			if l.Fields == nil {
				l.Fields = map[string]string{}
			}
			l.Fields[key] = value
		}
	}
	if l.At == "" || l.Level == "" {
		return logLine{Message: text}
	}
	return l
}

// logField cuts the first key=value off.
func logField(text string) (key, value, rest string, ok bool) {
	key, rest, ok = cutWord(text, '=')
	if !ok || key == "" {
		return "", "", "", false
	}
	value, rest, ok = cutWord(rest, ' ')
	return key, value, rest, ok || rest == ""
}

// cutWord cuts a word, quoted or not, and the separator behind it; found says whether there
// was one.
func cutWord(text string, separator byte) (word, rest string, found bool) {
	if !strings.HasPrefix(text, `"`) {
		return strings.Cut(text, string(separator))
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", text, false
	}
	word, _ = strconv.Unquote(quoted) // QuotedPrefix has checked it
	rest = text[len(quoted):]
	if rest == "" {
		return word, "", false
	}
	return word, rest[1:], rest[0] == separator
}
