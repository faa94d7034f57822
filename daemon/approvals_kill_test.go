package daemon

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/agents/claude"
	"ccdir/api"
)

// The size of TestApprovalsKilled; 1,000 requests in 64 sessions are the trial of a release.
var (
	approvalSessions = flag.Int("approval-sessions", 6, "how many sessions ask in TestApprovalsKilled")
	approvalRequests = flag.Int("approval-requests", 48, "how many requests they make together")
	approvalKills    = flag.Int("approval-kills", 3, "how often the daemon is killed meanwhile")
)

// TestApprovalsKilled: sessions ask again and again, every answer is given twice at the same
// time under one key, and the daemon is killed meanwhile. Each hook gets exactly one answer, that of
// the ledger, which has it once, and none is left hanging.
func TestApprovalsKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("max_sessions = 100\n")
	p.spawn()
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*approvalRequests)*time.Second+5*patience)
	defer cancel()
	var sessions []api.Session
	for range *approvalSessions {
		sessions = append(sessions, p.agentSession(""))
	}
	var hooks, people sync.WaitGroup
	var replied atomic.Int64
	var mu sync.Mutex
	replies := map[string]string{} // by command: what the hook prints
	// retry makes a hook call until a daemon answers it, as the hook process does.
	retry := func(s api.Session, name, id, payload string) (r api.HookReply) {
		token := p.token(s)
		for ctx.Err() == nil {
			if err := p.post(ctx, s.ID, token, name, id, payload, &r); err == nil {
				return r
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		return r
	}
	each := *approvalRequests / *approvalSessions
	for _, s := range sessions {
		hooks.Go(func() {
			for n := range each {
				command := fmt.Sprintf("echo %s-%d", s.ID, n)
				tool := fmt.Sprintf(`"tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"toolu_%d"`, command, n)
				retry(s, claude.HookPreToolUse, fmt.Sprint("pre", n), hookJSON(claude.HookPreToolUse, tool))
				r := retry(s, claude.HookPermissionRequest, fmt.Sprint("ask", n), hookJSON(claude.HookPermissionRequest, tool))
				mu.Lock()
				replies[command] = r.Stdout
				mu.Unlock()
				replied.Add(1)
				retry(s, claude.HookPostToolUse, fmt.Sprint("post", n), hookJSON(claude.HookPostToolUse, tool))
			}
		})
	}
	// Two clients answer every request in the same way under the same key, and go on until it
	// is no longer open: a retry of a call that another connection still makes.
	over := make(chan struct{})
	for range 2 {
		people.Go(func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(20 * time.Millisecond):
				}
				var open []api.Request
				if p.try("GET", "/v1/approvals", nil, &open) != nil {
					continue
				}
				for _, r := range open {
					verb := "/approve"
					if r.ID[0]%2 == 0 {
						verb = "/deny"
					}
					_, _ = p.tryKeyed("answer-"+r.ID, keyed{"POST", "/v1/approvals/" + r.ID + verb, api.Answer{}})
				}
			}
		})
	}
	total := int64(each * *approvalSessions)
	for kill := range *approvalKills {
		mark := total * int64(kill+1) / int64(*approvalKills+1)
		until(t, "answers before a kill", func() bool { return replied.Load() >= mark })
		p.kill9()
		p.spawn()
	}
	hooks.Wait()
	close(over)
	people.Wait()
	if n := replied.Load(); n != total || ctx.Err() != nil {
		t.Fatalf("%d of %d hooks have an answer; the rest hangs", n, total)
	}
	if open := p.approvals(); len(open) != 0 {
		t.Errorf("still open: %+v", open)
	}
	rows := map[string][]api.LedgerRow{}
	for _, row := range p.decisions(fmt.Sprint("by=person&limit=", 2*total)) {
		rows[string(row.Input)] = append(rows[string(row.Input)], row)
	}
	for command, reply := range replies {
		list := rows[fmt.Sprintf(`{"command":%q}`, command)]
		if len(list) != 1 {
			t.Errorf("%s: %d rows in the ledger: %+v", command, len(list), list)
			continue
		}
		if !strings.Contains(reply, fmt.Sprintf(`"behavior":%q`, list[0].Decision)) {
			t.Errorf("%s: the ledger has %s, the hook prints %q", command, list[0].Decision, reply)
		}
	}
	if len(rows) != len(replies) {
		t.Errorf("the ledger has %d commands, %d were asked for", len(rows), len(replies))
	}
	var check api.LedgerCheck
	if p.call("GET", "/v1/decisions/verify", nil, &check); check.Problem != "" {
		t.Errorf("verify: %s", check.Problem)
	}
}
