package prompt

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/prompt/history"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
)

// client takes prompts, answers, tasks and sessions, and fails on demand.
type client struct {
	ui.Client
	calls []string
	err   error
}

func (c *client) note(parts ...string) error {
	c.calls = append(c.calls, strings.Join(parts, " "))
	return c.err
}

func (c *client) SendPrompt(_ context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	return api.SendResult{ID: p.ID, Status: "delivered"}, c.note("send", id, p.Text)
}

func (c *client) Answer(_ context.Context, id string, a api.Answer) (api.Decision, error) {
	return api.Decision{}, c.note("answer", id, string(a.Behavior), a.Text+a.Message)
}

func (c *client) CreateSession(_ context.Context, n api.NewSession) (api.Session, error) {
	return api.Session{ID: "new00001", Name: "new"}, c.note("create", n.Prompt)
}

func (c *client) AddTasks(_ context.Context, list []api.NewTask) ([]api.Task, error) {
	return []api.Task{{ID: "t1"}}, c.note("task", list[0].Prompt)
}

// session is one that is idle unless it is said otherwise.
func session(id, name string, st api.State) api.Session {
	return api.Session{ID: id, Name: name, Agent: "claude", State: st, CWD: "/work", Created: uitest.Epoch, Since: uitest.Epoch}
}

// shell is a session that is no agent.
func shell(id, name string) api.Session {
	v := session(id, name, api.StateIdle)
	v.Agent, v.Plain = "command", api.PlainShell
	return v
}

// part is the prompt bar as a component, for the rig: it is one that never closes.
type part struct{ b *Bar }

func (p part) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	effects, _ := p.b.Key(env, k)
	return p, effects
}
func (p part) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	if !env.Writing {
		p.b.DrawClosed(env, s, paint.Rect{Y: env.Bottom - 1, W: env.Cols, H: 1})
		return paint.Cursor{}
	}
	return p.b.Draw(env, s)
}
func (p part) Refresh(env ui.Env) (ui.Component, []ui.Effect) { return p, p.b.Refresh(env) }
func (p part) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	return p, p.b.Receive(env, value, err)
}

// rig is a prompt bar in a grid of those sessions, of which the first has the focus.
type rig struct {
	*uitest.Rig
	b *Bar
	c *client
	// left: the bar has given the keyboard back since it was asked.
	left bool
}

func newRig(t *testing.T, all ...api.Session) *rig {
	t.Helper()
	env := uitest.Env(80, 24)
	env.Sessions, env.CanQueue, env.Dir = all, true, "/repo"
	env.List.Sessions = all
	for _, v := range all {
		env.Names[v.ID] = v.Name
	}
	if len(all) > 0 {
		env.Focus = all[0].ID
	}
	b := New(Disk{})
	c := &client{}
	r := &rig{Rig: uitest.NewRig(t, env, c, part{&b}), b: &b, c: c}
	r.OnClose = func() { r.Env.Writing, r.left = false, true }
	return r
}

// open opens the bar and types a text.
func (r *rig) open(text string) {
	r.Env.Writing = true
	r.Become(r.b.Open(r.Env, false, nil))
	r.typeIn(text)
}

func (r *rig) typeIn(text string) {
	for _, c := range text {
		r.Do(map[bool]string{true: "Space", false: string(c)}[c == ' '])
	}
}

// closed reports whether the bar has given the keyboard back since it was asked.
func (r *rig) closed() bool {
	was := r.left
	r.left = false
	return was
}

func TestSends(t *testing.T) {
	r := newRig(t, session("aaaa1111", "api", api.StateIdle), session("bbbb2222", "web", api.StateWorking))
	r.open("fix it")
	r.Do("Enter")
	if !r.closed() || r.b.Text() != "" || !slices.Equal(r.c.calls, []string{"send aaaa1111 fix it"}) {
		t.Errorf("called %q, the bar has %q", r.c.calls, r.b.Text())
	}
	r.c.err = errors.New("a dialog is open")
	r.open("again")
	r.Do("Enter")
	if r.closed(); r.b.Text() != "again" || r.Said() != "not sent to api: a dialog is open" {
		t.Errorf("the bar has %q, said %q", r.b.Text(), r.Said())
	}
	// A new session, and the queue.
	r.c.err, r.c.calls = nil, nil
	r.open("")
	r.Do("Tab", "Enter")
	r.closed()
	r.open("later")
	r.Do("Tab", "Tab", "Enter")
	if got := strings.Join(r.c.calls, ", "); got != "create again, task later" {
		t.Errorf("called %q", got)
	}
	if !r.Asks(ui.Learn{Session: api.Session{ID: "new00001", Name: "new"}, Started: true}) || !strings.Contains(r.Said(), "queued as t1") {
		t.Errorf("asked for %v", r.Asked)
	}
}

// TestNobodyIsIdle: a text for the idle agents of which none is left is not sent.
func TestNobodyIsIdle(t *testing.T) {
	r := newRig(t, session("aaaa1111", "api", api.StateIdle), shell("dddd4444", "sh"))
	r.open("x")
	r.Do("Tab", "Tab", "Tab")
	r.Shows(" to 1 idle agent: api ")
	r.Env.Sessions[0].State = api.StateWorking
	r.Do("Enter")
	if r.Shows("not sent: api is not idle any more", "❯ x"); len(r.c.calls) > 0 {
		t.Errorf("called %q", r.c.calls)
	}
}

// TestDraftOfAPurpose: a task that was begun does not stand in the bar as an answer, and
// is kept on disk beside that.
func TestDraftOfAPurpose(t *testing.T) {
	r := newRig(t, session("aaaa1111", "api", api.StateIdle), session("bbbb2222", "web", api.StateInput))
	r.Env.Requests = []api.Request{{ID: "r1", Session: "bbbb2222", Tool: "ask_person", Kind: api.RequestQuestion, Origin: api.OriginMCP, Question: "Which?"}}
	file := history.Draft{File: filepath.Join(t.TempDir(), "draft")}
	*r.b = New(Disk{Draft: file})
	r.open("add a cart")
	r.Do("Escape")
	r.closed()
	r.Env.Focus = "bbbb2222"
	r.open("red")
	r.Shows("web: Which?", "❯ red")
	r.Env.Now = r.Env.Now.Add(time.Second)
	r.Settle()
	r.Env.Now = r.Env.Now.Add(time.Second)
	r.Settle()
	beside, err := file.LoadSent()
	if text, err2 := file.Load(); text != "red" || !strings.Contains(string(beside), `{"session":"aaaa1111","text":"add a cart"}`) || err != nil || err2 != nil {
		t.Errorf("kept %q and %s (%v, %v)", text, beside, err, err2)
	}
	r.Do("Enter")
	if r.closed(); !slices.Equal(r.c.calls, []string{"answer r1 allow red"}) {
		t.Errorf("called %q", r.c.calls)
	}
	r.Env.Requests, r.Env.Focus = nil, "aaaa1111"
	r.open("")
	r.Shows("❯ add a cart")
}

// TestDraftOfAnEndedRequest: an answer that was begun to a request that is over by the time
// the bar opens is in the history.
func TestDraftOfAnEndedRequest(t *testing.T) {
	r := newRig(t, session("aaaa1111", "api", api.StateInput), session("bbbb2222", "web", api.StateInput))
	ask := func(id, session string) api.Request {
		return api.Request{ID: id, Session: session, Tool: "ask_person", Kind: api.RequestQuestion, Origin: api.OriginMCP, Question: "Which?"}
	}
	r.Env.Requests = []api.Request{ask("r1", "aaaa1111"), ask("r2", "bbbb2222")}
	for id, text := range map[string]string{"aaaa1111": "red", "bbbb2222": "blue"} {
		r.Env.Focus = id
		r.open(text)
		r.Do("Escape")
	}
	r.Env.Focus, r.Env.Requests = "aaaa1111", r.Env.Requests[1:]
	r.open("")
	if r.b.Text() != "" {
		t.Errorf("a task is %q", r.b.Text())
	}
	if r.Do("Up"); r.b.Text() != "red" {
		t.Errorf("Up has %q", r.b.Text())
	}
	r.Do("Escape")
	r.Env.Focus = "bbbb2222"
	if r.open(""); r.b.Text() != "blue" {
		t.Errorf("the answer is %q", r.b.Text())
	}
}

// TestFoundFiles: dot files come last, unless they were asked for.
func TestFoundFiles(t *testing.T) {
	if got := foundFiles("read", []string{".read.md.swp", "docs/read me.md"}); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("the dot file comes first: %v", got)
	}
	if got := foundFiles(".r", []string{"a.r", ".r"}); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("asked for by its dot: %v", got)
	}
}

// TestGolden: the bar alone at four sizes.
func TestGolden(t *testing.T) {
	four := func() []api.Session {
		return []api.Session{
			session("aaaa1111", "api", api.StateIdle), session("bbbb2222", "web", api.StatePermission),
			session("cccc3333", "docs", api.StateIdle), shell("dddd4444", "sh"),
		}
	}
	// sending has a text on its way to those sessions, of which the first has got it and the
	// second has failed if there are several.
	sending := func(r *rig, to ...api.Session) {
		for i, e := range r.b.outbox.Send(outbox.Entry{Text: "go"}, to, "") {
			if i < 2 && len(to) > 1 {
				r.c.err = []error{nil, errors.New("a dialog is open")}[i]
				res, err := e.(ui.Call).Run(t.Context(), r.c)
				r.b.Receive(r.Env, res.Value, err)
			}
		}
	}
	api1, three := four()[0], four()[:3]
	for name, show := range map[string]func(r *rig){
		"closed": func(*rig) {},
		"asks":   func(r *rig) { r.Env.Focus = "bbbb2222" },
		"draft":  func(r *rig) { r.open("fix it"); r.Env.Writing = false },
		"empty":  func(r *rig) { r.open("") },
		"lines": func(r *rig) {
			r.open("Rename the widget everywhere, keep the old name as an alias")
			effects, _ := r.b.Paste(r.Env, []byte(" 日本語 too\n"+strings.Repeat("log line\n", 30)))
			r.Become(effects)
		},
		"history": func(r *rig) {
			for _, text := range []string{"fix the tests", "write docs for\nthe config", "run the tests again"} {
				r.b.remember(r.Env, text)
			}
			r.open("")
			r.Do("C-r")
			r.typeIn("test")
		},
		"history-none": func(r *rig) { r.open(""); r.Do("C-r", "z") },
		"targets":      func(r *rig) { r.open(""); r.Do("C-t", "Space", "Down") },
		"marked": func(r *rig) {
			r.open("go")
			r.b.target = target.ChosenOf("aaaa1111", "cccc3333", "dddd4444")
		},
		"idle":    func(r *rig) { r.open("go"); r.Do("Tab", "Tab", "Tab") },
		"queue":   func(r *rig) { r.open("go"); r.Do("Tab", "Tab") },
		"refuses": func(r *rig) { r.Env.Focus = "bbbb2222"; r.open("no, use make") },
		"failed": func(r *rig) {
			r.c.err = errors.New("a dialog is open in the pane; answer it first")
			r.open("go")
			r.Do("Enter")
			r.closed()
			r.open("")
		},
		"ended":        func(r *rig) { r.open("go"); r.Env.Sessions[0].State = api.StateExited },
		"sending":      func(r *rig) { sending(r, api1) },
		"sending-two":  func(r *rig) { sending(r, four()[2]); sending(r, three...) },
		"sending-open": func(r *rig) { sending(r, three...); r.open("") },
		"offline": func(r *rig) {
			r.open("go")
			r.Env.Offline = "gone"
			r.Env.Banner, _ = r.Env.OfflineBanner()
		},
	} {
		for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 36}, {200, 60}} {
			r := newRig(t, four()...)
			r.Env.Requests = []api.Request{{
				ID: "r1", Session: "bbbb2222", Tool: "Bash", Kind: api.RequestPermission, Since: uitest.Epoch, Question: "Bash: rm -rf build/", AlwaysRule: "Bash(rm -rf build/)",
			}}
			r.Env.Cols, r.Env.Rows, r.Env.Bottom = size[0], size[1], size[1]-1
			show(r)
			uitest.Golden(t, r.Env, part{r.b}, name+"-"+strconv.Itoa(size[0])+"x"+strconv.Itoa(size[1]))
		}
	}
}

// TestBurst: keys that came at once are a paste as soon as a line break is within; the
// Enter behind it that comes too soon is one of its line breaks.
func TestBurst(t *testing.T) {
	r := newRig(t, session("aaaa1111", "api", api.StateIdle))
	r.open("")
	var keys []ui.Key
	for _, name := range []string{"a", "Enter", "b"} {
		k := ui.Key{Name: name, At: r.Env.Now}
		if name != "Enter" {
			k.Press.Text, k.Press.Code = name, rune(name[0])
		}
		keys = append(keys, k)
	}
	if n, effects := r.b.Burst(r.Env, keys); n != 3 || r.b.Text() != "a\nb" {
		t.Fatalf("took %d, %q, %v", n, r.b.Text(), effects)
	}
	r.Env.Now = r.Env.Now.Add(PasteGap / 2)
	r.Do("Enter")
	if r.Shows("so soon after a paste Enter is a line break of it"); len(r.c.calls) > 0 {
		t.Errorf("called %q", r.c.calls)
	}
	r.Env.Now = r.Env.Now.Add(time.Second)
	if r.Do("Enter"); len(r.c.calls) != 1 {
		t.Errorf("called %q", r.c.calls)
	}
}

// TestFull: more texts than may be on their way are not taken.
func TestFull(t *testing.T) {
	r := newRig(t, session("aaaa1111", "api", api.StateIdle))
	for !r.b.outbox.Full() {
		r.b.outbox.Send(outbox.Entry{Text: "go"}, r.Env.Sessions, "")
	}
	r.open("one more")
	r.Do("Enter")
	if !strings.Contains(r.b.Problem(), "too many texts are on their way; "+r.Env.Keys.Hint(keymap.CancelWork)) || r.b.Text() != "one more" {
		t.Errorf("%q, %q", r.b.Problem(), r.b.Text())
	}
}

// TestFailsWhileAnotherIsWritten: a text that fails while the next one is being written in
// the open bar is said to have failed, and can be had by Up whatever its size.
func TestFailsWhileAnotherIsWritten(t *testing.T) {
	for name, text := range map[string]string{"short": "fix it", "large": strings.Repeat("log line\n", history.MaxEntry/8)} {
		r := newRig(t, session("aaaa1111", "api", api.StateIdle))
		r.open("")
		effects, _ := r.b.Paste(r.Env, []byte(text))
		r.Become(effects)
		sending, _ := r.b.Key(r.Env, uitest.Key(r.Env, "Enter"))
		last := len(sending) - 1 // it is under way
		r.Become(sending[:last])
		r.open("next")
		r.c.err = errors.New("a dialog is open")
		r.Become(sending[last:])
		if said := r.Said(); !strings.Contains(said, "not sent to api: a dialog is open") || r.b.Text() != "next" {
			t.Errorf("%s: said %q, the bar has %q", name, said, r.b.Text())
		}
		if r.Do("Up"); r.b.Text() != strings.TrimSpace(text) {
			t.Errorf("%s: Up has %d bytes", name, len(r.b.Text()))
		}
		if r.Do("Down"); r.b.Text() != "next" {
			t.Errorf("%s: back is %q", name, r.b.Text())
		}
	}
}
