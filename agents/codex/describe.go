package codex

import "ccdir/agents"

// tested is the version that runs the scenarios of the tests.
var tested = agents.Version{0, 169, 0}

// Describe says what ccdir can do with Codex.
func (Adapter) Describe() agents.Description {
	return agents.Description{
		Title: "Codex CLI", Install: "npm install -g @openai/codex", Tested: [2]agents.Version{tested, tested},
		Can: map[agents.Ability]agents.Support{
			agents.AbilityState: {How: "program status, hooks"},
			agents.AbilityPermissions: {How: "hook before its dialog, then keys",
				Lacks: "the pane shows no dialog for the first 10 s; a denial after that ends the turn, and its message follows as a prompt; no changed commands"},
			agents.AbilityPolicy: {How: "deny and ask before a tool runs; allow by its requests",
				Lacks: "what its sandbox permits runs without a request unless the policy says otherwise; what is typed into a program that runs already is not seen"},
			agents.AbilityPrompts:    {How: "typed, acknowledged by its hook", Lacks: "commands such as /status are not acknowledged"},
			agents.AbilityResume:     {How: "codex resume", Lacks: "the id is known with the first prompt"},
			agents.AbilityFork:       {How: "codex fork"},
			agents.AbilityOneShot:    {How: "codex exec --json", Lacks: "no limits of turns and cost; nothing can be asked"},
			agents.AbilityMCP:        {How: "-c mcp_servers.ccdir"},
			agents.AbilityTranscript: {How: "its file of the conversation"},
			agents.AbilityUsage:      {How: "tokens from its file", Lacks: "no cost"},
			agents.AbilityEnd:        {How: "keys, then SIGTERM"},
		},
	}
}
