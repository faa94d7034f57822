package realcli

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/daemon/store"
	"ccdir/test/fakeapi"
	"ccdir/usage"
)

// vendor is the service that the CLI asks for an account's windows: it is always the same host, whatever ANTHROPIC_BASE_URL
// says, as is that of sign-ins, so it is reached by a proxy with a certificate of the test's own.
type vendor struct {
	mu    sync.Mutex
	paths []string
	usage string // the answer to GET /api/oauth/usage
	token string // the answer to a request for a new token
}

// asked are the requests so far, as "METHOD PATH".
func (v *vendor) asked() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.paths)
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.paths = append(v.paths, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/v1/oauth/token" && v.token != "" {
		_, _ = io.WriteString(w, v.token)
		return
	}
	if r.URL.Path != "/api/oauth/usage" || r.Header.Get("Authorization") != "Bearer sk-ant-oat01-test" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{}`)
		return
	}
	_, _ = io.WriteString(w, v.usage)
}

// serve starts it for the CLI of a place.
func (v *vendor) serve(t *testing.T, place *Place) {
	t.Helper()
	hosts := []string{"api.anthropic.com", "platform.claude.com"}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	mold := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: hosts, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, mold, mold, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(place.Config, "ca.pem") // walls hide the rest of the home
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(v)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	through := proxyTo(t, server.Listener.Addr().(*net.TCPAddr).String(), hosts[0]+":443", hosts[1]+":443")
	place.Env = agents.SetEnv(place.Env, "HTTPS_PROXY="+through, "NO_PROXY=127.0.0.1", "NODE_EXTRA_CA_CERTS="+file)
}

// quietly keeps the CLI from asking for windows.
const quietly = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"

// TestProbe: accounts of which nothing was said for long are asked by the real CLI, in no session and without a message
// to a model: one tells its windows; one with a
// key, one whose sign-in is void and one that is to be quiet say why not.
func TestProbe(t *testing.T) {
	for name, cli := range map[string]func(testing.TB) string{Version: Claude, Older: ClaudeOlder} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := fakeapi.New(nil)
			t.Cleanup(fake.Close)
			place := Home(t, fake.URL())
			place.Env = slices.DeleteFunc(place.Env, func(s string) bool {
				return strings.HasPrefix(s, "ANTHROPIC_AUTH_TOKEN=") || strings.HasPrefix(s, quietly+"=")
			})
			ends := time.Now().Add(3 * time.Hour).UTC().Truncate(time.Second)
			v := &vendor{usage: fmt.Sprintf(`{"five_hour":{"utilization":42,"resets_at":%q},"seven_day":{"utilization":17,"resets_at":%q},"seven_day_opus":null}`,
				ends.Format(time.RFC3339), ends.Add(50*time.Hour).Format(time.RFC3339))}
			v.serve(t, &place)
			const signIn = `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-TOKEN","refreshToken":"sk-ant-ort01-test","expiresAt":4102444800000,"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}`
			tokens := map[string]string{"work": "test", "revoked": "other", "quiet": "test", "key": ""}
			text := "[accounts.key.env]\nANTHROPIC_API_KEY = \"dummy\"\n[accounts.quiet.env]\n" + quietly + " = \"1\"\n"
			for name, token := range tokens {
				dir := filepath.Join(place.Home, name)
				text += "[accounts." + name + "]\nagent = \"claude\"\ndir = " + strconv.Quote(dir) + "\n"
				if err := os.CopyFS(dir, os.DirFS(place.Config)); err != nil {
					t.Fatal(err)
				}
				if token == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, ".credentials.json"), []byte(strings.ReplaceAll(signIn, "TOKEN", token)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := installWith(t, place, cli(t))
			p.addConfig(text)
			rested(t, p, slices.Collect(maps.Keys(tokens))...)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
			defer cancel()
			p.Run(ctx, "usage")
			if got := probes(ctx, t, p); got["work"].State != api.ProbeWaits || got["work"].Next == nil {
				t.Errorf("before it is asked: %+v", got)
			}
			got := probes(ctx, t, p)
			until := func(what string, fits func(p api.UsageProbe) bool) {
				t.Helper()
				for look := time.NewTicker(time.Second); ; got = probes(ctx, t, p) {
					if slices.ContainsFunc(slices.Collect(maps.Keys(tokens)), func(name string) bool { return !fits(got[name]) }) {
						select {
						case <-look.C: // the first look for accounts is a minute after the daemon's start
							continue
						case <-ctx.Done():
							t.Fatalf("never %s: %+v", what, got)
						}
					}
					return
				}
			}
			until("asked", func(p api.UsageProbe) bool { return p.At != nil })
			told, err := p.Client.Usage(ctx, "", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if got["work"].State != api.ProbeTold || got["work"].At == nil {
				t.Errorf("%+v", got["work"])
			}
			for name, why := range map[string]string{"key": "not signed in with a subscription", "revoked": "its service did not answer", "quiet": "its service did not answer"} {
				if got[name].State != api.ProbeRefused || !strings.Contains(got[name].Why, why) || got[name].Next == nil {
					t.Errorf("%s: %+v", name, got[name])
				}
			}
			for _, w := range told.Windows {
				switch {
				case w.Account == "work" && (w.Source != string(usage.SourceProbe) || w.UsedPercent == nil || *w.UsedPercent != map[string]float64{"5h": 42, "7d": 17}[w.Name]):
					t.Errorf("of the one that told: %+v", w)
				case w.Account != "work" && w.Source == string(usage.SourceProbe):
					t.Errorf("of one that did not tell: %+v", w)
				}
			}
			if out := p.Run(ctx, "usage"); !strings.Contains(out, "claude/key was asked") || !strings.Contains(out, "it is asked again in") {
				t.Errorf("usage says\n%s", out)
			}
			if out := p.Run(ctx, "accounts"); !strings.Contains(out, "told ") || !strings.Contains(out, "refused ") {
				t.Errorf("accounts says\n%s", out)
			}
			asked := v.asked()
			if !slices.Contains(asked, "GET /api/oauth/usage") {
				t.Errorf("the vendor was asked %q", asked)
			}
			if n := len(fake.Requests()); n > 0 || slices.ContainsFunc(asked, func(s string) bool { return strings.Contains(s, "/v1/messages") }) {
				t.Errorf("a model was asked: %d times, and %q", n, asked)
			}
			for name := range tokens {
				if list, _ := filepath.Glob(filepath.Join(place.Home, name, "projects", "*", "*")); len(list) > 0 {
					t.Errorf("a conversation was made: %v", list)
				}
			}
			if now, err := os.ReadFile(filepath.Join(place.Home, "work", ".credentials.json")); err != nil || string(now) != strings.ReplaceAll(signIn, "TOKEN", "test") {
				t.Errorf("the sign-in was changed: %s (%v)", now, err)
			}
			p.Run(ctx, "config", "set", "usage_probe", "false")
			until("off", func(p api.UsageProbe) bool { return p.State == api.ProbeOff })
			if out := p.Run(ctx, "usage"); !strings.Contains(out, "usage_probe = false") {
				t.Errorf("switched off, usage says\n%s", out)
			}
		})
	}
}

// rested makes the daemon's database one that heard of accounts two hours ago.
func rested(t *testing.T, p *Product, accounts ...string) {
	t.Helper()
	p.Run(t.Context(), "daemon", "start")
	p.Run(t.Context(), "daemon", "stop")
	s, _, err := store.Open(p.Paths.Database(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []usage.Sample
	for _, name := range accounts {
		list = append(list, usage.Sample{Key: usage.Key{Agent: "claude", Account: name, Name: "5h"}, Length: usage.FiveHours, UsedPercent: usage.Percent(9),
			ResetsAt: time.Now().Add(3 * time.Hour), Source: usage.SourceStatusLine, At: time.Now().Add(-2 * time.Hour)})
	}
	if err := s.SaveLimits(list); err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// probes are what `ccdir usage --json` says of asking accounts, by name.
func probes(ctx context.Context, t *testing.T, p *Product) map[string]api.UsageProbe {
	t.Helper()
	var u api.Usage
	if err := json.Unmarshal([]byte(p.Run(ctx, "usage", "--json")), &u); err != nil {
		t.Fatal(err)
	}
	out := map[string]api.UsageProbe{}
	for _, p := range u.Probes {
		out[p.Account] = p
	}
	return out
}
