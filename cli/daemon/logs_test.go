package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestReadLogLine(t *testing.T) {
	for text, want := range map[string]logLine{
		`time=2026-11-25T10:00:00.000Z level=WARN msg="cannot save" waiting=7 error="read-only \"disk\""`: {At: "2026-11-25T10:00:00.000Z", Level: "WARN", Message: "cannot save",
			Fields: map[string]string{"waiting": "7", "error": `read-only "disk"`}},
		`time=x level=INFO msg=started path=`: {At: "x", Level: "INFO", Message: "started", Fields: map[string]string{"path": ""}},
		`panic: runtime error`:                {Message: "panic: runtime error"},
		`goroutine 1 [running]:`:              {Message: "goroutine 1 [running]:"},
		`time=x level=INFO msg="open`:         {Message: `time=x level=INFO msg="open`},
		``:                                    {},
		`ccdir: a=b`:                          {Message: "ccdir: a=b"},
	} {
		if got := readLogLine(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n%+v\n%+v", text, got, want)
		}
	}
}

// FuzzReadLogLine: what the daemon's handler writes is read back.
func FuzzReadLogLine(f *testing.F) {
	f.Add("cannot save", "error", "a \"b\"\nc=d")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, message, key, value string) {
		readLogLine(message) // whatever it is
		var out bytes.Buffer
		slog.New(slog.NewTextHandler(&out, nil)).Error(message, key, value, "err", errors.New(value))
		l := readLogLine(strings.TrimSuffix(out.String(), "\n"))
		if strings.ToValidUTF8(message, "") != message || strings.ToValidUTF8(key+value, "") != key+value {
			return // the handler replaces what is not UTF-8
		}
		switch key {
		case "", "time", "level", "msg", "err":
			return
		}
		if message != "" && l.Message != message || l.Level != "ERROR" || l.Fields[key] != value || l.Fields["err"] != value {
			t.Errorf("%s is read as %+v", out.String(), l)
		}
	})
}
