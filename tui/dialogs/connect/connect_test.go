package connect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// node is a client whose ssh asks those questions.
type node struct {
	ui.Client
	ui.Nodes
	questions []string
	said      *[]string
	err       error
}

func (n node) ConnectNode(_ context.Context, _ string, answer func(string) (string, bool)) error {
	for _, q := range n.questions {
		text, ok := answer(q)
		if !ok {
			return errors.New("Permission denied")
		}
		*n.said = append(*n.said, text)
	}
	return n.err
}

const hostKey = "The authenticity of host '10.0.0.7' can't be established.\nED25519 key fingerprint is SHA256:abc.\nAre you sure you want to continue connecting (yes/no/[fingerprint])? "

// TestQuestions: each question is answered once; a secret is not on the screen, and the answer to
// one question is not that to the next.
func TestQuestions(t *testing.T) {
	env := uitest.Env(90, 14)
	said := []string{}
	client := node{questions: []string{hostKey, "you@10.0.0.7's password: "}, said: &said}
	c, effects := New("gpu1").(ui.Refresher).Refresh(env)
	uitest.Everywhere(t, env, c, "connecting")
	stream, ok := effects[0].(ui.Stream)
	if !ok {
		t.Fatalf("%v", effects)
	}
	told, ended := make(chan any), make(chan error, 1)
	go func() {
		ended <- stream.Run(t.Context(), client, func(v any) error { told <- v; return nil })
	}()
	receive := func(told ui.Told, err error) []ui.Effect {
		var effects []ui.Effect
		c, effects = c.(ui.Receiver).Receive(env, told, err)
		return effects
	}
	receive(ui.Told{Values: []any{<-told}}, nil)
	uitest.Everywhere(t, env, c, "host-key")
	c, _ = uitest.Press(env, c, "y", "e", "s", "Enter", "x", "Enter") // the last two are for no question
	receive(ui.Told{Values: []any{<-told}}, nil)
	c, _ = uitest.Press(env, c, "p", "s", "s", "t")
	uitest.Everywhere(t, env, c, "password")
	if dump := uitest.Picture(env, c).Dump(); strings.Contains(dump, "psst") || !strings.Contains(dump, "••••") {
		t.Errorf("what is typed:\n%s", dump)
	}
	c, _ = uitest.Press(env, c, "Enter")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if strings.Join(said, " ") != "yes psst" {
		t.Errorf("answered: %q", said)
	}
	if effects := receive(ui.Told{Over: true}, nil); len(effects) != 2 || effects[0] != (ui.Close{}) || effects[1] != (ui.Say{Text: "gpu1 is online"}) {
		t.Errorf("at the end: %v", effects)
	}
}

// TestProblem: why it failed stays on the screen, and Enter tries once more.
func TestProblem(t *testing.T) {
	env := uitest.Env(90, 14)
	r := uitest.NewRig(t, env, node{err: errors.New("No route to host")}, New("gpu1"))
	r.Shows("No route to host", "Enter again")
	uitest.Everywhere(t, env, r.C, "problem")
	r.Client = node{err: errors.New("Connection refused")}
	r.Do("Enter")
	r.Shows("Connection refused")
	if r.Do("Escape"); r.C != nil {
		t.Error("Escape does not close it")
	}
}

// TestHostileQuestion: what a server has ssh ask is only text.
func TestHostileQuestion(t *testing.T) {
	env := uitest.Env(60, 10)
	c, _ := New("gpu1").(ui.Receiver).Receive(env, ui.Told{Values: []any{"\x1b]52;c;AAAA\x07\x1b[2J" + strings.Repeat("long\n", 1000) + "Password: "}}, nil)
	dump := uitest.Picture(env, c).Dump()
	if strings.Contains(dump, "\x1b]") || !strings.Contains(dump, "Password:") {
		t.Errorf("%q", dump)
	}
}
