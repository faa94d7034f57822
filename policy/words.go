package policy

import (
	"cmp"

	"ccdir/api"
	"ccdir/internal/text/patchtext"
)

// knownTools are the tools whose input ccdir can read.
var knownTools = map[string]toolKind{
	api.ToolBash: kindShell, "Monitor": kindShell, api.ToolType: kindShell,
	api.ToolRead: kindRead, api.ToolGrep: kindRead, api.ToolGlob: kindRead, api.ToolLS: kindRead, api.ToolNotebookRead: kindRead,
	api.ToolEdit: kindEdit, api.ToolWrite: kindEdit, api.ToolMultiEdit: kindEdit, api.ToolNotebookEdit: kindEdit, api.ToolPatch: kindEdit,
	api.ToolWebFetch: kindFetch, api.ToolAgent: kindNamed, "Task": kindNamed, api.ToolSkill: kindNamed, "SlashCommand": kindNamed,
}

// nameMember is the member of a tool's input that names what it starts, where that is no subagent.
var nameMember = map[string]string{api.ToolSkill: "skill", "SlashCommand": "command"}

// renamedTool maps tools to their name in later or earlier versions of the agent.
var renamedTool = map[string]string{"Task": api.ToolAgent, api.ToolAgent: "Task"}

// ruleAliases are agents' own words for tools, as rules may name them.
var ruleAliases = map[string]string{
	"apply_patch": api.ToolPatch, "write_stdin": api.ToolType, "exec_command": api.ToolBash, "run_shell_command": api.ToolBash,
	"view_image": api.ToolRead, "read_file": api.ToolRead, "read_many_files": api.ToolRead, "write_file": api.ToolWrite, "replace": api.ToolEdit,
	"grep_search": api.ToolGrep, "search_file_content": api.ToolGrep, "list_directory": api.ToolLS, "web_fetch": api.ToolWebFetch, "invoke_agent": api.ToolAgent, "activate_skill": api.ToolSkill,
	"AskUser": api.ToolAsk, "ask_user": api.ToolAsk, "question": api.ToolAsk, "request_user_input": api.ToolAsk, "exit_plan_mode": api.ToolPlan,
	"update_plan": api.ToolTodo, "write_todos": api.ToolTodo, "google_web_search": api.ToolWebSearch, "web_search": api.ToolWebSearch,
}

// Word is ccdir's word for a tool that an agent or a rule calls otherwise.
func Word(tool string) string { return cmp.Or(ruleAliases[tool], tool) }

// Knows reports whether ccdir knows what a tool does: which files, commands and sites a call
// is about, or that it is about none. The tools of MCP servers have rules by name.
func Knows(tool string) bool {
	_, _, isMCP := mcpName(tool)
	return isMCP || knownTools[tool] != kindOther || plainTools[tool]
}

// plainTools touch no file, command or site of the person's: plans, questions, the agent's
// own subagents, lists of what it started, and what ends one of these.
var plainTools = map[string]bool{
	// Several agents.
	api.ToolTodo: true, "TodoRead": true, api.ToolWebSearch: true, api.ToolAsk: true,
	"list_mcp_resources": true, "list_mcp_resource_templates": true, "read_mcp_resource": true, "ListMcpResourcesTool": true, "ReadMcpResourceTool": true, "ReadMcpResourceDirTool": true,
	// Claude Code.
	"EnterPlanMode": true, api.ToolPlan: true, api.ToolFind: true, "TaskCreate": true, "TaskGet": true, "TaskList": true, "TaskUpdate": true,
	"TaskOutput": true, "TaskStop": true, "KillShell": true, "BashOutput": true, "SendMessage": true, "StructuredOutput": true,
	"ListAgents": true, "ReportFindings": true, "ScheduleWakeup": true, "WaitForMcpServers": true, "DeferredToolPlaceholder": true, "CronCreate": true, "CronDelete": true, "CronList": true,
	"Workflow": true, // it starts subagents, whose calls are judged themselves
	// Codex.
	"get_goal": true, "create_goal": true, "update_goal": true,
	"spawn_agent": true, "close_agent": true, "resume_agent": true, "send_input": true, "wait_agent": true, "followup_task": true, "interrupt_agent": true, "list_agents": true, "send_message": true,
	"sleep": true, "curr_time": true, "tool_search": true,
	"exec": true, "wait": true, // a script, and the wait for it: each call in it is judged itself
	// Gemini CLI.
	"update_topic": true, "enter_plan_mode": true, "list_background_processes": true, "read_background_output": true,
}

// patch reads the files of a patch; an error if their list is of another shape.
func (in input) patch() (files []patchtext.File, err error) { return files, in.into("files", &files) }
