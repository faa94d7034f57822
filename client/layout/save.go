package layout

import (
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/config"
)

// commandAgent is api.Session.Agent of a plain command.
const commandAgent = "command"

// Of is the layout of what runs here: sessions that have not ended, in the order of their panes, but
// for those of tasks, which the queue keeps, of agents outside, and tools that float over others.
// trees are all work trees that the daemon knows; own reports whether a repository gives new sessions
// work trees of their own. conversations: each agent goes on with its own.
func Of(list []api.Session, g api.Grid, trees []api.Worktree, own func(repo string) bool, conversations bool) config.Layout {
	l := config.Layout{Layout: g.Layout, Sizes: g.Sizes}
	list = slices.DeleteFunc(slices.Clone(list), func(s api.Session) bool {
		return s.State.Ended() || s.External || s.Node != "" || s.Task != "" || s.Beside != nil && s.Beside.Floating
	})
	slices.SortStableFunc(list, func(a, b api.Session) int {
		at, bt := slices.Index(g.Order, a.ID), slices.Index(g.Order, b.ID)
		switch {
		case at >= 0 && bt >= 0:
			return at - bt
		case at >= 0:
			return -1
		case bt >= 0:
			return 1
		}
		return a.Created.Compare(b.Created)
	})
	for _, v := range list {
		s := saved(v, conversations)
		s.Hidden = slices.Contains(g.Hidden, v.ID)
		inTree(&s, trees, own)
		l.Sessions = append(l.Sessions, s)
		if v.ID == g.Focus {
			l.Focus = v.Name
		}
		if v.ID == g.Zoom {
			l.Zoom = v.Name
		}
	}
	return l
}

// saved is one session of it.
func saved(v api.Session, conversations bool) config.LayoutSession {
	s := config.LayoutSession{Name: v.Name, Dir: v.CWD, Marks: v.Marks}
	if v.Role != api.RoleDev {
		s.Role = v.Role
	}
	if v.Sandbox != nil {
		s.Sandbox = v.Sandbox.Name
	}
	if v.Agent == commandAgent {
		s.Argv = v.Argv
		return s
	}
	s.Agent, s.Model, s.Account, s.Args, s.AfterLimit = v.Agent, v.ChosenModel, v.Account, v.Args, string(v.ResumeAfterLimit)
	if conversations && v.Plain == "" {
		s.Resume = v.Conversation
	}
	return s
}

// inTree writes a session in a work tree as one of its repository and branch.
func inTree(s *config.LayoutSession, trees []api.Worktree, own func(repo string) bool) {
	var tree api.Worktree
	for _, t := range trees { // the innermost
		if (s.Dir == t.Path || strings.HasPrefix(s.Dir, t.Path+"/")) && len(t.Path) > len(tree.Path) {
			tree = t
		}
	}
	switch {
	case tree.Path == "":
	case tree.Main && s.Argv == nil && own(tree.Repo):
		s.Worktree = "-"
	case !tree.Main && tree.Branch != "" && tree.Repo != "":
		s.Dir, s.Worktree = tree.Repo+strings.TrimPrefix(s.Dir, tree.Path), tree.Branch
	}
}
