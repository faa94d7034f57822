package wall

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ccdir/sandbox"
	"ccdir/sandbox/proxy"
)

// through asks the proxy that the environment names for a host, and returns what it says.
func through(host, user string) string {
	at, err := url.Parse(os.Getenv("HTTPS_PROXY"))
	if err != nil || at.Host == "" {
		return fmt.Sprint("no proxy: ", err)
	}
	c, err := net.Dial("tcp", at.Host)
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	auth := ""
	if at.User != nil && user == "" {
		password, _ := at.User.Password()
		auth = "Proxy-Authorization: Basic " + basic(at.User.Username()+":"+password) + "\r\n"
	}
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\n%s\r\n", host, auth)
	said, _ := io.ReadAll(c)
	return string(said)
}

// greeter answers every connection with a word, and by HTTP's CONNECT as a proxy for all.
func greeter(t *testing.T, word string, isProxy bool, asked func(string)) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if isProxy {
				r := bufio.NewReader(c)
				first, _ := r.ReadString('\n')
				asked(strings.TrimSpace(first))
				for line := "x"; strings.TrimSpace(line) != ""; line, err = r.ReadString('\n') {
					if err != nil {
						break
					}
				}
				fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\n")
			}
			fmt.Fprint(c, word)
			c.Close()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// TestHosts: of a network with a list, what is listed is reached, and nothing else is; what is refused
// is told, and what is allowed later is reached at once.
func TestHosts(t *testing.T) {
	for _, mechanism := range mechanisms(t) {
		t.Run(mechanism, func(t *testing.T) {
			l := newLab(t)
			var mu sync.Mutex
			var asked, refused []string
			up := greeter(t, "from-the-listed-host", true, func(line string) { mu.Lock(); asked = append(asked, line); mu.Unlock() })
			mine := greeter(t, "from-my-database", false, nil)
			p := l.plan(sandbox.Worktree, mechanism)
			p.Network, p.Hosts, p.Proxy = sandbox.NetworkHosts, []string{"api.example.com", "*.sub.example.com", "localhost:" + mine}, filepath.Join(l.root, "net.sock")
			way := proxy.New(proxy.Options{Hosts: proxy.Hosts(filepath.Join(l.root, "plan.json")), Env: []string{"HTTPS_PROXY=http://127.0.0.1:" + up, "NO_PROXY=.direct.example.com"},
				Refused: func(host string, _ int) { mu.Lock(); refused = append(refused, host); mu.Unlock() }})
			t.Cleanup(way.Close)
			if err := way.Listen(p.Proxy); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(p.Proxy, 0o777); err != nil {
				t.Fatal(err)
			}
			sh := l.shell(p)
			try := func(argv ...string) (string, string) {
				return sh.run(t, l.self+" attempt '"+strings.Join(argv, "' '")+"'")
			}
			_, unlisted, _ := net.SplitHostPort(l.tcp)
			for _, tt := range []struct {
				argv []string
				want string
			}{
				{[]string{"through", "api.example.com:443"}, "from-the-listed-host"},
				{[]string{"through", "API.Example.com.:443"}, "from-the-listed-host"},
				{[]string{"through", "a.sub.example.com:443"}, "from-the-listed-host"},
				{[]string{"through", "sub.example.com:443"}, "403"},
				{[]string{"through", "api.example.com:22"}, "403"},
				{[]string{"through", "evil.com:443"}, "ccdir sandbox allow"},
				{[]string{"through", "169.254.169.254:80"}, "403"},
				{[]string{"through", "127.0.0.1:" + unlisted}, "403"},
				{[]string{"through", "127.1:" + unlisted}, "403"},
				{[]string{"through", "[::ffff:127.0.0.1]:" + unlisted}, "403"},
				{[]string{"greeting", "127.0.0.1:" + mine}, "from-my-database"},
				{[]string{"dial", "tcp", l.tcp}, "refused|unreachable|denied"},
				{[]string{"dial", "tcp", "1.1.1.1:443"}, "unreachable|denied"},
				{[]string{"dial", "udp", l.udp}, "denied|got out"}, // in a network of its own it is sent to nobody
			} {
				if tt.argv[1] == "udp" && mechanism == sandbox.Landlock {
					tt.want = "denied"
				}
				out, status := try(tt.argv...)
				if status != "0" || !slices.ContainsFunc(strings.Split(tt.want, "|"), func(want string) bool { return strings.Contains(out, want) }) {
					t.Errorf("%q: status %s, said %q, want %q", tt.argv, status, out, tt.want)
				}
			}
			if out, status := try("through", "api.example.com:443", "nobody"); mechanism == sandbox.Landlock && (status != "0" || !strings.Contains(out, "407")) {
				t.Errorf("without the password: %s %q", status, out)
			}
			p.Hosts = append(p.Hosts, "evil.com")
			l.write(p)
			if out, status := try("through", "evil.com:443"); status != "0" || !strings.Contains(out, "from-the-listed-host") {
				t.Errorf("a host that was allowed: %s %q", status, out)
			}
			way.Close()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Contains(refused, "evil.com:443") || !slices.Contains(refused, "169.254.169.254:80") {
				t.Errorf("refusals that were told: %q", refused)
			}
			if slices.ContainsFunc(asked, func(line string) bool { return strings.Contains(line, "169.254") || strings.Contains(line, ":22") }) {
				t.Errorf("the other proxy was asked for %q", asked)
			}
		})
	}
}

// TestHostsWithout: where nothing lets the listed hosts through, the program does not begin.
func TestHostsWithout(t *testing.T) {
	for _, mechanism := range mechanisms(t) {
		l := newLab(t)
		p := l.plan(sandbox.Worktree, mechanism)
		p.Network, p.Hosts = sandbox.NetworkHosts, []string{"api.example.com"}
		out, err := l.behind(p, "/bin/echo", "begun").CombinedOutput()
		if data, _ := json.Marshal(p); err == nil || strings.Contains(string(out), "begun") {
			t.Errorf("%s: %v %s %s", mechanism, err, out, data)
		}
	}
}
