package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestObjectHasItsMembersInOrder(t *testing.T) {
	var got []string
	for m := Object([]byte(` { "a" : 1, "b":"x\"}y" ,"c":[{"d":"]"},2],"e":{ } , "f":null}`)); m.Next(); {
		got = append(got, string(m.Key)+"="+string(m.Value))
	}
	if want := `a=1 b="x\"}y" c=[{"d":"]"},2] e={ } f=null`; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

func TestMalformedTextEndsEarly(t *testing.T) {
	for _, text := range []string{``, `[1]`, `{`, `{"a"`, `{"a":`, `{"a":"x`, `{"a":{"b":1`, `{1:2}`, `{"a" 1}`} {
		for m := Object([]byte(text)); m.Next(); {
			t.Errorf("%s has a member %s: %s", text, m.Key, m.Value)
		}
	}
}

func TestTextIsCutBetweenCharacters(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
		cut   int
	}{
		{`"plain"`, 10, "plain", 0},
		{`"plain"`, 3, "pla", 2},
		{`"a\nb\u00e9\ud83d\ude00"`, 20, "a\nbé😀", 0},
		{`"aé"`, 2, "a", 2},
		{`"a\u00e9"`, 2, "a", 6},
		{`"\ud83d"`, 9, "\uFFFD", 0},
		{`"\x"`, 9, "\uFFFD", 0},
		{"\"a\xffb\"", 9, "a\uFFFDb", 0},
		{`7`, 9, "", 0},
	} {
		if got, cut := Text([]byte(tt.in), tt.limit); got != tt.want || cut != tt.cut {
			t.Errorf("Text(%s, %d) = %q, %d; want %q, %d", tt.in, tt.limit, got, cut, tt.want, tt.cut)
		}
	}
}

// FuzzAgainstJSON: of well-formed JSON it finds what encoding/json finds, and of anything
// else it returns valid UTF-8.
func FuzzAgainstJSON(f *testing.F) {
	for _, s := range []string{`{"a":"x","b":[1,{"c":"\u00e9\\\""}]}`, `{"a":"\ud800","a":2}`, "{\"\xff\":\"\xff\"}", `{"a":-1.5e3}`, `[{"a":1},"b"]`, `{"a":"\\"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole := map[string]json.RawMessage{}
		valid := json.Valid(data)
		isObject := valid && json.Unmarshal(data, &whole) == nil && whole != nil
		if valid && !Whole(data) {
			t.Errorf("Whole(%q) is false", data)
		}
		found := map[string]json.RawMessage{}
		for m := Object(data); m.Next(); {
			key, _ := Text(append(append([]byte{'"'}, m.Key...), '"'), 1<<20)
			found[key] = m.Value
			text, _ := Text(m.Value, 64)
			if !utf8.ValidString(text) || len(text) > 64 {
				t.Errorf("%q gives %q", m.Value, text)
			}
		}
		if !isObject {
			return
		}
		for key, want := range whole {
			got := found[key]
			if string(got) != string(want) {
				t.Errorf("%q: member %q is %q, want %q", data, key, got, want)
			}
			var text string
			if json.Unmarshal(want, &text) == nil && want[0] == '"' {
				if own, _ := Text(got, 1<<20); own != text {
					t.Errorf("%q is %q, want %q", want, own, text)
				}
			}
		}
		if len(found) != len(whole) {
			t.Errorf("%q: found %d members, want %d", data, len(found), len(whole))
		}
	})
}
