package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// safe formats a line with control characters made visible.
func (a *app) safe(format string, args ...any) string {
	return plain(fmt.Sprintf(format, args...))[0].text
}

// tell prints a line on standard error.
func (a *app) tell(format string, args ...any) { fmt.Fprintln(a.Stderr, a.safe(format, args...)) }

// maxAnswer bounds the answer to a question, in bytes.
const maxAnswer = 100

// confirm asks a question and fails unless the answer is yes; the default is no.
func (a *app) confirm(question string) error {
	if !terminal(a.Stdin) {
		return errors.New("nobody can be asked, since the input is no terminal: nothing was changed; add --yes")
	}
	fmt.Fprint(a.Stderr, question+" [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(a.Stdin, maxAnswer)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was changed")
}
