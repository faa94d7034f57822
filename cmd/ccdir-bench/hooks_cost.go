package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"ccdir/api"
)

// startupTable breaks down the hook process: what starting any process costs here, what
// the program's start adds, what a hook does outside of sessions, and a whole call; and
// the same with the shell that precedes the hooks in the user's own settings. The kinds
// take turns.
func startupTable(ctx context.Context, o options, b *hookBench, h *hooked) error {
	const guard = `test ! -x "$0" || exec "$0" "$@"`
	outside := cleanEnv("CCDIR_HOME=/nonexistent")
	kinds := []struct {
		name string
		env  []string
		argv []string
		took []time.Duration
		cpu  time.Duration
	}{
		{name: "/bin/true", env: outside, argv: []string{"/bin/true"}},
		{name: "shim, no verb", env: outside, argv: []string{b.shim}},
		{name: "hook, no session", env: outside, argv: []string{b.shim, "hook", "Stop"}},
		{name: "hook --external, no daemon", env: outside, argv: []string{b.shim, "hook", "Stop", "--external"}},
		{name: "the same behind /bin/sh", env: outside, argv: []string{"/bin/sh", "-c", guard, b.shim, "hook", "Stop", "--external"}},
		{name: "hook of a session", env: h.env, argv: []string{b.shim, "hook", "Notification"}},
	}
	const payload = `{"session_id":"7dd0dcb3-cda3-4864-8056-35cfdb122205","cwd":"/tmp","hook_event_name":"Notification","message":"m","notification_type":"other"}`
	for range o.rounds * 20 {
		for i := range kinds {
			k := &kinds[i]
			cmd := exec.CommandContext(ctx, k.argv[0], k.argv[1:]...)
			cmd.Env, cmd.Stdin = k.env, strings.NewReader(payload)
			start := time.Now()
			err := cmd.Run()
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			k.took = append(k.took, time.Since(start))
			k.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
	}
	var lines [][]string
	for _, k := range kinds {
		n := len(k.took)
		lines = append(lines, []string{k.name, fmt.Sprint(n), ms(quantile(k.took, 50)), ms(quantile(k.took, 95)), ms(k.cpu / time.Duration(n))})
	}
	table("a process from its start to its end", "process\truns\tp50\tp95\tCPU\t", lines)
	return nil
}

// listenerTable posts o.events hook calls over o.conns kept connections, then looks for
// each of them in the event log.
func (b *hookBench) listenerTable(ctx context.Context, o options, list []*hooked) error {
	client := unixClient(b.socket)
	defer client.CloseIdleConnections()
	var server api.Server
	if err := getJSON(ctx, client, "/v1/health", &server); err != nil {
		return err
	}
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	before, began := readUsage([]int{b.daemon}), time.Now()
	var wg sync.WaitGroup
	for c := range o.conns {
		wg.Go(func() {
			took, err := post(ctx, b.socket, list[c%len(list)], c, o)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	used := readUsage([]int{b.daemon}).since(before)
	if failed != nil {
		return failed
	}
	if err := everyOnce(ctx, client, server.EventSeq, len(all)); err != nil {
		return err
	}
	table("posts of hook calls over kept connections; each is in the log once", "connections\tevents\tevents/s\tanswer p50\tp95\tdaemon CPU/event\t",
		[][]string{{fmt.Sprint(o.conns), fmt.Sprint(len(all)), fmt.Sprintf("%.0f", float64(len(all))/took.Seconds()),
			ms(quantile(all, 50)), ms(quantile(all, 95)), ms(used.cpu / time.Duration(max(len(all), 1)))}})
	return nil
}

// post makes the calls of connection c: o.events/o.conns of them, each after the answer
// to the previous one.
func post(ctx context.Context, socket string, h *hooked, c int, o options) ([]time.Duration, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	var request bytes.Buffer
	var took []time.Duration
	for n := c; n < o.events && ctx.Err() == nil; n += o.conns {
		hook := []string{"PreToolUse", "PostToolUse"}[len(took)%2]
		payload := fmt.Sprintf(`{"session_id":"7dd0dcb3-cda3-4864-8056-35cfdb122205","cwd":"/tmp","hook_event_name":%q,"tool_name":"Bash",`+
			`"tool_input":{"command":"echo hi > out.txt","description":"Run a command"},"tool_use_id":"bench_%d_"}`, hook, n)
		request.Reset()
		fmt.Fprintf(&request, "POST /v1/hook HTTP/1.1\r\nHost: ccdir\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\n%s: %s\r\n%s: %s\r\n%s: bench-%d\r\n\r\n%s",
			len(payload), api.HeaderSession, h.id, api.HeaderToken, h.value(api.EnvToken), api.HeaderHook, hook, api.HeaderHookID, n, payload)
		start := time.Now()
		if _, err := conn.Write(request.Bytes()); err != nil {
			return took, err
		}
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			return took, err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return took, err
		}
		if resp.StatusCode != http.StatusOK {
			return took, fmt.Errorf("a hook call was answered with %s", resp.Status)
		}
		took = append(took, time.Since(start))
	}
	return took, ctx.Err()
}

var benchID = regexp.MustCompile(`"bench_(\d+)_"`)

// everyOnce reads the log from after since and finds each of the n calls once.
func everyOnce(ctx context.Context, client *http.Client, since int64, n int) error {
	found := map[string]int{}
	for {
		var events []api.Event
		if err := getJSON(ctx, client, fmt.Sprintf("/v1/events?since=%d&limit=10000", max(since, 1)), &events); err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if e.Seq <= since {
				return fmt.Errorf("event %d comes after %d", e.Seq, since)
			}
			since = e.Seq
			if id := benchID.FindSubmatch(e.Data); id != nil {
				found[string(id[1])]++
			}
		}
	}
	for id, times := range found {
		if times != 1 {
			return fmt.Errorf("hook call %s is %d times in the log", id, times)
		}
	}
	if len(found) != n {
		return fmt.Errorf("%d of %d answered hook calls are in the log", len(found), n)
	}
	return nil
}
