package enforce

import (
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// row is a ledger row under construction.
type row struct{ api.LedgerRow }

// row starts the row of a use of a tool.
func (e *Enforcer) row(c api.Caller, u api.ToolUse) row {
	now := e.o.Now()
	r := row{api.LedgerRow{At: now, Session: c.Session, Name: c.Name, Role: c.Role, Tool: textsafe.Cut(textsafe.Line(u.Tool), 200),
		Input: e.o.redact(u.Input), Hook: u.Hook, ToolUseID: u.ID, By: api.ByPolicy}}
	r.since(u.At)
	return r
}

// since sets the latency.
func (r *row) since(at time.Time) {
	if d := r.At.Sub(at); !at.IsZero() && d > 0 {
		r.LatencyMS = float64(d.Microseconds()) / 1000
	}
}

// fill sets the policy's verdict.
func (r *row) fill(v api.Verdict, text func(string) string) {
	r.Decision, r.Rule, r.File, r.Line, r.Reason = v.Effect, v.Rule, v.File, v.Line, text(v.Reason)
}

// append makes rows durable and updates the head file.
func (e *Enforcer) append(rows ...api.LedgerRow) error {
	if e.o.Ledger == nil {
		return nil
	}
	head, err := e.o.Ledger.AppendDecisions(rows)
	if err != nil {
		e.log.Error("a decision could not be recorded", "error", err)
		return err
	}
	e.head.set(head)
	return nil
}

// Record appends the row of a request that ended (sessions.Policy).
func (e *Enforcer) Record(d api.Decision) error {
	q := d.Request
	r := row{api.LedgerRow{At: d.At, Session: q.Session, Tool: q.Tool, Input: e.o.redact(q.Input), Hook: q.Hook,
		ToolUseID: q.ToolUseID, By: d.By, Request: q.ID, Outcome: d.Outcome, Reason: e.o.RedactText(d.Reason), Decision: api.EffectNone}}
	if q.Origin == "mcp" {
		r.Hook = q.Origin
	}
	// Name and role come from the request. Asking the session's actor could deadlock: it may
	// be waiting for the caller of Record.
	r.Name, r.Role = q.SessionName, q.Role
	r.since(q.Since)
	call := api.Call{}
	if a := d.Answer; a != nil {
		call = a.Call
		r.Decision, r.Client, r.Lead = string(a.Behavior), a.Client, a.Lead
		r.Edited = e.o.redact(a.Input)
		if a.Text != "" && r.Reason == "" { // the answer to a question
			r.Reason = textsafe.Cut(e.o.RedactText(textsafe.Line(a.Text)), 300)
		}
		if a.Rule != "" {
			r.Rule, r.File, r.Line = a.Rule, a.File, a.Line
		}
		if a.Always {
			r.Scope = a.Scope
		}
	}
	_, err := e.once(r.LedgerRow, call, nil)
	return err
}

// Refused records a refused call: a forged hook, or a grant beyond a role. what is the name
// of the call.
func (e *Enforcer) Refused(session, what, why string) {
	_ = e.append(api.LedgerRow{At: e.o.Now(), Session: textsafe.Cut(textsafe.Line(session), 64), Decision: api.LedgerRefused, By: api.ByDaemon,
		Hook: textsafe.Cut(textsafe.Line(what), 64), Reason: textsafe.Cut(e.o.RedactText(textsafe.Line(why)), 300)})
}

// RefusedCall records a refused call of a process inside a session.
func (e *Enforcer) RefusedCall(o api.Origin, call, why string) {
	_ = e.append(api.LedgerRow{At: e.o.Now(), Session: o.Session, Name: o.Name, Role: o.Role, Decision: api.LedgerRefused, By: api.ByDaemon,
		Hook: "call", Tool: textsafe.Cut(e.o.RedactText(textsafe.Line(call)), 200), Reason: textsafe.Cut(e.o.RedactText(textsafe.Line(why)), 300)})
}

// Missed records the answer that a hook gave while no daemon was running.
func (e *Enforcer) Missed(c api.Caller, u api.ToolUse, effect string) {
	r := e.row(c, u)
	r.At, r.LatencyMS = u.At, 0
	r.Decision, r.By, r.Reason = effect, api.ByHook, "no daemon could be asked (on_daemon_loss)"
	_ = e.append(r.LedgerRow)
}

// Denied records a call that the agent itself refused, before anybody was asked.
func (e *Enforcer) Denied(c api.Caller, u api.ToolUse, mode, why string) {
	r := e.row(c, u)
	r.Decision, r.By, r.Mode, r.Reason = api.EffectDeny, api.ByAgent, mode, textsafe.Cut(e.o.RedactText(textsafe.Line(why)), 300)
	_ = e.append(r.LedgerRow)
}

// SetRole records a new role of a session. For overtaken see once.
func (e *Enforcer) SetRole(c api.Caller, role, client string, call api.Call) (overtaken bool, err error) {
	return e.once(api.LedgerRow{At: e.o.Now(), Session: c.Session, Name: c.Name, Role: role, Decision: api.LedgerRole, By: api.ByPerson,
		Client: client, Reason: fmt.Sprintf("the role was %s", c.Role)}, call, anyLater(api.LedgerRole))
}

// SetOverride records the start of an override, or its end if o is nil. For overtaken see
// once.
func (e *Enforcer) SetOverride(c api.Caller, o *api.Override, client string, call api.Call) (overtaken bool, err error) {
	reason := "ended"
	if o != nil {
		reason = fmt.Sprintf("%s until %s", o.Mode, o.Until.Format(time.RFC3339))
	}
	return e.once(api.LedgerRow{At: e.o.Now(), Session: c.Session, Name: c.Name, Role: c.Role, Decision: api.LedgerOverride, By: api.ByPerson,
		Client: client, Reason: reason}, call, anyLater(api.LedgerOverride))
}

// SetSandbox records what a person lets through the walls of a session.
func (e *Enforcer) SetSandbox(c api.Caller, what, client string, call api.Call) error {
	_, err := e.once(api.LedgerRow{At: e.o.Now(), Session: c.Session, Name: c.Name, Role: c.Role, Decision: api.LedgerSandbox, By: api.ByPerson,
		Client: client, Reason: "lets " + textsafe.Cut(textsafe.Line(what), 300) + " through"}, call, nil)
	return err
}

// ruleAt renders a rule with its file and line.
func ruleAt(rule, file string, line int) string {
	if file == "" {
		return rule
	}
	return fmt.Sprintf("%s (%s:%d)", rule, file, line)
}
