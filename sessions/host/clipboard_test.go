package host

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

// TestCopies: what an application copies goes to the client that was used last, once; nobody
// answers who asks for the clipboard.
func TestCopies(t *testing.T) {
	hello := []wire.Copy{{Text: "hello"}}
	for _, test := range []struct {
		output string
		want   []wire.Copy
	}{
		{"\x1b]52;c;aGVsbG8=\a", hello},
		{"\x1b]52;;aGVsbG8\x1b\\", hello},
		{"\x1b]52;pc;aGVsbG8=\a", hello},
		{"\x1b]52;c;YQkKGwMNYg==\a", []wire.Copy{{Text: "a\t\n\rb"}}}, // with ESC and C-c
		{"\x1b]52;c;Yf8=\a", []wire.Copy{{Text: "a\ufffd"}}},
		{"\x1b]52;c;Zmlyc3Q=\a\x1b]52;c;aGVsbG8=\a", hello},
		{"\x1b]52;c;" + strings.Repeat("A", 64<<10) + "\a", []wire.Copy{{TooLong: true}}},
		{"\x1b]52;p;aGVsbG8=\a", nil},
		{"\x1b]52;c;?\a", nil},
		{"\x1b]52;c;\a\x1b]52;c;Gw==\a\x1b]52;c;*\a\x1b]52\a\x1b]53;c;aGVsbG8=\a", nil},
	} {
		h := quietHost(engineVT, 80, 24)
		first, second := quietClient(h), quietClient(h)
		for c := range h.clients {
			c.may = func() bool { return true }
			c.setView(wire.View{Visible: true, Cols: 80, Rows: 24})
		}
		h.note(second, "text", false, func(screen.State) []byte { return nil })
		if reply := answers(h, test.output); reply != "" {
			t.Errorf("%.40q is answered %q", test.output, reply)
		}
		if got := received(t, first); got != nil {
			t.Errorf("%.40q: the other client gets %v", test.output, got)
		}
		if got := received(t, second); !slices.Equal(got, test.want) {
			t.Errorf("%.40q: %v, want %v", test.output, got, test.want)
		}
		if got := received(t, second); got != nil {
			t.Errorf("%.40q: %v once more", test.output, got)
		}
	}
}

// TestCopiesArePaced: a client gets some copies a second at most, and the last of all.
func TestCopiesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := quietHost(engineVT, 80, 24)
		c := quietClient(h)
		c.may = func() bool { return true }
		c.setView(wire.View{Visible: true, Cols: 80, Rows: 24})
		var got []wire.Copy
		for range 100 {
			h.output([]byte("\x1b]52;c;Zmlyc3Q=\a"))
			got = append(got, received(t, c)...)
			time.Sleep(10 * time.Millisecond)
		}
		h.output([]byte("\x1b]52;c;aGVsbG8=\a"))
		if n := len(got); n < 2 || n > 5 {
			t.Errorf("%d copies in a second", n)
		}
		time.Sleep(time.Second)
		if last := received(t, c); !slices.Equal(last, []wire.Copy{{Text: "hello"}}) {
			t.Errorf("the last one is %v", last)
		}
	})
}

// received collects what the client is sent now, and returns the copies in it.
func received(t *testing.T, c *client) (copies []wire.Copy) {
	t.Helper()
	b, _, _, _ := c.collect(time.Now())
	for len(b) > 0 {
		body := b[5 : 4+binary.LittleEndian.Uint32(b)]
		if wire.Kind(b[4]) == wire.KindCopy {
			var m wire.Copy
			if err := json.Unmarshal(body, &m); err != nil {
				t.Fatal(err)
			}
			copies = append(copies, m)
		}
		b = b[5+len(body):]
	}
	return copies
}
