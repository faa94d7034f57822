package mcpserver

import (
	"context"
	"errors"
	"slices"

	"ccdir/api"
)

type reviewListIn struct {
	All bool `json:"all,omitempty" jsonschema:"of earlier rounds too"`
}

type reviewReplyIn struct {
	ID   string `json:"id"`
	Text string `json:"text" jsonschema:"what you did about it, or your answer"`
}

type reviewAddIn struct {
	sessionIn
	Path     string `json:"path" jsonschema:"from the top of the work tree; empty: all of it"`
	Line     int    `json:"line,omitempty" jsonschema:"of the difference; 0: the file"`
	End      int    `json:"end,omitempty" jsonschema:"last line"`
	Side     string `json:"side,omitempty" jsonschema:"new (default) or old"`
	Text     string `json:"text"`
	Question bool   `json:"question,omitempty" jsonschema:"wants an answer, no change"`
	Scope    string `json:"scope,omitempty" jsonschema:"turn (default: the last one), session, base or uncommitted"`
}

// commentView is a comment as agents see it.
type commentView struct {
	ID       string   `json:"id"`
	Session  string   `json:"session" jsonschema:"whose work it is about"`
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	End      int      `json:"end"`
	Side     string   `json:"side"`
	Lines    []string `json:"lines" jsonschema:"as they were"`
	Text     string   `json:"text"`
	Question bool     `json:"question"`
	State    string   `json:"state"`
	Round    int      `json:"round"`
	Reply    string   `json:"reply"`
}

type reviewOut struct {
	Comments []commentView `json:"comments"`
}

type commentOut struct {
	Comment commentView `json:"comment"`
}

func viewComment(c api.ReviewComment) commentView {
	return commentView{ID: c.ID, Session: c.Session, Path: c.Path, Line: c.Line, End: c.End, Side: string(c.Side), Lines: append([]string{}, c.Quote...),
		Text: c.Text, Question: c.Question, State: string(c.State), Round: c.Round, Reply: c.Reply}
}

// reviewTools let agents take part in reviews.
func reviewTools(control Reviews, sessions Sessions) []tool {
	if control == nil || sessions == nil {
		return nil
	}
	return []tool{
		define("review_comments", "What a person said of your work, line by line: the comments of the last round.", traits{reads: true, repeats: true},
			func(ctx context.Context, r *request, in reviewListIn) (*reviewOut, error) {
				if err := r.inSession("review_comments"); err != nil {
					return nil, err
				}
				list, err := control.CommentsFor(ctx, r.peer.caller.Session)
				if err != nil {
					return nil, err
				}
				newest := map[string]int{} // by session
				for _, c := range list {
					newest[c.Session] = max(newest[c.Session], c.Round)
				}
				out := &reviewOut{Comments: []commentView{}}
				for _, c := range list {
					if in.All || c.Round == newest[c.Session] {
						out.Comments = append(out.Comments, viewComment(c))
					}
				}
				out.Comments = out.Comments[max(0, len(out.Comments)-maxList):]
				return out, nil
			}),
		define("review_reply", "Mark a comment as done, with words for the person: what you did, or your answer.", traits{repeats: true},
			func(ctx context.Context, r *request, in reviewReplyIn) (*commentOut, error) {
				if err := r.inSession("review_reply"); err != nil {
					return nil, err
				}
				c, err := control.Reply(ctx, r.peer.caller.Session, in.ID, in.Text)
				if err != nil {
					return nil, err
				}
				return &commentOut{viewComment(c)}, nil
			}),
		define("review_add", "Comment on what another session changed. The person sees it, and sends it on. A line that is not in the difference is refused, with what stands there.", traits{},
			func(ctx context.Context, r *request, in reviewAddIn) (*commentOut, error) {
				return addComment(ctx, r, control, sessions, in)
			}),
	}
}

func addComment(ctx context.Context, r *request, control Reviews, sessions Sessions, in reviewAddIn) (*commentOut, error) {
	if err := r.inSession("review_add"); err != nil {
		return nil, err
	}
	scopes := []string{"", string(api.DiffTurn), string(api.DiffSession), string(api.DiffBase), string(api.DiffUncommitted)}
	if !slices.Contains(scopes, in.Scope) {
		return nil, &invalidError{"scope is turn, session, base or uncommitted"}
	}
	s, err := sessions.Get(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	if s.ID == r.peer.caller.Session {
		return nil, errors.New("that is your own work: change it")
	}
	// A refusal tells what stands in a file.
	if err := r.peer.caller.Walls.mayRead(); err != nil {
		return nil, err
	}
	if _, err := r.directory(s.CWD); err != nil {
		return nil, err
	}
	c, err := control.Comment(ctx, r.peer.caller.Session, s.ID, api.NewComment{Path: in.Path, Line: in.Line, End: in.End, Side: api.DiffSide(in.Side),
		Text: in.Text, Question: in.Question, Scope: api.DiffScope(in.Scope)}, r.reads)
	if err != nil {
		return nil, err
	}
	return &commentOut{viewComment(c)}, nil
}
