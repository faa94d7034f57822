package keymap

// The actions of the answer bar, which shows a permission request.
const (
	AnswerYes    Action = "answer-yes"
	AnswerNo     Action = "answer-no"
	AnswerAlways Action = "answer-always"
	AnswerPane   Action = "answer-in-pane"
	AnswerNext   Action = "answer-next"
	AnswerLater  Action = "answer-later"
	AnswerEdit   Action = "answer-edit"
	AnswerAll    Action = "answer-all"
	AnswerSnooze Action = "answer-snooze"
	AnswerReview Action = "answer-review"
)

// The actions of the prompt bar, while it is open.
const (
	PromptSend       Action = "prompt-send"
	PromptLine       Action = "prompt-new-line"
	PromptHistory    Action = "prompt-history"
	PromptTarget     Action = "prompt-target"
	PromptNextTarget Action = "prompt-next-target"
	PromptUnfold     Action = "prompt-unfold"
	PromptKept       Action = "prompt-kept"
	PromptClose      Action = "prompt-close"
)

// answerBindings returns the bindings of the answer bar, in the order of the help.
func answerBindings() []Binding {
	b := inGroup(GroupAnswer, 0)
	return []Binding{
		b(AnswerYes, "yes: allow what the session asks for, this once", "y").when(needWrite | needDaemon),
		b(AnswerNo, "no: refuse it, with a message to the agent if you like", "n").when(needWrite | needDaemon),
		b(AnswerAlways, "always: allow it and the same again; choose the rule, and for the session, the project or all", "a").when(needWrite | needDaemon),
		b(AnswerEdit, "edit the command and allow that, or write the answer to a question", "e").when(needWrite | needDaemon),
		b(AnswerReview, "view a plan line by line, and comment on it: the comments refuse it", "v"),
		b(AnswerAll, "yes to all open requests that are exactly like this one", "A").when(needWrite | needDaemon),
		b(AnswerPane, "open the pane: answer in its own dialog", "o"),
		b(AnswerNext, "show the next request, or go to the next session that waits", "Tab"),
		b(AnswerSnooze, "not now: choose when it asks for attention again; once more: have it ask now", "s").when(needWrite | needDaemon),
		b(AnswerLater, "later: close the bar, nothing is answered", "Escape", "q"),
	}
}

// promptBindings returns the bindings of the prompt bar, in the order of the help.
func promptBindings() []Binding {
	b := inGroup(GroupPrompt, 0)
	return []Binding{
		b(PromptSend, "send the text", "Enter"),
		b(PromptLine, "begin a new line", "M-Enter", "S-Enter", "C-j"),
		b(PromptHistory, "search the prompts of before (Up goes back one)", "C-r"),
		b(PromptTarget, "choose who gets it: sessions, a new one, the queue, all idle agents", "C-t"),
		b(PromptNextTarget, "who gets it: the next choice", "Tab"),
		b(PromptKept, "what is kept for later: change it, or cancel it", "C-l"),
		b(PromptUnfold, "show the folded paste at the cursor whole", "C-o"),
		b(PromptClose, "back to the pane, what was written stays; or cancel what is being sent", "Escape", "C-c"),
	}
}
