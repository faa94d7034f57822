package verb

import (
	"context"
	"regexp"
	"sync"

	"ccdir/api"
	"ccdir/client"
	"ccdir/wire"
)

// The session of a task that is done leaves the list by itself (ended_task_panes). Verbs that
// read find it by its id in the history all the same, so that a script need not hurry. One
// that was removed by `ccdir rm` stays removed.

// PastSession returns a session of a task that the history has. err is the refusal that the
// daemon gave for ref; it is returned if the history does not know ref either.
func PastSession(ctx context.Context, c *client.Client, ref string, err error) (api.Session, api.Transcript, error) {
	if api.CodeOf(err) != api.CodeNotFound {
		return api.Session{}, api.Transcript{}, err
	}
	t, missing := c.Transcript(ctx, ref)
	if missing != nil || t.ID != ref || t.Task == "" {
		return api.Session{}, api.Transcript{}, err
	}
	return api.Session{
		ID: t.ID, Name: t.Name, Agent: t.Agent, CWD: t.CWD, Task: t.Task, State: api.State(t.State), ExitCode: t.ExitCode,
		Created: t.Started, Since: t.Ended, Prompt: t.Text, Conversation: t.Conversation,
	}, t, nil
}

// Session returns a session of the list or of the history.
func Session(c *client.Client, ctx context.Context, ref string) (api.Session, error) {
	s, err := c.Session(ctx, ref)
	if err != nil {
		s, _, err = PastSession(ctx, c, ref, err)
	}
	return s, err
}

// Output returns what a session shows, or what one of the history showed until its end. The
// history has no raw bytes.
func Output(ctx context.Context, c *client.Client, ref string, p wire.OutputParams) (wire.OutputResult, error) {
	r, err := c.Output(ctx, ref, p)
	if err == nil || p.Format == "raw" {
		return r, err
	}
	_, t, err := PastSession(ctx, c, ref, err)
	if err != nil {
		return r, err
	}
	if r.Text = t.ANSI; p.Format == "text" {
		r.Text = Styles().ReplaceAllString(t.ANSI, "")
	}
	return r, nil
}

// Styles matches the escape sequences of a transcript: renditions and links.
var Styles = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b\\]8;;[^\x1b\x07]*\x1b\\\\") })
