package render

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

func play(t *testing.T, s Script) Played {
	t.Helper()
	if s.Screen.Cols == 0 {
		s.Screen.Cols, s.Screen.Rows, s.Screen.HistoryLines = 10, 3, 100
	}
	p, err := Play(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func document(t *testing.T, p Played) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(Describe(p)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		name   string
		script Script
		want   string
	}{
		{
			"empty", Script{},
			`{"cols":10,"rows":3,"grid":["","",""],"cursor":[0,0],"alt":false,"title":"","replies":"","scrollback":[],"attrs":[]}`,
		}, {
			"runs", Script{Input: []byte("\x1b[1;4:3;31;48;2;10;20;30mabc\x1b[0m d\x1b[7m日\x1b[0;44m\x1b[K")},
			`{"cols":10,"rows":3,"grid":["abc d日","",""],"cursor":[7,0],"alt":false,"title":"","replies":"","scrollback":[],"attrs":[` +
				`{"x":0,"y":0,"n":3,"fg":"1","bg":"#0a141e","flags":"bold,underline"},{"x":5,"y":0,"n":2,"flags":"inverse"},{"x":7,"y":0,"n":3,"bg":"4","flags":""}]}`,
		}, {
			"one cell, all flags", Script{Input: []byte("\x1b[1;2;3;4;5;7;8;9mx")},
			`{"cols":10,"rows":3,"grid":["x","",""],"cursor":[1,0],"alt":false,"title":"","replies":"","scrollback":[],"attrs":[` +
				`{"x":0,"y":0,"flags":"bold,dim,italic,underline,blink,inverse,hidden,strike"}]}`,
		}, {
			"replies, title, history, wrap pending", Script{Input: []byte("\x1b]2;t\x07\x1b[6n1\r\n2\r\n3\r\n\x1b[c0123456789"), Chunk: 1},
			`{"cols":10,"rows":3,"grid":["2","3","0123456789"],"cursor":[9,2],"alt":false,"title":"t","replies":"\u001b[1;1R\u001b[?1;2c","scrollback":["1"],"attrs":[]}`,
		}, {
			"resize and then", Script{Input: []byte("0123456789ab"), Resize: Size{5, 4}, Then: []byte("X\x1b[?1049hY")},
			`{"cols":5,"rows":4,"grid":["","","   Y",""],"cursor":[4,2],"alt":true,"title":"","replies":"","scrollback":[],"attrs":[]}`,
		},
	} {
		got := document(t, play(t, c.script))
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestANSIPlaysBack: the styled text, played again, gives the same screen.
func TestANSIPlaysBack(t *testing.T) {
	p := play(t, Script{Input: []byte("\x1b[31mred\x1b[1;4:2m bold\r\n\x1b[0;48;5;20m  \x1b[K\r\n\x1b[m日\x1b[7m e\u0301\x1b[m \x1b[9mx")})
	out := ANSI(nil, p)
	again := play(t, Script{Input: bytes.ReplaceAll(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"), []byte("\r\n"))})
	a, b := Describe(p), Describe(again)
	a.Cursor, b.Cursor = [2]int{}, [2]int{}
	ja, _ := json.Marshal(a)
	jb, _ := json.Marshal(b)
	if string(ja) != string(jb) {
		t.Errorf("%q gives\n%s\nnot\n%s", out, jb, ja)
	}
	linked := ANSI(nil, play(t, Script{Input: []byte("\x1b]8;;http://a/\x07go\x1b]8;;\x07 on")}))
	if want := "\x1b]8;;http://a/\x1b\\go\x1b]8;;\x1b\\ on\n\n\n"; string(linked) != want {
		t.Errorf("link gives %q, want %q", linked, want)
	}
}

func TestText(t *testing.T) {
	if got := string(Text(nil, play(t, Script{Input: []byte("a \r\n\x1b[8mhidden")}))); got != "a\nhidden\n\n" {
		t.Errorf("got %q", got)
	}
}

// TestSVG: well-formed, with the text, whatever it is.
func TestSVG(t *testing.T) {
	for _, in := range []string{"<&>\"'", "\x1b[1;3;4;9;53;38;2;1;2;3mx\x1b[7mz日", "\x1b[?5h\x1b[2;8mh", "\x1b]0;x\x07e\u0301", "\x1b[?25l\x1b[42m  \x1b[4m  "} {
		out := SVG(nil, play(t, Script{Input: []byte(in)}))
		dec := xml.NewDecoder(bytes.NewReader(out))
		for {
			_, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v in\n%s", in, err, out)
			}
		}
	}
	out := string(SVG(nil, play(t, Script{Input: []byte("\x1b[31mhi\x1b[m <b>")})))
	for _, want := range []string{`fill="#cd0000">hi</text>`, `&lt;b&gt;</text>`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	// Several blanks within a style, which viewers make one: nothing is stretched over them.
	out = string(SVG(nil, play(t, Script{Input: []byte("\x1b[7m  a b   c ")})))
	for _, want := range []string{`x="16.8" y="13.5" textLength="25.2"`, `>a b</text>`, `x="67.2" y="13.5" textLength="8.4"`, `>c</text>`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Contains(string(SVG(nil, play(t, Script{Input: []byte("\x1b[8msecret")}))), "secret") {
		t.Error("hidden text is drawn")
	}
}

func TestEngines(t *testing.T) {
	for _, name := range append(Engines(), "") {
		e, err := newEngine(name, screen.Options{Cols: 10, Rows: 2})
		if err != nil {
			t.Fatal(err)
		}
		e.Feed([]byte("hi"))
		if got := string(Text(nil, e)); got != "hi\n\n" {
			t.Errorf("engine %q shows %q", name, got)
		}
	}
	if _, err := newEngine("xterm", screen.Options{}); err == nil || !strings.Contains(err.Error(), "vt10x") {
		t.Errorf("error %v does not say which engines there are", err)
	}
}

func TestPalette(t *testing.T) {
	for i, want := range map[uint8][3]uint8{1: {0xcd, 0, 0}, 16: {0, 0, 0}, 196: {255, 0, 0}, 231: {255, 255, 255}, 232: {8, 8, 8}, 255: {238, 238, 238}} {
		if r, g, b := cells.PaletteRGB(i); [3]uint8{r, g, b} != want {
			t.Errorf("colour %d is %v, want %v", i, [3]uint8{r, g, b}, want)
		}
	}
}
