package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/internal/text/textsafe"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/render"
)

// defaultScreenHistory is the default of --scrollback, in lines.
const defaultScreenHistory = 1000

// screenFlags are the flags of the screen verb.
type screenFlags struct {
	script       render.Script
	upto         int64
	resize, then string
	ansi, svg    bool
}

// Screen makes the verb that renders a recorded stream.
func Screen(a *verb.App) *cobra.Command {
	var f screenFlags
	cmd := &cobra.Command{
		Use:   "screen --cols C --rows R [--ansi|--svg|--json] [FILE]",
		Short: "Render a recorded stream of terminal output",
		Long: `Play the bytes that an application wrote to its terminal (FILE, or standard
input) into the terminal engine that sessions use, and print the screen that
results: as text, with --ansi styled, with --svg as a picture, or with --json
with everything that can be known. No daemon is needed.

After FILE come --resize and then the bytes of --then.`,
		Example: `  ccdir output api --raw | ccdir screen --cols 120 --rows 40
  ccdir screen --cols 80 --rows 24 --upto 4096 --json session.raw
  ccdir screen --cols 80 --rows 24 --svg session.raw > session.svg`,
		Args: verb.AtMostOne,
		RunE: func(cmd *cobra.Command, args []string) error { return runScreen(a, cmd, &f, args) },
	}
	flags := cmd.Flags()
	o := &f.script.Screen
	o.Name, o.Version = "ccdir", api.Version
	flags.IntVar(&o.Cols, "cols", 80, "`N` columns")
	flags.IntVar(&o.Rows, "rows", 24, "`N` rows")
	flags.IntVar(&o.HistoryLines, "scrollback", defaultScreenHistory, "`LINES` that the history can hold")
	flags.StringVar(&f.script.Engine, "engine", "", "the terminal `ENGINE`: "+strings.Join(render.Engines(), " or "))
	flags.IntVar(&f.script.Chunk, "chunk", 0, "`BYTES` in one write (0: as many as there are)")
	flags.Int64Var(&f.upto, "upto", -1, "play only so many `BYTES` of FILE")
	flags.StringVar(&f.resize, "resize", "", "`SIZE` to resize to after FILE, as 80x24")
	flags.StringVar(&f.then, "then", "", "a `FILE` to play after that")
	flags.BoolVar(&f.ansi, "ansi", false, "with colours and attributes")
	flags.BoolVar(&f.svg, "svg", false, "a picture")
	a.JSONFlag(cmd, "everything that can be known, as JSON")
	return cmd
}

func runScreen(a *verb.App, cmd *cobra.Command, f *screenFlags, args []string) error {
	if f.ansi && f.svg || a.JSON && (f.ansi || f.svg) {
		return verb.Usagef(cmd, "--ansi, --svg and --json exclude one another")
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	var err error
	if f.script.Input, err = readStream(a, args, f.upto); err != nil {
		return err
	}
	if f.then != "" {
		if f.script.Then, err = readStream(a, []string{f.then}, -1); err != nil {
			return err
		}
	}
	p, err := render.Play(f.script)
	switch {
	case err != nil:
		return verb.Usagef(cmd, "--engine: %v", err)
	case a.JSON:
		return a.PrintJSONLine(render.Describe(p))
	case f.svg:
		_, err = a.Out.Write(render.SVG(nil, p))
	case f.ansi:
		_, err = a.Out.Write(render.ANSI(nil, p))
	default:
		_, err = a.Out.Write(render.Text(nil, p))
	}
	return err
}

// check checks the flags and parses --resize.
func (f *screenFlags) check(cmd *cobra.Command) error {
	o := f.script.Screen
	if o.Cols < screen.MinCols || o.Cols > screen.MaxCols || o.Rows < screen.MinRows || o.Rows > screen.MaxRows {
		return verb.Usagef(cmd, "a screen has %d to %d columns and %d to %d rows", screen.MinCols, screen.MaxCols, screen.MinRows, screen.MaxRows)
	}
	if o.HistoryLines < 0 || f.script.Chunk < 0 {
		return verb.Usagef(cmd, "--scrollback and --chunk are not negative")
	}
	if cmd.Flags().Changed("upto") && f.upto < 0 {
		return verb.Usagef(cmd, "--upto is not negative")
	}
	if f.resize == "" {
		return nil
	}
	cols, rows, ok := verb.ParseSize(f.resize)
	if !ok {
		return verb.Usagef(cmd, "--resize %q: give COLSxROWS, such as 120x40", f.resize)
	}
	f.script.Resize = render.Size{Cols: cols, Rows: rows}
	return nil
}

// readStream reads the file of args, or standard input if there is none or "-", up to limit
// bytes (negative: all).
func readStream(a *verb.App, args []string, limit int64) ([]byte, error) {
	var r io.Reader = a.Stdin
	name := "standard input"
	if len(args) > 0 && args[0] != "-" {
		name = args[0]
		file, err := os.Open(verb.Absolute(a.Dir, name))
		if err != nil {
			var pe *fs.PathError
			if errors.As(err, &pe) {
				err = pe.Err
			}
			return nil, fmt.Errorf("cannot read %s: %w", textsafe.Line(name), err)
		}
		defer file.Close()
		r = file
	}
	if limit >= 0 {
		r = io.LimitReader(r, limit)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", textsafe.Line(name), err)
	}
	return data, nil
}
