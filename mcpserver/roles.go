package mcpserver

import "ccdir/api"

// builtinRoles are the tool groups of the built-in roles. An unknown role has those of
// dev.
var builtinRoles = map[string][]string{
	api.RoleGuest: {api.GroupProject, api.GroupFiles},
	api.RoleDev:   {api.GroupProject, api.GroupFiles, api.GroupCoordination},
	// What it needs to look, to ask and to comment: nothing that changes files or runs a command.
	api.RoleReviewer: {"project_info", "docs_lookup", "docs_read", "git_status", "git_diff", "git_log", "git_blame", "issue_view", "pr_view", "read", "list", "search",
		"sessions_list", "session_output", "session_wait", "message_send", "message_inbox", "message_ack", "ask_person", "report_progress", "past_results",
		"review_comments", "review_reply", "review_add"},
	api.RoleLead: {api.GroupProject, api.GroupFiles, api.GroupCoordination, api.GroupSessions},
}

// May reports whether the role has the tool. No setting gives a guest, who has no
// session, more than the built-in role of guests.
func (s *Server) May(role, tool string) bool {
	if role == "" {
		role = api.RoleGuest
	}
	if role == api.RoleGuest && !api.HasTool(builtinRoles[role], tool) {
		return false
	}
	if s.opts.RoleTools != nil {
		if list := s.opts.RoleTools(role); list != nil {
			return api.HasTool(list, tool)
		}
	}
	list, known := builtinRoles[role]
	if !known {
		list = builtinRoles[api.RoleDev]
	}
	return api.HasTool(list, tool)
}
