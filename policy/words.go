package policy

import (
	"cmp"

	"ccdir/api"
	"ccdir/internal/text/patchtext"
)

// ruleAliases are agents' own words for tools, as rules may name them.
var ruleAliases = map[string]string{
	"apply_patch": api.ToolPatch, "write_stdin": api.ToolType, "exec_command": "Bash", "run_shell_command": "Bash",
	"view_image": "Read", "read_file": "Read", "read_many_files": "Read", "write_file": "Write", "replace": "Edit",
	"grep_search": "Grep", "search_file_content": "Grep", "list_directory": "LS", "web_fetch": "WebFetch", "invoke_agent": "Agent", "activate_skill": "Skill",
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
	"TodoWrite": true, "TodoRead": true, "WebSearch": true, "AskUserQuestion": true, "AskUser": true, "question": true, "request_user_input": true,
	"list_mcp_resources": true, "list_mcp_resource_templates": true, "read_mcp_resource": true, "ListMcpResourcesTool": true, "ReadMcpResourceTool": true,
	// Claude Code.
	"EnterPlanMode": true, "ExitPlanMode": true, "ToolSearch": true, "TaskCreate": true, "TaskGet": true, "TaskList": true, "TaskUpdate": true,
	"TaskOutput": true, "TaskStop": true, "KillShell": true, "BashOutput": true, "SendMessage": true, "StructuredOutput": true,
	"ListAgents": true, "ReportFindings": true, "ScheduleWakeup": true, "DeferredToolPlaceholder": true, "CronCreate": true, "CronDelete": true, "CronList": true,
	"Workflow": true, // it starts subagents, whose calls are judged themselves
	// Codex.
	"update_plan": true, "get_goal": true, "create_goal": true, "update_goal": true, "web_search": true,
	"spawn_agent": true, "multi_agent_v1": true, "close_agent": true, "resume_agent": true, "send_input": true, "wait_agent": true,
	// Gemini CLI.
	"update_topic": true, "write_todos": true, "enter_plan_mode": true, "exit_plan_mode": true, "list_background_processes": true, "read_background_output": true,
}

// patch reads the files of a patch; an error if their list is of another shape.
func (in input) patch() (files []patchtext.File, err error) { return files, in.into("files", &files) }
