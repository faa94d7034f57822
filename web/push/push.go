// Package push sends notifications to browsers that have subscribed: Web Push (RFC 8030), encrypted
// for the browser alone (RFC 8291), signed by this installation (VAPID, RFC 8292).
//
// Contract: what a push service gets to know is its own address, the size and the time; the text is
// encrypted. Only https addresses on the public network are called, without redirects. A subscription
// is foreign: ParseSubscription checks it. Send blocks for sendTime at most and keeps nothing.
package push

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// sendTime bounds one push.
	sendTime = 20 * time.Second
	// maxPayload is how much text fits one record, in bytes; maxEndpoint bounds an address.
	maxPayload, maxEndpoint = 3000, 2048
	// recordSize is the size of records that is announced (RFC 8188).
	recordSize = 4096
	// tokenTime is how long a signature holds: 24 h are allowed.
	tokenTime = 12 * time.Hour
	// publicLen, authLen and saltLen are lengths in bytes.
	publicLen, authLen, saltLen = 65, 16, 16
)

var b64 = base64.RawURLEncoding

// Subscription is where a browser takes pushes, as its PushSubscription says.
type Subscription struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
}

// ParseSubscription reads what a browser says.
func ParseSubscription(data []byte) (s Subscription, err error) {
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("the subscription cannot be read: %w", err)
	}
	return s, s.Check()
}

// Check says what is wrong with a subscription.
func (s Subscription) Check() error {
	u, err := url.Parse(s.Endpoint)
	switch {
	case err != nil || len(s.Endpoint) > maxEndpoint || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Port() != "" && u.Port() != "443":
		return errors.New("the push service's address must be an https one")
	case !public(u.Hostname()):
		return fmt.Errorf("%q is no public address", u.Hostname())
	}
	_, _, err = s.secrets()
	return err
}

func (s Subscription) secrets() (key *ecdh.PublicKey, auth []byte, err error) {
	raw, err := decode(s.Keys.P256dh)
	if err == nil {
		key, err = ecdh.P256().NewPublicKey(raw)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the browser's key is none: %w", err)
	}
	if auth, err = decode(s.Keys.Auth); err != nil || len(auth) != authLen {
		return nil, nil, errors.New("the browser's secret is none")
	}
	return key, auth, nil
}

// decode reads base64 for URLs, with padding or without.
func decode(text string) ([]byte, error) { return b64.DecodeString(strings.TrimRight(text, "=")) }

// public reports whether a host may be that of a push service, or of a subject: a name with a dot that is
// not of a local network.
func public(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(strings.Trim(host, "."), ".") {
		return false
	}
	last := host[strings.LastIndexByte(strings.TrimRight(host, "."), '.')+1:]
	switch strings.ToLower(strings.Trim(last, ".")) {
	case "local", "localhost", "internal", "lan", "home", "test", "invalid", "example", "arpa":
		return false
	}
	return true
}

// CheckSubject says why a subject is none that push services take: whom they can write to about the
// sender.
func CheckSubject(subject string) error {
	u, err := url.Parse(subject)
	switch {
	case err == nil && u.Scheme == "https" && public(u.Hostname()):
		return nil
	case err == nil && u.Scheme == "mailto":
		if _, host, ok := strings.Cut(u.Opaque, "@"); ok && public(host) {
			return nil
		}
	}
	return fmt.Errorf("push services refuse senders whose address is not a public https one or a mailbox, and %.100q is neither", subject)
}

// Key is the key of an installation.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey makes a key as text, which is secret.
func NewKey() (string, error) {
	k, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	return b64.EncodeToString(k.Bytes()), nil
}

// ParseKey reads what NewKey made.
func ParseKey(text string) (Key, error) {
	raw, err := b64.DecodeString(text)
	if err != nil {
		return Key{}, errors.New("the key of pushes is damaged")
	}
	k, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil {
		return Key{}, errors.New("the key of pushes is damaged")
	}
	p := k.PublicKey().Bytes()
	return Key{&ecdsa.PrivateKey{D: new(big.Int).SetBytes(raw), PublicKey: ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(p[1:33]), Y: new(big.Int).SetBytes(p[33:])}}}, nil
}

// Public is the key that browsers need to subscribe.
func (k Key) Public() string {
	public, err := k.private.PublicKey.ECDH()
	if err != nil {
		return ""
	}
	return b64.EncodeToString(public.Bytes())
}

// sign is the header by which a push service knows the sender.
func (k Key) sign(endpoint, subject string, now time.Time) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{"aud": u.Scheme + "://" + u.Host, "exp": now.Add(tokenTime).Unix(), "sub": subject})
	if err != nil {
		return "", err
	}
	text := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + b64.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, sum[:])
	if err != nil {
		return "", err
	}
	const half = 32
	return "vapid t=" + text + "." + b64.EncodeToString(append(r.FillBytes(make([]byte, half)), s.FillBytes(make([]byte, half))...)) + ", k=" + k.Public(), nil
}

// encrypt is a text for the browser of a subscription alone. once is a key of this text's own, salt random.
func encrypt(s Subscription, text []byte, once *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	theirs, auth, err := s.secrets()
	if err != nil {
		return nil, err
	}
	if len(text) > maxPayload {
		return nil, fmt.Errorf("a push of %d bytes is too long", len(text))
	}
	shared, err := once.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	mine := once.PublicKey().Bytes()
	material, err := hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(theirs.Bytes())+string(mine), sha256.Size)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	blocks, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(blocks)
	if err != nil {
		return nil, err
	}
	out := append(binary.BigEndian.AppendUint32(bytes.Clone(salt), recordSize), publicLen)
	out = append(out, mine...)
	return seal.Seal(out, nonce, append(bytes.Clone(text), 2), nil), nil // 2: the last record
}

// ErrGone: the browser takes no more pushes by this subscription.
var ErrGone = errors.New("the browser has ended its subscription")

// Sender sends pushes.
type Sender struct {
	Key     Key
	Subject string
	// Client makes the calls; nil: NewClient.
	Client *http.Client
	Now    func() time.Time
}

// Send sends a text. topic names it: a newer one of that name takes its place if the browser was away,
// for ttl at most.
func (s Sender) Send(ctx context.Context, to Subscription, text []byte, topic string, ttl time.Duration) error {
	if err := errors.Join(to.Check(), CheckSubject(s.Subject)); err != nil {
		return err
	}
	once, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails
	body, err := encrypt(to, text, once, salt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	proof, err := s.Key.sign(to.Endpoint, s.Subject, s.Now())
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(topic))
	for name, value := range map[string]string{"Authorization": proof, "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
		"TTL": strconv.Itoa(int(ttl / time.Second)), "Urgency": "high", "Topic": b64.EncodeToString(sum[:24])} {
		req.Header.Set(name, value)
	}
	answer, err := s.Client.Do(req)
	if err != nil {
		return fmt.Errorf("the push service %s cannot be reached: %w", req.URL.Hostname(), errors.Unwrap(err))
	}
	defer answer.Body.Close()
	const maxAnswer = 300
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer)) // the status says enough
	switch {
	case answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusGone:
		return ErrGone
	case answer.StatusCode/100 != 2:
		return fmt.Errorf("the push service %s answered %s: %s", req.URL.Hostname(), answer.Status, said)
	}
	return nil
}

// NewClient makes a client for push services: it follows no redirect and dials no address of this machine or its networks.
func NewClient() *http.Client {
	d := net.Dialer{Timeout: sendTime, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		ip := at.Addr().Unmap()
		if err != nil || !ip.IsGlobalUnicast() || ip.IsPrivate() {
			return fmt.Errorf("%s is no public address", address)
		}
		return nil
	}}
	return &http.Client{Timeout: sendTime, Transport: &http.Transport{DialContext: d.DialContext, TLSHandshakeTimeout: sendTime, DisableKeepAlives: true, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
