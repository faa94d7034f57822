package copymode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ccdir/tui/ui"
)

// openEditor shows history and screen in the person's editor. All of the history is
// fetched first.
func (v *View) openEditor() { v.all, v.editing = true, true } // its frame says how far it is

// openAllFetched opens the editor when all lines are there.
func (v *View) openAllFetched(env ui.Env) []ui.Effect {
	if !v.editing || !v.complete || v.loading {
		return nil
	}
	v.editing = false
	return append(say(""), Editor(env, v.st.Buf.AllText(), v.st.Buf.TextLine(v.st.Cursor.Line)))
}

// Editor shows a text in the person's editor, at a line from 1.
func Editor(env ui.Env, text []byte, line int) ui.Effect {
	return ui.Suspend{What: "the editor", Run: func(ctx context.Context, give func(*exec.Cmd) error) error {
		return withTempFile(text, func(name string) error {
			c := editorCommand(ctx, env.Getenv, name, line)
			c.Env, c.Dir = env.Environ, existing(env.Dir)
			return give(c)
		})
	}}
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

// editorCommand is $VISUAL, $EDITOR or vi with the file, as git runs it: the variable may
// hold arguments. The cursor goes to the line for editors that take +N.
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
	switch filepath.Base(words[0]) {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "less", "more", "micro", "kak", "joe", "mcedit", "view":
		return true
	}
	return false
}

// EditFile opens a file in the person's editor, at a line from 1. It is named from the top of the work tree around a
// directory.
func EditFile(env ui.Env, dir, file string, line int) ui.Effect {
	return ui.Suspend{What: "the editor", Run: func(ctx context.Context, give func(*exec.Cmd) error) error {
		top := dir
		for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
			if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
				top = at
				break
			}
		}
		name := filepath.Join(top, filepath.FromSlash(file))
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("%s cannot be opened: %w", name, err)
		}
		c := editorCommand(ctx, env.Getenv, name, line)
		c.Env, c.Dir = env.Environ, existing(top)
		return give(c)
	}}
}
