package opencode

import "testing"

// TestToolsAreKnown: the policy knows each tool that the CLI offers to its model.
func TestToolsAreKnown(t *testing.T) { agent.ToolsAreKnown(t) }
