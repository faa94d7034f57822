// Package statusline knows which status line a person has in an agent whose own setting ccdir takes
// in a session: `ccdir-shim statusline` gets the agent's report, hands it to the daemon, and then shows
// the person's own line.
//
// Contract: the person's line is that of the first settings file that has one. Files are read anew at each
// run, and never written. The shim links the package, so it imports leaf packages alone.
package statusline

import (
	"encoding/json"
	"strings"

	"ccdir/internal/disk/untrusted"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 4 << 20

// Nothing is what is printed where the person has no status line. Claude Code (2.1.294, 2.1.329)
// keeps a blank row for a command that prints nothing or fails, and none for this, which it
// draws as a line without width.
const Nothing = "\x1b[0m"

// Line is a command line of the verb, as an adapter writes it.
type Line struct {
	// Hook is the name under which the daemon gets the input.
	Hook string
	// Command is the person's command; "": that of the first of Files which has one.
	Command string
	Files   []string
}

// Flags of the verb.
const (
	commandFlag = "--command="
	fileFlag    = "--file="
)

// Args are the arguments of the verb for the line.
func (l Line) Args() []string {
	args := []string{l.Hook}
	if l.Command != "" {
		args = append(args, commandFlag+l.Command)
	}
	for _, file := range l.Files {
		args = append(args, fileFlag+file)
	}
	return args
}

// Parse reads the arguments; unknown ones are left out.
func Parse(args []string) (l Line, ok bool) {
	if len(args) == 0 {
		return l, false
	}
	l.Hook = args[0]
	for _, arg := range args[1:] {
		if command, ok := strings.CutPrefix(arg, commandFlag); ok {
			l.Command = command
		} else if file, ok := strings.CutPrefix(arg, fileFlag); ok {
			l.Files = append(l.Files, file)
		}
	}
	return l, true
}

// Theirs is the person's command, "" if they have none or have switched it off.
func (l Line) Theirs() string {
	command, off, decided := l.Command, false, false
	for _, file := range l.Files {
		s, ok := Read(file)
		if !ok {
			continue
		}
		if !decided && s.Off != nil {
			off, decided = *s.Off, true
		}
		if command == "" && s.Object != nil {
			if command = s.Command(); command == "" {
				return "" // the agent takes the first, whatever it is worth
			}
		}
	}
	if off {
		return ""
	}
	return command
}

// Settings is what a settings file says about the status line.
type Settings struct {
	// Object is the setting as it is, nil if there is none.
	Object map[string]any `json:"statusLine"`
	// Off: hooks and the status line are switched off, or on; nil: it does not say.
	Off *bool `json:"disableAllHooks"`
}

// Read reads a settings file; ok is false if there is none that can be read.
func Read(path string) (s Settings, ok bool) {
	data, err := untrusted.Read(path, maxSettings)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return Settings{}, false
	}
	return s, true
}

// Command is the command of the setting, "" if it has none.
func (s Settings) Command() string {
	command, _ := s.Object["command"].(string)
	return strings.TrimSpace(command)
}
