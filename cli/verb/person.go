package verb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Safe formats a line with control characters made visible.
func (a *App) Safe(format string, args ...any) string {
	return Plain(fmt.Sprintf(format, args...))[0].Text
}

// Tell prints a line on standard error.
func (a *App) Tell(format string, args ...any) { fmt.Fprintln(a.Stderr, a.Safe(format, args...)) }

// MaxAnswer bounds the answer to a question, in bytes.
const MaxAnswer = 100

// Confirm asks a question and fails unless the answer is yes; the default is no.
func (a *App) Confirm(question string) error {
	if !Terminal(a.Stdin) {
		return errors.New("nobody can be asked, since the input is no terminal: nothing was changed; add --yes")
	}
	fmt.Fprint(a.Stderr, question+" [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(a.Stdin, MaxAnswer)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return errors.New("nothing was changed")
}
