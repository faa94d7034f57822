package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/text/redact"
)

// Bounds of messages and questions.
const (
	maxMessageText = 64 << 10 // bytes
	maxChoices     = 20
	defaultList    = 50
	maxList        = 500
)

type taskIn struct {
	Task string `json:"task" jsonschema:"id or name"`
}

type taskAddIn struct {
	Prompt         string   `json:"prompt" jsonschema:"what the agent that runs it is to do"`
	Name           string   `json:"name,omitempty"`
	Agent          string   `json:"agent,omitempty" jsonschema:"one of the configured agents; default: the default agent"`
	Dir            string   `json:"dir,omitempty" jsonschema:"absolute; default: the session's directory"`
	Priority       int      `json:"priority,omitempty" jsonschema:"-100 to 100, greater first"`
	After          []string `json:"after,omitempty" jsonschema:"tasks that must be done before"`
	TimeoutSeconds int      `json:"timeout_seconds,omitempty"`
}

type taskListIn struct {
	States []string `json:"states,omitempty" jsonschema:"only tasks in these states; default all"`
}

// taskView is a task as agents see it.
type taskView struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	State   string    `json:"state"`
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason"`
	Prompt  string    `json:"prompt" jsonschema:"shortened in lists"`
	Session string    `json:"session"`
	Message string    `json:"message" jsonschema:"the agent's last words"`
	Files   []string  `json:"files"`
	Ended   bool      `json:"ended"`
}

type taskOut struct {
	Task taskView `json:"task"`
}

type tasksOut struct {
	Tasks []taskView `json:"tasks"`
}

func viewTask(t api.Task, whole bool) taskView {
	v := taskView{ID: t.ID, Name: t.Name, State: string(t.State), Since: t.Since, Reason: t.Reason, Prompt: t.Prompt,
		Session: t.Session, Message: t.Result.Message, Files: append([]string{}, t.Result.Files...), Ended: t.State.Ended()}
	if !whole {
		v.Prompt, v.Message = redact.Shorten(v.Prompt), redact.Shorten(v.Message)
	}
	return v
}

func taskTools(control Tasks) []tool {
	if control == nil {
		return nil
	}
	look := traits{reads: true, repeats: true}
	return []tool{
		define("task_add", "Put a task into the queue; an agent of its own does it.", traits{world: true},
			func(ctx context.Context, r *request, in taskAddIn) (*taskOut, error) {
				dir, err := r.directory(in.Dir)
				if err != nil {
					return nil, err
				}
				n := api.NewTask{Name: in.Name, Prompt: in.Prompt, Agent: in.Agent, CWD: dir, Priority: in.Priority,
					Timeout: api.Duration(time.Duration(in.TimeoutSeconds) * time.Second)}
				for _, name := range in.After {
					n.After = append(n.After, api.TaskAfter{Task: name})
				}
				t, err := control.Add(ctx, r.peer.caller, n)
				if err != nil {
					return nil, err
				}
				return &taskOut{viewTask(t, true)}, nil
			}),
		define("task_list", "List the tasks of the queue.", look,
			func(ctx context.Context, _ *request, in taskListIn) (*tasksOut, error) {
				for _, s := range in.States {
					if !slices.Contains(api.TaskStates(), api.TaskState(s)) {
						return nil, &invalidError{fmt.Sprintf("no state of a task is called %.40q; there are %v", s, api.TaskStates())}
					}
				}
				list, err := control.List(ctx)
				if err != nil {
					return nil, err
				}
				out := &tasksOut{Tasks: []taskView{}}
				for _, t := range list {
					if len(in.States) == 0 || slices.Contains(in.States, string(t.State)) {
						out.Tasks = append(out.Tasks, viewTask(t, false))
					}
				}
				return out, nil
			}),
		define("task_result", "State and result of a task.", look,
			func(ctx context.Context, _ *request, in taskIn) (*taskOut, error) {
				t, err := control.Get(ctx, in.Task)
				if err != nil {
					return nil, err
				}
				return &taskOut{viewTask(t, true)}, nil
			}),
	}
}

type messageIn struct {
	To    string `json:"to" jsonschema:"a session's id or name, person, or @ROLE: all running sessions of that role"`
	Text  string `json:"text"`
	Reply int64  `json:"reply,omitempty" jsonschema:"id of the message that this one answers"`
}

type inboxIn struct {
	All   bool `json:"all,omitempty" jsonschema:"acknowledged ones too"`
	Limit int  `json:"limit,omitempty" jsonschema:"default 50, at most 500"`
}

type ackIn struct {
	IDs []int64 `json:"ids"`
}

type messageOut struct {
	ID int64 `json:"id"`
	// To is the session's id.
	To string `json:"to"`
	// Sent are those to each session of a role, the first one among them.
	Sent []messageSent `json:"sent"`
}

type messageSent struct {
	ID int64  `json:"id"`
	To string `json:"to"`
}

// maxBroadcast bounds the sessions that one message goes to.
const maxBroadcast = 100

// sendMessage sends to one, or to all running sessions of a role but the sender.
func sendMessage(ctx context.Context, r *request, control Messages, sessions Sessions, in messageIn) (*messageOut, error) {
	to := []string{in.To}
	if role, ok := strings.CutPrefix(in.To, "@"); ok && sessions != nil {
		to = nil
		for _, s := range sessions.List() {
			if s.Role == role && s.ID != r.peer.caller.Session && !s.State.Ended() && len(to) < maxBroadcast {
				to = append(to, s.ID)
			}
		}
		if len(to) == 0 {
			return nil, &invalidError{fmt.Sprintf("no other session of the role %.40q runs", role)}
		}
		if in.Reply != 0 {
			return nil, &invalidError{"a reply goes to one session"}
		}
	}
	out := &messageOut{Sent: []messageSent{}}
	for _, ref := range to {
		m, err := control.Send(ctx, r.peer.caller, ref, in.Text, in.Reply)
		if err != nil {
			if len(out.Sent) > 0 {
				err = fmt.Errorf("%d of %d were sent: %w", len(out.Sent), len(to), err)
			}
			return nil, err
		}
		out.Sent = append(out.Sent, messageSent{m.ID, m.To})
	}
	out.ID, out.To = out.Sent[0].ID, out.Sent[0].To
	return out, nil
}

type inboxOut struct {
	Messages []api.Message `json:"messages"`
}

func messageTools(control Messages, sessions Sessions) []tool {
	if control == nil {
		return nil
	}
	return []tool{
		define("message_send", "Send a message to another session or to the person; it is kept until it is acknowledged.", traits{},
			func(ctx context.Context, r *request, in messageIn) (*messageOut, error) {
				if err := r.inSession("message_send"); err != nil {
					return nil, err
				}
				if strings.TrimSpace(in.Text) == "" || len(in.Text) > maxMessageText {
					return nil, &invalidError{fmt.Sprintf("text must be 1 to %d bytes", maxMessageText)}
				}
				return sendMessage(ctx, r, control, sessions, in)
			}),
		define("message_inbox", "Your messages, the oldest first.", traits{reads: true, repeats: true},
			func(ctx context.Context, r *request, in inboxIn) (*inboxOut, error) {
				if err := r.inSession("message_inbox"); err != nil {
					return nil, err
				}
				n, err := listLimit(in.Limit)
				if err != nil {
					return nil, err
				}
				list, err := control.Inbox(ctx, r.peer.caller.Session, in.All, n)
				return &inboxOut{append([]api.Message{}, list...)}, err
			}),
		define("message_ack", "Acknowledge messages: they are dealt with and leave the inbox.", traits{repeats: true},
			func(ctx context.Context, r *request, in ackIn) (*api.Acked, error) {
				if err := r.inSession("message_ack"); err != nil {
					return nil, err
				}
				n, err := control.Ack(ctx, r.peer.caller.Session, in.IDs)
				return &api.Acked{Acked: n}, err
			}),
	}
}

func listLimit(n int) (int, error) {
	switch {
	case n == 0:
		return defaultList, nil
	case n < 0 || n > maxList:
		return 0, &invalidError{fmt.Sprintf("limit must be 1 to %d", maxList)}
	}
	return n, nil
}

type askIn struct {
	Question       string   `json:"question"`
	Choices        []string `json:"choices,omitempty" jsonschema:"at most 20; default: free text"`
	Multiple       bool     `json:"multiple,omitempty" jsonschema:"several choices may be taken"`
	Default        string   `json:"default,omitempty" jsonschema:"the answer if nobody answers in time"`
	TimeoutSeconds int      `json:"timeout_seconds,omitempty" jsonschema:"default 300, at most 3600"`
}

type askOut struct {
	Answer string `json:"answer" jsonschema:"a choice, several of them a line each, or free text"`
	// By says who answered.
	By string `json:"by" jsonschema:"person, default, declined or nobody"`
}

func askTools(control Asker) []tool {
	if control == nil {
		return nil
	}
	return []tool{
		define("ask_person", "Ask the person a question and wait for the answer.", traits{world: true},
			func(ctx context.Context, r *request, in askIn) (*askOut, error) { return ask(ctx, r, control, in) }).onlyWaits(),
	}
}

func ask(ctx context.Context, r *request, control Asker, in askIn) (*askOut, error) {
	if err := r.inSession("ask_person"); err != nil {
		return nil, err
	}
	limit, err := seconds(in.TimeoutSeconds)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(in.Question) == "" || len(in.Question) > maxMessageText:
		return nil, &invalidError{fmt.Sprintf("question must be 1 to %d bytes", maxMessageText)}
	case len(in.Choices) > maxChoices || slices.Contains(in.Choices, ""):
		return nil, &invalidError{fmt.Sprintf("choices must be at most %d, none of them empty", maxChoices)}
	case in.Default != "" && len(in.Choices) > 0 && !slices.Contains(in.Choices, in.Default):
		return nil, &invalidError{"default must be one of choices"}
	}
	reply, err := control.Ask(ctx, r.peer.caller, Question{Text: in.Question, Choices: in.Choices, Multiple: in.Multiple, Timeout: limit, Call: toolUseID(r.req)})
	switch {
	case err != nil:
		return nil, err
	case reply.Declined:
		return &askOut{reply.Text, "declined"}, nil
	case reply.Answered:
		return &askOut{reply.Text, "person"}, nil
	case in.Default != "":
		return &askOut{in.Default, "default"}, nil
	}
	return &askOut{"", "nobody"}, nil
}

type pastIn struct {
	Text   string `json:"text,omitempty" jsonschema:"words that occurred in the call or its output; default: all calls"`
	Tool   string `json:"tool,omitempty"`
	Failed bool   `json:"failed,omitempty" jsonschema:"only calls that did not end well"`
	Mine   bool   `json:"mine,omitempty" jsonschema:"only calls of this session; default: of all in its directory"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 10, at most 50"`
}

type pastOut struct {
	Results []PastResult `json:"results"`
}

func pastTools(control Past) []tool {
	if control == nil {
		return nil
	}
	return []tool{
		define("past_results", "Search the results of earlier tool calls in this project, and what followed them: how an error was dealt with before.", traits{reads: true, repeats: true},
			func(ctx context.Context, r *request, in pastIn) (*pastOut, error) {
				if in.Limit < 0 || in.Limit > 50 {
					return nil, &invalidError{"limit must be 1 to 50"}
				}
				q := PastQuery{Text: in.Text, Dir: r.peer.caller.Dir, Tool: in.Tool, Failed: in.Failed, Limit: in.Limit}
				if q.Limit == 0 {
					q.Limit = 10
				}
				if in.Mine {
					q.Session = r.peer.caller.Session
				}
				list, err := control.Search(ctx, q)
				return &pastOut{append([]PastResult{}, list...)}, err
			}),
	}
}
