package happenings

import (
	"cmp"
	"strings"

	"ccdir/api"
)

// hook is an event of an agent's hook; unknown ones are told as they are.
func (f *fold) hook(e *api.Event) {
	tool, what, _ := strings.Cut(e.Message, ": ")
	if dir := f.dirs[e.Session]; dir != "" && dir != "/" {
		what = strings.TrimPrefix(what, dir+"/")
	}
	switch e.Kind {
	case api.KindDialog:
		if tool == api.ToolPlan {
			what = strings.TrimSuffix("its plan: "+what, ": ")
			if strings.Contains(what, "{") {
				what = "its plan" // in JSON, from before: the answer bar has it as text
			}
		}
		f.ask(e, strings.TrimSuffix(asks(tool)+cmp.Or(what, tool), " "))
	case api.KindPrompt, api.KindReport:
		f.known(e, said("prompt", e))
	case api.KindTurnEnds:
		f.add(e, api.StandingDone, said("done", e))
	case api.KindTurnFails:
		f.add(e, api.StandingFailed, said("failed", e))
	case api.KindTurnInterrupted:
		f.known(e, "interrupted")
	case api.KindToolEnds:
		if verb := did(tool); verb != "" {
			f.add(e, "", verb+" "+what)
		}
	case api.KindToolFails:
		f.add(e, api.StandingFailed, cmp.Or(did(tool), "used "+tool)+" "+what+" ✗")
	case api.KindToolRefused:
		f.add(e, "", "denied: "+cmp.Or(what, tool))
	case api.KindQuestion:
		f.ask(e, e.Message)
	case api.KindCompactionBegins:
		f.known(e, "compacts its conversation")
	case api.KindConversationBegins, api.KindConversationEnds, api.KindToolBegins, api.KindReminder, api.KindQuestionEnds, api.KindSubagentBegins,
		api.KindSubagentEnds, api.KindCompactionEnds, api.KindModel, api.KindNote:
		// Other rows tell of them, or they tell a person nothing.
	default:
		f.add(e, "", strings.TrimSuffix(e.Type+" "+e.Message, " "))
	}
}

// said is a word with what the agent said; that is the hook's name where it said nothing.
func said(word string, e *api.Event) string {
	if e.Message == "" || e.Message == e.Type {
		return word
	}
	return word + ": " + strings.TrimPrefix(e.Message, word+": ")
}

// answerVerb is the verb for the answer to a request of a tool.
func answerVerb(tool string, allowed bool) string {
	switch {
	case !allowed:
		return "refused"
	case tool == api.ToolAsk:
		return "answered"
	}
	return "allowed"
}

// did is the verb for a tool that has run; "" for tools that only look.
func did(tool string) string {
	switch tool {
	case api.ToolBash:
		return "ran"
	case api.ToolWrite:
		return "wrote"
	case api.ToolEdit, api.ToolMultiEdit, api.ToolNotebookEdit, api.ToolPatch:
		return "edited"
	case api.ToolType:
		return "typed"
	case api.ToolRead, api.ToolGrep, api.ToolGlob, api.ToolLS, api.ToolTodo, api.ToolAsk, api.ToolFind, api.ToolPlan:
		return ""
	}
	return "used " + tool
}

// asks is the verb before a file that a tool asks to change; "" for other tools.
func asks(tool string) string {
	switch did(tool) {
	case "wrote":
		return "write "
	case "edited":
		return "edit "
	}
	return ""
}
