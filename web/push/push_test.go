package push

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
)

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestEncrypt is the example of RFC 8291, appendix A.
func TestEncrypt(t *testing.T) {
	bytesOf := func(text string) []byte { t.Helper(); return must[[]byte](t)(b64.DecodeString(text)) }
	once := must[*ecdh.PrivateKey](t)(ecdh.P256().NewPrivateKey(bytesOf("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
	var s Subscription
	s.Keys.P256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	s.Keys.Auth = "BTBZMqHH6r4Tts7J_aSIgg"
	got := must[[]byte](t)(encrypt(s, []byte("When I grow up, I want to be a watermelon"), once, bytesOf("DGv6ra1nlYgDCS1FRnbzlw")))
	want := "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if b64.EncodeToString(got) != want {
		t.Errorf("got  %s\nwant %s", b64.EncodeToString(got), want)
	}
}

// browser is a subscription with its own keys.
func browser(t testing.TB) (Subscription, *ecdh.PrivateKey) {
	own := must[*ecdh.PrivateKey](t)(ecdh.P256().GenerateKey(rand.Reader))
	s := Subscription{Endpoint: "https://push.service.com/x"}
	s.Keys.P256dh, s.Keys.Auth = b64.EncodeToString(own.PublicKey().Bytes()), b64.EncodeToString(make([]byte, authLen))
	return s, own
}

// open is what the browser reads.
func open(t *testing.T, s Subscription, own *ecdh.PrivateKey, body []byte) string {
	t.Helper()
	salt, theirs, sealed := body[:16], body[21:86], body[86:]
	shared := must[[]byte](t)(own.ECDH(must[*ecdh.PublicKey](t)(ecdh.P256().NewPublicKey(theirs))))
	auth := must[[]byte](t)(b64.DecodeString(s.Keys.Auth))
	material := must[[]byte](t)(hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(own.PublicKey().Bytes())+string(theirs), 32))
	key := must[[]byte](t)(hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16))
	nonce := must[[]byte](t)(hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12))
	seal := must[cipher.AEAD](t)(cipher.NewGCM(must[cipher.Block](t)(aes.NewCipher(key))))
	plain := must[[]byte](t)(seal.Open(nil, nonce, sealed, nil))
	return strings.TrimRight(string(plain), "\x02")
}

type service func(*http.Request) (*http.Response, error)

func (s service) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

// TestSend: the browser can read what it is sent, the service can check who sent it, and says what
// became of it.
func TestSend(t *testing.T) {
	key := must[Key](t)(ParseKey(must[string](t)(NewKey())))
	to, own := browser(t)
	status, now := http.StatusCreated, time.Unix(1_800_000_000, 0)
	var got *http.Request
	var body []byte
	s := Sender{Key: key, Subject: "https://box.net.ts.net/", Now: func() time.Time { return now }, Client: &http.Client{Transport: service(func(r *http.Request) (*http.Response, error) {
		got, body = r, must[[]byte](t)(io.ReadAll(r.Body))
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: io.NopCloser(strings.NewReader("BadJwtToken"))}, nil
	})}}
	if err := s.Send(context.Background(), to, []byte("hello"), "r1", time.Minute); err != nil {
		t.Fatal(err)
	}
	if text := open(t, to, own, body); text != "hello" || got.Header.Get("TTL") != "60" || len(got.Header.Get("Topic")) != 32 {
		t.Errorf("%q, %v", text, got.Header)
	}
	token, public, _ := strings.Cut(strings.TrimPrefix(got.Header.Get("Authorization"), "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	sum, raw := sha256.Sum256([]byte(parts[0]+"."+parts[1])), must[[]byte](t)(b64.DecodeString(parts[2]))
	if public != key.Public() || !ecdsa.Verify(&key.private.PublicKey, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])) {
		t.Error("the signature does not hold")
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(must[[]byte](t)(b64.DecodeString(parts[1])), &claims); err != nil || claims.Aud != "https://push.service.com" || claims.Sub != s.Subject || claims.Exp-now.Unix() > 24*60*60 {
		t.Errorf("%+v: %v", claims, err)
	}
	status = http.StatusGone
	if err := s.Send(context.Background(), to, nil, "r1", 0); !errors.Is(err, ErrGone) {
		t.Errorf("gone: %v", err)
	}
	status = http.StatusForbidden
	if err := s.Send(context.Background(), to, nil, "r1", 0); err == nil || !strings.Contains(err.Error(), "BadJwtToken") {
		t.Errorf("refused: %v", err)
	}
	got = nil
	s.Subject = "mailto:me@localhost"
	if err := s.Send(context.Background(), to, nil, "r1", 0); err == nil || got != nil {
		t.Errorf("a subject that is none: %v", err)
	}
}

// TestChecks: only public https addresses are called, and only senders that can be written to call.
func TestChecks(t *testing.T) {
	good, _ := browser(t)
	for _, endpoint := range []string{"http://push.service.com/", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/", "https://localhost/", "https://box.local/", "https://metadata.internal/x", "https://push.service.com:22/", "https://u:p@push.service.com/", "", "file:///etc"} {
		s := good
		if s.Endpoint = endpoint; s.Check() == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
	for subject, ok := range map[string]bool{"https://box.net.ts.net/": true, "mailto:me@mail.com": true, "mailto:me@localhost": false, "mailto:me@box.local": false, "https://127.0.0.1:7435/": false, "http://box.com/": false, "": false, "mailto:": false} {
		if (CheckSubject(subject) == nil) != ok {
			t.Errorf("%q: %v", subject, CheckSubject(subject))
		}
	}
	if _, err := NewClient().Get("https://127.0.0.1:1/"); err == nil || !strings.Contains(err.Error(), "no public address") {
		t.Errorf("an address of this machine: %v", err)
	}
}

// FuzzSubscription: what is taken can be sent to, and is public.
func FuzzSubscription(f *testing.F) {
	s, _ := browser(f)
	good, err := json.Marshal(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"endpoint":"https://a.b","keys":{"p256dh":"","auth":"AA=="}}`))
	once := must[*ecdh.PrivateKey](f)(ecdh.P256().GenerateKey(rand.Reader))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseSubscription(data)
		if err != nil {
			return
		}
		if !strings.HasPrefix(strings.ToLower(s.Endpoint), "https://") {
			t.Fatalf("%q is taken", s.Endpoint)
		}
		if _, err := encrypt(s, []byte("x"), once, make([]byte, saltLen)); err != nil {
			t.Fatal(err)
		}
	})
}
