package realcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/policy"
	"ccdir/test/fakeapi"
)

// ToolsAreKnown tests that the policy knows each tool that the CLI offers to its model, and that
// the list below agents/KIND/testdata has them: a tool of a new version is looked at and
// put into ccdir's words, or among the tools that touch nothing, before it is listed there.
// args are further ones for `ccdir new`.
func (o Other) ToolsAreKnown(t *testing.T, args ...string) {
	ctx, p, fake := o.Product(t, fakeapi.Turns(fakeapi.Text("done")))
	id := p.New(ctx, args...)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "list")
	p.Answered(ctx, id, "done")
	listed, err := os.ReadFile(filepath.Join(Root(t), "agents", o.Kind, "testdata", "tools.txt"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range fake.Requests() {
		for _, tool := range r.Tools {
			if seen++; !slices.Contains(strings.Fields(string(listed)), tool) && !ours(o.Kind, tool) {
				t.Errorf("agents/%s/testdata/tools.txt has no %s: say in the adapter what it does", o.Kind, tool)
			}
		}
	}
	if seen == 0 {
		t.Error("the CLI offered no tools")
	}
}

// ours reports whether a tool is one of ccdir's, or all of them.
func ours(kind, tool string) bool {
	name, _, _ := adapters.Call(kind, tool, json.RawMessage("{}"))
	return strings.HasPrefix(name, "mcp__"+api.MCPServer) && policy.Knows(name)
}
