// Package traptest sets traps in a repository for tests: settings, hooks and commits by which git
// runs a program in one situation or another.
package traptest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Traps are settings by name. MARK stands for a program that leaves a mark, which some settings name
// without a shell, INCLUDED for a file of settings.
var Traps = map[string][][2]string{
	"filter":        {{"filter.t.clean", "MARK; cat"}, {"filter.t.smudge", "MARK; cat"}},
	"process":       {{"filter.t.process", "MARK"}, {"filter.t.required", "true"}},
	"diff":          {{"diff.external", "MARK"}, {"diff.t.command", "MARK"}, {"diff.t.textconv", "MARK; cat"}},
	"merge driver":  {{"merge.t.driver", "MARK"}, {"merge.default", "t"}},
	"fsmonitor":     {{"core.fsmonitor", "MARK"}},
	"pager":         {{"core.pager", "MARK"}, {"pager.status", "MARK"}, {"pager.log", "MARK"}, {"pager.diff", "MARK"}},
	"alias":         {{"alias.status", "!MARK"}, {"alias.diff-files", "!MARK"}, {"alias.merge-tree", "!MARK"}},
	"ssh":           {{"core.sshcommand", "MARK"}, {"core.gitproxy", "MARK"}, {"core.askpass", "MARK"}, {"credential.helper", "!MARK"}},
	"missing":       {{"core.repositoryformatversion", "1"}, {"extensions.partialclone", "o"}, {"remote.o.promisor", "true"}, {"remote.o.url", "ext::sh -c MARK"}, {"protocol.ext.allow", "always"}},
	"signatures":    {{"gpg.program", "MARK"}, {"log.showsignature", "true"}, {"commit.gpgsign", "true"}, {"gpg.ssh.program", "MARK"}},
	"editors":       {{"core.editor", "MARK"}, {"sequence.editor", "MARK"}, {"interactive.difffilter", "MARK"}},
	"submodules":    {{"submodule.recurse", "true"}, {"submodule.sub.update", "!MARK"}, {"status.submodulesummary", "true"}},
	"packs":         {{"uploadpack.packobjectshook", "MARK"}, {"core.alternaterefscommand", "MARK"}},
	"included":      {{"include.path", "INCLUDED"}},
	"included here": {{"includeIf.gitdir:**.path", "INCLUDED"}},
	"hooks":         {},
}

// Set sets a trap in the repository whose main work tree is dir: one of Traps, or only the
// attributes if it is none. Every file is one that filters, differences and merges are about. command
// is a command of the shell.
func Set(t testing.TB, dir string, trap, command string) {
	t.Helper()
	write(t, filepath.Join(dir, ".git", "info", "attributes"), "* filter=t diff=t merge=t\n")
	program := filepath.Join(dir, ".git", "trap")
	writeProgram(t, program, command)
	included := filepath.Join(dir, ".git", "included")
	write(t, included, fmt.Sprintf("[filter \"t\"]\n\tclean = %q\n[core]\n\tfsmonitor = %q\n", program+"; cat", program))
	for _, kv := range Traps[trap] {
		value := strings.ReplaceAll(strings.ReplaceAll(kv[1], "INCLUDED", included), "MARK", program)
		git(t, dir, "", "config", kv[0], value)
	}
	if trap != "hooks" {
		return
	}
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-commit", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite", "pre-push"} {
		writeProgram(t, filepath.Join(dir, ".git", "hooks", hook), command)
	}
}

// SetAll sets all of Traps.
func SetAll(t testing.TB, dir, command string) {
	t.Helper()
	for trap := range Traps {
		Set(t, dir, trap, command)
	}
}

func writeProgram(t testing.TB, file, command string) {
	t.Helper()
	write(t, file, "#!/bin/sh\n"+command+"\n")
	if err := os.Chmod(file, 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}

// Sign makes the commit that is checked out in dir one that has a signature. Nobody can check it.
func Sign(t testing.TB, dir string) {
	t.Helper()
	head, message, _ := strings.Cut(git(t, dir, "", "cat-file", "commit", "HEAD"), "\n\n")
	signed := head + "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n" + message
	id := git(t, dir, signed, "hash-object", "-t", "commit", "-w", "--stdin")
	git(t, dir, "", "update-ref", "HEAD", strings.TrimSpace(id))
}

func git(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
