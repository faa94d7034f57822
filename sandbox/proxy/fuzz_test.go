package proxy

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"ccdir/sandbox"
)

// FuzzHead: any bytes are a head or an error; a host that is taken is clean, and the head for its
// server has one request.
func FuzzHead(f *testing.F) {
	for _, seed := range []string{"CONNECT api.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://a.b/c?d HTTP/1.1\r\nProxy-Authorization: Basic YTpi\r\n\r\n", "CONNECT [::1]:1 HTTP/1.0\n\n", "GET http://a\r\n b HTTP/1.1\r\n\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := readHead(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		if h.host == "" || h.host != sandbox.CleanHost(h.host) || h.port < 1 || h.port > 65535 {
			t.Errorf("%q names the host %q at %d", text, h.host, h.port)
		}
		if h.connect != (h.forOrigin == "") || strings.Count(h.forOrigin, "\r\n\r\n") > 1 {
			t.Errorf("%q becomes %q", text, h.forOrigin)
		}
	})
}

// FuzzOffer: an offer that is taken has a port for each socket.
func FuzzOffer(f *testing.F) {
	f.Add([]byte(`{"ports":[0,5432],"keep":true}`), 2)
	f.Fuzz(func(t *testing.T, data []byte, sockets int) {
		o, ok := decodeOffer(data, sockets)
		if ok && (len(o.Ports) != sockets || slices.ContainsFunc(o.Ports, func(port int) bool { return port < 0 || port > 65535 })) {
			t.Errorf("%q is %+v", data, o)
		}
	})
}

// FuzzHost: an entry that can be read lets its own host through, and never all.
func FuzzHost(f *testing.F) {
	for _, seed := range []string{"example.com", "*.example.com:80", "[::1]:8080", "localhost:5432", "1.2.3.4", "*", "*.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := sandbox.ParseHost(text)
		if err != nil {
			return
		}
		if h.Match("other.invalid", 443) && h.Name != "other.invalid" && h.Name != "invalid" {
			t.Errorf("%q lets another host through", text)
		}
		if h.Sub && strings.Count(h.Name, ".") == 0 {
			t.Errorf("%q lets a whole domain through", text)
		}
	})
}
