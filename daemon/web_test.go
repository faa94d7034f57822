package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// pageClient is a browser that was paired with the page of a place.
func pageClient(t *testing.T, p *place, client *http.Client, rights api.WebRights) (address string, cookie *http.Cookie) {
	t.Helper()
	var state api.Web
	p.call("PUT", "/v1/web", api.SetWeb{On: true}, &state)
	var code api.WebCode
	p.call("POST", "/v1/web/codes", api.NewWebCode{Rights: rights}, &code)
	address = strings.TrimSuffix(state.URL, "/")
	resp := pagePost(t, client, address+"/pair", url.Values{"code": {code.Code}}, nil)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("pairing: %s %s", resp.Status, body)
	}
	return address, resp.Cookies()[0]
}

func pagePost(t *testing.T, client *http.Client, address string, form url.Values, cookie *http.Cookie) *http.Response {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", u.Scheme+"://"+u.Host)
	if cookie != nil {
		req.AddCookie(cookie)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestWebInside: a process that runs in a session may neither turn the page on, nor pair, nor look, nor
// answer with the cookie of a device; it has the rights of nobody there, however it was started.
func TestWebInside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // there the key decides: see docs/web.md
	}
	p := newPlace(t)
	p.run()
	address, cookie := pageClient(t, p, &http.Client{}, api.WebType)
	var code api.WebCode
	p.call("POST", "/v1/web/codes", api.NewWebCode{}, &code)
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	jar := fmt.Sprintf("-H 'Cookie: %s=%s' -H 'Origin: %s'", cookie.Name, cookie.Value, address)
	calls := []string{
		jar + " " + address + "/",
		jar + " " + address + "/live?view=overview",
		jar + " -d behavior=allow " + address + "/approvals/none",
		jar + " -d code=" + code.Code + " " + address + "/pair",
		"--unix-socket " + p.paths.Socket() + " -X POST http://ccdir/v1/web/codes",
		"--unix-socket " + p.paths.Socket() + " http://ccdir/v1/web/devices",
	}
	for i, how := range ways() {
		out := filepath.Join(in.dir, fmt.Sprintf("web%d", i))
		var script strings.Builder
		fmt.Fprintf(&script, "PATH=%s\n", os.Getenv("PATH"))
		for _, c := range calls {
			fmt.Fprintf(&script, "curl -sS -o /dev/null -w '%%{http_code} ' %s >>%s.part 2>>%[2]s.err\n", c, out)
		}
		fmt.Fprintf(&script, "mv %s.part %[1]s\n", out)
		if err := os.WriteFile(out+".sh", []byte(script.String()), 0o700); err != nil {
			t.Fatal(err)
		}
		p.call("POST", "/v1/sessions/one/input/raw", api.RawInput{Data: []byte(fmt.Sprintf(how, "sh "+out+".sh") + "\n")}, nil)
		var got []byte
		until(t, "the calls from inside", func() (done bool) {
			var err error
			got, err = os.ReadFile(out)
			return err == nil
		})
		if want := strings.Repeat("403 ", len(calls)); string(got) != want {
			t.Errorf("as %s: %s, want %s", how, got, want)
		}
	}
	var devices []api.WebDevice
	p.call("GET", "/v1/web/devices", nil, &devices)
	if len(devices) != 1 {
		t.Errorf("devices %+v", devices)
	}
	var rows []api.LedgerRow
	p.call("GET", "/v1/decisions?decision=refused", nil, &rows)
	if text := fmt.Sprint(rows); !strings.Contains(text, "(page)") || strings.Contains(text, cookie.Value) || strings.Contains(text, code.Code) {
		t.Errorf("the ledger: %s", text)
	}
	// The person's own cookie works all the time.
	req, err := http.NewRequest(http.MethodGet, address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(cookie)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the person: %v %v", resp, err)
	}
	resp.Body.Close()
}

// TestWebLedger: an answer on the page is the hook's own, and its row names the device.
func TestWebLedger(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	client := &http.Client{}
	address, cookie := pageClient(t, p, client, api.WebApprove)
	_, r, reply := p.asking("w1")
	req, err := http.NewRequest(http.MethodGet, address+"/approvals/"+r.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(cookie)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	_, after, found := strings.Cut(string(body), `name="token" value="`)
	if err != nil || !found {
		t.Fatalf("%v: %s", err, body)
	}
	token, _, _ := strings.Cut(after, `"`)
	resp = pagePost(t, client, address+"/approvals/"+r.ID, url.Values{"token": {token}, "behavior": {"deny"}, "message": {"not now"}}, cookie)
	resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("the answer: %s", resp.Status)
	}
	if held := <-reply; !strings.Contains(fmt.Sprint(held), "not now") {
		t.Errorf("the hook's reply: %+v", held)
	}
	var rows []api.LedgerRow
	p.call("GET", "/v1/decisions?request="+r.ID, nil, &rows)
	if len(rows) == 0 || rows[len(rows)-1].By != api.ByPerson || !strings.HasPrefix(rows[len(rows)-1].Client, "page on ") {
		t.Errorf("rows %+v", rows)
	}
}

// TestWebTLS: with a certificate the page answers by its names alone, and its cookie is for TLS alone.
func TestWebTLS(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"box.example"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &form, &form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert": {Type: "CERTIFICATE", Bytes: der}, "key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newPlace(t)
	p.config(fmt.Sprintf("[web]\nlisten = \"127.0.0.1:0\"\ntls_cert = %q\ntls_key = %q\n", filepath.Join(dir, "cert"), filepath.Join(dir, "key")))
	p.run()
	roots := x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(cert)
	var port string
	client := &http.Client{Transport: &http.Transport{DialTLS: func(string, string) (net.Conn, error) {
		return tls.Dial("tcp", "127.0.0.1:"+port, &tls.Config{RootCAs: roots, ServerName: "box.example"})
	}}}
	var state api.Web
	p.call("PUT", "/v1/web", api.SetWeb{On: true}, &state)
	u, err := url.Parse(state.URL)
	if err != nil || u.Scheme != "https" || u.Hostname() != "box.example" {
		t.Fatalf("%+v %v", state, err)
	}
	port = u.Port()
	if _, cookie := pageClient(t, p, client, api.WebSee); !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
		t.Errorf("cookie %+v", cookie)
	}
	resp, err := client.Get("https://localhost:" + port + "/")
	if err != nil || resp.StatusCode != http.StatusForbidden {
		t.Fatalf("another name: %v %v", resp, err)
	}
	resp.Body.Close()
}
