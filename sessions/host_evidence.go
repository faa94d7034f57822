package sessions

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/state"
	"ccdir/wire"
)

// exited records the end of the process.
func (s *session) exited(x wire.ExitRecord) <-chan error {
	if s.fold.State == api.StateExited || s.fold.State == api.StateParked {
		return nil
	}
	if x.Stopped && s.fold.State == api.StateLost {
		return nil // told already
	}
	if x.Stopped { // the person did not end it: it is offered to be started again
		return s.lost("the system ended it, at a logout or shutdown")
	}
	s.setRunning(false)
	at := x.At
	if at.IsZero() {
		at = s.r.now()
	}
	message := "exited with code " + strconv.Itoa(x.Code)
	if x.Signal != "" {
		message = "ended by signal " + x.Signal
	}
	code := x.Code
	e := api.Evidence{Source: api.SourceProcess, At: at.UTC(), Name: state.EvidenceExit, Says: api.StateExited, Detail: message,
		Fields: map[string]string{"code": strconv.Itoa(x.Code), "signal": x.Signal}}
	data, _ := json.Marshal(api.SessionEnded{Code: x.Code, Signal: x.Signal}) // cannot fail
	if s.fold.Parking && !s.fold.Killed {
		return s.parked(e)
	}
	defer s.forgetSecrets()
	defer s.readLastWords(x.Code)
	return s.weigh(e, change{
		event: &api.Event{Type: api.EventSessionExited, Source: "host", Message: message, Data: data},
		set: func(v *api.Session) {
			v.ExitCode, v.PID, v.HostPID = &code, 0, 0
		},
	})
}

// parked records the end of a process that was ended to be parked. Its files keep the environment,
// in which it is started again.
func (s *session) parked(e api.Evidence) <-chan error {
	message := "parked: its process has ended, and starts again in its conversation when it is needed"
	return s.weigh(e, change{
		event: &api.Event{Type: api.EventSessionParked, Source: "daemon", Message: message},
		set:   func(v *api.Session) { v.PID, v.HostPID = 0, 0 },
	})
}

// lost records that the host died without an exit record.
func (s *session) lost(message string) <-chan error {
	s.setRunning(false)
	e := api.Evidence{Source: api.SourceProcess, At: s.r.now(), Name: state.EvidenceLost, Says: api.StateLost, Detail: message}
	defer s.forgetSecrets()
	return s.weigh(e, change{
		event: &api.Event{Type: api.EventSessionLost, Source: "daemon", Message: message},
		set: func(v *api.Session) {
			v.Error, v.PID, v.HostPID = message, 0, 0
		},
	})
}

// fromHost weighs one piece of the host's evidence.
func (s *session) fromHost(h wire.Evidence) {
	if h.Seq <= s.evidenceSeq {
		return
	}
	s.evidenceSeq = h.Seq
	switch h.Name {
	case wire.EvidenceTitle:
		title := agents.Cut(h.Fields["text"], 1024)
		if title != s.cur.Title {
			s.cur.Title = title
			s.show()
		}
		s.titled(title, h.At.UTC())
	case wire.EvidenceKeys:
		keys := agents.Visible(h.Fields["keys"], 64)
		s.weigh(api.Evidence{Source: api.SourceKeys, At: h.At.UTC(), Name: "key", Detail: "key " + keys,
			Fields: map[string]string{"keys": keys}}, change{})
	case wire.EvidencePSP:
		background := len(s.fold.Background)
		e := pspEvidence(h)
		s.weigh(e, change{set: s.programSays(e)})
		if e.Fields["state"] == "error" && e.Fields["id"] == "" {
			s.statusFailed(e.At)
		}
		if s.turn != nil && len(s.fold.Background) != background {
			s.show() // the end of a background activity may finish the task
		}
	case wire.EvidenceActive, wire.EvidenceBell, wire.EvidenceNotify:
		// An agent that reports its state redraws for many reasons (the focus comes or goes,
		// a clock): its output alone is no news.
		if !s.cur.Unread && !(h.Name == wire.EvidenceActive && s.fold.Managed) {
			s.cur.Unread = true
			s.show()
		}
	case wire.EvidencePrompt:
		if s.cur.App != "" && strings.HasPrefix(h.Fields["mark"], "A") {
			// The shell is at its prompt: the program was killed, or forgot to say that it ends.
			h.Fields = map[string]string{"state": "clear"}
			e := pspEvidence(h)
			s.weigh(e, change{set: s.programSays(e)})
		}
	case wire.EvidenceRefused:
		s.notLet(h)
	case wire.EvidenceExit:
		code, err := strconv.Atoi(h.Fields["code"])
		if err == nil {
			s.exited(wire.ExitRecord{Code: code, Signal: h.Fields["signal"], At: h.At, Stopped: h.Fields["stopped"] != ""})
		}
	}
}

// titled weighs the glyph that an agent shows in its title.
func (s *session) titled(title string, at time.Time) {
	if teller, ok := s.adapter.(agents.TitleTeller); ok {
		s.titleSays(teller.TitleStatus(title), title, at)
		return
	}
	signs, ok := s.adapter.(agents.Signs)
	if !ok {
		return
	}
	if state := signs.TitleSays(title); state != "" {
		s.weigh(api.Evidence{Source: api.SourceTitle, At: at, Name: "title", Says: state,
			Detail: "title " + agents.Visible(title, 100), Fields: map[string]string{"text": agents.Visible(title, 300)}}, change{})
	}
}

// titleSays weighs a title that is as good as a program status. Before the conversation begins
// it means nothing: the agent shows its title beside the dialogs of its start.
func (s *session) titleSays(status, title string, at time.Time) {
	if status == "" || status == s.fold.Status || !s.fold.Begun {
		return
	}
	e := pspEvidence(wire.Evidence{At: at, Fields: map[string]string{"state": status}})
	e.Detail = "title " + agents.Visible(title, 100)
	s.weigh(e, change{})
}

// pspEvidence translates a program status (OSC 7501) into evidence.
func pspEvidence(h wire.Evidence) api.Evidence {
	e := api.Evidence{Source: api.SourcePSP, At: h.At.UTC(), Name: "psp", Fields: map[string]string{}}
	for _, k := range []string{"state", "kind", "id", "app", "progress", "title", "msg"} {
		if v := h.Fields[k]; v != "" {
			e.Fields[k] = agents.Visible(v, 300)
		}
	}
	e.Detail = "status " + e.Fields["state"]
	if kind := e.Fields["kind"]; kind != "" {
		e.Detail += " (" + kind + ")"
	}
	if msg := e.Fields["msg"]; msg != "" {
		e.Detail += ": " + msg
		e.Fields["question"] = msg
	}
	switch e.Fields["state"] {
	case "idle", "done", "error":
		e.Says = api.StateIdle
	case "working":
		e.Says = api.StateWorking
	case "blocked":
		e.Says = api.StateInput
		if e.Fields["kind"] == "permission" {
			e.Says = api.StatePermission
		}
	}
	return e
}

// maxAppShown bounds Session.App, in runes.
const maxAppShown = 40

// programSays is the effect of a program status besides the state: the program's name and
// what it does, in sessions without hooks; the failure of a turn that no hook explains.
func (s *session) programSays(e api.Evidence) func(*api.Session) {
	if e.Fields["id"] != "" {
		return nil // of a background activity
	}
	return func(v *api.Session) {
		said, msg := e.Fields["state"], e.Fields["msg"]
		if said == "error" && v.Failure == nil {
			kind := api.FailureAgent
			if a, ok := s.adapter.(agents.FailureTeller); ok {
				kind = a.FailureOf(msg)
			}
			v.Failure = &api.TurnFailure{Kind: kind, Message: cmp.Or(msg, "the program did not say why"), At: e.At}
		}
		if s.adapter.Managed() {
			return
		}
		v.App = agents.Visible(cmp.Or(e.Fields["app"], "program"), maxAppShown)
		switch v.Progress = ""; said {
		case "clear":
			v.App, v.Answer, v.Failure = "", "", nil
		case "working":
			v.Answer, v.Failure, v.Progress = "", nil, programWork(e)
		case "blocked":
			v.Failure = nil
		case "done":
			v.Answer = msg
		}
	}
}

// programWork is a program's own words for its work.
func programWork(e api.Evidence) string {
	work := cmp.Or(e.Fields["msg"], e.Fields["title"])
	if p := e.Fields["progress"]; p != "" {
		work += " " + p + "%"
	}
	return strings.TrimSpace(work)
}

// watchStatus weighs the agent's session file while its process runs.
func (s *session) watchStatus(ctx context.Context, hf wire.HostFile) {
	if signs, ok := s.adapter.(agents.Signs); ok {
		s.r.statusFiles.Follow(ctx, signs, hf, func(now agents.FileStatus) {
			s.tell(ctx, func() { s.fileStatus(now) })
		})
	}
}

// PanelOpen begins the question of a session whose agent reports a dialog, but not which.
const PanelOpen = "a panel or dialog is open"

// fileStatus weighs the content of the agent's session file.
func (s *session) fileStatus(st agents.FileStatus) {
	e := st.Evidence(s.r.now())
	if e.Says.NeedsPerson() && e.Fields["question"] == state.PanelOpen {
		e.Fields["question"] = PanelOpen
	}
	s.weigh(e, change{})
}

const (
	// failureReads bounds how often the conversation is read for the reason of a failure, which
	// the agent may write after it has reported the failure.
	failureReads = 5
	// failurePause is the pause between two reads.
	failurePause = 100 * time.Millisecond
	// failureTime bounds all of them.
	failureTime = 5 * time.Second
)

// statusFailed reports the failure of a turn that the agent tells by its program status alone,
// as other agents report it by a hook, with the reason that the conversation has; in the actor.
func (s *session) statusFailed(at time.Time) {
	if _, ok := s.adapter.(agents.StatusFails); !ok {
		return
	}
	source, _ := s.adapter.(agents.Conversationalist)
	c := agents.Conversation{ID: s.cur.Conversation, CWD: s.spec.CWD, Env: s.spec.Env}
	s.r.wg.Go(func() {
		why := readFailure(s.ctx, source, c, at)
		s.post(func() {
			s.hook(agents.Hook{Message: "failed: " + cmp.Or(why, "the agent did not say why"), Reply: why, Evidence: api.Evidence{
				Source: api.SourceHook, At: at, Name: "error", Kind: api.KindTurnFails, Says: api.StateIdle, Detail: why, Fields: map[string]string{"error": cmp.Or(why, "unknown")}}}, "")
		})
	})
}

// readFailure returns why the last turn of a conversation failed, at about that time; "" if it
// does not say so.
func readFailure(ctx context.Context, source agents.Conversationalist, c agents.Conversation, at time.Time) (why string) {
	if source == nil || c.ID == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, failureTime)
	defer cancel()
	for range failureReads {
		if file := source.OpenConversation(c); file != nil {
			_ = file.Read(ctx, func(t api.Turn) error { // without the reason it is a failure all the same
				if why = ""; t.Failure != nil && !t.Failure.At.Before(at.Add(-failureTime)) {
					why = agents.Visible(t.Failure.Message, agents.MaxField)
				}
				return nil
			})
		}
		if why != "" || ctx.Err() != nil {
			return why
		}
		select {
		case <-time.After(failurePause): // a file sends no event
		case <-ctx.Done():
		}
	}
	return ""
}
