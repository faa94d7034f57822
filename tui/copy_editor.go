package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
)

// openEditor shows history and screen in the person's editor. All of the history
// is fetched first.
func (m *model) openEditor(c *copyView) cmd {
	if m.suspend == nil {
		return nil
	}
	c.all, c.editing = true, true // its frame says how far it is
	return nil
}

// editCopy opens the editor when all lines are there.
func (m *model) editCopy(c *copyView) cmd {
	if !c.editing || !c.complete || c.loading {
		return nil
	}
	c.editing = false
	m.notice = notice{}
	lines, line := c.st.Buf, c.st.Cursor.Line
	suspend, ctx, getenv := m.suspend, m.ctx, m.opts.getenv
	env, dir := m.opts.Env, m.opts.Dir
	return func() tea.Msg {
		text := lines.AllText()
		err := withTempFile(text, func(name string) error {
			c := editorCommand(ctx, getenv, name, lines.TextLine(line))
			c.Env, c.Dir = env, existing(dir)
			return suspend(c)
		})
		return resultMsg{what: "the editor", err: err}
	}
}

// existing is dir if it is a directory, else "".
func existing(dir string) string {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return ""
	}
	return dir
}

// withTempFile runs f with a file that only this user can read and that is gone
// afterwards.
func withTempFile(text []byte, f func(name string) error) (err error) {
	file, err := os.CreateTemp("", "ccdir-scrollback-*.txt") // 0600
	if err != nil {
		return fmt.Errorf("a file for the editor: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(text)
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("writing the editor's file: %w", err)
	}
	return f(file.Name())
}

// editorCommand is $VISUAL, $EDITOR or vi with the file, as git runs it: the
// variable may hold arguments. The cursor goes to the line for editors that
// take +N.
func editorCommand(ctx context.Context, getenv func(string) string, file string, line int) *exec.Cmd {
	editor := getenv("VISUAL")
	if editor == "" {
		editor = getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	script := editor + ` "$@"`
	if plusLine(editor) {
		return exec.CommandContext(ctx, "/bin/sh", "-c", script, "sh", fmt.Sprintf("+%d", line), file)
	}
	return exec.CommandContext(ctx, "/bin/sh", "-c", script, "sh", file)
}

// plusLine reports whether an editor is known to take +N.
func plusLine(command string) bool {
	words := strings.Fields(command)
	if len(words) == 0 {
		return false
	}
	switch base(words[0]) {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "less", "more", "micro", "kak", "joe", "mcedit", "view":
		return true
	}
	return false
}

func base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

// suspend runs a program in the grid's terminal.
func (g *program) suspend(c *exec.Cmd) error {
	return g.term.Suspend(g.ctx, func() error {
		c.Stdin, c.Stdout, c.Stderr = g.o.In, g.o.Out, g.o.Out
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", textsafe.Line(c.Args[2]), err)
		}
		return nil
	})
}
