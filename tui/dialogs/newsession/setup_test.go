package newsession

import (
	"context"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// trees is a client that knows a setup command, and notes what was agreed to.
type trees struct {
	ui.Client
	of     api.WorktreeSetup
	agreed *[]string
}

func (c trees) WorktreeSetup(context.Context, api.NewSession) (api.WorktreeSetup, error) {
	return c.of, nil
}

func (c trees) ConsentToSetup(_ context.Context, command string) error {
	*c.agreed = append(*c.agreed, command)
	return nil
}

// asked is the dialog after a start that was refused because of the client's command.
func asked(t *testing.T, env ui.Env, c trees) ui.Component {
	t.Helper()
	d, effects := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Enter")
	start := effects[len(effects)-1].(ui.Start)
	if !start.Session.AskSetup {
		t.Fatal("the start does not ask")
	}
	d, effects = d.(ui.Receiver).Receive(env, ui.NotStarted{Problem: "asks", Session: start.Session}, api.Errorf(api.CodeAsks, "asks"))
	if d.(ui.Busy).Waits() == "" {
		t.Error("it does not wait for the text")
	}
	d, _ = uitest.Answer(env, d, c, effects)
	return d
}

// TestSetupCommand: the exact text is shown before a session whose work tree has one is
// started, and a yes is for that text.
func TestSetupCommand(t *testing.T) {
	env := world(80, 20)
	var agreedTo []string
	c := trees{of: api.WorktreeSetup{Command: "npm ci &&  make\nx\x1b[2J"}, agreed: &agreedTo}
	d := asked(t, env, c)
	uitest.Everywhere(t, env, d, "setup")
	early := env
	early.Early = true
	if _, effects := uitest.Press(early, d, "y", "n"); len(effects) > 0 {
		t.Errorf("answers from before the question: %v", effects)
	}
	if d, effects := uitest.Press(env, d, "Escape"); len(effects) > 0 || d.(ui.Asker).Asks() || d.(ui.Busy).Waits() != "" {
		t.Errorf("Escape does not go back: %v", effects)
	}
	yes, effects := uitest.Press(env, d, "y")
	yes, _ = uitest.Answer(env, yes, c, effects)
	if !slices.Equal(agreedTo, []string{c.of.Command}) || yes.(ui.Busy).Waits() == "" || yes.(ui.Asker).Asks() {
		t.Errorf("yes: agreed to %q", agreedTo)
	}
	_, effects = uitest.Press(env, d, "n")
	if start, ok := effects[len(effects)-1].(ui.Start); !ok || start.Session.AskSetup || start.Session.CWD != "/repo" {
		t.Errorf("no: %v", effects)
	}
	_, effects = d.(ui.Receiver).Receive(env, ui.NotStarted{Problem: "asks"}, api.Errorf(api.CodeAsks, "asks"))
	if len(effects) > 0 {
		t.Errorf("a start that does not ask: %v", effects)
	}
}

// TestLongSetupCommand: a yes before the end was on the screen is none.
func TestLongSetupCommand(t *testing.T) {
	env := world(40, 10)
	var agreedTo []string
	c := trees{of: api.WorktreeSetup{Command: strings.Repeat("make step\n", 20) + "rm -rf everything"}, agreed: &agreedTo}
	d, effects := uitest.Press(env, asked(t, env, c), "y")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "there is more of it") {
		t.Errorf("a yes to the beginning: %v\n%s", effects, dump)
	}
	d, _ = uitest.Press(env, d, "PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "Up", "Down")
	if dump := uitest.Picture(env, d).Dump(); !strings.Contains(dump, "rm -rf everything") || !strings.Contains(dump, "y run it") {
		t.Errorf("the end:\n%s", dump)
	}
	uitest.Picture(world(80, 40), d)
	if _, effects = uitest.Press(env, d, "y"); len(effects) != 1 {
		t.Errorf("a yes to all of it: %v", effects)
	}
}
