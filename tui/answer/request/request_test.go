package request

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/internal/text/toolinput"
	"ccdir/tui/paint"
)

// linesOf are the lines of a request that replaces no file.
func linesOf(r api.Request, w int) []Line { return Lines(r, Present{}, w) }

func TestLinesShowEverything(t *testing.T) {
	r := api.Request{Tool: "Edit", Input: json.RawMessage(`{"old_string":"a\tb","new_string":"日本\nc\u001b[31m\u202ed","file_path":"/etc/x","n":{"k":[1,2]},"long":"` + strings.Repeat("x", 50) + `"}`)}
	for w := range 40 {
		var all []string
		for _, l := range linesOf(r, w) {
			if paint.Width(l.Text) > max(w, 2) {
				t.Errorf("width %d: %q", w, l.Text)
			}
			all = append(all, l.Text)
		}
		if w < 5 {
			continue
		}
		text := strings.Join(all, "")
		for _, want := range []string{"/etc/x", "- a    b", "+ 日本", "+ c", strings.Repeat("x", 50), `{"k":[1,2]}`} {
			if !strings.Contains(text, want) {
				t.Errorf("width %d: %q is not in %q", w, want, all)
			}
		}
		if strings.ContainsAny(text, "\x1b\u202e\t\n") {
			t.Errorf("control characters in %q", text)
		}
	}
	if l := linesOf(r, 80); l[0].Text != "/etc/x" {
		t.Errorf("begins with %q", l[0].Text)
	}
	for _, bad := range []string{"", "null", "[1]", `{"a"`, `"x`} {
		r.Input = json.RawMessage(bad)
		if len(linesOf(r, 20)) == 0 {
			t.Errorf("nothing is shown of %q", bad)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add(`{"command":"x\ny"}`, 10)
	f.Add(`{"questions":[{"question":"a\nb","header":"\u001b","multiSelect":true,"options":[{"label":"c\u001b"}]},{"question":"d"}]}`, 9)
	f.Add(`{"questions":[{"question":"Which\tof  the 日本?","options":[{"label":"a","description":"d\u001b"},{"label":"b"}]}]}`, 7)
	f.Fuzz(func(t *testing.T, in string, w int) {
		question := api.Request{Input: json.RawMessage(in), Kind: api.RequestQuestion}
		chosen := question
		chosen.Choices = []string{"a", "b"}
		plan := question
		plan.Kind = api.RequestPlan
		for _, r := range []api.Request{plan, {Input: json.RawMessage(in)}, question, chosen} {
			for _, l := range linesOf(r, w%200) {
				if strings.ContainsAny(l.Text, "\n\x1b") {
					t.Fatalf("%q", l.Text)
				}
			}
			several := r
			several.Questions = len(toolinput.List(r.Input, "questions"))
			for _, p := range Pages(several) {
				for _, l := range PageLines(p, p.Header, w%200) {
					if strings.ContainsAny(l.Text, "\n\x1b") {
						t.Fatalf("%q", l.Text)
					}
				}
			}
			if about := Described(r); about != nil && len(about) != len(r.Choices) || strings.ContainsAny(strings.Join(about, ""), "\n\x1b") {
				t.Fatalf("described %q", about)
			}
		}
	})
}

func TestDiffOfEdits(t *testing.T) {
	for _, tt := range []struct{ input, want string }{
		{`{"file_path":"/a","old_string":"one\ntwo\nthree","new_string":"one\n2\nthree"}`, "/a|  one|- two|+ 2|  three"},
		{`{"file_path":"/a","old_string":"x","new_string":"","replace_all":true}`, "/a|- x|replace_all: true"},
		{`{"file_path":"/a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}`, "/a|change 1 of 2|- a|+ b|change 2 of 2|- c|+ d"},
		{`{"file_path":"/a","edits":[{"old_string":"a"}]}`, `/a|edits: [{"old_string":"a"}]`},
		{`{"old_string":"a\u001b[31m\u202e","new_string":"b\rc"}`, "- a␛[31m<U+202E>|+ b|+ c"},
		{`{"old_string":"same","new_string":"same"}`, "- same|+ same"},
		// What another spelling, a second value or a further member would hide.
		{`{"edits":[{"old_string":"a","new_string":"rm","New_String":"ls"}]}`, `edits: [{"old_string":"a","new_string":"rm","New_String":"ls"}]`},
		{`{"edits":[{"old_string":"a","new_string":"b","file_path":"/etc/x"}]}`, `edits: [{"old_string":"a","new_string":"b","file_path":"/etc/x"}]`},
		{`{"edits":[{"old_string":"a","new_string":"b","replace_all":true}]}`, "everywhere in the file:|- a|+ b"},
		{`{"old_string":"a","new_string":"rm","New_String":"ls"}`, "- a|+ rm|New_String: ls"},
	} {
		var got []string
		for _, l := range linesOf(api.Request{Input: json.RawMessage(tt.input)}, 80) {
			got = append(got, l.Text)
		}
		at := 0
		for want := range strings.SplitSeq(tt.want, "|") {
			i := slices.IndexFunc(got[at:], func(s string) bool { return strings.HasPrefix(s, want) })
			if i < 0 {
				t.Errorf("%s: no %q in %q", tt.input, want, got)
				break
			}
			at += i + 1
		}
	}
}

// FuzzEdits: whatever an input holds, an edit has both sides.
func FuzzEdits(f *testing.F) {
	f.Add([]byte(`[{`))
	f.Add([]byte(`{"edits":[{"old_string":"a","new_string":"b"}],"file_path":"/x"}`))
	f.Add([]byte(`{"old_string":"a","new_string":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if fields, ok := toolinput.Fields(data); ok {
			edits, keys := toolinput.Edits(fields)
			if (len(edits) == 0) != (len(keys) == 0) {
				t.Errorf("%d edits by %v", len(edits), keys)
			}
			for _, e := range edits {
				if e.Old == nil || e.New == nil {
					t.Errorf("half an edit of %q", data)
				}
			}
		}
	})
}

// TestQuestionsByTheirMembers: another spelling of a member is not what the agent reads.
func TestQuestionsByTheirMembers(t *testing.T) {
	r := api.Request{Kind: api.RequestQuestion, Choices: []string{"yes", "no"}, Question: "Delete?", Input: json.RawMessage(
		`{"questions":[{"question":"Delete?","Question":"Keep?","options":[{"label":"yes","description":"gone","Description":"kept"},{"label":"no"}]}],"Questions":[]}`)}
	if l := linesOf(r, 80); l[0].Text != "Delete?" {
		t.Errorf("asks %q", l[0].Text)
	}
	if got := Described(r); len(got) != 2 || got[0] != "gone" || got[1] != "" {
		t.Errorf("described %q", got)
	}
}

// TestAsked: a question stands in one line with its choices, once, and with what was
// chosen.
func TestAsked(t *testing.T) {
	for input, want := range map[string]string{
		`{"questions":[{"question":"Which hash?","options":[{"label":"Yes"},{"label":"No"}]}]}`:                                "Which hash? (Yes / No)",
		`{"questions":[{"question":"Which hash?","options":[{"label":"Yes"},{"label":"No"}]}],"answers":{"Which hash?":"No"}}`: "Which hash? (Yes / No) → No",
		`{"questions":[{"question":"A?","options":[]},{"question":"B\nor C?","options":[]}]}`:                                  "A? · B or C?",
		`{"question":"Delete?","choices":["yes","no"]}`:                                                                        "Delete? (yes / no)",
		`{"command":"make"}`: "", `{"questions":7}`: "", `[]`: "", ``: "",
	} {
		if got := Asked(json.RawMessage(input)); got != want {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
}
