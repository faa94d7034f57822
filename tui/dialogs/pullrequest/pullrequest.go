// Package pullrequest opens the pull request of a session's branch, and sends the log of a failing
// check to the session.
package pullrequest

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/textview"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Open opens the pull request of a session's branch in the person's browser. Where
// there is none (over ssh, on a console) its address is copied.
func Open(env ui.Env, v api.Session) []ui.Effect {
	p := v.PullRequest
	if p == nil {
		return []ui.Effect{ui.Warn{Text: "no pull request is known of this session's branch: `ccdir pr " + textsafe.Line(v.Name) + "` makes one"}}
	}
	address := textsafe.Line(p.URL)
	if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
		return []ui.Effect{ui.Warn{Text: "its address is none of the web: " + address}}
	}
	shown := []ui.Effect{ui.Copy{Text: address}, ui.Open{Component: textview.New(text{v})}}
	open := opener(env)
	if open == "" {
		return shown
	}
	return []ui.Effect{ui.Call{What: "opening " + address,
		Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
			c := exec.CommandContext(ctx, open, address)
			c.Env = env.Environ
			return ui.Result{}, c.Run()
		},
		Failed: func(ui.Env, error) []ui.Effect { return shown },
	}}
}

// text is the text of a pull request, for who has no browser here.
type text struct{ v api.Session }

func (t text) Own() keymap.Action { return keymap.PullReq }

// Lines implements textview.Text.
func (t text) Lines(env ui.Env, w int) (title string, lines []string) {
	p := t.v.PullRequest
	title, _ = t.v.PullRequestLine()
	for _, text := range []string{p.Title, p.URL} {
		lines = append(lines, modal.Wrap(textsafe.Line(text), w)...)
	}
	for _, c := range p.Failing {
		lines = append(lines, modal.Wrap("failed: "+textsafe.Line(c.Name), w)...)
	}
	if len(p.Failing) > 0 && env.Keys.Hint(keymap.FailedLog) != "" {
		lines = append(lines, "", env.Keys.Hint(keymap.FailedLog)+" sends its log to the session")
	}
	return "pull request " + title, lines
}

// opener is the program that opens addresses in the person's browser, "" if there is no browser
// in front of them.
func opener(env ui.Env) string {
	switch {
	case env.Getenv("SSH_CONNECTION") != "":
		return ""
	case runtime.GOOS == "darwin":
		return "open"
	case env.Getenv("DISPLAY")+env.Getenv("WAYLAND_DISPLAY") != "":
		return "xdg-open"
	}
	return ""
}

// forge is the part of a client that asks the forge.
type forge interface {
	PullRequest(ctx context.Context, n api.NewPullRequest) (api.BranchPullRequest, error)
}

// SendFailing sends the log of a failing check to a session.
func SendFailing(env ui.Env, v api.Session) []ui.Effect {
	switch {
	case v.PullRequest == nil:
		return []ui.Effect{ui.Warn{Text: "no pull request is known of this session's branch"}}
	case v.PullRequest.Checks != api.ChecksFailing:
		return []ui.Effect{ui.Warn{Text: fmt.Sprintf("no check of #%d has failed", v.PullRequest.Number)}}
	case v.Node != "":
		return []ui.Effect{ui.Warn{Text: "it runs on another machine: `ccdir --node " + textsafe.Line(v.Node) + " pr " + textsafe.Line(v.Name) + " --send-failing`"}}
	}
	return []ui.Effect{ui.Call{What: "sending the failing check",
		Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			f, err := ui.As[forge](c)
			if err != nil {
				return ui.Result{}, err
			}
			out, err := f.PullRequest(ctx, api.NewPullRequest{Dir: v.CWD, Tree: v.ID, SendFailing: true, Env: env.Environ})
			return ui.Result{Effects: []ui.Effect{ui.Say{Text: textsafe.Line("the log of " + out.Sent + " was sent to " + v.Name)}}}, err
		},
	}}
}
