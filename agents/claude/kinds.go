package claude

import (
	"maps"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// Names of Claude Code's hooks. The rest of ccdir knows them by their kinds alone; tests that
// play the agent use the names.
const (
	HookSessionStart        = "SessionStart"
	HookSessionEnd          = "SessionEnd"
	HookUserPromptSubmit    = "UserPromptSubmit"
	HookUserPromptExpansion = "UserPromptExpansion"
	HookStop                = "Stop"
	HookStopFailure         = "StopFailure"
	HookPreToolUse          = "PreToolUse"
	HookPostToolUse         = "PostToolUse"
	HookPostToolUseFailure  = "PostToolUseFailure"
	HookPermissionRequest   = "PermissionRequest"
	HookPermissionDenied    = "PermissionDenied"
	HookNotification        = "Notification"
	HookElicitation         = "Elicitation"
	HookElicitationResult   = "ElicitationResult"
	HookSubagentStart       = "SubagentStart"
	HookSubagentStop        = "SubagentStop"
	HookPreCompact          = "PreCompact"
	HookPostCompact         = "PostCompact"
	HookPreModelSwitch      = "PreModelSwitch"
	HookPostModelSwitch     = "PostModelSwitch"
	HookCwdChanged          = "CwdChanged"
	HookConfigChange        = "ConfigChange"
	HookInstructionsLoaded  = "InstructionsLoaded"
)

// hookKinds are the hooks that Claude Code calls.
var hookKinds = payload.Reports{
	HookSessionStart:        {api.KindConversationBegins, decodeSessionStart},
	HookSessionEnd:          {api.KindConversationEnds, decodeSessionEnd},
	HookUserPromptSubmit:    {api.KindPrompt, decodePrompt},
	HookUserPromptExpansion: {api.KindCommand, decodeExpansion},
	HookStop:                {api.KindTurnEnds, decodeStop},
	HookStopFailure:         {api.KindTurnFails, decodeStopFailure},
	HookPreToolUse:          {api.KindToolBegins, decodePreTool},
	HookPostToolUse:         {api.KindToolEnds, decodePostTool},
	HookPostToolUseFailure:  {api.KindToolFails, decodePostTool},
	HookPermissionRequest:   {api.KindDialog, decodePermission},
	HookPermissionDenied:    {api.KindToolRefused, decodeDenied},
	HookNotification:        {api.KindReminder, decodeNotification},
	HookElicitation:         {api.KindQuestion, decodeElicitation},
	HookElicitationResult:   {api.KindQuestionEnds, decodeElicitationResult},
	HookSubagentStart:       {api.KindSubagentBegins, decodeSubagent},
	HookSubagentStop:        {api.KindSubagentEnds, decodeSubagent},
	HookPreCompact:          {api.KindCompactionBegins, decodeCompact},
	HookPostCompact:         {api.KindCompactionEnds, decodeCompact},
	HookPreModelSwitch:      {api.KindNote, decodeModel},
	HookPostModelSwitch:     {api.KindModel, decodeModel},
	HookCwdChanged:          {api.KindNote, decodeCwd},
	HookConfigChange:        {api.KindNote, decodeFile},
	HookInstructionsLoaded:  {api.KindNote, decodeFile},
}

// Interpret gives a hook's evidence its kind and the fields that follow from it, by its name
// and the other fields.
func Interpret(e *api.Evidence) {
	e.Kind = hookKinds.Kind(e.Name)
	set := func(field string) {
		fields := maps.Clone(e.Fields)
		fields[field] = "true"
		e.Fields = fields
	}
	switch tool := e.Fields["tool"]; {
	case e.Kind == api.KindPrompt && e.Fields["kind"] != "":
		e.Kind = api.KindReport
	case e.Kind == api.KindToolBegins && (tool == "Agent" || tool == "Task"):
		set(agents.FieldDelegates)
	case e.Kind == api.KindConversationBegins && e.Fields["source"] == "clear":
		set(agents.FieldCleared)
	}
}

// HookKind is the kind of the hook of that name; "" if it is unknown.
func HookKind(name string) api.EventKind { return hookKinds.Kind(name) }
