package verb

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Exactly checks the number of arguments and names what is missing.
func Exactly(n int, names string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return fmt.Errorf("missing argument: need %s", names)
		case len(args) > n:
			return fmt.Errorf("unexpected argument %q", args[n])
		}
		return nil
	}
}

// AtLeast is exactly with further arguments allowed.
func AtLeast(n int, names string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return fmt.Errorf("missing argument: need %s", names)
		}
		return nil
	}
}

// AtMostOne allows one argument, which may be left out.
func AtMostOne(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("unexpected argument %q", args[1])
	}
	return nil
}

// Between checks that there are least to most arguments; what is the error's text.
func Between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.New("expected " + what)
		}
		return nil
	}
}

// NoArgs refuses every argument.
var NoArgs = Exactly(0, "")

// Family makes cmd a verb that only groups other verbs, and fails without one of them.
func Family(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.Name()
	}
	last := len(names) - 1
	known := strings.Join(names[:last], ", ") + " or " + names[last]
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("unknown verb %q: use %s", args[0], known)
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return Usagef(cmd, "missing verb: %s", known) }
	cmd.AddCommand(verbs...)
	return cmd
}

// Absolute returns the absolute path of dir, which is relative to base.
func Absolute(base, dir string) string {
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(base, dir)
}

// AtDash returns the arguments before and after --.
func AtDash(cmd *cobra.Command, args []string) (before, after []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}
	return args, nil
}

// FromHere returns the absolute path of dir. If the working directory was deleted, dir has
// to be absolute; other says how to give such a one.
func (a *App) FromHere(dir, other string) (string, error) {
	if a.Node != "" {
		return a.farDir(dir)
	}
	if a.Dir == "" && !filepath.IsAbs(dir) {
		return "", errors.New("the working directory is gone: change to one that exists, or give " + other)
	}
	return Absolute(a.Dir, dir), nil
}

// ParseSize reads COLSxROWS, each at least 1. The daemon checks the upper bound.
func ParseSize(s string) (cols, rows int, ok bool) {
	c, r, found := strings.Cut(s, "x")
	cols, err1 := strconv.Atoi(c)
	rows, err2 := strconv.Atoi(r)
	return cols, rows, found && err1 == nil && err2 == nil && cols >= 1 && rows >= 1
}

// Since reads the value of --since, a time or an age in hours, minutes or days; "" is the zero time.
func Since(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04", time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--since wants a time such as 2h, 7d, 2006-01-02 or 2006-01-02T15:04:05Z, found %q", s)
}
