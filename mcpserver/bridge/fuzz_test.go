package bridge

import (
	"bufio"
	"bytes"
	"testing"
)

// FuzzAccepted: whatever answers at the socket, it is taken for an acceptance only if
// it says so, and an error is one line.
func FuzzAccepted(f *testing.F) {
	f.Add([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n{}"))
	f.Add([]byte("HTTP/1.1 403 Forbidden\r\n\r\n{\"code\":\"forbidden\",\"message\":\"no\"}"))
	f.Add([]byte("HTTP/1.1 200\n\n"))
	f.Add(bytes.Repeat([]byte("x"), maxAnswer+1))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := accepted(bufio.NewReaderSize(bytes.NewReader(data), maxAnswer))
		if err == nil && !bytes.Contains(data, []byte("101")) {
			t.Errorf("%q is taken for an acceptance", data)
		}
	})
}
