package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// FuzzPreamble: a bridge's first line gives an identity or an error, and the line is
// never longer than its bound.
func FuzzPreamble(f *testing.F) {
	f.Add([]byte(`{"token":"t","session":"s","dir":"/x"}` + "\n"))
	f.Add([]byte("null\n"))
	f.Add([]byte(`{"token":1}` + "\n"))
	f.Add([]byte(strings.Repeat("x", maxPreamble+1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		asked := false
		refused := errors.New("refused")
		_, err := preamble(context.Background(), bufio.NewReaderSize(bytes.NewReader(data), maxPreamble), func(_ context.Context, pre Preamble) (Caller, error) {
			asked = true
			if n := len(pre.Token) + len(pre.Session); n > 3*maxPreamble {
				t.Errorf("%d bytes of identity", n)
			}
			return Caller{}, refused
		})
		if err == nil || errors.Is(err, refused) != asked {
			t.Errorf("asked %v, %v", asked, err)
		}
	})
}

// FuzzLines: the lines that are read are those that were sent.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n{\"a\":1}\n\nrest"))
	f.Add([]byte(strings.Repeat("y", 70_000) + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		var back []byte
		for {
			line, _, err := readLine(r, &budget{most: maxUnderWay})
			if err != nil {
				break
			}
			back = append(append(back, line...), '\n')
		}
		if want := data[:bytes.LastIndexByte(data, '\n')+1]; !bytes.Equal(back, want) {
			t.Errorf("read %q of %q", back, want)
		}
	})
}
