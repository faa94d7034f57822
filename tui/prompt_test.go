package tui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/known"
	"ccdir/tui/prompt"
	"ccdir/tui/prompt/history"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
	"ccdir/tui/underway"
)

// idles are four idle sessions and one that works.
func idles() []api.Session {
	return []api.Session{
		named("aaaa1111", "api", api.StateIdle, 0), named("bbbb2222", "web", api.StateIdle, 1), named("cccc3333", "docs", api.StateIdle, 2),
		named("dddd4444", "ops", api.StateIdle, 3), named("eeee5555", "long", api.StateWorking, 4),
	}
}

// sends are the prompts that the client got, by session, in order of sessions.
func (c *fakeClient) sends() []string {
	out := slices.DeleteFunc(c.noted(), func(s string) bool { return !strings.HasPrefix(s, "send ") })
	slices.Sort(out)
	return out
}

func TestPromptLinesAndHistory(t *testing.T) {
	m, c := clientModel(t, two()...)
	disk := prompt.Disk{History: history.History{File: filepath.Join(t.TempDir(), "prompts")}}
	m.prompt = prompt.New(disk)
	do(m, "C-b", ":")
	typeIn(m, "first line")
	do(m, "C-j")
	typeIn(m, "second 日本語")
	shows(t, m, "❯ first line", "  second 日本語", " to api ")
	do(m, "Enter")
	if got := c.sends(); len(got) != 1 || got[0] != "send aaaa1111 first line\nsecond 日本語" {
		t.Fatalf("sent %q", got)
	}
	do(m, "C-b", ":")
	typeIn(m, "another")
	do(m, "Enter", "C-b", ":")
	typeIn(m, "draft")
	do(m, "Up")
	if got := m.prompt.Text(); got != "another" {
		t.Errorf("one back: %q", got)
	}
	do(m, "Up")
	shows(t, m, "❯ first line", "  second 日本語")
	do(m, "Up", "Up", "Up", "Down", "Down", "Down", "Down")
	if got := m.prompt.Text(); got != "draft" {
		t.Errorf("back from the history: %q", got)
	}
	// Another grid finds it on disk, and searches.
	m2, _ := clientModel(t, two()...)
	m2.prompt = prompt.New(disk)
	do(m2, "C-b", ":", "C-r")
	typeIn(m2, "SECOND")
	shows(t, m2, "history: SECOND", "▸ first line⏎second 日本語", "1/2")
	do(m2, "Enter")
	if got := m2.prompt.Text(); got != "first line\nsecond 日本語" || m2.mode != modePrompt {
		t.Errorf("found %q", got)
	}
	do(m2, "C-r", "x", "x", "x")
	shows(t, m2, "nothing matches")
	do(m2, "Escape", "Escape")
	if m2.mode != modePane || m2.prompt.Text() != "" {
		t.Errorf("%q was only found, and is a draft", m2.prompt.Text())
	}
}

// TestHistoryShowsTheMatch: where it stands in the midst of a long text, too.
func TestHistoryShowsTheMatch(t *testing.T) {
	for _, before := range []string{strings.Repeat("a line\n", 2000), strings.Repeat("日本", 900), strings.Repeat("İ", 300)} {
		m, _ := clientModel(t, two()...)
		m.remembers(before + "the needle in it")
		do(m, "C-b", ":", "C-r")
		typeIn(m, "needle")
		shows(t, m, "▸ …", "needle in it", "1/1")
	}
}

func TestPromptFoldsLargePastes(t *testing.T) {
	m, c := clientModel(t, two()...)
	big := strings.Repeat("0123456789 abcdef\n", 1<<20/18)
	do(m, "C-b", ":")
	typeIn(m, "look: ")
	m.Update(terminal.Typed{Paste: []byte(big)})
	shows(t, m, "look: [paste: 58254 lines, 1023 KB]")
	if dump := m.picture().Dump(); strings.Contains(dump, "0123456789") {
		t.Errorf("the paste is shown:\n%s", dump)
	}
	do(m, "Enter")
	if len(c.sent) != 1 || c.sent[0].Text != "look: "+strings.TrimSpace(big) {
		t.Error("it was not sent whole")
	}
	do(m, "C-b", ":")
	m.Update(terminal.Typed{Paste: []byte(strings.Repeat("line\n", 20))})
	do(m, "C-o")
	shows(t, m, "  line", "↑ ")
}

func TestPromptTargets(t *testing.T) {
	m, c := clientModel(t, idles()...)
	do(m, "C-b", ":")
	typeIn(m, "go")
	do(m, "Tab")
	shows(t, m, " to a new session ") // not a group: a Tab too many sends it to one
	do(m, "Tab")
	shows(t, m, " to 4 idle agents: api, web, docs, ops ")
	do(m, "Enter")
	if got := strings.Join(c.sends(), ","); got != "send aaaa1111 go,send bbbb2222 go,send cccc3333 go,send dddd4444 go" {
		t.Errorf("sent %q", got)
	}
	if m.mode != modePane {
		t.Errorf("mode %v", m.mode)
	}
	shows(t, m, "sent to 4 sessions")
	// Chosen ones.
	c.calls = nil
	do(m, "C-b", ":", "C-t")
	shows(t, m, "▸ ☐ api", "idle, focused", "new session", "all idle agents  4 agents: api, web, docs, ops", "Space mark")
	do(m, "Down", "Space", "Space", "Enter")
	shows(t, m, " to 2 sessions: web, docs ")
	typeIn(m, "two")
	do(m, "Enter")
	if got := strings.Join(c.sends(), ","); got != "send bbbb2222 two,send cccc3333 two" {
		t.Errorf("sent %q", got)
	}
	// By its name, a new one, and none.
	c.calls = nil
	do(m, "C-b", ":", "C-t")
	typeIn(m, "ops")
	do(m, "Enter")
	shows(t, m, " to ops ")
	do(m, "C-t")
	typeIn(m, "new")
	do(m, "Enter")
	shows(t, m, " to a new session ")
	typeIn(m, "x")
	do(m, "Enter")
	if len(c.created) != 1 || c.created[0].Prompt != "x" || len(c.sends()) != 0 {
		t.Errorf("created %+v, sent %q", c.created, c.sends())
	}
	m.hosts.Panes["new00001"].Close()
}

// TestPromptSendsOnce: a text that may have arrived is sent again under its id,
// and under another one after it arrived.
func TestPromptSendsOnce(t *testing.T) {
	m, c := clientModel(t, two()...)
	ids := []string{}
	lost := &lostClient{fakeClient: c, ids: &ids}
	m.opts.Client = lost
	lost.err = api.Errorf(api.CodeUnavailable, "the daemon ended in the middle of the call")
	do(m, "C-b", ":")
	typeIn(m, "only once")
	do(m, "Enter")
	if m.prompt.Text() != "only once" || !strings.Contains(m.notice.text, "ended in the middle") {
		t.Fatalf("text %q, notice %q", m.prompt.Text(), m.notice.text)
	}
	do(m, "C-b", ":")
	shows(t, m, "not sent to api: the daemon ended in the middle of the call")
	lost.err = nil
	do(m, "Enter")
	do(m, "C-b", ":")
	typeIn(m, "only once")
	do(m, "Enter")
	if len(ids) != 3 || ids[0] != ids[1] || ids[1] == ids[2] {
		t.Errorf("ids %q", ids)
	}
}

// lostClient notes the ids of prompts, and fails.
type lostClient struct {
	*fakeClient
	mu  sync.Mutex
	ids *[]string
	err error
}

func (c *lostClient) SendPrompt(_ context.Context, _ string, p api.SendPrompt) (api.SendResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.ids = append(*c.ids, p.ID)
	return api.SendResult{ID: p.ID, Status: "delivered"}, c.err
}

// slowClient holds deliveries up until it is told to go on.
type slowClient struct {
	*fakeClient
	let chan struct{}
}

func (c *slowClient) SendPrompt(ctx context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	select {
	case <-c.let:
		return c.fakeClient.SendPrompt(ctx, id, p)
	case <-ctx.Done():
		return api.SendResult{}, ctx.Err()
	}
}

// results runs commands abreast, in a bubble: start begins them, settled waits until
// all of them wait for something and gives the model what they have brought.
func results(m *model) (start func(cmd), settled func()) {
	results := make(chan tea.Msg, 64)
	start = func(c cmd) {
		if c == nil {
			return
		}
		go func() {
			msg := c()
			if batch, ok := msg.(tea.BatchMsg); ok {
				for _, c := range batch {
					start(c)
				}
				return
			}
			results <- msg
		}()
	}
	return start, func() {
		for synctest.Wait(); len(results) > 0; synctest.Wait() {
			if r, ok := (<-results).(underway.Over); ok {
				_, next := m.Update(r)
				start(next)
			}
		}
	}
}

// TestPromptToManyIsCancelled: what is under way shows how far it is, and what
// was not sent comes back into the bar.
func TestPromptToManyIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []api.Session
		for i := range 10 {
			all = append(all, named("idle000"+string(rune('a'+i)), "s"+strconv.Itoa(i), api.StateIdle, 0))
		}
		m, c := clientModel(t, all...)
		slow := &slowClient{c, make(chan struct{})}
		m.opts.Client = slow
		do(m, "C-b", ":", "Tab", "Tab")
		typeIn(m, "go")
		_, sending := m.Update(terminal.Typed{Key: &input.Key{Name: "Enter", At: m.now()}})
		start, settled := results(m)
		start(sending)
		settled()
		shows(t, m, "sending to 10 sessions: 0 sent…", "Esc cancels")
		slow.let <- struct{}{}
		slow.let <- struct{}{}
		slow.let <- struct{}{}
		settled()
		shows(t, m, "sending to 10 sessions: 3 sent…")
		typeIn(m, "next")
		shows(t, m, " to s0 ") // who gets the next text
		press(m, "C-u")
		shows(t, m, "sending to 10 sessions: 3 sent…")
		press(m, "Escape")
		settled()
		if len(c.sends()) != 3 || m.prompt.Text() != "go" {
			t.Errorf("sent %d, text %q", len(c.sends()), m.prompt.Text())
		}
		shows(t, m, "not sent to 7 of 10", "cancelled", "to 7 sessions")
	})
}

func TestPromptCompletesFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"main.go", "docs/read me.md", "tui/editor.go", "tui/edit.go"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	v := named("aaaa1111", "api", api.StateIdle, 0)
	v.CWD = dir
	m, c := clientModel(t, v)
	do(m, "C-b", ":")
	typeIn(m, "see @")
	shows(t, m, "▸ main.go", "main.go", "Enter take")
	typeIn(m, "edi")
	shows(t, m, "▸ tui/edit.go", "tui/editor.go")
	do(m, "Down", "Tab")
	typeIn(m, "and @read")
	do(m, "Enter")
	if got := m.prompt.Text(); got != `see @tui/editor.go and @"docs/read me.md" ` {
		t.Errorf("%q", got)
	}
	typeIn(m, "mail me@home @zzzz") // neither is a file
	if strings.Contains(m.picture().Dump(), " files ") {
		t.Error("a list of files")
	}
	if do(m, "Tab"); !strings.Contains(m.picture().Dump(), " to api ") || !strings.Contains(m.notice.text, "no file here is like zzzz; C-t chooses") {
		t.Errorf("Tab at a name that no file has: %q", m.notice.text)
	}
	do(m, "C-w")
	typeIn(m, "@")
	do(m, "Escape")
	typeIn(m, "m")
	if strings.Contains(m.picture().Dump(), " files ") || m.mode != modePrompt {
		t.Error("the list that was closed is back")
	}
	do(m, "Enter")
	if len(c.sends()) != 1 {
		t.Errorf("sent %q", c.sends())
	}
}

func TestPromptAnswersTheRequest(t *testing.T) {
	m, c := asking(t)
	do(m, "C-b", "2", "C-b", ":")
	shows(t, m, "refuse it, and say what to do instead", "Enter refuse with this message")
	typeIn(m, "use make")
	do(m, "Enter")
	if got := strings.Join(c.answers(), ";"); got != "answer r1 deny false use make" || len(c.sends()) != 0 {
		t.Errorf("answers %q, sent %q", got, c.sends())
	}
	// For another target it is no answer.
	m, c = asking(t)
	do(m, "C-b", "2", "C-b", ":", "C-t")
	typeIn(m, "api")
	do(m, "Enter")
	typeIn(m, "hi")
	do(m, "Enter")
	if got := strings.Join(c.sends(), ";"); got != "send aaaa1111 hi" || len(c.answers()) != 0 {
		t.Errorf("answers %q, sent %q", c.answers(), got)
	}
}

// TestPromptWithoutTheDaemon: the text stays, and the banner shows.
func TestPromptWithoutTheDaemon(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", ":")
	typeIn(m, "keep this")
	m.Update(newsMsg{news{News: known.News{Link: &known.Link{Lost: os.ErrDeadlineExceeded}}}})
	do(m, "Enter")
	shows(t, m, "keep this", "the daemon does not answer", "not sent: ")
	if len(c.sends()) != 0 {
		t.Errorf("sent %q", c.sends())
	}
	m.Update(newsMsg{news{News: known.News{Link: &known.Link{}}}})
	do(m, "Enter")
	if got := c.sends(); len(got) != 1 {
		t.Errorf("sent %q", got)
	}
}

// TestHistoryKeyChosen: the key that opens the search goes on to older ones in it.
func TestHistoryKeyChosen(t *testing.T) {
	m, _ := clientModel(t, two()...)
	m.keys, _ = keymap.Make("", map[string][]string{"prompt-history": {"C-f"}})
	m.remembers("older", "newer")
	do(m, "C-b", ":", "C-f")
	shows(t, m, "▸ newer", "C-f older")
	do(m, "C-f")
	shows(t, m, "▸ older")
}
