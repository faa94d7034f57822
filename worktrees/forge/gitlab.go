package forge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// developer is the least access level of GitLab by which a member may push to a project.
const developer = 30

// newsOfGitLab is News by glab.
func (f *Forge) newsOfGitLab(ctx context.Context, branch string) (n News, known bool, err error) {
	out, err := f.run(ctx, nil, "mr", "view", branch, "--output", "json")
	if err != nil {
		return n, false, none(err)
	}
	if n.Pull, err = parseGitLab(out); err != nil {
		return n, false, err
	}
	var head struct {
		SHA string `json:"sha"`
	}
	if err := json.Unmarshal(out, &head); err == nil {
		n.Head = line(head.SHA)
	}
	if out, err = f.run(ctx, nil, "api", fmt.Sprintf("projects/:id/merge_requests/%d/notes?sort=desc&order_by=created_at&per_page=100", n.Pull.Number)); err != nil {
		return n, false, err
	}
	notes, err := parseNotes(out)
	if err != nil {
		return n, false, err
	}
	may := map[int64]bool{}
	for _, note := range notes {
		if _, asked := may[note.author]; !asked {
			may[note.author] = f.mayPush(ctx, note.author)
		}
		if may[note.author] {
			n.Comments = append(n.Comments, note.Comment)
		}
	}
	return n, true, nil
}

// mayPush reports whether a user may push to the project; not where GitLab does not say.
func (f *Forge) mayPush(ctx context.Context, user int64) bool {
	out, err := f.run(ctx, nil, "api", fmt.Sprintf("projects/:id/members/all/%d", user))
	var member struct {
		Level int    `json:"access_level"`
		State string `json:"state"`
	}
	return err == nil && json.Unmarshal(out, &member) == nil && member.Level >= developer && (member.State == "" || member.State == "active")
}

// note is a comment with its author's number.
type note struct {
	Comment
	author int64
}

// parseNotes reads what people said at a merge request, newest first there, oldest first here. What GitLab says itself is left out.
func parseNotes(data []byte) (list []note, err error) {
	var all []struct {
		ID     int64  `json:"id"`
		Body   string `json:"body"`
		System bool   `json:"system"`
		Author struct {
			ID       int64  `json:"id"`
			Username string `json:"username"`
		} `json:"author"`
		Position struct {
			Path   string `json:"new_path"`
			Old    string `json:"old_path"`
			Line   int    `json:"new_line"`
			Before int    `json:"old_line"`
		} `json:"position"`
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("glab says nothing that is understood of what people said")
	}
	for _, c := range slices.Backward(all) {
		if c.ID > 0 && c.Author.ID > 0 && !c.System && strings.TrimSpace(c.Body) != "" && len(list) < maxComments {
			at := c.Position
			list = append(list, note{Comment{ID: fmt.Sprint("note-", c.ID), Author: line(c.Author.Username), Path: line(cmp.Or(at.Path, at.Old)), Line: max(0, cmp.Or(at.Line, at.Before)), Text: cutText(c.Body)}, c.Author.ID})
		}
	}
	return list, nil
}

// failedJob is the end of the log of the first job that failed in the pipeline at an address.
func (f *Forge) failedJob(ctx context.Context, pipeline string) (name, log string, err error) {
	_, id, ok := strings.Cut(pipeline, "/-/pipelines/")
	if id, _, _ = strings.Cut(id, "/"); !ok || id == "" || strings.Trim(id, "0123456789") != "" {
		return "", "", nil
	}
	out, err := f.run(ctx, nil, "api", "projects/:id/pipelines/"+id+"/jobs?scope=failed&per_page=100")
	if err != nil {
		return "", "", err
	}
	var jobs []struct {
		ID      int64  `json:"id"`
		Name    string `json:"name"`
		Allowed bool   `json:"allow_failure"`
	}
	if err := json.Unmarshal(out, &jobs); err != nil {
		return "", "", fmt.Errorf("glab says nothing that is understood of the pipeline's jobs")
	}
	for _, j := range jobs {
		if j.ID > 0 && !j.Allowed {
			out, err := f.run(ctx, nil, "api", fmt.Sprintf("projects/:id/jobs/%d/trace", j.ID))
			return line(j.Name), lastLines(string(out)), err
		}
	}
	return "", "", nil
}
