package verb

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CheckHelp makes help about an unknown verb a usage error, for `ccdir help VERB` and `ccdir
// VERB --help`: cobra would show the help of the verb above it.
func (a *App) CheckHelp(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// args are all arguments of the program; cmd is the verb that they select.
		if _, rest, err := root.Find(args); err == nil {
			a.Misused = unknownVerb(cmd, rest)
		}
		if a.Misused == nil {
			show(cmd, args)
		}
	})
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return // cobra reports it
	}
	run := help.Run
	help.Run, help.RunE = nil, func(cmd *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err == nil {
			err = unknownVerb(about, rest)
		}
		if err == nil {
			run(cmd, args)
		}
		return err
	}
}

// unknownVerb returns the error for a verb that cmd does not have; rest are the arguments
// from there on.
func unknownVerb(cmd *cobra.Command, rest []string) error {
	if !cmd.HasSubCommands() || cmd.Args == nil || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return cmd.Args(cmd, rest[:1])
}

// FlagError replaces the parser's error for a flag by one that says what the flag takes.
func FlagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing):
		name := "--" + missing.GetSpecifiedName()
		if missing.GetSpecifiedShortnames() != "" {
			name = "-" + missing.GetSpecifiedName()
		}
		value, _ := pflag.UnquoteUsage(missing.GetFlag())
		return Usagef(cmd, "%s needs %s behind it", name, value)
	case errors.As(err, &invalid):
		if wants, ok := flagWants[invalid.GetFlag().Value.Type()]; ok {
			return Usagef(cmd, "--%s takes %s, found %q", invalid.GetFlag().Name, wants, invalid.GetValue())
		}
	}
	return Usagef(cmd, "%s", err)
}

// flagWants describes, for people, the values of flags by type.
var flagWants = map[string]string{
	"int":      "a whole number",
	"int64":    "a whole number",
	"float64":  "a number",
	"duration": "a time such as 90s, 30m or 2h",
	"bool":     "true or false",
}
