package happenings

import (
	"cmp"
	"strings"

	"ccdir/api"
)

// hook is an event of an agent's hook, by its name; unknown ones are told as they are.
func (f *fold) hook(e *api.Event) {
	tool, what, _ := strings.Cut(e.Message, ": ")
	switch e.Type {
	case "PermissionRequest":
		f.ask(e, cmp.Or(what, tool))
	case "UserPromptSubmit":
		f.add(e, "", "prompt: "+e.Message)
	case "Stop":
		f.add(e, api.StandingDone, "done: "+e.Message)
	case "StopFailure":
		f.add(e, api.StandingFailed, "failed: "+e.Message)
	case "PostToolUse":
		if verb := did(tool); verb != "" {
			f.add(e, "", verb+" "+what)
		}
	case "PostToolUseFailure":
		f.add(e, api.StandingFailed, cmp.Or(did(tool), "used "+tool)+" "+what+" ✗")
	case "PermissionDenied":
		f.add(e, "", "denied: "+cmp.Or(what, tool))
	case "Elicitation":
		f.ask(e, e.Message)
	case "PreCompact":
		f.add(e, "", "compacts its conversation")
	case "SessionStart", "SessionEnd", "PreToolUse", "Notification", "ElicitationResult", "SubagentStart", "SubagentStop", "PostCompact",
		"PreModelSwitch", "PostModelSwitch", "CwdChanged", "ConfigChange", "InstructionsLoaded":
		// Other rows tell of them, or they tell a person nothing.
	default:
		f.add(e, "", strings.TrimSuffix(e.Type+" "+e.Message, " "))
	}
}

// did is the verb for a tool that has run; "" for tools that only look.
func did(tool string) string {
	switch tool {
	case "Bash":
		return "ran"
	case "Write":
		return "wrote"
	case "Edit", "MultiEdit", "NotebookEdit":
		return "edited"
	case "Read", "Grep", "Glob", "LS", "TodoWrite", "AskUserQuestion", "ToolSearch", "ExitPlanMode":
		return ""
	}
	return "used " + tool
}
