package tui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/prompt"
	"ccdir/tui/prompt/history"
)

// TestDetachKeepsOrAsks: what was written is on disk before the grid is left; where it
// cannot be kept, the person decides, and a no leaves everything as it is.
func TestDetachKeepsOrAsks(t *testing.T) {
	good := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	block := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(block, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full := history.Draft{File: filepath.Join(block, "draft")} // as on a full disk: it cannot be written
	for name, c := range map[string]struct {
		file history.Draft
		keys []string
		// told: the grid has tried to keep the text before, and said so.
		told, asks, quits bool
	}{
		"nothing written":       {file: full, keys: []string{"C-b", "d"}, quits: true},
		"kept":                  {file: good, keys: []string{"C-b", ":", "f", "i", "x", "C-b", "d"}, quits: true},
		"not kept":              {file: full, keys: []string{"C-b", ":", "f", "i", "x", "C-b", "d"}, asks: true},
		"not kept, told before": {file: full, keys: []string{"C-b", ":", "f", "i", "x", "C-b", "d"}, told: true, asks: true},
		"no":                    {file: full, keys: []string{"C-b", ":", "f", "i", "x", "C-b", "d", "n"}},
		"yes":                   {file: full, keys: []string{"C-b", ":", "f", "i", "x", "C-b", "d", "y"}, quits: true},
		"taken out again":       {file: full, keys: []string{"C-b", ":", "f", "C-u", "C-b", "d"}, quits: true},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := clientModel(t, two()...)
			m.prompt = prompt.New(prompt.Disk{Draft: c.file})
			if c.told {
				do(m, c.keys[:5]...)
				m.now = func() time.Time { return epoch.Add(3*time.Minute + time.Second) }
				do(m, "Left")
				if m.notice.text == "" {
					t.Fatalf("it was not said that the text is not kept: %q", m.notice.text)
				}
				do(m, c.keys[5:]...)
			} else {
				do(m, c.keys...)
			}
			if _, asks := m.front().(confirm.Dialog); asks != c.asks || m.quitting != c.quits {
				t.Fatalf("asks %v, quits %v", asks, m.quitting)
			}
			if c.asks {
				shows(t, m, "Detach all the same?", "The text in the prompt bar cannot be kept")
			}
			if text, _ := c.file.Load(); c.file == good && text != "fix" {
				t.Errorf("kept %q", text)
			}
			if !m.quitting && m.prompt.Text() != "fix" {
				t.Errorf("the bar has %q", m.prompt.Text())
			}
		})
	}
}

// TestDetachTwice: a disk that does not answer holds nobody who asks once more.
func TestDetachTwice(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.prompt = prompt.New(prompt.Disk{Draft: history.Draft{File: filepath.Join(t.TempDir(), "draft")}})
	press(m, "C-b", ":", "f", "C-b", "d")
	if m.quitting {
		t.Fatal("it left before the text was kept")
	}
	press(m, "C-b", "d")
	if !m.quitting {
		t.Error("it waits for the disk")
	}
}
