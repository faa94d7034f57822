package opencode

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	_ "modernc.org/sqlite"

	"ccdir/agents"
	"ccdir/agents/transcript"
	"ccdir/api"
)

var update = flag.Bool("update", false, "write the golden file anew")

// database is a database with the tables that conversations are read from.
type database struct {
	t    testing.TB
	db   *sql.DB
	path string
}

func newDatabase(t testing.TB) *database {
	t.Helper()
	d := &database{t: t, path: filepath.Join(t.TempDir(), "open code.db")}
	db, err := sql.Open("sqlite", d.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	d.db = db
	d.do("PRAGMA journal_mode=WAL")
	d.do("CREATE TABLE session (id text PRIMARY KEY, parent_id text, cost real, time_created integer)")
	d.do("CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text)")
	d.do("CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text)")
	return d
}

func (d *database) do(query string, args ...any) {
	d.t.Helper()
	if _, err := d.db.Exec(query, args...); err != nil {
		d.t.Fatal(err)
	}
}

// fill puts in the rows that were recorded with opencode 1.18.33.
func (d *database) fill() {
	d.t.Helper()
	f, err := os.Open("testdata/conversations.jsonl")
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row []any
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			d.t.Fatal(err)
		}
		if row[0] == "session" {
			row = append(row, 1795662000000)
		}
		d.do("INSERT INTO "+row[0].(string)+" VALUES (?"+strings.Repeat(",?", len(row)-2)+")", row[1:]...)
	}
}

// open returns the reader of a conversation.
func (d *database) open(id string) transcript.Source {
	d.t.Helper()
	from := Adapter{}.OpenConversation(agents.Conversation{ID: id, Path: d.path})
	if from == nil {
		d.t.Fatal("it has no conversation ", id)
	}
	return from
}

// follow reads a conversation on and keeps its turns.
type follow struct {
	t     testing.TB
	from  transcript.Source
	turns []api.Turn
	news  []api.Turn
}

func (f *follow) read() []api.Turn {
	f.t.Helper()
	f.news = nil
	if err := f.from.Read(f.t.Context(), func(turn api.Turn) error {
		f.turns, f.news = transcript.Merge(f.turns, turn, 0), append(f.news, turn)
		return nil
	}); err != nil {
		f.t.Fatal(err)
	}
	return f.turns
}

// The recorded conversations, and the name of a subagent's.
const (
	firstRecorded  = "ses_dea31c71affe3uMVRgoRBUJu1d"
	secondRecorded = "ses_dea2edb25ffeMXPeS2iQ6H4PQG"
)

// TestConversations: conversations recorded with the real program decode to the turns beside them: answers,
// tools that work, fail, are refused with and without words, an edit, a subagent, a question, interrupted
// turns, an API that failed, and a process that was killed.
func TestConversations(t *testing.T) {
	d := newDatabase(t)
	d.fill()
	var got bytes.Buffer
	out := json.NewEncoder(&got)
	out.SetIndent("", " ")
	out.SetEscapeHTML(false)
	for _, id := range []string{firstRecorded, secondRecorded} {
		if err := out.Encode((&follow{t: t, from: d.open(id)}).read()); err != nil {
			t.Fatal(err)
		}
	}
	golden := filepath.Join("testdata", "conversations.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("it differs from %s (go test -update writes it anew):\n%s", golden, got.Bytes())
	}
}

// TestGrows: what is new of a conversation is told once, as it grows; a turn that was taken back is gone.
func TestGrows(t *testing.T) {
	d := newDatabase(t)
	f := &follow{t: t, from: d.open("ses_a")}
	message := func(id, data string) {
		d.do("INSERT INTO message VALUES (?, 'ses_a', 1, 1, ?)", id, data)
	}
	part := func(id, of, data string) {
		d.do("INSERT INTO part VALUES (?, ?, 'ses_a', 1, 1, ?) ON CONFLICT DO UPDATE SET data = excluded.data, time_updated = time_updated + 1", id, of, data)
	}
	expect := func(state api.TurnState, turns, news int, answer string) {
		t.Helper()
		all := f.read()
		if len(all) != turns || len(f.news) != news || turns > 0 && (all[turns-1].State != state || all[turns-1].Answer != answer) {
			t.Fatalf("%d turns, %d told, want %d and %d %s %q: %+v", len(all), len(f.news), turns, news, state, answer, all)
		}
	}
	expect("", 0, 0, "")
	d.do("INSERT INTO session VALUES ('ses_a', NULL, 0, 0)")
	message("m1", `{"role":"user","time":{"created":1000}}`)
	part("p1", "m1", `{"type":"text","text":"go"}`)
	expect(api.TurnRunning, 1, 1, "")
	expect(api.TurnRunning, 1, 0, "")
	message("m2", `{"role":"assistant","time":{"created":2000},"cost":0.5}`)
	part("p2", "m2", `{"type":"tool","callID":"c","tool":"bash","state":{"status":"running","input":{"command":"ls"},"time":{"start":2000}}}`)
	part("p3", "m2", `{"type":"text","text":"half","time":{"start":2000}}`)
	expect(api.TurnRunning, 1, 1, "")
	part("p2", "m2", `{"type":"tool","callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a","time":{"start":2000,"end":2500}}}`)
	part("p3", "m2", `{"type":"text","text":"half of it","time":{"start":2000,"end":2600}}`)
	expect(api.TurnRunning, 1, 1, "half of it")
	if n := f.news[0]; n.From != 1 || len(n.Items) != 1 || n.ToolsFrom != 0 || n.Tools[0].Outcome != api.ToolOK {
		t.Errorf("what is new: %+v", n)
	}
	d.do(`UPDATE message SET time_updated = 2, data = '{"role":"assistant","finish":"stop","time":{"created":2000,"completed":3000},"cost":0.5}' WHERE id = 'm2'`)
	expect(api.TurnDone, 1, 1, "half of it")
	message("m3", `{"role":"user","time":{"created":4000}}`)
	part("p4", "m3", `{"type":"text","text":"more"}`)
	message("m4", `{"role":"assistant","finish":"stop","time":{"created":5000,"completed":6000},"cost":0.25}`)
	part("p5", "m4", `{"type":"text","text":"done","time":{"start":5000,"end":5100}}`)
	expect(api.TurnDone, 2, 1, "done")
	if c := f.turns[1].CostUSD; c != 0.75 {
		t.Errorf("it has cost %v", c)
	}
	d.do("DELETE FROM part WHERE message_id IN ('m3', 'm4')")
	d.do("DELETE FROM message WHERE id IN ('m3', 'm4')")
	expect(api.TurnDone, 1, 1, "half of it")
}

// TestNoDatabase: without a database there are no turns; what is none is an error.
func TestNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := &follow{t: t, from: Adapter{}.OpenConversation(agents.Conversation{ID: "ses_a", Path: path})}
	if len(f.read()) > 0 {
		t.Error("there are turns")
	}
	if err := os.WriteFile(path, []byte("no database at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.from.Read(t.Context(), func(api.Turn) error { return nil }); err == nil {
		t.Error("it is read")
	}
	for _, c := range []agents.Conversation{{ID: "../x", Path: path}, {ID: "ses_a", Path: "x.db"}, {ID: "ses_a"}} {
		if (Adapter{}).OpenConversation(c) != nil {
			t.Errorf("%+v is opened", c)
		}
	}
	own := []string{"HOME=/h", "OPENCODE_DB=mine.db"}
	if got := databasePath(own); got != "/h/.local/share/opencode/mine.db" {
		t.Error(got)
	}
}

// FuzzMessages: whatever a message holds, turns are bounded and valid.
func FuzzMessages(f *testing.F) {
	f.Add(`{"role":"assistant","finish":"stop"}`, `{"type":"tool","callID":"c","tool":"edit","state":{"status":"completed","metadata":{"diff":"@@ -1,1 +1,1 @@\n-a\n+b\n"}}}`)
	f.Add(`{"role":"assistant","error":{"name":"APIError"},"time":{"completed":9e18}}`, `{"type":"text","text":"x"}`)
	f.Add(`{"role":"user"}`, `{"type":"text","text":"x"}`)
	f.Fuzz(func(t *testing.T, info, part string) {
		m := message{id: "m", created: 1, text: info, parts: []row{{"p", part}}}
		_ = json.Unmarshal([]byte(info), &m.info)
		for _, later := range []bool{false, true} {
			turn, ok := transcript.Build(false, func(b *transcript.Builder) { tell(b, []message{m}, later) })
			data, err := json.Marshal(turn)
			if err != nil || ok && (turn.State == "" || !utf8.Valid(data)) {
				t.Fatalf("%v %+v", err, turn)
			}
			if news, changed := transcript.News(turn, turn); changed || len(news.Items)+len(news.Tools) > 0 {
				t.Fatalf("it differs from itself: %+v", news)
			}
		}
	})
}
