package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"ccdir/sandbox"
)

// serving is a proxy with a list, and its address.
func serving(t *testing.T, o Options) string {
	t.Helper()
	p := New(o)
	t.Cleanup(p.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.wg.Go(func() { p.Serve(l, 0, "") })
	return l.Addr().String()
}

// TestPlain: plain HTTP goes to the host, which sees an ordinary request and none of the proxy's
// fields; each connection has one.
func TestPlain(t *testing.T) {
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprint(r.Method, " ", r.RequestURI, " ", string(body), r.Header["Proxy-Authorization"]))
		fmt.Fprint(w, "hello")
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := serving(t, Options{Hosts: func() []string { return []string{at.Host} }})
	client := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return url.Parse("http://u:p@" + proxy) }}}
	for range 2 {
		answer, err := client.Post(server.URL+"/a?b=c", "text/plain", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if string(said) != "hello" {
			t.Errorf("said %q", said)
		}
	}
	if want := "POST /a?b=c body[]"; len(seen) != 2 || seen[0] != want || seen[1] != want {
		t.Errorf("the host saw %q", seen)
	}
	answer, err := client.Get("http://other.example/")
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden || !strings.Contains(string(said), "other.example:80") {
		t.Errorf("a host that is not listed: %d %s", answer.StatusCode, said)
	}
}

// TestRebinding: a listed name that leads to this machine, its neighbours, or by a whole domain to
// the private network is refused, and is not dialled.
func TestRebinding(t *testing.T) {
	for name, lead := range map[string]string{"a.example": "127.0.0.1", "b.example": "169.254.169.254", "c.example": "::ffff:127.0.0.1", "d.example": "0.0.0.0", "x.wide.example": "10.0.0.1", "e.example": "fe80::1"} {
		proxy := serving(t, Options{Hosts: func() []string {
			return []string{"a.example", "b.example", "c.example", "d.example", "e.example", "*.wide.example"}
		},
			Lookup: func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr(lead)}, nil
			}})
		c, err := net.Dial("tcp", proxy)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "CONNECT %s:443 HTTP/1.1\r\n\r\n", name)
		first, _ := bufio.NewReader(c).ReadString('\n')
		_ = c.Close()
		if !strings.Contains(first, "403") {
			t.Errorf("%s, which leads to %s: %q", name, lead, first)
		}
	}
	if sandbox.Reserved(netip.MustParseAddr("10.0.0.1"), true) {
		t.Error("a host of the private network that is listed in full is refused")
	}
}

// TestBadHeads: what is no request of a proxy is answered so.
func TestBadHeads(t *testing.T) {
	proxy := serving(t, Options{Hosts: func() []string { return []string{"a.example"} }})
	for _, head := range []string{"GET / HTTP/1.1\r\n\r\n", "CONNECT a.example HTTP/1.1\r\n\r\n", "CONNECT a.example:99999 HTTP/1.1\r\n\r\n", "CONNECT fe80::1%eth0:443 HTTP/1.1\r\n\r\n", "x\r\n\r\n",
		"GET ftp://a.example/ HTTP/1.1\r\n\r\n", "CONNECT a.example:443 HTTP/1.1\r\nX y\r\n\r\n", "CONNECT a.example:443 HTTP/1.1\r\nX: a\rb\r\n\r\n", "CONNECT a.example:443 HTTP/1.1\r\nX: " + strings.Repeat("a", maxHead) + "\r\n\r\n"} {
		c, err := net.Dial("tcp", proxy)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(c, head) }() // the answer may come before its end
		first, _ := bufio.NewReader(c).ReadString('\n')
		_ = c.Close()
		if !strings.Contains(first, "400") {
			t.Errorf("%.60q: %q", head, first)
		}
	}
}

// TestTally: a host that is tried without end is told at once, and then once a minute with a count;
// those beyond a number are told together.
func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := map[string]int{}
		calls := 0
		y := tally{report: func(host string, count int) { told[host] += count; calls++ }}
		for range 1000 {
			y.add("a:1")
		}
		if calls != 1 || told["a:1"] != 1 {
			t.Errorf("told %d times: %v", calls, told)
		}
		y.flush()
		if told["a:1"] != 1000 {
			t.Errorf("at the end told %v", told)
		}
		for i := range 1000 {
			y.add(fmt.Sprint("h:", i))
		}
		y.flush()
		if len(told) > maxTold+1 || told[Others] == 0 {
			t.Errorf("%d hosts are told by name, the others %d times", len(told), told[Others])
		}
	})
}

// TestUpstream: which hosts are reached by the machine's own proxy.
func TestUpstream(t *testing.T) {
	u := upstreamOf([]string{"HTTPS_PROXY=http://u:p@proxy.corp:3128", "NO_PROXY=localhost, .corp,*.lan,exact.example"})
	if u.at != "proxy.corp:3128" || u.auth == "" || u.wrong != "" {
		t.Errorf("it is %+v", u)
	}
	for host, want := range map[string]bool{"api.example": true, "git.corp": false, "corp": false, "a.lan": false, "exact.example": false, "inexact.example": true, "localhost": false, "127.0.0.1": false} {
		if got := u.serves(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
	if upstreamOf([]string{"HTTPS_PROXY=socks5://x:1"}).wrong == "" || upstreamOf([]string{"HTTPS_PROXY=http://x", "NO_PROXY=*"}).serves("a.example") || upstreamOf(nil).serves("a.example") {
		t.Error("another kind, all excepted, and none")
	}
}
