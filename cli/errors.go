package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/internal/text/textsafe"
)

// oneLine joins the lines of an error and makes control characters visible.
func oneLine(s string) string {
	return textsafe.Line(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}

// usageError is an error in the command line.
type usageError struct{ error }

// usagef makes a usageError that points to the verb's help.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return usageError{fmt.Errorf(format+"; see `%s --help`", append(args, cmd.CommandPath())...)}
}

// quietError is a failure whose reason was printed already.
type quietError struct{}

func (quietError) Error() string { return "failed" }
