package tui

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// kindsOf takes output apart into kinds of sequences, each with an example:
// control characters by name, CSI by prefix, intermediate and final byte (private
// modes by number: ?25), SGR by parameter (m1; m30 for all eight, m38;5), OSC by
// number, device control strings as DCS, or tmux for those addressed to it.
func kindsOf(out string) map[string]string {
	kinds := map[string]string{}
	for i := 0; i < len(out); {
		c := out[i]
		name := map[byte]string{'\b': "BS", '\n': "LF", '\r': "CR", '\a': "BEL"}[c]
		switch {
		case name != "":
			kinds[name] = name
			i++
		case c == 0x1b && i+1 < len(out):
			n := escapeKinds(out[i:], kinds)
			i += n
		case c < ' ' || c == 0x7f:
			kinds["control character"] = out[i : i+1]
			i++
		default:
			i++
		}
	}
	return kinds
}

// escapeKinds adds the kinds of the sequence at the beginning of s and returns its
// length.
func escapeKinds(s string, kinds map[string]string) int {
	switch s[1] {
	case '[':
		end := 2
		for end < len(s) && (s[end] < 0x40 || s[end] > 0x7e) {
			end++
		}
		csiKinds(s[2:end], s[end], kinds)
		return end + 1
	case ']':
		end := strings.IndexAny(s, "\a")
		if st := strings.Index(s, "\x1b\\"); st >= 0 && (end < 0 || st < end) {
			end = st + 1
		}
		number, _, _ := strings.Cut(s[2:], ";")
		kinds["OSC"+number] = s[:min(end+1, 30)]
		return end + 1
	case 'P':
		// Inside, an ESC of tmux's is doubled, and screen's end at the first ST.
		if strings.HasPrefix(s, "\x1bPtmux;") {
			kinds["tmux"] = s[:12]
			for i := 7; ; {
				at := i + strings.Index(s[i:], "\x1b")
				if s[at+1] == '\\' {
					return at + 2
				}
				i = at + 2
			}
		}
		end := strings.Index(s, "\x1b\\") + 2
		kinds["DCS"] = s[:min(end, 30)]
		if end > 768 || strings.Contains(s[:end], "\x9c") {
			kinds["DCS that screen cannot hold"] = s[:30]
		}
		return end
	}
	kinds["ESC"+s[1:2]] = s[:2]
	return 2
}

func csiKinds(params string, final byte, kinds map[string]string) {
	whole := "\x1b[" + params + string(final)
	switch {
	case final == 'm' && !strings.HasPrefix(params, ">"):
		sgrKinds(strings.Split(params, ";"), whole, kinds)
	case (final == 'h' || final == 'l') && strings.HasPrefix(params, "?"):
		for _, n := range strings.Split(params[1:], ";") {
			kinds["?"+n] = whole
		}
	default:
		kinds[strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == ';' || r == ' ' {
				return -1
			}
			return r
		}, params)+string(final)] = whole
	}
}

func sgrKinds(params []string, whole string, kinds map[string]string) {
	for i := 0; i < len(params); i++ {
		p := params[i]
		switch {
		case p == "":
			p = "0"
		case strings.HasPrefix(p, "4:"):
			p = "4:"
		case strings.HasPrefix(p, "58"):
			p = "58"
		case (p == "38" || p == "48") && i+1 < len(params):
			by := params[i+1]
			i += map[string]int{"5": 2, "2": 4}[by]
			p += ";" + by
		case len(p) == 2 && p[0] >= '3' && p[0] <= '4' || len(p) == 2 && p[0] == '9':
			p = p[:1] + "0"
		case len(p) == 3 && p[:2] == "10":
			p = "100"
		}
		kinds["m"+p] = whole
	}
}

// TestKindsOf: what the table of terminals is compared with.
func TestKindsOf(t *testing.T) {
	in := "a\x1b[1;31;48;5;7;38;2;1;2;3m\x1b[m\x1b[4:3;58:2::1:2:3;103m\x1b[?1049;2004h\x1b[?2026$p\x1b[>1u\x1b[<u\x1b[3;4H\x1b[5 q\x1b[7b" +
		"\x1b]8;;http://x\x1b\\\x1b]52;c;eA==\a\x1bPtmux;\x1b\x1b]9;x\a\x1b\\\x1bP\x1b]9;x\a\x1b\\\r\n\x1b7"
	want := "<u >u ?$p ?1049 ?2004 CR DCS ESC7 H LF OSC52 OSC8 b m0 m1 m100 m30 m38;2 m48;5 m4: m58 q tmux"
	if got := strings.Join(slices.Sorted(maps.Keys(kindsOf(in))), " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
