package newsession

import (
	"context"
	"strings"
	"testing"

	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// opener notes which template is opened where.
type opener struct {
	ui.Client
	asked string
}

func (o *opener) OpenTemplate(_ context.Context, name, dir string, _ []string) (string, error) {
	o.asked = name + " in " + dir
	return "opened", nil
}

// TestTemplate: a template of the configuration is chosen in its own field and opened in the
// directory of the dialog; without templates there is no such field.
func TestTemplate(t *testing.T) {
	env := world(80, 24)
	if dump := uitest.Picture(env, New(env, "/repo", Draft{}, "demo")).Dump(); strings.Contains(dump, "Template") {
		t.Errorf("without templates:\n%s", dump)
	}
	env.Templates = []string{"pair", "shop"}
	d, _ := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "BTab", "Down", "Down")
	uitest.Everywhere(t, env, d, "template")
	_, effects := uitest.Press(env, d, "Enter")
	call, ok := effects[len(effects)-1].(ui.Call)
	if !ok || effects[0] != (ui.Close{}) {
		t.Fatalf("it asks for %v", effects)
	}
	var o opener
	if _, err := call.Run(t.Context(), &o); err != nil || o.asked != "shop in /repo" {
		t.Errorf("it opens %q, %v", o.asked, err)
	}
	d, effects = uitest.Press(env, d, "x", "Enter")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "no template is called shopx") {
		t.Errorf("an unknown one: %v\n%s", effects, dump)
	}
}

// TestBase: a new branch begins where the dialog says, which needs a branch.
func TestBase(t *testing.T) {
	env := world(80, 24)
	d, effects := uitest.Press(env, New(env, "/repo", Draft{}, "demo"), "Tab", "Tab", "Tab", "Tab", "Tab", "v", "1", "Enter")
	if dump := uitest.Picture(env, d).Dump(); len(effects) > 0 || !strings.Contains(dump, "name its branch") {
		t.Fatalf("a base without a branch: %v\n%s", effects, dump)
	}
	_, effects = uitest.Press(env, d, "f", "i", "x", "Enter")
	if start, ok := effects[len(effects)-1].(ui.Start); !ok || start.Session.Worktree != "fix" || start.Session.Base != "v1" {
		t.Errorf("it asks for %+v", effects)
	}
}
