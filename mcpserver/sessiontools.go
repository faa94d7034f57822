package mcpserver

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// Waits of tools.
const (
	defaultWait = 5 * time.Minute
	maxWait     = time.Hour
	// maxScreen bounds the text of session_output, in bytes: its end.
	maxScreen = 64 << 10
)

type listSessionsIn struct {
	State string `json:"state,omitempty" jsonschema:"only sessions in this state; default all that have not ended"`
	All   bool   `json:"all,omitempty" jsonschema:"ended ones too"`
}

type sessionIn struct {
	Session string `json:"session" jsonschema:"id, unique prefix of one, or name"`
}

type outputIn struct {
	sessionIn
	History bool `json:"history,omitempty" jsonschema:"with what scrolled out of the screen"`
	Lines   int  `json:"lines,omitempty" jsonschema:"only the last lines; default all"`
}

type outputOut struct {
	Session   sessionView `json:"session"`
	Text      string      `json:"text"`
	Truncated bool        `json:"truncated" jsonschema:"the beginning is left out"`
}

type waitIn struct {
	sessionIn
	States         []string `json:"states,omitempty" jsonschema:"default: idle, waiting_for_input, waiting_for_permission"`
	TimeoutSeconds int      `json:"timeout_seconds,omitempty" jsonschema:"default 300, at most 3600"`
}

type waitOut struct {
	Session sessionView `json:"session"`
	Reached bool        `json:"reached" jsonschema:"false: it is in another state; see session.state"`
	Message string      `json:"message"`
}

type spawnIn struct {
	Name   string `json:"name,omitempty"`
	Agent  string `json:"agent,omitempty" jsonschema:"one of the configured agents; default: the default agent"`
	Dir    string `json:"dir,omitempty" jsonschema:"absolute; default: the session's directory"`
	Prompt string `json:"prompt,omitempty" jsonschema:"delivered once the agent takes input"`
	// Prompts start several.
	Prompts []string `json:"prompts,omitempty" jsonschema:"start one session for each instead; they are named NAME-1, NAME-2, …"`
	Role    string   `json:"role,omitempty" jsonschema:"default dev"`
}

type promptIn struct {
	sessionIn
	Text           string `json:"text"`
	Wait           bool   `json:"wait,omitempty" jsonschema:"wait until it takes a prompt instead of failing"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"how long to wait; default 300, at most 3600"`
}

type stopIn struct {
	sessionIn
	Force bool `json:"force,omitempty" jsonschema:"at once, without asking the agent to leave"`
}

type sentOut struct {
	Status string `json:"status" jsonschema:"delivered, or queued by a busy agent"`
}

// sessionView is a session as other agents see it.
type sessionView struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Agent    string    `json:"agent"`
	Role     string    `json:"role"`
	State    string    `json:"state"`
	Since    time.Time `json:"since"`
	Dir      string    `json:"dir"`
	Title    string    `json:"title"`
	Progress string    `json:"progress" jsonschema:"what it reported to be doing"`
	Question string    `json:"question" jsonschema:"what it asks the person, if it is yours"`
	Task     string    `json:"task"`
	Parent   string    `json:"parent" jsonschema:"the session that started it"`
	You      bool      `json:"you" jsonschema:"it is the caller"`
}

type sessionsOut struct {
	Sessions []sessionView `json:"sessions"`
}

func view(s api.Session, caller Caller) sessionView {
	question := s.Question
	if s.ID != caller.Session && s.Parent != caller.Session {
		question = ""
	}
	return sessionView{ID: s.ID, Name: s.Name, Agent: s.Agent, Role: s.Role, State: string(s.State), Since: s.Since, Dir: s.CWD,
		Title: s.Title, Progress: s.Progress, Question: question, Task: s.Task, Parent: s.Parent, You: s.ID == caller.Session}
}

// sessionTools are the tools that every session has.
func sessionTools(control Sessions) []tool {
	if control == nil {
		return nil
	}
	look := traits{reads: true, repeats: true}
	return []tool{
		define("sessions_list", "List the sessions of ccdir: other agents and commands, their states and what they do.", look,
			func(_ context.Context, r *request, in listSessionsIn) (*sessionsOut, error) {
				if in.State != "" && !slices.Contains(api.States(), api.State(in.State)) {
					return nil, &invalidError{fmt.Sprintf("no state is called %.40q; there are %v", in.State, api.States())}
				}
				out := &sessionsOut{Sessions: []sessionView{}}
				for _, s := range control.List() {
					if in.State != "" && string(s.State) != in.State || in.State == "" && !in.All && s.State.Ended() {
						continue
					}
					out.Sessions = append(out.Sessions, view(s, r.peer.caller))
				}
				return out, nil
			}),
		define("session_output", "What a session's screen shows, as text.", look,
			func(ctx context.Context, r *request, in outputIn) (*outputOut, error) {
				return readScreen(ctx, r, control, in)
			}),
		define("session_wait", "Wait until a session is in one of some states, or has ended.", look,
			func(ctx context.Context, r *request, in waitIn) (*waitOut, error) { return await(ctx, r, control, in) }).onlyWaits(),
		define("report_progress", "Say in one line what you are doing; it is shown in the title of your pane. An empty text clears it.", traits{repeats: true},
			func(ctx context.Context, r *request, in progressIn) (*doneOut, error) {
				if err := r.inSession("report_progress"); err != nil {
					return nil, err
				}
				return &doneOut{OK: true}, control.Progress(ctx, r.peer.caller.Session, in.Text)
			}),
	}
}

type progressIn struct {
	Text string `json:"text"`
}

type doneOut struct {
	OK bool `json:"ok"`
}

// inSession refuses callers without a session.
func (r *request) inSession(tool string) error {
	if r.peer.caller.Session == "" {
		return fmt.Errorf("%s is for sessions of ccdir: this agent runs outside of them", tool)
	}
	return nil
}

func readScreen(ctx context.Context, r *request, control Sessions, in outputIn) (*outputOut, error) {
	s, err := control.Get(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	text, err := control.Output(ctx, s.ID, in.History)
	if err != nil {
		return nil, err
	}
	out := &outputOut{Session: view(s, r.peer.caller), Text: strings.TrimRight(text, "\n ")}
	if in.Lines > 0 {
		if lines := strings.Split(out.Text, "\n"); len(lines) > in.Lines {
			out.Text, out.Truncated = strings.Join(lines[len(lines)-in.Lines:], "\n"), true
		}
	}
	if len(out.Text) > maxScreen {
		out.Text, out.Truncated = strings.ToValidUTF8(out.Text[len(out.Text)-maxScreen:], ""), true
	}
	return out, nil
}

// seconds checks and converts a waiting time.
func seconds(n int) (time.Duration, error) {
	d := time.Duration(n) * time.Second
	switch {
	case n == 0:
		return defaultWait, nil
	case n < 0 || d > maxWait:
		return 0, &invalidError{fmt.Sprintf("timeout_seconds must be 1 to %d", int(maxWait.Seconds()))}
	}
	return d, nil
}

func await(ctx context.Context, r *request, control Sessions, in waitIn) (*waitOut, error) {
	limit, err := seconds(in.TimeoutSeconds)
	if err != nil {
		return nil, err
	}
	states := []api.State{api.StateIdle, api.StateInput, api.StatePermission}
	if len(in.States) > 0 {
		states = nil
		for _, name := range in.States {
			if !slices.Contains(api.States(), api.State(name)) {
				return nil, &invalidError{fmt.Sprintf("no state is called %.40q; there are %v", name, api.States())}
			}
			states = append(states, api.State(name))
		}
	}
	s, err := control.Get(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	if s.ID == r.peer.caller.Session {
		return nil, &invalidError{"a session can't wait for itself"}
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	got, err := control.Wait(waiting, s.ID, func(v api.Session) bool { return v.In(states) || v.State.Ended() })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && waiting.Err() == nil {
		return nil, err
	}
	if err != nil { // timeout
		if got, err = control.Get(ctx, s.ID); err != nil {
			return nil, err
		}
	}
	out := &waitOut{Session: view(got, r.peer.caller), Reached: got.In(states)}
	out.Message = fmt.Sprintf("%s is %s", got.Name, got.State)
	if !out.Reached && !got.State.Ended() {
		out.Message = fmt.Sprintf("%s is still %s after %s", got.Name, got.State, limit)
	}
	return out, nil
}

// startTools are the tools of a lead.
func startTools(control Sessions) []tool {
	if control == nil {
		return nil
	}
	type oneOut struct {
		Session sessionView `json:"session"`
	}
	return []tool{
		define("session_spawn", "Start another agent in a session of its own. It goes on when you end; session_stop ends it.", traits{world: true},
			func(ctx context.Context, r *request, in spawnIn) (*spawnOut, error) {
				return spawn(ctx, r, control, in)
			}),
		define("session_send", "Give a session a prompt, as if the person had typed it.", traits{world: true},
			func(ctx context.Context, r *request, in promptIn) (*sentOut, error) {
				return prompt(ctx, r, control, in)
			}).onlyWaits(),
		define("session_stop", "End a session's process.", traits{destroys: true, repeats: true},
			func(ctx context.Context, r *request, in stopIn) (*oneOut, error) {
				s, err := other(ctx, r, control, in.Session)
				if err != nil {
					return nil, err
				}
				if s, err = control.Stop(ctx, s.ID, in.Force); err != nil {
					return nil, err
				}
				return &oneOut{view(s, r.peer.caller)}, nil
			}),
	}
}

type spawnOut struct {
	Session  sessionView   `json:"session" jsonschema:"the first one"`
	Sessions []sessionView `json:"sessions"`
	Problem  string        `json:"problem" jsonschema:"why there are less than asked for"`
}

// maxSpawn bounds the sessions that one call starts; mcp.spawn_limit bounds those that run.
const maxSpawn = 20

// spawn starts one session, or one for each prompt. If a later one can't be started, those
// before it stay, and the answer says so.
func spawn(ctx context.Context, r *request, control Sessions, in spawnIn) (*spawnOut, error) {
	dir, err := r.directory(in.Dir)
	switch {
	case err != nil:
		return nil, err
	case in.Prompt != "" && len(in.Prompts) > 0:
		return nil, &invalidError{"prompt and prompts exclude each other"}
	case len(in.Prompts) > maxSpawn:
		return nil, &invalidError{fmt.Sprintf("prompts must be at most %d", maxSpawn)}
	}
	prompts := in.Prompts
	if len(prompts) == 0 {
		prompts = []string{in.Prompt}
	}
	out := &spawnOut{Sessions: []sessionView{}}
	for i, text := range prompts {
		n := api.NewSession{Name: in.Name, Agent: in.Agent, CWD: filepath.Clean(dir), Prompt: text, Role: in.Role}
		if len(in.Prompts) > 0 && in.Name != "" {
			n.Name = fmt.Sprintf("%s-%d", in.Name, i+1)
		}
		s, err := control.Spawn(ctx, r.peer.caller, n)
		switch {
		case err != nil && i == 0:
			return nil, err
		case err != nil:
			out.Problem = fmt.Sprintf("%d of %d were started: %v", i, len(prompts), err)
			return out, nil
		}
		v := view(s, r.peer.caller)
		if i == 0 {
			out.Session = v
		}
		out.Sessions = append(out.Sessions, v)
	}
	return out, nil
}

// prompt sends another session a prompt, and waits a bounded time for its
// acknowledgement.
func prompt(ctx context.Context, r *request, control Sessions, in promptIn) (*sentOut, error) {
	limit, err := seconds(in.TimeoutSeconds)
	if err != nil {
		return nil, err
	}
	s, err := other(ctx, r, control, in.Session)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res, err := control.Send(waiting, s.ID, api.SendPrompt{Text: in.Text, Wait: in.Wait})
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%s did not take the prompt within %s; session_output shows why", s.Name, limit)
	}
	if err != nil {
		return nil, err
	}
	return &sentOut{res.Status}, nil
}

// other finds a session that is not the caller's own.
func other(ctx context.Context, r *request, control Sessions, ref string) (api.Session, error) {
	s, err := control.Get(ctx, ref)
	if err == nil && s.ID == r.peer.caller.Session {
		err = &invalidError{"this is your own session"}
	}
	return s, err
}
