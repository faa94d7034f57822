package opencode

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// reporter makes the reports of one event.
type reporter struct {
	*tracker
	e   event
	p   payload.Object
	at  time.Time
	out []agents.Report
}

// hook is a report of the event, of the conversation or a subagent of it.
func (r *reporter) hook(kind api.EventKind, says api.State) agents.Hook {
	h := agents.Hook{
		Evidence: api.Evidence{Source: api.SourceHook, At: r.at, Name: r.e.Type, Kind: kind, Says: says, Fields: map[string]string{}},
		CWD:      r.cwd,
		Data:     payload.Data(r.e.Props),
	}
	if id := r.p.Text("sessionID"); r.children.has(id) {
		payload.SetField(&h, "agent_id", id)
	} else {
		h.Conversation = r.session
	}
	return h
}

// add ends a report. The second of one event has a key of its own.
func (r *reporter) add(h agents.Hook, opens, closes string) {
	payload.Finish(&h)
	id := ""
	if r.e.ID != "" {
		id = "opencode:" + agents.Visible(r.e.ID, agents.MaxField) + strings.Repeat("+", len(r.out))
	}
	r.out = append(r.out, agents.Report{Hook: h, ID: id, Opens: opens, Closes: closes})
}

// kept adds to a report where the conversation is kept.
func (r *reporter) kept(h *agents.Hook) {
	if r.keeps == "" {
		return
	}
	h.Transcript = r.keeps
	o := payload.Of(h.Data)
	if o.Members == nil {
		return
	}
	o.Members[placeMember], _ = json.Marshal(r.keeps) // a text
	o.Members["sessionID"], _ = json.Marshal(r.session)
	if data, err := json.Marshal(o.Members); err == nil {
		h.Data = data
	}
}

func (r *reporter) note(kind api.EventKind, says api.State, message string) {
	h := r.hook(kind, says)
	h.Message = message
	r.add(h, "", "")
}

// says reports a status of the conversation, as others do by a program status. detail says
// more, "" for nothing.
func (r *reporter) says(status, kind, detail string) {
	if r.status == status+kind && detail == "" {
		return
	}
	r.status = status + kind
	h := r.hook("", "")
	h.Evidence.Source = api.SourcePSP
	h.Evidence.Says = map[string]api.State{"idle": api.StateIdle, "working": api.StateWorking, "blocked": api.StateInput}[status]
	if kind == "permission" {
		h.Evidence.Says = api.StatePermission
	}
	payload.SetField(&h, "state", status)
	payload.SetField(&h, "kind", kind)
	h.Message = "status " + status
	if detail != "" {
		h.Message = detail
	}
	r.add(h, "", "")
}

// main reports whether the event is of the conversation itself. The terminal shows another
// one after /sessions, which nothing reports but the next event of that.
func (r *reporter) main() bool {
	id := r.p.Text("sessionID")
	if r.children.has(id) {
		return false
	}
	if id != "" {
		r.session = id
	}
	return true
}

func (r *reporter) created() {
	info := payload.Of(r.p.Members["info"])
	id := info.Text("id")
	if id == "" {
		return
	}
	if parent := info.Text("parentID"); parent != "" {
		r.children.put(id, true)
		h := r.hook(api.KindSubagentBegins, "")
		payload.SetField(&h, "agent_id", id)
		h.Conversation, h.Message = "", info.Text("title")
		r.add(h, "", "")
		return
	}
	before := r.session
	r.session, r.cwd, r.born = id, info.Text("directory"), created(info)
	h := r.hook(api.KindConversationBegins, api.StateIdle)
	if before != "" && before != id {
		payload.SetField(&h, agents.FieldCleared, "true")
	}
	h.Message = "conversation " + id
	r.kept(&h)
	r.status = "" // the status of the new one is reported even if it is the same
	r.add(h, "", "")
}

func (r *reporter) statusChanged() {
	if !r.main() {
		return
	}
	status := payload.Of(r.p.Members["status"])
	switch status.Text("type") {
	case "busy":
		if len(r.dialogs.keys) == 0 {
			r.says("working", "", "")
		}
	case "retry":
		r.failure = agents.Visible(status.Text("message"), agents.MaxField)
		r.says("working", "", "the API failed and is asked again: "+r.failure)
		if n := len(r.out); n > 0 {
			agents.SetRetry(r.out[n-1].Hook.Evidence.Fields, retryOf(status))
		}
	case "idle":
		r.dialogs = memory[bool]{}
		r.says("idle", "", "")
	}
}

// retryOf reads that the API is asked again: attempt and the time of the next, in milliseconds.
func retryOf(status payload.Object) api.Retry {
	r := api.Retry{Message: status.Text("message")}
	_ = json.Unmarshal(status.Members["attempt"], &r.Attempt) // else it is not known
	var next int64
	if json.Unmarshal(status.Members["next"], &next) == nil && next > 0 {
		r.Next = time.UnixMilli(next).UTC()
	}
	return r
}

// idle ends a turn, unless its end was reported already.
func (r *reporter) idle() {
	if !r.main() {
		h := r.hook(api.KindSubagentEnds, "")
		r.add(h, "", "")
		return
	}
	failure, text, over := r.failure, r.text(), r.over
	// After an error the server says twice that it is idle.
	r.failure, r.over, r.reply = "", true, nil
	switch {
	case over:
		return
	case r.dismissed:
		r.dismissed = false
		h := r.hook(api.KindTurnInterrupted, api.StateIdle)
		h.Message = "interrupted"
		r.add(h, "", "")
		return
	case failure != "" && text == "":
		h := r.hook(api.KindTurnFails, api.StateIdle)
		payload.SetField(&h, "error", failure)
		h.Message, h.Reply = failure, failure
		r.add(h, "", "")
		return
	}
	h := r.hook(api.KindTurnEnds, api.StateIdle)
	h.Message, h.Reply = text, payload.Cut(text, payload.MaxReply)
	payload.SetField(&h, "model", r.model)
	r.add(h, "", "")
}

func (r *reporter) failed() {
	if !r.main() {
		return
	}
	failure := payload.Of(r.p.Members["error"])
	message := payload.Of(failure.Members["data"]).Text("message")
	kind := api.KindTurnFails
	if failure.Text("name") == abortedError {
		kind, message = api.KindTurnInterrupted, "interrupted"
	}
	if message == "" {
		message = failure.Text("name")
	}
	r.over, r.failure = true, ""
	h := r.hook(kind, api.StateIdle)
	payload.SetField(&h, "error", message)
	h.Message = message
	if kind == api.KindTurnFails {
		h.Reply = payload.Cut(message, payload.MaxReply)
	}
	r.add(h, "", "")
}

// created is when something was made, in milliseconds; 0 if it does not say so.
func created(info payload.Object) (ms int64) {
	payload.Of(info.Members["time"]).Into("created", &ms)
	return ms
}

func (r *reporter) message() {
	info := payload.Of(r.p.Members["info"])
	id, role := info.Text("id"), info.Text("role")
	if at := created(info); at > 0 && at < r.born && r.main() {
		r.copies.put(id, true)
		return
	}
	switch role {
	case "user":
		r.users.put(id, true)
	case "assistant":
		if !r.main() {
			return
		}
		r.model = agents.Visible(info.Text("modelID"), agents.MaxField)
		if id != r.replyOf {
			r.replyOf, r.reply, r.over, r.dismissed = id, nil, false, false
		}
	}
}

func (r *reporter) part() {
	p := payload.Of(r.p.Members["part"])
	if r.copies.has(p.Text("messageID")) {
		return
	}
	switch p.Text("type") {
	case "text":
		r.textPart(p)
	case "tool":
		r.tool(p)
	}
}

// maxParts bounds the parts of a reply.
const maxParts = 64

func (r *reporter) textPart(p payload.Object) {
	message, id, text := p.Text("messageID"), p.Text("id"), p.Text("text")
	switch {
	case r.users.has(message) && !r.told.has(message) && !p.True("synthetic"):
		r.told.put(message, true)
		if !r.main() {
			return // what a subagent was told
		}
		r.over, r.dismissed, r.failure = false, false, ""
		h := r.hook(api.KindPrompt, api.StateWorking)
		h.Prompt, h.Message = text, text
		r.kept(&h)
		r.add(h, "", "")
	case message == r.replyOf && message != "" && !r.children.has(r.p.Text("sessionID")):
		text = payload.Cut(text, payload.MaxReply)
		for i := range r.reply {
			if r.reply[i].id == id {
				r.reply[i].text = text
				return
			}
		}
		if len(r.reply) < maxParts {
			r.reply = append(r.reply, part{id, text})
		}
	}
}

func (r *reporter) tool(p payload.Object) {
	id, state := p.Text("callID"), payload.Of(p.Members["state"])
	c := callOf(p.Text("tool"), state.Members["input"])
	r.calls.put(id, c)
	switch state.Text("status") {
	case "running":
		if r.begun.has(id) || c.tool == api.ToolAsk {
			return
		}
		r.begun.put(id, true)
		h := r.call(api.KindToolBegins, c, id)
		if c.tool == words["task"].Name {
			payload.SetField(&h, agents.FieldDelegates, "true")
		}
		r.add(h, "", "")
	case "completed":
		r.add(r.call(api.KindToolEnds, c, id), "", "")
	case "error":
		text := state.Text("error")
		kind := api.KindToolFails
		if strings.HasPrefix(text, strings.TrimSuffix(refusedCall, ".")) || strings.HasPrefix(text, refusedQuestion) {
			kind = api.KindToolRefused
		}
		if (text == refusedCall || text == refusedQuestion) && !r.children.has(r.p.Text("sessionID")) {
			r.dismissed = true
		}
		h := r.call(kind, c, id)
		payload.SetField(&h, "error", text)
		h.Message += " failed: " + text
		r.add(h, "", "")
	}
}

// call is a report about a tool call.
func (r *reporter) call(kind api.EventKind, c call, id string) agents.Hook {
	h := r.hook(kind, api.StateWorking)
	h.Tool, h.FullInput, h.Dir = c.tool, c.input, c.dir
	payload.SetField(&h, "tool", c.tool)
	payload.SetField(&h, "tool_use_id", id)
	h.Message = c.tool
	if len(c.input) > 0 {
		h.ToolInput = payload.Input(c.input)
		if line := payload.ToolLine(h.ToolInput); line != "" {
			h.Message += ": " + line
		}
	}
	return h
}

// asked opens a dialog for permission. What it is about stands in the call, or else in the
// request itself.
func (r *reporter) asked() {
	id, of := r.p.Text("id"), payload.Of(r.p.Members["tool"]).Text("callID")
	permission := r.p.Text("permission")
	c, known := r.calls.values[of]
	if !known || len(c.input) == 0 {
		c = callOf(permission, r.p.Members["metadata"])
	}
	h := r.call(api.KindDialog, c, of)
	h.Evidence.Says = api.StatePermission
	var patterns []string
	_ = json.Unmarshal(r.p.Members["patterns"], &patterns)
	if words[permission].Name == "" && callOf(permission, nil).tool != c.tool {
		h.Message += " (" + permission + " " + strings.Join(patterns, ", ") + ")"
	}
	h.Question = h.Message
	before := len(r.out)
	r.opens(h, id, "permission")
	if !unasked(r.agents, permission, patterns) {
		return
	}
	r.quiet.put(id, true)
	for i := range r.out[before:] {
		r.out[before+i].Unasked = id
	}
}

// question opens a question to the person.
func (r *reporter) question() {
	id, of := r.p.Text("id"), payload.Of(r.p.Members["tool"]).Text("callID")
	input, _ := json.Marshal(map[string]json.RawMessage{"questions": r.p.Members["questions"]})
	h := r.call(api.KindDialog, call{tool: api.ToolAsk, input: input}, of)
	h.Evidence.Says = api.StateInput
	h.Question = questionText(input)
	h.Message = h.Question
	r.opens(h, id, "question")
}

func (r *reporter) opens(h agents.Hook, id, kind string) {
	r.dialogs.put(id, true)
	r.add(h, id, "")
	if h.Evidence.Fields["agent_id"] == "" {
		r.says("blocked", kind, "")
	}
}

// replied closes a dialog. If the turn ends with that, its own events say so.
func (r *reporter) replied() {
	id := r.p.Text("requestID")
	r.dialogs.drop(id)
	h := r.hook(api.KindNote, "")
	h.Message = strings.TrimSpace("answered: " + r.p.Text("reply"))
	r.add(h, "", id)
	if r.quiet.has(id) {
		r.quiet.drop(id)
		r.out[len(r.out)-1].Unasked = id
	}
	if len(r.dialogs.keys) == 0 && !r.children.has(r.p.Text("sessionID")) {
		r.says("working", "", "")
	}
}
