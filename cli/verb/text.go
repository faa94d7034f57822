package verb

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxInput bounds a prompt or a paste read from standard input, in bytes.
const maxInput = 8 << 20

// TextArg returns the arguments joined by spaces, or for "-" standard input without its last
// line break, which echo and editors add.
func (a *App) TextArg(args []string) (string, error) {
	if len(args) == 1 && args[0] == "-" {
		text, err := a.ReadStdin()
		if err != nil {
			return "", err
		}
		return WholeText(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"))
	}
	return WholeText(strings.Join(args, " "))
}

// WholeText refuses text that is no UTF-8, of which JSON would silently replace parts.
func WholeText(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("the text is no UTF-8: convert it (iconv does) and try again")
	}
	return text, nil
}

// ReadStdin reads standard input, at most maxInput bytes.
func (a *App) ReadStdin() (string, error) {
	data, err := io.ReadAll(io.LimitReader(a.Stdin, maxInput+1))
	if err != nil {
		return "", fmt.Errorf("cannot read standard input: %w", err)
	}
	if len(data) > maxInput {
		return "", fmt.Errorf("standard input is over %d MiB: put it into a file and name that in the prompt", maxInput>>20)
	}
	return string(data), nil
}
