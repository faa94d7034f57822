package api

// ccdir's names of tools. Adapters translate their agents' tools into these; rules, requests,
// events and the ledger have them. A tool that has none keeps the agent's name, and policy says
// what it does.
const (
	// ToolBash runs a command line: its input has command.
	ToolBash = "Bash"
	// ToolType types text into a program that runs already: text.
	ToolType = "Type"

	// ToolRead and ToolNotebookRead read a file: file_path, notebook_path, or paths for several.
	ToolRead         = "Read"
	ToolNotebookRead = "NotebookRead"
	// ToolGrep searches the text of files: path, glob, pattern. ToolGlob and ToolLS list names.
	ToolGrep = "Grep"
	ToolGlob = "Glob"
	ToolLS   = "LS"

	// ToolEdit, ToolMultiEdit and ToolNotebookEdit change a file, ToolWrite replaces it: file_path,
	// notebook_path.
	ToolEdit         = "Edit"
	ToolMultiEdit    = "MultiEdit"
	ToolNotebookEdit = "NotebookEdit"
	ToolWrite        = "Write"
	// ToolPatch changes several files: its input has files, each with path, change (add, update,
	// delete), move_to and edits.
	ToolPatch = "Patch"

	// ToolWebFetch reads a page: url, or urls. ToolWebSearch asks a search engine.
	ToolWebFetch  = "WebFetch"
	ToolWebSearch = "WebSearch"

	// ToolAgent starts a subagent: subagent_type. ToolSkill uses a skill: skill.
	ToolAgent = "Agent"
	ToolSkill = "Skill"

	// ToolAsk asks the person questions, ToolPlan asks for consent to a plan: no rule answers
	// in the person's place.
	ToolAsk  = "AskUserQuestion"
	ToolPlan = "ExitPlanMode"
	// ToolTodo keeps the agent's list of what is to do.
	ToolTodo = "TodoWrite"
	// ToolFind finds further tools of the agent's.
	ToolFind = "ToolSearch"
)
