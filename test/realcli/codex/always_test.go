package codex

import (
	"testing"

	"ccdir/test/fakeapi"
)

// TestAlways: what a person allows for always is not asked about again, by the rules that are
// offered for every agent.
func TestAlways(t *testing.T) {
	agent := agent
	agent.Home = knownHome
	agent.AlwaysHolds(t,
		func(name string) fakeapi.Reply {
			return fakeapi.Tool("apply_patch", "*** Begin Patch\n*** Add File: "+name+"\n+x\n*** End Patch\n")
		},
		func(name string) fakeapi.Reply {
			return fakeapi.Tool("exec_command", map[string]any{"cmd": "touch " + name})
		}, "--model", callingModel)
}
