package agents

import (
	"strings"
	"testing"
)

func TestBareShell(t *testing.T) {
	for line, want := range map[string]bool{
		"bash": true, "/bin/sh": true, "-zsh": true, "bash -l": true, "fish --interactive": true, "bash --norc -i": true,
		"sh -c vim": false, "bash -lc vim": false, "sh script": false, "vim": false, "/opt/bash/vim": false, "bashful": false, "": false,
	} {
		command, rest, _ := strings.Cut(line, " ")
		if got := BareShell(command, strings.Fields(rest)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
