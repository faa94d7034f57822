package usersettings

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"ccdir/agents/claude"
)

// few are hooks for readable tests: two events, in the form of old versions.
var few = []claude.OutsideHook{
	{Event: "Stop", Command: "'/opt/a&b/ccdir-shim' hook Stop --external", Timeout: 5},
	{Event: "PreToolUse", Command: "/opt/ccdir-shim", Args: []string{"hook", "PreToolUse", "--external"}, Timeout: 5},
}

func mustRead(t testing.TB, text string) *document {
	t.Helper()
	d, err := read(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return d
}

func TestInsertLooksLikeTheFile(t *testing.T) {
	got, _, err := mustRead(t, `{
    // my model
    "model": "opus", // the big one
    "hooks": {
        "Stop": [
            {"matcher": "x", "hooks": [{"type": "command", "command": "say done"}]} // mine
        ]
    }
}
`).with(few)
	want := `{
    // my model
    "model": "opus", // the big one
    "hooks": {
        "Stop": [
            {"matcher": "x", "hooks": [{"type": "command", "command": "say done"}]}, // mine
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "'/opt/a&b/ccdir-shim' hook Stop --external",
                        "timeout": 5
                    }
                ]
            }
        ],
        "PreToolUse": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "/opt/ccdir-shim",
                        "args": [
                            "hook",
                            "PreToolUse",
                            "--external"
                        ],
                        "timeout": 5
                    }
                ]
            }
        ]
    }
}
`
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// samples are settings files as people have them, and as nobody should.
var samples = []string{
	"{}", "{}\n", " { } ", "{\n}\n", "\ufeff{}\n",
	`{"model":"opus"}`,
	"{\"model\":\"opus\",}",
	"{\n\t\"model\": \"opus\"\n}",
	"{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"{\n  \"model\": \"opus\", // note\n  /* block */\n}",
	"{\n  \"model\": \"opus\" // note without a comma\n}",
	"// head\n{ // open\n} // tail",
	`{"hooks":{}}`, `{"hooks":{"Stop":[]}}`, `{"hooks":{"Stop":[],},}`,
	`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"z":1}`,
	"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}, // empty\n    ],\n    \"Other\": [1, \"two\", null]\n  },\n  \"env\": {\"A\": \"\\u00e9\\\"}]\"}\n}",
	`{"a":{"hooks":{"Stop":"not ours"}},"permissions":{"allow":["Bash(ls)"]},"n":1.5e3,"t":true}`,
	`{"hooks":{"Stop":[{"hooks":"odd"},"odd",{"matcher":1},[{}]]}}`,
	`{"x":"// no comment","y":"/* none */"}`,
	"{\"hooks\": {\"PreToolUse\": [ // why\n]}}",
	`{"disableAllHooks":true}`,
}

func TestInAndOut(t *testing.T) {
	for _, text := range samples {
		roundTrip(t, text)
	}
}

// roundTrip: what is put in can be taken out, by the places where it was put
// exactly, and by its looks up to white space; nothing else changes.
func roundTrip(t *testing.T, text string) {
	t.Helper()
	d := mustRead(t, text)
	if len(d.ours()) > 0 {
		return
	}
	after, inserted, err := d.with(few)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if back, ok := cut(after, inserted); !ok || back != text {
		t.Errorf("exactly: %q became %q", text, back)
	}
	in := mustRead(t, after)
	if ours := in.ours(); len(ours) != len(few) {
		t.Errorf("%d hooks are found in\n%s", len(ours), after)
	}
	out, n := in.without()
	was, _ := d.value()
	is, err := mustRead(t, out).value()
	if n != len(few) || err != nil || !reflect.DeepEqual(was, is) {
		t.Errorf("%d taken out, %v; %q became %q", n, err, text, out)
	}
	// Empty lists go with what was put into them, unless a comment is in them.
	if !strings.Contains(text, "[]") && !strings.Contains(text, "{}") && squash(out) != squash(text) {
		t.Errorf("more than white space changed: %q became %q", text, out)
	}
	for _, c := range comments(text) {
		if !strings.Contains(out, c) {
			t.Errorf("the comment %q is lost: %q", c, out)
		}
	}
}

// squash takes out the white space.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, s)
}

// comments are the comments of a text.
func comments(text string) (list []string) {
	_, all, _ := parse(text)
	for _, c := range all {
		list = append(list, strings.TrimSpace(text[c.Start:c.Start+c.Len]))
	}
	return list
}

// TestOutOfOthersEdits: our hooks go from wherever they have been moved to.
func TestOutOfOthersEdits(t *testing.T) {
	const stop = `{"type":"command","command":"/x/ccdir-shim","args":["hook","Stop","--external"],"timeout":5}`
	for _, c := range []struct{ text, want string }{
		{`{"hooks":{"Stop":[{"hooks":[` + stop + `]}]}}`, `{}`},
		{`{"a":1,"hooks":{"Stop":[{"hooks":[` + stop + `]}]}}`, `{"a":1}`},
		{`{"a":1,"hooks":{"Stop":[{"hooks":[` + stop + `]}]},}`, `{"a":1,}`},
		{`{"hooks":{"Stop":[{"hooks":[` + stop + `]}]},"a":1}`, `{"a":1}`},
		{`{"hooks":{"Stop":[{"hooks":[` + stop + `,{"type":"command","command":"x"}]}]}}`, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`},
		{`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"},` + stop + `]}]}}`, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`},
		{`{"hooks":{"Stop":[{"hooks":[` + stop + `,` + stop + `]},{"matcher":"m","hooks":[` + stop + `]}],"X":[]}}`, `{"hooks":{"X":[]}}`},
		{"{\"hooks\":{\"Stop\":[1, // one\n" + stop + ",{\"hooks\":[" + stop + "]} , 2]}}", "{\"hooks\":{\"Stop\":[1, // one\n" + stop + ",  2]}}"},
		{"{\"hooks\":{\"Stop\":[1, // one\n{\"hooks\":[" + stop + "]}, 2]}}", "{\"hooks\":{\"Stop\":[1, // one\n 2]}}"},
		{"{\"hooks\":{\"Stop\":[1, // one\n  {\"hooks\":[" + stop + "]},\n  2]}}", "{\"hooks\":{\"Stop\":[1, // one\n  2]}}"},
		// Not ours: another event, another program, another verb.
		{`{"hooks":{"Stop":[{"hooks":[` + strings.Replace(stop, `"Stop"`, `"Setup"`, 1) + `]}]}}`, ""},
		{`{"hooks":{"Stop":[{"hooks":[` + strings.Replace(stop, `ccdir-shim`, `shim`, 1) + `]}]}}`, ""},
		{`{"hooks":{"Stop":[{"hooks":[` + strings.Replace(stop, `,"--external"`, ``, 1) + `]}]}}`, ""},
		{`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo /x/ccdir-shim hook Stop --external; rm x"}]}]}}`, ""},
	} {
		if c.want == "" {
			c.want = c.text
		}
		if got, _ := mustRead(t, c.text).without(); got != c.want {
			t.Errorf("%s\nbecame %s\nwant   %s", c.text, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{
		"", "nonsense", "[]", `"x"`, "{", `{"a"}`, `{"a":}`, `{"a":1 "b":2}`, `{,}`, `{"a":01}`, `{'a':1}`, `{"a":1}}`, `{"a":"`, "{\"a\":\"\n\"}",
		"{ /* ", `{"hooks":[]}`, `{"hooks":null}`, `{"hooks":{"Stop":{}}}`, `{"hooks":{},"hooks":{}}`, `{"hooks":{"Stop":[],"Stop":[]}}`,
		"\xff{}", `{"a":/ 1}`, strings.Repeat("[", 10_000), `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
		"{\"a\":\"secret\nsecret\"}", `{"a":` + strings.Repeat("[", maxLists-1) + strings.Repeat("]", maxLists-1) + `}`, strings.Repeat("[", maxSize),
	} {
		if _, err := read(text); err == nil {
			t.Errorf("%.60q was taken", text)
		} else if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60q: the error has several lines, or quotes a value: %v", text, err)
		}
	}
}

// FuzzInAndOut: every text that is understood survives, and every text that
// encoding/json understands is understood.
func FuzzInAndOut(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, _, err := parse(text)
		var v any
		if json.Unmarshal([]byte(text), &v) == nil && utf8.ValidString(text) && strings.Count(text, "[")+strings.Count(text, "{") < maxDepth {
			if err != nil {
				t.Fatalf("JSON is refused: %v", err)
			}
			if got, err := root.decode(); err != nil || !reflect.DeepEqual(got, v) {
				t.Fatalf("read as %v (%v), want %v", got, err, v)
			}
		}
		if _, err := read(text); err == nil {
			roundTripFuzz(t, text)
		}
	})
}

func roundTripFuzz(t *testing.T, text string) {
	d := mustRead(t, text)
	if len(d.ours()) > 0 {
		return
	}
	after, inserted, err := d.with(few)
	if err != nil {
		t.Fatalf("%v\n%q", err, text) // it checks itself
	}
	if back, ok := cut(after, inserted); !ok || back != text {
		t.Fatalf("%q became %q", text, back)
	}
}
