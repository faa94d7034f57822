package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// shells are programs that read commands from their terminal when they get none as
// arguments.
var shells = []string{"sh", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "oksh", "posh", "pwsh", "rbash", "tcsh", "xonsh", "yash", "zsh"}

// BareShell reports whether the command is a shell that reads its commands from the
// terminal: it has options only, and no -c among them.
func BareShell(command string, args []string) bool {
	if !slices.Contains(shells, strings.TrimPrefix(filepath.Base(command), "-")) {
		return false
	}
	return !slices.ContainsFunc(args, func(a string) bool {
		return !strings.HasPrefix(a, "-") || !strings.HasPrefix(a, "--") && strings.Contains(a, "c")
	})
}

// ShellQuote quotes s for /bin/sh.
func ShellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
