package vt

import (
	"encoding/hex"
	"fmt"
	"strings"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
)

// maxReplies bounds what is kept to be written back between two TakeReplies.
const maxReplies = 64 << 10

// reply queues an answer to the application; whole or not at all.
func (t *Terminal) reply(p []byte) {
	if len(t.replies)+len(p) <= maxReplies {
		t.replies = append(t.replies, p...)
	}
}

func (t *Terminal) replyf(format string, args ...any) {
	if len(t.replies) < maxReplies {
		t.reply(fmt.Appendf(nil, format, args...))
	}
}

// TakeReplies implements [screen.Engine].
func (t *Terminal) TakeReplies(dst []byte) []byte {
	dst = append(dst, t.replies...)
	if cap(t.replies) > keepString {
		t.replies = nil
	}
	t.replies = t.replies[:0]
	return dst
}

// primaryAttributes answers DA1: a VT100 with advanced video, as xterm.js and
// tmux do. Applications take DA1 as the end of a series of queries.
func (t *Terminal) primaryAttributes() { t.replyf("\x1b[?1;2c") }

// secondaryAttributes answers DA2 as xterm, patch 276.
func (t *Terminal) secondaryAttributes() { t.replyf("\x1b[>0;276;0c") }

// reportVersion answers XTVERSION.
func (t *Terminal) reportVersion() {
	if t.opt.Name != "" {
		t.replyf("\x1bP>|%s\x1b\\", strings.TrimSpace(t.opt.Name+" "+t.opt.Version))
	}
}

// deviceStatus answers DSR. The row is that of the screen in origin mode too,
// as xterm.js and tmux have it.
func (t *Terminal) deviceStatus(what int, mark string) {
	switch {
	case what == 5 && mark == "":
		t.replyf("\x1b[0n")
	case what == 6:
		t.replyf("\x1b[%s%d;%dR", mark, t.cur.y+1, min(t.cur.x, t.cols-1)+1)
	case what == 996 && mark == "?":
		if l, ok := t.opt.Listener.(screen.SchemeListener); ok {
			t.replyf("%s", screen.SchemeReport(l.LightScheme()))
		}
	}
}

const maxTitles = 10

// windowOp is XTWINOPS: it reports sizes, and pushes and pops titles. Windows are not moved
// or resized.
func (t *Terminal) windowOp(op, arg int) {
	switch {
	case op == 14 && arg == 0:
		t.replyf("\x1b[4;%d;%dt", t.rows*screen.CellHeight, t.cols*screen.CellWidth)
	case op == 16:
		t.replyf("\x1b[6;%d;%dt", screen.CellHeight, screen.CellWidth)
	case op == 18:
		t.replyf("\x1b[8;%d;%dt", t.rows, t.cols)
	case op == 22 && arg != 1:
		if len(t.titles) == maxTitles {
			copy(t.titles, t.titles[1:])
			t.titles = t.titles[:maxTitles-1]
		}
		t.titles = append(t.titles, t.title)
	case op == 23 && arg != 1 && len(t.titles) > 0:
		t.title = t.titles[len(t.titles)-1]
		t.titles = t.titles[:len(t.titles)-1]
	}
}

// setProtected is DECSCA.
func (t *Terminal) setProtected(n int) {
	switch n {
	case 1:
		t.pen.style.Attrs |= cells.Protected
		t.protects = true
	case 0, 2:
		t.pen.style.Attrs &^= cells.Protected
	}
	t.penChanged()
}

// dcs acts on a complete device control string: DECRQSS and XTGETTCAP.
func (t *Terminal) dcs(s []byte) {
	switch {
	case len(s) >= 2 && s[0] == '$' && s[1] == 'q':
		t.requestStatus(string(s[2:]))
	case len(s) >= 2 && s[0] == '+' && s[1] == 'q':
		t.requestTermcap(string(s[2:]))
	}
}

// requestStatus answers DECRQSS.
func (t *Terminal) requestStatus(what string) {
	answer := ""
	switch what {
	case "m":
		answer = t.sgrString() + "m"
	case "r":
		answer = fmt.Sprintf("%d;%dr", t.cur.top+1, t.cur.bottom+1)
	case " q":
		answer = fmt.Sprintf("%d q", t.shape)
	case "\"q":
		answer = "0\"q"
		if t.pen.style.Attrs&cells.Protected != 0 {
			answer = "1\"q"
		}
	case "\"p":
		answer = "61;1\"p"
	default:
		t.replyf("\x1bP0$r\x1b\\")
		return
	}
	t.replyf("\x1bP1$r%s\x1b\\", answer)
}

// sgrString gives the pen's rendition as parameters of SGR.
func (t *Terminal) sgrString() string {
	return string(t.pen.style.AppendSGR([]byte("0")))
}

// requestTermcap answers XTGETTCAP, name by name.
func (t *Terminal) requestTermcap(names string) {
	for i, name := range strings.Split(names, ";") {
		if i == maxParams {
			return
		}
		key, err := hex.DecodeString(name)
		value := ""
		switch string(key) {
		case "TN", "name":
			value = "xterm-256color"
		case "Co", "colors":
			value = "256"
		case "RGB":
			value = "8/8/8"
		}
		if err != nil || value == "" {
			t.replyf("\x1bP0+r\x1b\\")
			return
		}
		t.replyf("\x1bP1+r%s=%X\x1b\\", name, value)
	}
}
