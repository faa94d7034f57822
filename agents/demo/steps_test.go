package demo

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestScenes(t *testing.T) {
	for _, name := range sceneNames() {
		prompts, err := (&options{scene: name}).firstPrompts()
		if err != nil || len(prompts) != 1 {
			t.Fatalf("%s: %v, %v", name, prompts, err)
		}
		q := prompts[0]
		if _, directive := parseStep(q.prompt); directive || strings.Contains(q.prompt, "\n") {
			t.Errorf("%s: nobody would type %q", name, q.prompt)
		}
		lines := strings.Split(strings.TrimSpace(scenes[name]), "\n")[1:]
		if len(q.todo) != len(lines) {
			t.Errorf("%s: %d steps of %d lines", name, len(q.todo), len(lines))
		}
		for _, line := range lines {
			if _, ok := parseStep(line); !ok {
				t.Errorf("%s: %q is no step", name, line)
			}
		}
	}
	if _, err := (&options{scene: "nonesuch"}).firstPrompts(); err == nil {
		t.Error("an unknown scene was found")
	}
}

// TestScenePrompt: the screen and the hook show what a person would have typed,
// not what the script says.
func TestScenePrompt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("> Is it done?\nsay Not yet.\n\nsay two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, "--script "+path)
	p.hook("SessionStart")
	if got := p.hook("UserPromptSubmit")["prompt"]; got != "Is it done?" {
		t.Errorf("the prompt is %q", got)
	}
	p.hook("Stop")
	p.hook("UserPromptSubmit")
	p.hook("Stop")
	p.until("both turns", func(text string, _ bool) bool {
		return strings.Contains(text, "> Is it done?") && strings.Contains(text, "⏺ Not yet.") && strings.Contains(text, "⏺ two") &&
			!strings.Contains(text, "say Not")
	})
}

// TestResizeRedraws: nothing of the frame drawn for the old size stays on the
// screen, whether it got larger or smaller.
func TestResizeRedraws(t *testing.T) {
	p := open(t, "spin")
	p.ready()
	p.hook("UserPromptSubmit")
	p.shows("Working…")
	for _, size := range [][2]int{{30, 24}, {100, 30}, {40, 8}, {70, 24}} {
		p.resize(size[0], size[1])
		p.until("one frame of the new width", func(text string, _ bool) bool {
			return strings.Count(text, "Working…") == 1 && strings.Count(text, "╭") == 1 && strings.Count(text, "╰") == 1 &&
				strings.Contains(text, "╭"+strings.Repeat("─", size[0]-2)+"╮") && (size[1] < 10 || strings.Contains(text, "> spin"))
		})
	}
}

func TestScriptFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte("say one\n\nsay two\nexit\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := open(t, "--script "+path)
	for _, hook := range []string{"SessionStart", "UserPromptSubmit", "Stop", "UserPromptSubmit", "SessionEnd"} {
		p.hook(hook)
	}
	p.exits(0)
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]int{"--nonesuch": 2, "-h": 0, "--scene nonesuch": 2, "--script /nonexistent": 2, "--delay x": 2} {
		if code := Main(strings.Fields(args), strings.NewReader(""), io.Discard, io.Discard, nil); code != want {
			t.Errorf("%s exits %d, want %d", args, code, want)
		}
	}
}

func TestParseStepRefuses(t *testing.T) {
	for _, line := range []string{"", "say", "think", "think soon", "await", "tool Bash", "ask A?", "ask A? | x", "flood", "flood x", "crash x", "exit now", "hello", "spin x"} {
		if s, ok := parseStep(line); ok {
			t.Errorf("%q is %+v", line, s)
		}
	}
}

func TestDecoderInPieces(t *testing.T) {
	const bytes = "aé\x1b[A\x1b[200~x\ry\x1b[201~\x1b]7501;?\a\x1bOB\x1b]11;rgb:0/0/0\x1b\\\x1bP>|x\x1b\\\r\x03"
	want := []input{{text: "a"}, {text: "é"}, {key: "up"}, {text: "x\ny", paste: true}, {osc: "7501;?"}, {key: "down"}, {osc: "11;rgb:0/0/0"}, {key: "enter"}, {key: "ctrl-c"}}
	var whole decoder
	if got := whole.feed([]byte(bytes)); !slices.Equal(got, want) {
		t.Errorf("at once %+v", got)
	}
	// A lone escape is the key, so pieces may not end on one.
	for cut := 1; cut < len(bytes); cut++ {
		if bytes[cut-1] == 0x1b {
			continue
		}
		var d decoder
		got := append(d.feed([]byte(bytes[:cut])), d.feed([]byte(bytes[cut:]))...)
		if !slices.Equal(got, want) {
			t.Errorf("cut at %d: %+v", cut, got)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("a\x1b[200~x\x1b[201~\x1b]7501;?\a"), 3)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var d decoder
		cut = min(max(cut, 0), len(data))
		d.feed(data[:cut])
		d.feed(data[cut:])
		if len(d.pending) > maxPending+len(data) {
			t.Error("too much is held")
		}
	})
}
