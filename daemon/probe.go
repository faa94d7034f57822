package daemon

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/sessions/launch"
	"ccdir/usage"
)

const (
	// maxProbed bounds what is read of an agent that is asked, in bytes.
	maxProbed = 1 << 20
	// probeEnd is how long the process of an agent may take to end after its answer.
	probeEnd = 5 * time.Second
)

// prober asks agents for the windows of their accounts (limits.Asker).
type prober struct{ d *daemon }

// May implements limits.Asker: usage_probe allows it, and the account is still one.
func (p prober) May(kind, account string) bool {
	cfg := p.d.config.Load()
	adapter, _ := adapters.Lookup(kind)
	_, tells := adapter.(agents.LimitTeller)
	return tells && cfg.UsageProbe && p.agent(kind) != "" && launch.CheckAccount(cfg.Config, kind, account) == nil
}

// agent is the first agent of a kind, by name; "" if the configuration has none.
func (p prober) agent(kind string) string {
	cfg := p.d.config.Load()
	for _, name := range cfg.AgentNames() {
		if cfg.KindOf(name) == kind {
			return name
		}
	}
	return ""
}

// Ask implements limits.Asker: it runs the agent, in no session, until it has answered.
func (p prober) Ask(ctx context.Context, kind, account string) (list []usage.Sample, err error) {
	cfg := p.d.config.Load()
	adapter, _ := adapters.Lookup(kind)
	teller, tells := adapter.(agents.LimitTeller)
	if !tells {
		return nil, errors.New("it cannot be asked")
	}
	env, err := launch.EnvOf(cfg.Config, adapter, account, p.d.o.Env)
	if err != nil {
		return nil, err
	}
	path, err := agents.FindExecutable(cfg.Agents[p.agent(kind)].Command, p.d.o.Paths.State, env)
	if err != nil {
		return nil, err
	}
	args, question := teller.UsageProbe()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.d.o.Paths.State, env, probeEnd
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("it cannot be started: %w", err)
	}
	defer func() {
		_ = in.Close() // at the end of its input it ends
		alarm := time.AfterFunc(probeEnd, func() { _ = cmd.Cancel() })
		_ = cmd.Wait()
		alarm.Stop()
	}()
	_, _ = in.Write(question) // one that has ended gives no answer, either
	lines := bufio.NewScanner(io.LimitReader(out, maxProbed))
	lines.Buffer(nil, maxProbed)
	for lines.Scan() {
		list, done, why := teller.ReadUsageProbe(time.Now(), lines.Bytes())
		switch {
		case done && len(list) == 0:
			return nil, errors.New(why)
		case done:
			return list, nil
		}
	}
	return nil, errors.New("it ends without an answer")
}

// probe is what becomes of asking an account's agent (limits.Keeper.Probe).
func (d *daemon) probe(kind, account string) api.UsageProbe {
	out := api.UsageProbe{Account: account, Agent: kind, State: api.ProbeNever}
	adapter, _ := adapters.Lookup(kind)
	if _, tells := adapter.(agents.LimitTeller); !tells {
		return out
	}
	name := account
	if name == api.AccountDefault {
		name = ""
	}
	p, next := d.limits.Probing(kind, name)
	if !p.Asked.IsZero() {
		at := p.Asked.UTC()
		out.At, out.Why, out.State = &at, agents.Visible(p.Why, agents.MaxField), api.ProbeTold
	}
	switch {
	case !d.config.Load().UsageProbe:
		out.State, out.Why = api.ProbeOff, ""
		return out
	case p.Failed > 0:
		out.State = api.ProbeRefused
	case out.At == nil && !next.IsZero():
		out.State = api.ProbeWaits
	}
	if !next.IsZero() {
		next = next.UTC()
		out.Next = &next
	}
	return out
}
