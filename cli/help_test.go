package cli

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ccdir/cli/verb"
)

// TestVerbsHaveHelp: every verb, also those below others, tells what it is and how
// it is used, with an example, and checks and completes its arguments.
func TestVerbsHaveHelp(t *testing.T) {
	root := newRoot(&verb.App{})
	root.InitDefaultHelpCmd() // cobra's own, not looked at below
	for _, cmd := range root.Commands() {
		if cmd.GroupID == "" && cmd.Name() != "help" && !cmd.Hidden {
			t.Errorf("%s has no group", cmd.Name())
		}
	}
	eachCommand(root, func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		for _, fault := range helpFaults(cmd) {
			t.Errorf("%s: %s", path, fault)
		}
	})
}

// eachCommand calls f for every verb below cmd.
func eachCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	for _, sub := range cmd.Commands() {
		if sub.Name() == "help" || sub.Hidden {
			continue
		}
		f(sub)
		eachCommand(sub, f)
	}
}

// flagInUse is a flag as the line of use writes it.
var flagInUse = regexp.MustCompile(`--([a-z][a-z-]*)`)

// helpFaults are what is missing in the help of a verb.
func helpFaults(cmd *cobra.Command) (faults []string) {
	fault := func(wrong bool, text string) {
		if wrong {
			faults = append(faults, text)
		}
	}
	first := []rune(cmd.Short + " ")[0]
	fault(!unicode.IsUpper(first) || strings.HasSuffix(cmd.Short, "."), "the short help is a sentence without its full stop")
	fault(cmd.Args == nil, "it does not check its arguments")
	for line := range strings.Lines(cmd.Example) {
		fault(!strings.HasPrefix(line, "  ") || !strings.Contains(line, "ccdir"), "an example is indented by two blanks and calls ccdir: "+line)
	}
	fault(cmd.Example == "", "it has no example")
	completes := cmd.ValidArgsFunction != nil || cmd.ValidArgs != nil
	fault(!completes && !cmd.HasSubCommands() && strings.Contains(cmd.Use, "SESSION"), "it does not complete sessions")
	for _, m := range flagInUse.FindAllStringSubmatch(cmd.Use, -1) {
		fault(cmd.Flags().Lookup(m[1]) == nil, "its line of use names a flag that it does not have: "+m[1])
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		value, _ := pflag.UnquoteUsage(f)
		fault(f.Value.Type() == "bool" && value != "", "--"+f.Name+" takes no value, but its text quotes one: "+value)
		fault(strings.ToUpper(value) != value, "--"+f.Name+" has no name for its value: `NAME` in its text gives one")
		fault(strings.ContainsFunc(value, func(r rune) bool { return r > unicode.MaxASCII }), "--"+f.Name+": the name of its value spoils the column")
	})
	fault(cmd.Flags().Lookup("json") != nil && !strings.Contains(cmd.Use, "--json"), "its line of use lacks --json")
	return faults
}
