package worktrees

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// modes are the ways to merge that a person goes through, in order.
var modes = []string{api.MergePlain, api.MergeSquash, api.MergeRebase}

// mergeWords are the ways as the dialog calls them.
var mergeWords = map[string]string{api.MergePlain: "merge", api.MergeSquash: "squash", api.MergeRebase: "rebase"}

// merging merges the branch of a work tree.
type merging struct {
	in     api.MergeWorktree
	shown  api.MergedWorktree
	worker string // name of a session in the tree that can resolve conflicts, "" none
	name   func(id string) string
}

// shownMost bounds the commits and files of a plan that are shown.
const shownMost = 12

// plan implements kind: it finds conflicts before anything is done.
func (m merging) plan(ctx context.Context, c Changer) (kind, []line, bool, error) {
	in := m.in
	in.Plan = true
	p, err := c.MergeWorktree(ctx, in)
	if err != nil {
		return m, nil, false, err
	}
	m.shown, m.worker = p, ""
	said := []line{{text: p.Branch + " → " + p.Into, bold: true}}
	for _, note := range p.Notes {
		said = append(said, plain(note))
	}
	for i, subject := range p.Commits {
		if i == shownMost {
			said = append(said, plain(fmt.Sprintf("  … %d more", len(p.Commits)-i)))
			break
		}
		said = append(said, plain("  * "+subject))
	}
	said = append(said, plain(format.Plural(len(p.Files), "changed file", "changed files")+": "+some(p.Files)))
	if len(p.Conflicts) > 0 {
		said = append(said, line{text: "It conflicts in " + some(p.Conflicts) + ": nothing can be merged.", alert: true})
		if len(p.Sessions) > 0 {
			m.worker = m.name(p.Sessions[0])
			said = append(said, plain("s sends "+m.worker+" the prompt to resolve that; merge again when it is done."))
		}
		return m, said, false, nil
	}
	for i, step := range p.Steps {
		said = append(said, plain(fmt.Sprintf("%d. %s", i+1, step)))
	}
	for _, ask := range p.Asks {
		said = append(said, line{text: "! " + ask, bold: true})
	}
	return m, said, true, nil
}

// do implements kind: what was looked at is merged, or nothing.
func (m merging) do(ctx context.Context, c Changer, _ string) ([]line, error) {
	in := m.in
	in.Head, in.Target = m.shown.Head, m.shown.Target
	p, err := c.MergeWorktree(ctx, in)
	if err != nil {
		return nil, err
	}
	return []line{{text: fmt.Sprintf("%s is merged into %s, which is at %.7s", p.Branch, p.Into, p.Commit), bold: true},
		plain("To undo it: git reset --keep " + p.Undo + " (on " + p.Into + ")")}, nil
}

func (m merging) yes() string { return mergeWords[m.in.Mode] }

func (m merging) foot(s stage) string {
	switch {
	case s == asks:
		return "Tab " + mergeWords[m.next()] + " instead"
	case s == over && m.worker != "":
		return "s send the prompt"
	}
	return ""
}

// next is the way to merge that Tab goes on to.
func (m merging) next() string {
	return modes[(slices.Index(modes, m.in.Mode)+1)%len(modes)]
}

func (m merging) key(s stage, name string) (kind, []ui.Effect) {
	switch {
	case name == "Tab" && s == asks:
		m.in.Mode = m.next()
		return m, nil
	case name == "s" && s == over && m.worker != "":
		id, prompt := m.shown.Sessions[0], m.shown.ConflictPrompt()
		return nil, []ui.Effect{ui.Close{}, ui.Call{What: "sending the prompt to " + m.worker, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			_, err := c.SendPrompt(ctx, id, api.SendPrompt{Text: prompt, Wait: true})
			return ui.Result{Effects: []ui.Effect{ui.Say{Text: m.worker + " resolves the conflicts: merge again when it is done"}}}, err
		}}}
	}
	return nil, nil
}

// some are the first of many names.
func some(names []string) string {
	if len(names) > shownMost {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownMost], ", "), len(names)-shownMost)
	}
	return strings.Join(names, ", ")
}
