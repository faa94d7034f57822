package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// mark is in everything hostile, so that it is found wherever it gets to.
const mark = "EVIL"

// hostileOutput is what agents must not be able to say to the terminal around
// them.
var hostileOutput = []string{
	"\x1b]0;EVIL-title\x07", "\x1b]2;EVIL\x1b\\", "\x1b]1;EVIL\x07", "\x1b]0;a\x1b]52;c;EVIL\x07",
	"\x1b]52;c;RVZJTEVWSUw=\x07", "\x1b]52;p;?\x07", "\x1b]52;;?\x1b\\", "\x1b]4;1;?\x07", "\x1b]10;?\x07", "\x1b]11;EVIL\x07", "\x1b]12;?\x07", "\x1b]104\x07",
	"\x1b]7;file://EVIL/\x07", "\x1b]9;EVIL\x07", "\x1b]9;4;1;50\x07", "\x1b]777;notify;EVIL;EVIL\x07", "\x1b]99;;EVIL\x07", "\x1b]1337;File=name=EVIL:AAAA\x07",
	"\x1b]1337;SetUserVar=EVIL=AA==\x07", "\x1b]133;A;EVIL\x07", "\x1b]633;E;EVIL\x07", "\x1b]50;EVIL\x07", "\x1b]666;EVIL\x07", "\x1b]7501;EVIL\x1b\\",
	"\x1b]8;;javascript:EVIL\x07link\x1b]8;;\x07", "\x1b]8;;file:///EVIL\x07link\x1b]8;;\x07", "\x1b]8;id=EVIL\x1b[2J;https://x/\x1b\\link\x1b]8;;\x1b\\",
	"\x1bPEVIL\x1b\\", "\x1bP$qEVIL\x1b\\", "\x1bP+q45564942\x1b\\", "\x1bPq#0EVIL\x1b\\", "\x1bP=1sEVIL\x1b\\", "\x1bPtmux;\x1b\x1b]0;EVIL\x07\x1b\\", "\x1bP1000pEVIL\x1b\\",
	"\x1b_EVIL\x1b\\", "\x1b_Ga=T,f=24;EVIL\x1b\\", "\x1b^EVIL\x1b\\", "\x1bXEVIL\x1b\\", "\x1bkEVIL\x1b\\",
	"\u009d0;EVIL\u009c", "\u0090EVIL\u009c", "\u009fEVIL\u009c", "\u009b6n", "\x9d0;EVIL\x9c",
	"\x1b[c", "\x1b[>c", "\x1b[=c", "\x1b[0c", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[?996n", "\x1b[x", "\x1bZ", "\x1b[14t", "\x1b[18t", "\x1b[21t", "\x1b[20t", "\x1b[22;0t",
	"\x1b[8;1;1t", "\x1b[3;0;0t", "\x1b[2t", "\x1b[?1$p", "\x1b[>q", "\x1b[>0q", "\x1b[5i", "\x1b[4i", "\x1b[?5i", "\x1b[!p", "\x1b[?u", "\x1b[>31u", "\x1b[1;2y",
	"\x1b[?1000h", "\x1b[?1003h", "\x1b[?47h", "\x1b[?3h", "\x1b[?9h", "\x1b[?5h", "\x1b[20h", "\x1b[4h", "\x1b[?80h", "\x1b[?2048h", "\x05",
	"\x1bc", "\x1b%@", "\x1b%G", "\x1b#8", "\x1b(0", "\x1b)0", "\x0e\x0f", "\x1b=", "\x1b7\x1b8", "\x1b[1\"q", "\x1b[2;1\"p", "\x1b[61\"p",
	"\u202eEVIL\u202c", "\u2066EVIL\u2069", "\ufeffEVIL", "EVIL\u200dEVIL", "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
	"\x1b]0;" + strings.Repeat(mark, 5000) + "\x07", "\x1b[" + strings.Repeat("9;", 500) + "m", "\x1b]0;EVIL unfinished\x18", "\x1bP EVIL unfinished\x1a",
}

// sequences are the control sequences in what a terminal got: strings (OSC, DCS,
// …) whole, CSI as prefix, intermediates and final.
var sequences = regexp.MustCompile("(?s)\x1b[\\]P_^Xk].*?(?:\x07|\x1b\\\\)|\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-OQ-WYZ\\\\`-~]")

// judge returns what is wrong with what a terminal got. known are the kinds of
// questions and modes that ccdir itself uses.
func judge(out string, known map[string]bool) (wrong []string, kinds map[string]bool) {
	kinds = map[string]bool{}
	for _, seq := range sequences.FindAllString(out, -1) {
		kind := seq
		switch {
		case strings.HasPrefix(seq, "\x1b]8;"): // a link: to the web alone, and plain
			url := strings.TrimRight(seq[strings.LastIndexByte(seq, ';')+1:], "\x07\x1b\\")
			if url != "" && !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
				wrong = append(wrong, fmt.Sprintf("a link %q", seq))
			}
			continue
		case strings.ContainsAny(seq[1:2], "]P_^Xk"):
			if strings.Contains(seq, mark) || strings.Contains(seq, "RVZJ") {
				wrong = append(wrong, fmt.Sprintf("a string %.60q", seq))
			}
			kind, _, _ = strings.Cut(seq, ";")
		case seq[1] == '[' && strings.IndexByte("ABCDEFGHJKLMPSTXdfmr@", seq[len(seq)-1]) >= 0 && !strings.ContainsAny(seq, "?>=<!\"$ '"):
			continue // moves, erases, colours: the painter's own
		}
		kinds[kind] = true
		if known != nil && !known[kind] {
			at := strings.Index(out, seq)
			wrong = append(wrong, fmt.Sprintf("%q in %.60q", seq, out[max(0, at-30):]))
		}
	}
	for _, r := range sequences.ReplaceAllString(out, "") {
		if r >= 0x80 && r < 0xa0 || r == utf8.RuneError || r == 0x05 || r == 0x0e || r == 0x202e || r == 0x2066 {
			wrong = append(wrong, fmt.Sprintf("the character %U", r))
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong), kinds
}

// TestHostileOutput: nothing that an agent prints gets to the outer terminal but
// as text and colours in its pane; neither does any verb let it through.
func TestHostileOutput(t *testing.T) {
	h := newHome(t)
	// What the program in the focused pane copies reaches the clipboard, if that is not off.
	if err := os.MkdirAll(h.paths.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.paths.ConfigFile(), []byte("clipboard = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	show := func(name, printed string) string {
		t.Helper()
		file := filepath.Join(h.paths.Home, name)
		if err := os.WriteFile(file, []byte(printed), 0o600); err != nil {
			t.Fatal(err)
		}
		// It waits for a key, so that the grid sees all of it.
		h.run("new", "-n", name, "--", "sh", "-c", "echo waits; read x; cat "+file+"; printf '\\033[m\\033(B\\017\\nend-of-%s\\n' "+name+"; exec sleep 1000")
		s := h.start(nil, "attach", name)
		s.see("waits")
		h.run("keys", name, "Enter")
		s.see("end-of-" + name)
		s.keys(detach)
		if code := s.exit(); code != 0 {
			t.Errorf("exit code %d: %q", code, s.text())
		}
		return s.text()
	}
	if wrong, _ := judge(strings.Join(hostileOutput, ""), map[string]bool{}); len(wrong) < 60 {
		t.Fatalf("the judge sees only %d of what is wrong: %q", len(wrong), wrong)
	}
	calm := show("calm", "\x1b[31mcalm\x1b[m\r\n")
	wrong, known := judge(calm, nil)
	if len(wrong) > 0 {
		t.Errorf("without hostile output: %s", strings.Join(wrong, "\n"))
	}
	out := show("hostile", strings.Join(hostileOutput, "\r\n"))
	if wrong, _ := judge(out, known); len(wrong) > 0 {
		t.Errorf("the terminal got %s", strings.Join(wrong, "\n"))
	}
	for _, args := range [][]string{{"ls"}, {"ls", "--json"}, {"show", "hostile"}, {"explain", "hostile"}, {"events"}, {"events", "--json"}, {"output", "hostile"},
		{"output", "hostile", "--scrollback"}, {"history"}, {"approvals"}, {"decisions"}, {"messages"}, {"task", "ls"}, {"rules", "hostile"}, {"daemon", "status"}, {"config", "get"}} {
		printed := h.run(args...)
		if i := strings.IndexFunc(printed, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e }); i >= 0 {
			t.Errorf("ccdir %q prints %.80q", args, printed[max(0, i-20):])
		}
	}
}

// TestHostileToTerminal: what a session printed reaches a terminal as text with styles,
// and its raw bytes not at all.
func TestHostileToTerminal(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.paths.Home, "hostile.txt")
	if err := os.WriteFile(file, []byte(strings.Join(hostileOutput, "\r\n")+
		"\x1b[m\x1b(B\x0f\r\n\x1b[31mplain\u202e\u2066\u200b\U000e0041dressed\x1b[m\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run("new", "-n", "ended", "--", "cat", file)
	h.run("wait", "ended", "--state", "exited")
	for end := time.Now().Add(untilTimeout); !strings.Contains(h.run("history"), "ended") && time.Now().Before(end); { // the daemon archives it then
		time.Sleep(20 * time.Millisecond) // another process: it sends no event
	}
	for _, args := range [][]string{{"output", "ended", "--scrollback"}, {"output", "ended", "--scrollback", "--ansi"}, {"history", "ended"}} {
		s := h.start(nil, args...)
		if code := s.exit(); code != 0 {
			t.Errorf("ccdir %q exits with %d: %q", args, code, s.text())
		}
		out := s.text()
		if wrong, _ := judge(out, map[string]bool{}); len(wrong) > 0 {
			t.Errorf("ccdir %q: the terminal got %s", args, strings.Join(wrong, "\n"))
		}
		if i := strings.IndexAny(out, "\u202e\u2066\u200b\U000e0041"); i >= 0 {
			t.Errorf("ccdir %q prints %.40q", args, out[i:])
		}
		if styled := !slices.Equal(args, []string{"output", "ended", "--scrollback"}); !strings.Contains(out, "plain") || styled != strings.Contains(out, "\x1b[") {
			t.Errorf("ccdir %q prints %q", args, out)
		}
	}
	s := h.start(nil, "output", "ended", "--raw")
	if code := s.exit(); code != 2 || !strings.Contains(s.text(), "--raw is not for a terminal") {
		t.Errorf("ccdir output --raw exits with %d: %q", code, s.text())
	}
	if raw := h.run("output", "ended", "--raw"); !strings.Contains(raw, "\x1b]52;c;") {
		t.Errorf("without a terminal it prints %q", raw)
	}
}
