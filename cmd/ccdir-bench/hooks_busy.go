package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// busyTime bounds the time in which the hooks of busyTable begin.
const busyTime = 50 * time.Second

// busyTable starts o.busy loops, and then up to o.busyHooks hooks that decide about a tool, one after the
// other, as an agent does. Each has to answer within api.HookSignTime, and those that only report within
// api.HookTimeout.
func (b *hookBench) busyTable(ctx context.Context, o options, h *hooked) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range o.busy {
		loop := exec.CommandContext(ctx, "/bin/sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			return err
		}
		defer func() { cancel(); _ = loop.Wait() }()
	}
	const payload = `{"session_id":"7dd0dcb3-cda3-4864-8056-35cfdb122205","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":"ls"}}`
	limit := api.HookTimeoutFlag + strconv.Itoa(int(api.HookTimeoutTool/time.Second))
	var took []time.Duration
	failed := 0
	for begin := time.Now(); len(took)+failed < o.busyHooks && time.Since(begin) < busyTime; {
		cmd := exec.CommandContext(ctx, b.shim, "hook", "PreToolUse", limit, api.HookGateFlag+api.GateOutput)
		cmd.Env, cmd.Stdin = h.env, strings.NewReader(fmt.Sprintf(payload, len(took)))
		start := time.Now()
		err := cmd.Run()
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit): // it closes: the tool does not run
			failed++
		case err != nil:
			return err
		default:
			took = append(took, time.Since(start))
		}
	}
	table(fmt.Sprintf("a hook that decides, beside %d busy loops, load %s (deadlines: decides %s, reports %s)", o.busy, load(), api.HookSignTime, api.HookTimeout),
		"answered\tnot in time\tp50\tp99\tmax\t",
		[][]string{{fmt.Sprint(len(took)), fmt.Sprint(failed), ms(quantile(took, 50)), ms(quantile(took, 99)), ms(slices.Max(append(took, 0)))}})
	return nil
}
