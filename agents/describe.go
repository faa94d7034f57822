package agents

import "fmt"

// Described is an adapter of a coding agent that says as data what ccdir can do with it:
// `ccdir agents`, doctor, explain and docs/agents.md show it.
type Described interface {
	Describe() Description
}

// Description is what ccdir knows of an agent CLI.
type Description struct {
	// Title is the agent's name for people, Install what installs it.
	Title, Install string
	// Tested are the oldest and the newest version that run the tests; zero: none does.
	Tested [2]Version
	// Can are the agent's abilities. One without an entry is missing.
	Can map[Ability]Support
}

// Ability is something that ccdir does with agents.
type Ability string

// Abilities.
const (
	AbilityState       Ability = "state"       // its state is known
	AbilityPermissions Ability = "permissions" // its requests are answered outside the pane
	AbilityPolicy      Ability = "policy"      // the policy decides before a tool runs
	AbilityPrompts     Ability = "prompts"     // prompts are delivered and acknowledged
	AbilityResume      Ability = "resume"      // a conversation goes on after a restart
	AbilityFork        Ability = "fork"        // a copy of a conversation goes on beside it
	AbilityOneShot     Ability = "one-shot"    // it runs one prompt and ends
	AbilityMCP         Ability = "mcp"         // it has ccdir's tools
	AbilityTranscript  Ability = "transcript"  // its conversations can be read
	AbilityUsage       Ability = "usage"       // its tokens, and its cost if it tells it
	AbilityEnd         Ability = "end"         // it ends politely
)

// Abilities are all abilities, in the order in which they are shown.
var Abilities = []Ability{AbilityState, AbilityPermissions, AbilityPolicy, AbilityPrompts, AbilityResume, AbilityFork,
	AbilityOneShot, AbilityMCP, AbilityTranscript, AbilityUsage, AbilityEnd}

// Support is how an ability comes about.
type Support struct {
	// How names the means in a few words; "": the agent lacks the ability.
	How string
	// Lacks names missing abilities, in a clause; "": none.
	Lacks string
}

// Lacks are what the agent lacks, a line for each ability.
func (d Description) Lacks() (list []string) {
	for _, ability := range Abilities {
		switch s := d.Can[ability]; {
		case s.How == "":
			list = append(list, string(ability)+": not at all")
		case s.Lacks != "":
			list = append(list, string(ability)+": "+s.Lacks)
		}
	}
	return list
}

// Runs reports whether the tests run that version: the oldest, the newest, or one between
// them.
func (d Description) Runs(v Version) bool {
	return d.Tested[1] != (Version{}) && !v.Before(d.Tested[0]) && !d.Tested[1].Before(v)
}

// TestedText says what was tested: "0.169.0", "2.1.294 to 2.1.329", "" for nothing.
func (d Description) TestedText() string {
	switch {
	case d.Tested[1] == (Version{}):
		return ""
	case d.Tested[0] == d.Tested[1]:
		return d.Tested[1].String()
	}
	return fmt.Sprintf("%s to %s", d.Tested[0], d.Tested[1])
}

// About says of a version, as the agent prints it, whether it was tested; good is false if
// it is unknown or older.
func (d Description) About(text string) (about string, good bool) {
	tested := d.TestedText()
	version, known := ParseVersion(text)
	switch {
	case tested == "":
		return "no version is tested", true
	case !known:
		return "its version is not known; tested with " + tested, false
	case version.Before(d.Tested[0]):
		return "older than what was tested (" + tested + ")", false
	case d.Tested[1].Before(version):
		return "newer than what was tested (" + tested + ")", true
	}
	return "tested with " + tested, true
}
