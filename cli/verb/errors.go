package verb

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/internal/text/textsafe"
)

// OneLine joins the lines of an error and makes control characters visible.
func OneLine(s string) string {
	return textsafe.Line(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}

// UsageError is an error in the command line.
type UsageError struct{ error }

// Usage makes err a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef makes a usageError that points to the verb's help.
func Usagef(cmd *cobra.Command, format string, args ...any) error {
	return UsageError{fmt.Errorf(format+"; see `%s --help`", append(args, cmd.CommandPath())...)}
}

// AsksError says that an agent asks a person, to one who asked for that (`ccdir wait --or-asks`).
// It has an exit code of its own.
type AsksError struct{ error }

// Asks makes err an AsksError.
func Asks(err error) error { return AsksError{err} }

// QuietError is a failure whose reason was printed already.
type QuietError struct {
	// Code is the exit status; 0 is that of a failure.
	Code int
}

func (QuietError) Error() string { return "failed" }
