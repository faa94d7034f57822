package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkHelp makes help about a verb that does not exist a usage error, for `ccdir
// help VERB` and for `ccdir VERB --help`: cobra shows the help of what is above it.
func (a *app) checkHelp(root *cobra.Command) {
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		// args are those of the whole program; cmd is already what they lead to.
		if _, rest, err := root.Find(args); err == nil {
			a.misused = unknownVerb(cmd, rest)
		}
		if a.misused == nil {
			show(cmd, args)
		}
	})
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil || help == root {
		return // cobra has it
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

// unknownVerb is the error of a verb that is not below cmd; rest are the arguments
// that cobra could not follow.
func unknownVerb(cmd *cobra.Command, rest []string) error {
	if !cmd.HasSubCommands() || cmd.Args == nil || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return nil
	}
	return cmd.Args(cmd, rest[:1])
}

// flagError says what a flag takes, in place of what its parser said.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &missing):
		name := "--" + missing.GetSpecifiedName()
		if missing.GetSpecifiedShortnames() != "" {
			name = "-" + missing.GetSpecifiedName()
		}
		value, _ := pflag.UnquoteUsage(missing.GetFlag())
		return usagef(cmd, "%s needs %s behind it", name, value)
	case errors.As(err, &invalid):
		if wants, ok := flagWants[invalid.GetFlag().Value.Type()]; ok {
			return usagef(cmd, "--%s takes %s, found %q", invalid.GetFlag().Name, wants, invalid.GetValue())
		}
	}
	return usagef(cmd, "%s", err)
}

// flagWants are the types of flags whose parsers speak to programmers.
var flagWants = map[string]string{
	"int":      "a whole number",
	"int64":    "a whole number",
	"float64":  "a number",
	"duration": "a time such as 90s, 30m or 2h",
	"bool":     "true or false",
}
