package forge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
)

// News is what has become of a pull request.
type News struct {
	Pull api.PullRequest
	// Head is the commit of which its checks tell, "" if the forge does not say.
	Head string
	// Comments are those of people who may write to the repository, oldest first within each kind.
	Comments []Comment
}

// Comment is what a person said at a pull request. All of it is foreign.
type Comment struct {
	// ID is the forge's, unique in the pull request.
	ID     string
	Author string
	// Path and Line are what it is about, "" and 0 for the whole.
	Path string
	Line int
	Text string
}

// Bounds of what people said.
const (
	maxComments = 200
	maxComment  = 8 << 10 // bytes
)

// News asks about the pull request of a branch; known is false if it has none.
func (f *Forge) News(ctx context.Context, branch string) (n News, known bool, err error) {
	if f.gitlab {
		return f.newsOfGitLab(ctx, branch)
	}
	out, err := f.run(ctx, nil, "pr", "view", branch, "--json", "number,url,title,state,isDraft,statusCheckRollup,headRefOid,comments,reviews")
	if err != nil {
		return n, false, none(err)
	}
	if n.Pull, err = parseGitHub(out); err != nil {
		return n, false, err
	}
	if n.Head, n.Comments, err = parseSaid(out); err != nil {
		return n, false, err
	}
	if out, err = f.run(ctx, nil, "api", fmt.Sprintf("repos/{owner}/{repo}/pulls/%d/comments?per_page=100", n.Pull.Number)); err != nil {
		return n, false, err
	}
	lines, err := parseLines(out)
	n.Comments = append(n.Comments, lines...)
	n.Comments = n.Comments[:min(len(n.Comments), maxComments)]
	return n, err == nil, err
}

// mayWrite reports whether the author of a comment belongs to the repository: what others say there anybody can.
func mayWrite(association string) bool {
	return slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, association)
}

// parseSaid reads head, comments and reviews of gh's answer.
func parseSaid(data []byte) (head string, list []Comment, err error) {
	type said struct {
		ID     string `json:"id"`
		Author struct {
			Login string `json:"login"`
		} `json:"author"`
		Association string `json:"authorAssociation"`
		Body        string `json:"body"`
	}
	var g struct {
		Head     string `json:"headRefOid"`
		Comments []said `json:"comments"`
		Reviews  []said `json:"reviews"`
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return "", nil, fmt.Errorf("gh says nothing that is understood of what people said")
	}
	for _, s := range append(g.Comments, g.Reviews...) {
		if s.ID != "" && mayWrite(s.Association) && strings.TrimSpace(s.Body) != "" {
			list = append(list, Comment{ID: line(s.ID), Author: line(s.Author.Login), Text: cutText(s.Body)})
		}
	}
	return line(g.Head), list, nil
}

// parseLines reads comments at lines.
func parseLines(data []byte) (list []Comment, err error) {
	var all []struct {
		ID   int64 `json:"id"`
		User struct {
			Login string `json:"login"`
		} `json:"user"`
		Association string `json:"author_association"`
		Body        string `json:"body"`
		Path        string `json:"path"`
		Line        int    `json:"line"`
		Before      int    `json:"original_line"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("gh says nothing that is understood of comments at lines")
	}
	for _, c := range all {
		if c.ID != 0 && mayWrite(c.Association) && strings.TrimSpace(c.Body) != "" {
			list = append(list, Comment{ID: fmt.Sprint("line-", c.ID), Author: line(c.User.Login), Path: line(c.Path), Line: max(0, cmp.Or(c.Line, c.Before)), Text: cutText(c.Body)})
		}
	}
	return list, nil
}

// cutText bounds what a person said.
func cutText(s string) string {
	if len(s) > maxComment {
		return strings.ToValidUTF8(s[:maxComment], "") + " [cut]"
	}
	return s
}
