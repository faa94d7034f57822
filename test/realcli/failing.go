package realcli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/client"
	"ccdir/test/fakeapi"
	"ccdir/test/programs"
)

// failingShim is a shim whose hook before a tool fails in the way that the call's text names, as
// how-NAME. Everything else is done by the real one.
const failingShim = `#!/bin/sh
case "$1 $2" in
"hook PreToolUse"|"hook BeforeTool")
	call=$(cat)
	case $call in
	*how-killed*) kill -9 $$ ;;
	*how-fails*) exit 1 ;;
	*how-half*) printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"de'; kill -9 $$ ;;
	*how-late*) exec sleep 600 ;;
	esac
	printf %s "$call" | REAL "$@"
	exit $? ;;
esac
exec REAL "$@"
`

// HookCells are calls of each tool for each way in which its hook may fail, and one where it does not
// (how-fine), and more: the names of the files that they make, sorted, and the calls, then the text "over".
func HookCells(tools map[string]func(name string) fakeapi.Reply, more ...string) (names []string, replies []fakeapi.Reply) {
	for tool := range tools {
		for _, how := range []string{"killed", "fails", "half", "fine"} {
			names = append(names, tool+"-how-"+how)
		}
	}
	names = append(names, more...)
	slices.Sort(names)
	for _, name := range names {
		tool, _, _ := strings.Cut(name, "-")
		replies = append(replies, tools[tool](name))
	}
	return names, append(replies, fakeapi.Text("over"))
}

// FailHooks gives the installation programs of its own, whose hooks before a tool fail where
// the call's text says how. It is called before anything runs, and returns the path of the shim.
func (p *Product) FailHooks() string {
	p.t.Helper()
	dir := filepath.Join(p.home, "bin")
	err := os.Mkdir(dir, 0o700)
	for _, name := range []string{programs.Ccdir, programs.Daemon} {
		err = errors.Join(err, os.Link(filepath.Join(programsDir, name), filepath.Join(dir, name)))
	}
	shim := client.ShimPath(filepath.Join(dir, programs.Ccdir))
	err = errors.Join(err, os.WriteFile(shim, []byte(strings.ReplaceAll(failingShim, "REAL", "'"+p.shim+"'")), 0o700))
	if err != nil {
		p.t.Fatal(err)
	}
	p.exe = filepath.Join(dir, programs.Ccdir)
	return shim
}

// Ran sends a prompt to the session, whose script calls tools that make the files of those names and then
// says "over", and returns those that are there then.
func (p *Product) Ran(ctx context.Context, id string, names []string) (made []string) {
	p.t.Helper()
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "go")
	p.Answered(ctx, id, "over")
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !p.Has(name) })
}
