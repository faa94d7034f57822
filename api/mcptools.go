package api

import "slices"

// Groups of tools, which a role in the configuration may name instead of tools.
const (
	GroupProject      = "@project"      // project_info, compile, test, run and its output, format, lint, type_check, docs, git, forge
	GroupFiles        = "@files"        // read, write, edit, list, search, bash
	GroupCoordination = "@coordination" // sessions, tasks, messages, questions, past results
	GroupSessions     = "@sessions"     // start sessions, type into them, end them
)

// toolGroups are the tools of each group. Each tool is in one.
var toolGroups = map[string][]string{
	GroupProject: {"project_info", "compile", "lint", "type_check", "test", "format", "run", "run_output", "run_stop", "run_list",
		"docs_lookup", "docs_read", "git_status", "git_diff", "git_log", "git_blame", "issue_view", "pr_view"},
	GroupFiles: {"read", "write", "edit", "list", "search", "bash"},
	GroupCoordination: {"sessions_list", "session_output", "session_wait", "task_add", "task_list", "task_result",
		"message_send", "message_inbox", "message_ack", "ask_person", "report_progress", "past_results"},
	GroupSessions: {"session_spawn", "session_send", "session_stop"},
}

// ToolGroups are the names of the groups.
func ToolGroups() []string {
	return []string{GroupProject, GroupFiles, GroupCoordination, GroupSessions}
}

// ExpandTools replaces groups by their tools.
func ExpandTools(list []string) (names []string) {
	for _, e := range list {
		if tools, ok := toolGroups[e]; ok {
			names = append(names, tools...)
		} else {
			names = append(names, e)
		}
	}
	return names
}

// MCPTools are the names of all tools that the daemon can serve.
func MCPTools() []string { return ExpandTools(ToolGroups()) }

// HasTool reports whether a list of tools and groups has the tool.
func HasTool(list []string, tool string) bool {
	return slices.ContainsFunc(list, func(e string) bool { return e == tool || slices.Contains(toolGroups[e], tool) })
}
