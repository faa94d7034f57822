package gemini

import "ccdir/agents"

// tested is the version that runs the scenarios of the tests.
var tested = agents.Version{0, 61, 0}

// Describe says what ccdir can do with Gemini CLI.
func (Adapter) Describe() agents.Description {
	return agents.Description{
		Title: "Gemini CLI", Install: "npm install -g @google/gemini-cli", Tested: [2]agents.Version{tested, tested},
		Can: map[agents.Ability]agents.Support{
			agents.AbilityState: {How: "title, hooks; its conversation tells how a turn ended"},
			agents.AbilityPermissions: {How: "keys, once its dialog is drawn",
				Lacks: "a denial ends the turn, and its message follows as a prompt; no changed commands"},
			agents.AbilityPolicy: {How: "deny and ask by its hook; allow by its requests"},
			agents.AbilityPrompts: {How: "typed, acknowledged by its hook",
				Lacks: "commands such as /stats are acknowledged only if they begin work or open a dialog"},
			agents.AbilityResume:     {How: "--resume"},
			agents.AbilityOneShot:    {How: "-p, stream-json", Lacks: "tools that would ask are not offered; no cost"},
			agents.AbilityMCP:        {How: "settings of the session's own home"},
			agents.AbilityTranscript: {How: "its conversation file"},
			agents.AbilityUsage:      {How: "its conversation file", Lacks: "no cost, not how full the model's context is"},
			agents.AbilityEnd:        {How: "keys, then SIGHUP to the process group", Lacks: "settings changed by /settings in a session end with it"},
		},
	}
}
