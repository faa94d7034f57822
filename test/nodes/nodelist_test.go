package nodes

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestNodeList: nodes that are added and removed while a grid is open come and go; the list of
// nodes says how each is reached, ends connections and begins them, and asks what ssh asks.
func TestNodeList(t *testing.T) {
	r := newRig(t)
	r.ok("new", "-n", "mine", "--", "cat")
	s := r.grid()
	s.shows("mine")
	s.keys("C-b", "N")
	s.shows("No other machine is known")
	r.addHere()
	r.ok("new", "-n", "far", "box/", "--", "sh", "-c", "echo over there; cat")
	s.shows("box", "online", " ms", "1 session")
	s.keys("Escape")
	s.shows("box/far", "over there")

	s.keys("C-b", "N")
	s.shows("leave alone")
	s.keys("d")
	s.shows("offline", "taken down")
	if _, running := r.status(); running {
		t.Error("the link runs")
	}
	s.keys("Escape")
	s.shows("as of ")
	old := regexp.MustCompile(`as of ([7-9]|\d\d) s ago`) // each try to reach it, every 5 s, would make it younger
	s.until("the pane's true age", func() bool { return old.MatchString(s.text()) })
	s.keys("C-b", "N")
	s.shows("leave alone")
	if out, err := exec.Command("ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", r.file("key")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.keys("u")
	s.shows("connect box", "passphrase")
	s.keys("wrong")
	s.shows("•••••")
	s.keys("Enter")
	s.until("the question again", func() bool {
		text := s.text()
		return strings.Contains(text, "passphrase") && !strings.Contains(text, "•")
	})
	s.keys("open sesame")
	s.shows("•••••••••••")
	if text := s.text(); strings.Contains(text, "sesame") {
		t.Errorf("the passphrase is on the screen:\n%s", text)
	}
	s.keys("Enter")
	there := regexp.MustCompile(`❯ box +online +\d`)
	s.until("the list again, with the node", func() bool {
		text := s.text()
		return there.MatchString(text) && !strings.Contains(text, "connect box")
	})
	s.keys("Enter") // its sessions
	s.shows("sessions · 1")
	s.keys("Enter")
	s.shows("━ 2 box/far")
	s.keys("b", "a", "c", "k", "Enter")
	r.until("the echo", func() bool { return strings.Count(r.ok("output", "box/far"), "back") == 2 })

	r.ok("node", "rm", "box")
	pane := regexp.MustCompile(`[━─] 2 box/far`) // its events stay, one at 11:32 too
	s.until("a grid without the node", func() bool { return !pane.MatchString(s.text()) && strings.Contains(s.text(), "mine") })
}
