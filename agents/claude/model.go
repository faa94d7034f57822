package claude

// Models returns the aliases of Claude Code, each of which stands for the newest model of
// its family.
func (Adapter) Models() []string { return []string{"opus", "sonnet", "haiku"} }
