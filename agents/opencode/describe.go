package opencode

import "ccdir/agents"

// tested is the version that runs the scenarios of the tests.
var tested = agents.Version{1, 18, 33}

// Describe says what ccdir can do with opencode.
func (Adapter) Describe() agents.Description {
	return agents.Description{
		Title: "opencode", Install: "npm install -g opencode-ai", Tested: [2]agents.Version{tested, tested},
		Can: map[agents.Ability]agents.Support{
			agents.AbilityState: {How: "events of its own server",
				Lacks: "an API whose failure may pass is asked again without end, which shows as work"},
			agents.AbilityPermissions: {How: "its server, beside its dialog; questions too", Lacks: "no changed commands"},
			agents.AbilityPolicy: {How: "allow, ask, deny by a plugin before each tool; none by its requests",
				Lacks: "what the policy asks about beside commands, edits, reads, searches, sites is refused"},
			agents.AbilityPrompts:    {How: "its server; a draft stays", Lacks: "commands such as /new are typed and seldom acknowledged"},
			agents.AbilityResume:     {How: "--session", Lacks: "the id is known with the first prompt"},
			agents.AbilityOneShot:    {How: "run --format json", Lacks: "commands, edits, sites run only if the policy allows them; nothing can be asked; no limits of turns and cost"},
			agents.AbilityMCP:        {How: "configuration of one start"},
			agents.AbilityFork:       {How: "its server"},
			agents.AbilityTranscript: {How: "its database"},
			agents.AbilityUsage:      {How: "tokens and cost from its database", Lacks: "not how full the model's context is"},
			agents.AbilityEnd:        {How: "SIGTERM"},
		},
	}
}
