package realcli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// ofAccount answers like an account of which that much of two windows is used, in percent.
func ofAccount(fiveHours, sevenDays float64, ends time.Time) fakeapi.Script {
	header := http.Header{}
	set := func(name string, value any) {
		header["Anthropic-Ratelimit-Unified-"+name] = []string{fmt.Sprint(value)}
	}
	set("Status", "allowed")
	set("Representative-Claim", "five_hour")
	set("Reset", ends.Unix())
	set("5h-Status", "allowed")
	set("5h-Reset", ends.Unix())
	set("5h-Utilization", fiveHours/100)
	set("7d-Status", "allowed")
	set("7d-Reset", ends.Add(50*time.Hour).Unix())
	set("7d-Utilization", sevenDays/100)
	return func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		reply := fakeapi.Echo(ctx, r)
		reply.Header = header
		return reply
	}
}

// signedIn is a place whose CLI has the token of a sign-in.
func signedIn(t *testing.T, apiURL string) Place {
	place := Home(t, apiURL)
	subscriber(&place)
	return place
}

// windows are those that `ccdir usage --json` tells, by name.
func windows(ctx context.Context, t *testing.T, p *Product) map[string]api.UsageWindow {
	t.Helper()
	var u api.Usage
	if err := json.Unmarshal([]byte(p.Run(ctx, "usage", "--json")), &u); err != nil {
		t.Fatal(err)
	}
	out := map[string]api.UsageWindow{}
	for _, w := range u.Windows {
		out[w.Name] = w
	}
	return out
}

// TestLimitsOfASession: the windows of the account come by the status line, and the person's own one is
// shown as they set it.
func TestLimitsOfASession(t *testing.T) {
	t.Parallel()
	Claude(t)
	ends := time.Now().Add(2 * time.Hour).Truncate(time.Second)
	fake := fakeapi.New(ofAccount(42, 17, ends))
	t.Cleanup(fake.Close)
	place := signedIn(t, fake.URL())
	line := "#!/bin/sh\nread -r input\ncase $input in *'\"session_id\"'*) printf '\\033[32mMY OWN LINE\\033[0m\\nand a second\\n';; esac\n"
	script := filepath.Join(place.Home, "line.sh")
	if err := os.WriteFile(script, []byte(line), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := fmt.Sprintf(`{"statusLine":{"type":"command","command":%q,"padding":1}}`, script)
	file := filepath.Join(place.Config, "settings.json")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p := Install(t, place)
	ctx := limit(t)
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Screen(ctx, id, "MY OWN LINE")
	p.Screen(ctx, id, "and a second")
	p.Run(ctx, "send", "--wait", id, "hello")
	p.Until(ctx, id, "the cost that its agent tells", func(s api.Session) bool { return s.CostUSD > 0 && s.ContextLeft != nil })
	got := windows(ctx, t, p)
	for name, want := range map[string]struct {
		used float64
		ends time.Time
	}{"5h": {42, ends}, "7d": {17, ends.Add(50 * time.Hour)}} {
		w, ok := got[name]
		if !ok || w.UsedPercent == nil || *w.UsedPercent != want.used || w.ResetsAt == nil || !w.ResetsAt.Equal(want.ends) || w.Agent != "claude" || w.Account != api.AccountDefault || w.Source != "statusline" {
			t.Errorf("%s: %+v, want %+v", name, w, want)
		}
	}
	if text := p.Text(ctx, id); !strings.Contains(text, "MY OWN LINE") {
		t.Errorf("their line is gone:\n%s", text)
	}
	if now, _ := os.ReadFile(file); string(now) != settings {
		t.Errorf("their settings have changed: %s", now)
	}
	p.addConfig("[quota]\nstop_at = 40\n")
	p.Run(ctx, "daemon", "restart")
	p.Run(ctx, "task", "mode", "auto")
	task := p.Run(ctx, "task", "add", "-a", "claude", "over the bound")
	if list, why := p.Run(ctx, "task", "ls"), "42% used of 5h of claude until "; !strings.Contains(list, why) {
		t.Errorf("the queue does not say %q:\n%s", why, list)
	}
	p.Run(ctx, "config", "set", "quota.stop_at", "43")
	if ended := waitTasks(ctx, p, task); len(ended) != 1 || ended[0].State != api.TaskDone {
		t.Errorf("below its bound: %+v", ended)
	}
	if again := windows(ctx, t, p); len(again) != 2 || *again["5h"].UsedPercent != 42 {
		t.Errorf("after a restart of the daemon: %+v", again)
	}
}

// TestNoStatusLine: who has no status line of their own sees as many rows as without ccdir.
func TestNoStatusLine(t *testing.T) {
	for name, cli := range map[string]func(testing.TB) string{Version: Claude, Older: ClaudeOlder} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(ofAccount(42, 17, time.Now().Add(time.Hour)))
			t.Cleanup(fake.Close)
			p := installWith(t, signedIn(t, fake.URL()), cli(t))
			ctx := limit(t)
			id := p.New(ctx)
			p.State(ctx, id, api.StateIdle)
			p.Run(ctx, "send", "--wait", id, "hello")
			p.Until(ctx, id, "the report of the status line", func(s api.Session) bool { return s.CostUSD > 0 })
			if got := windows(ctx, t, p); got["5h"].UsedPercent == nil {
				t.Errorf("%+v", got)
			}
			lines := strings.Split(strings.TrimRight(p.Text(ctx, id), "\n "), "\n")
			if box := lines[len(lines)-2]; !strings.HasPrefix(strings.TrimSpace(box), "───") {
				t.Errorf("a row stands between the input and what is below it:\n%s", strings.Join(lines, "\n"))
			}
		})
	}
}
