package host

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"

	"ccdir/wire"
)

// oscListener turns out-of-band messages of the application into evidence. Its methods run
// inside Engine.Feed: h.mu is held.
type oscListener struct {
	h  *host
	st bool // the current command ended with ST
}

// OSC codes that become evidence.
const (
	oscCWD       = 7
	oscNotify    = 9
	oscPrompt    = 133
	oscNotifyVTE = 777
	oscPSP       = 7501 // the program status protocol of Claude Code 2.1.295 and later
)

// Bell records a bell.
func (l *oscListener) Bell() { l.h.record(wire.EvidenceBell) }

// OSCTerminator remembers how the command ended.
func (l *oscListener) OSCTerminator(bel bool) { l.st = !bel }

// OSCTooLong reports a copy that is too long.
func (l *oscListener) OSCTooLong(code int) {
	if code == oscClipboard {
		l.h.copies(wire.Copy{TooLong: true})
	}
}

// OSC records the command as evidence, sends copies to a client, and answers queries of
// colours and of the program status protocol.
func (l *oscListener) OSC(code int, data []byte) (reply []byte) {
	end := "\a"
	if l.st {
		end = "\x1b\\"
	}
	l.st = false
	switch code {
	case oscCWD:
		l.h.record(wire.EvidenceCWD, field{"url", text(data)})
	case oscNotify:
		if len(data) > 0 && !conEmuCommand(data) {
			l.h.record(wire.EvidenceNotify, field{"text", text(data)})
		}
	case oscNotifyVTE:
		if t, ok := bytes.CutPrefix(data, []byte("notify;")); ok { // others are of the shell: precmd, container
			l.h.record(wire.EvidenceNotify, field{"text", text(t)})
		}
	case oscPalette, oscForeground, oscBackground, oscCursor:
		return l.h.colourAnswer(code, data, end)
	case oscClipboard:
		l.h.copied(data)
	case oscPrompt:
		l.h.record(wire.EvidencePrompt, field{"mark", text(data)})
	case oscPSP:
		if string(data) == "?" {
			if l.h.spec.NoProgramStatus {
				return nil
			}
			return []byte("\x1b]7501;?" + end)
		}
		if f := pspFields(data); len(f) > 0 {
			l.h.record(wire.EvidencePSP, f...)
		}
	}
	return nil
}

// conEmuCommand reports whether the text of an OSC 9 is no notification but one of ConEmu's
// numbered commands, such as progress (4) or the working directory (9).
func conEmuCommand(data []byte) bool {
	number, _, _ := bytes.Cut(data, []byte{';'})
	n, err := strconv.Atoi(string(number))
	return err == nil && n >= 1 && n <= 12 && len(number) <= 2
}

func text(data []byte) string { return strings.ToValidUTF8(string(data), "\ufffd") }

// pspFields decodes key=value pairs, separated by ":"; title and msg are base64.
func pspFields(data []byte) []field {
	var out []field
	for pair := range strings.SplitSeq(text(data), ":") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || len(key) > 64 || len(out) == maxFields {
			continue
		}
		if key == "title" || key == "msg" {
			b, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				if b, err = base64.RawStdEncoding.DecodeString(value); err != nil {
					continue
				}
			}
			value = text(b)
		}
		out = append(out, field{key, value})
	}
	return out
}
