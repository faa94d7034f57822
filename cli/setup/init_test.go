package setup

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/mcpserver/project"
)

// TestProjectText: without its marks of comments the file says what is done
// without it.
func TestProjectText(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := project.Detect(dir)
	if err != nil {
		t.Fatal(err)
	}
	text := projectText(before)
	for line := range strings.Lines(text) {
		if line != "\n" && !strings.HasPrefix(line, "# ") {
			t.Errorf("%q is no comment", line)
		}
	}
	var live strings.Builder
	begun := false
	for line := range strings.Lines(text) {
		if begun = begun || strings.HasPrefix(line, "# [commands."); begun {
			live.WriteString(strings.TrimPrefix(line, "# "))
		}
	}
	if err := os.WriteFile(filepath.Join(dir, projectFile), []byte(live.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	after, err := project.Detect(dir)
	if err != nil {
		t.Fatalf("%v in\n%s", err, live.String())
	}
	for _, action := range []string{project.Compile, project.Test, project.Lint} {
		want, _ := before.Command(action, project.TestOptions{}, true)
		got, err := after.Command(action, project.TestOptions{}, true)
		if err != nil || strings.Join(got.Argv, " ") != strings.Join(want.Argv, " ") || got.Decoder != want.Decoder {
			t.Errorf("%s: %+v, want %+v (%v)", action, got, want, err)
		}
	}
}

func TestAddServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), mcpFile)
	first, has, err := addServer(file, "/bin/ccdir")
	if err != nil || has || !strings.Contains(string(first), `"command": "/bin/ccdir"`) {
		t.Fatalf("%s %v %v", first, has, err)
	}
	if err := os.WriteFile(file, []byte(`{"x":1,"mcpServers":{"mine":{"command":"m","n":12345678901234567890}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	merged, has, err := addServer(file, "/bin/ccdir")
	if err != nil || has {
		t.Fatal(has, err)
	}
	if err := replace(file, merged); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"x": 1`, `12345678901234567890`, `"mine"`, `"ccdir"`} {
		if !strings.Contains(string(merged), part) {
			t.Errorf("%s lacks %s", merged, part)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !json.Valid(merged) {
		t.Errorf("%v %v", info, err)
	}
	if _, has, err = addServer(file, "/bin/other"); !has || err != nil {
		t.Error(has, err)
	}
	if err := os.WriteFile(file, []byte(`{broken`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err = addServer(file, "/bin/ccdir"); err == nil {
		t.Error("a broken file would be replaced")
	}
}
