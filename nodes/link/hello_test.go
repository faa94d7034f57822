package link

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"
)

const greetingLine = `{"mux":[1,1],"version":"0.1.0","system":"linux/amd64","home":"/home/me","program":"/p"}`

func TestHello(t *testing.T) {
	for text, want := range map[string]string{
		"ccdir-link N " + greetingLine + "\n":                                     "0.1.0",
		"motd\nlast login\x1b[1m\n$ ccdir-link N " + greetingLine + "\r\n":        "0.1.0",
		strings.Repeat("x", 10_000) + "\nccdir-link N " + greetingLine + "\n":     "0.1.0",
		"ccdir-link OTHER {}\nccdir-link N " + greetingLine + "\nmore":            "0.1.0",
		"ccdir-link N none Linux x86_64\n":                                        "none Linux x86_64 ",
		"ccdir-link N none Linux x86_64 0.0.9\n":                                  "none Linux x86_64 0.0.9",
		"bash: ccdir: command not found\n":                                        `the login there said "bash: ccdir: command not found"`,
		"":                                                                        "the login there said nothing",
		"ccdir-link N {\n":                                                        "its first line is not understood: unexpected end of JSON input",
		`ccdir-link N {"mux":[2,3],"version":"9"}` + "\n":                         "ccdir 9 there speaks protocols 2 to 3, this one 1 to 1",
		strings.Repeat("noise\n", 20_000) + "ccdir-link N " + greetingLine + "\n": `the login there said "noise"`,
	} {
		h, err := readHello(bufio.NewReaderSize(strings.NewReader(text), 16<<10), "N")
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case h.greeting != nil:
			got = h.greeting.Version
		default:
			got = "none " + h.system + " " + h.machine + " " + h.version
		}
		if got != want {
			t.Errorf("%.80q is %q, not %q", text, got, want)
		}
	}
}

// TestLine: a line leaves what follows it.
func TestLine(t *testing.T) {
	r := strings.NewReader(`{"open":"daemon.sock"}` + "\nGET / HTTP/1.1\r\n")
	var q Request
	if err := readLine(r, 100, &q); err != nil || q.Open != "daemon.sock" || r.Len() != 16 {
		t.Errorf("%+v, %v, %d bytes left", q, err, r.Len())
	}
	if err := readLine(strings.NewReader(strings.Repeat("x", 200)), 100, &q); err == nil {
		t.Error("a long line was taken")
	}
}

func TestNonce(t *testing.T) {
	script := Node{Name: "n", Target: "n"}.script("NONCE", false)
	r := bufio.NewReader(strings.NewReader(script + "frames"))
	if got := readNonce(r); got != "NONCE" {
		t.Errorf("%q", got)
	}
	if rest, _ := r.Peek(6); string(rest) != "frames" {
		t.Errorf("%q is left of what follows the script", rest)
	}
	if got := readNonce(bufio.NewReader(strings.NewReader("hello\n"))); got != "" {
		t.Errorf("%q", got)
	}
}

func TestSortKey(t *testing.T) {
	for _, pair := range [][2]string{{"0.1.0", "0.2.0"}, {"0.9.0", "0.10.0"}, {"v1.2.3", "v2.0.0"}, {"dev", "0.0.1"}} {
		if sortKey(pair[0]) >= sortKey(pair[1]) {
			t.Errorf("%s sorts behind %s", pair[0], pair[1])
		}
	}
}

func FuzzHello(f *testing.F) {
	f.Add([]byte("ccdir-link N " + greetingLine + "\n"))
	f.Add([]byte("motd\nccdir-link N none Linux x86_64\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := readHello(bufio.NewReader(bytes.NewReader(data)), "N")
		if err == nil && h.greeting == nil && (h.system == "" || h.machine == "") {
			t.Error("neither a greeting nor an error")
		}
		var silent errSilent
		if errors.As(err, &silent) && len(silent.noise) > 300 {
			t.Error("the noise is not bounded")
		}
	})
}

func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"open":"daemon.sock"}` + "\n"))
	f.Add([]byte(`{"state":"online","question":{"id":1}}` + "\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var q Request
		_ = readLine(bytes.NewReader(data), 1<<10, &q) // neither panics nor hangs
		var s Status
		_ = readLine(bytes.NewReader(data), 1<<10, &s)
	})
}
