package launch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/config"
)

// TestAgentsArguments: what the caller gives comes after the configuration's, and stays
// apart from it.
func TestAgentsArguments(t *testing.T) {
	cfg := config.Default()
	cfg.Agents = map[string]config.Agent{"claude": {Kind: agents.KindClaude, Command: "claude", Args: []string{"--verbose"}}, "sh": {Kind: agents.KindShell}}
	for _, tt := range []struct {
		n    api.NewSession
		want string // the arguments, or a part of the error
	}{
		{api.NewSession{Agent: "claude"}, "--verbose"},
		{api.NewSession{Agent: "claude", Model: "opus", Args: []string{"--add-dir", "/x"}}, "--verbose --add-dir /x"},
		{api.NewSession{Agent: "sh", Args: []string{"-l"}}, "-l"},
		{api.NewSession{Argv: []string{"ls", "-l"}}, "-l"},
		{api.NewSession{Argv: []string{"ls"}, Args: []string{"-l"}}, "arguments in argv"},
		{api.NewSession{Argv: []string{"ls"}, Model: "opus"}, "arguments in argv"},
		{api.NewSession{Agent: "sh", Model: "opus"}, "cannot be chosen"},
		{api.NewSession{Agent: "claude", Model: "--resume"}, "is not the name of a model"},
		{api.NewSession{Agent: "claude", Model: "a b"}, "is not the name of a model"},
		{api.NewSession{Agent: "claude", Args: []string{"a\x00b"}}, "NUL"},
	} {
		tt.n.CWD = t.TempDir()
		spec, _, err := SpecOf(t.Context(), cfg, tt.n, false, time.Now())
		switch {
		case err != nil && !strings.Contains(err.Error(), tt.want), err == nil && strings.Join(spec.Args, " ") != tt.want:
			t.Errorf("%+v: %q, %v; want %q", tt.n, spec.Args, err, tt.want)
		case err == nil && (!slices.Equal(spec.Given, tt.n.Args) || spec.Model != tt.n.Model):
			t.Errorf("%+v: given %q, model %q", tt.n, spec.Given, spec.Model)
		}
	}
	if got := cfg.Agents["claude"].Args; len(got) != 1 {
		t.Errorf("the configuration has %q", got)
	}
}
