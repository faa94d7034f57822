package claude

import (
	"fmt"
	"strings"

	"ccdir/agents"
)

// testedVersions are the oldest and the newest version of Claude Code that run every
// scenario of the tests.
var testedVersions = [2]agents.Version{{2, 1, 294}, {2, 1, 329}}

// Describe says what ccdir can do with Claude Code.
func (Adapter) Describe() agents.Description {
	return agents.Description{
		Title: "Claude Code", Install: "npm install -g @anthropic-ai/claude-code", Tested: testedVersions,
		Can: map[agents.Ability]agents.Support{
			agents.AbilityState:       {How: "program status, hooks, session file"},
			agents.AbilityPermissions: {How: "hook beside its dialog"},
			agents.AbilityPolicy:      {How: "allow, ask, deny"},
			agents.AbilityPrompts:     {How: "typed, acknowledged by its hook", Lacks: "commands such as /cost are acknowledged by the screen alone"},
			agents.AbilityResume:      {How: "--resume, under an id that ccdir chooses"},
			agents.AbilityFork:        {How: "--fork-session"},
			agents.AbilityOneShot:     {How: "-p, with limits of turns and cost"},
			agents.AbilityMCP:         {How: "--mcp-config"},
			agents.AbilityTranscript:  {How: "its file of the conversation"},
			agents.AbilityUsage:       {How: "tokens from its file, cost and limits from its status line", Lacks: "limits without a sign-in; its hint \"? for shortcuts\" is not shown to who has no status line of their own"},
			agents.AbilityEnd:         {How: "keys, then hang-up"},
		},
	}
}

// feature is an ability that ccdir uses if the agent's version has it.
type feature struct {
	// Since is the first version with it.
	Since agents.Version
	// Name names it; Without says what a session of an older version lacks.
	Name, Without string
}

// versionFeatures decide the adapter's hooks, flags and evidence, newest first.
// docs/state.md shows the same table (a test compares).
var versionFeatures = []feature{
	{sinceOnFailure, "onFailure of hooks",
		"a call passes the policy if the shell of its hook is killed too"},
	{sincePSP, "program status (OSC 7501)",
		"Esc, No and answers in the pane are known by the screen, the title and the session file, up to 300 ms later, dialogs before the first prompt by the screen alone, background activities by number and not by name"},
	{sinceHookArgs, "hooks without a shell",
		"each hook costs a /bin/sh more"},
	{sinceFileStatus, "status in the session file",
		"panels and dialogs without a hook are not seen, and Esc is believed from the key after 1.5 s"},
	{sinceRequests, "PermissionRequest hook",
		"permissions are seen 6 s late and answered in the pane only"},
	{sinceSettings, "--settings",
		"it cannot be managed: ccdir refuses to start it"},
}

// missing are the features that a version lacks, newest first; none if the version is
// unknown (zero).
func missing(version agents.Version) []feature {
	var out []feature
	for _, f := range versionFeatures {
		if version != (agents.Version{}) && version.Before(f.Since) {
			out = append(out, f)
		}
	}
	return out
}

// DescribeVersions names the tested range, and what older versions lack, in a line
// each.
func DescribeVersions() (tested, older string) {
	list := make([]string, 0, len(versionFeatures))
	for _, f := range versionFeatures {
		list = append(list, fmt.Sprintf("%s (before %s)", f.Name, f.Since))
	}
	return fmt.Sprintf("tested with %s to %s", testedVersions[0], testedVersions[1]), "older ones lack " + strings.Join(list, ", ")
}

// DescribeVersion says whether a version, as `claude --version` prints it, was tested,
// and what it lacks; good is false if an important feature may be missing.
func DescribeVersion(text string) (tested, lacks string, good bool) {
	span := fmt.Sprintf("tested with %s to %s", testedVersions[0], testedVersions[1])
	version, known := agents.ParseVersion(text)
	if !known {
		return span, "its version is not known: hooks are called by a shell", false
	}
	good = true
	switch {
	case version.Before(testedVersions[0]):
		span, good = "older than what was tested ("+testedVersions[0].String()+" to "+testedVersions[1].String()+")", false
	case testedVersions[1].Before(version):
		span = "newer than what was tested (" + testedVersions[0].String() + " to " + testedVersions[1].String() + ")"
	}
	var list []string
	for _, f := range missing(version) {
		list = append(list, fmt.Sprintf("no %s (since %s): %s", f.Name, f.Since, f.Without))
	}
	return span, strings.Join(list, "; "), good
}
