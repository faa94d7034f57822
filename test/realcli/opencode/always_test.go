package opencode

import (
	"testing"

	"ccdir/test/fakeapi"
)

// TestAlways: what a person allows for always is not asked about again, by the rules that are
// offered for every agent.
func TestAlways(t *testing.T) {
	agent.AlwaysHolds(t,
		func(name string) fakeapi.Reply {
			return fakeapi.Tool("write", map[string]any{"filePath": name, "content": "x"})
		},
		func(name string) fakeapi.Reply { return run("touch " + name) })
}
