// Package devices pairs browsers with the page and knows them again.
//
// Contract: the file, which belongs to the user alone (0600), says whether the page is on, where it
// listens, and which devices are paired. Of a device's key and of the secret that its page keeps
// it has hashes. Codes are in memory: each lets one device pair within CodeTime; five wrong ones end
// all that are open, and no further one is accepted until the person makes a new one. What Pair,
// Revoke and Set have returned is on disk.
//
// A Store is safe for concurrent use. It has no goroutine.
package devices

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/textsafe"
	"ccdir/web/push"
)

const (
	// CodeTime is how long a code lets a device pair.
	CodeTime = time.Minute
	// maxWrong is the number of wrong codes that end all open ones.
	maxWrong = 5
	// maxCodes and maxDevices bound what is kept.
	maxCodes, maxDevices = 8, 64
	// maxName bounds a device's name, in bytes.
	maxName = 40
	// seenStep is how old LastSeen may be: the file is not written more often.
	seenStep = time.Minute
	// keyLen is the length of keys and secrets in bytes, codeLen that of codes.
	keyLen, codeLen = 32, 7
	idLen           = 4
)

// device is a paired device as the file has it.
type device struct {
	api.WebDevice
	// Key and Secret are SHA-256 sums in hex; Secret is "" for a browser without script.
	Key    string `json:"key"`
	Secret string `json:"secret,omitempty"`
	// Push is where it takes notifications; nil: nowhere.
	Push *push.Subscription `json:"push,omitempty"`
}

// content is the file.
type content struct {
	On bool `json:"on"`
	// Listen is the address that the system chose when nobody had configured one.
	Listen string `json:"listen,omitempty"`
	// Name tells the cookies of this installation from those of others on the same host.
	Name string `json:"name"`
	// Push is the key of notifications, which is secret; "" until a device asks for it.
	Push    string   `json:"push,omitempty"`
	Devices []device `json:"devices"`
}

// code lets one device pair.
type code struct {
	sum     [sha256.Size]byte
	rights  api.WebRights
	expires time.Time
}

// Store has the devices. Make one with Open.
type Store struct {
	path string
	now  func() time.Time

	mu    sync.Mutex // guards what follows
	file  content
	codes []code
	wrong int
	// ends are closed when the device is revoked.
	ends map[string]chan struct{}
}

// Open reads the file; there may be none yet.
func Open(path string, now func() time.Time) (*Store, error) {
	s := &Store{path: path, now: now, ends: map[string]chan struct{}{}}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.file.Name = hex.EncodeToString(random(idLen))
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("the devices of the page cannot be read: %w", err)
	}
	if s.file, err = decode(data); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w): remove it, and pair your devices again", path, err)
	}
	return s, nil
}

// decode reads the file's content. Devices whose rights or hashes are no such are left out.
func decode(data []byte) (c content, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return c, err
	}
	if c.Name == "" || strings.ContainsFunc(c.Name, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		return c, errors.New("it has no name")
	}
	for i, d := range c.Devices {
		if d.Push != nil && d.Push.Check() != nil {
			c.Devices[i].Push = nil
		}
	}
	c.Devices = slices.DeleteFunc(c.Devices, func(d device) bool {
		return d.ID == "" || !d.Rights.Has(api.WebSee) || !isSum(d.Key) || d.Secret != "" && !isSum(d.Secret)
	})
	return c, nil
}

func isSum(s string) bool {
	data, err := hex.DecodeString(s)
	return err == nil && len(data) == sha256.Size
}

// State returns whether the page is on, and the address that was kept.
func (s *Store) State() (on bool, listen string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.On, s.file.Listen
}

// Set saves whether the page is on, and the address that it has if nobody configured one ("": as
// before).
func (s *Store) Set(on bool, listen string) error {
	return s.change(func(c *content) {
		c.On = on
		if listen != "" {
			c.Listen = listen
		}
	})
}

// Name tells the cookies of this installation from others'.
func (s *Store) Name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Name
}

// change changes the file, and nothing if it cannot be saved.
func (s *Store) change(how func(*content)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changeLocked(how)
}

func (s *Store) changeLocked(how func(*content)) error {
	next := s.file
	next.Devices = slices.Clone(s.file.Devices)
	how(&next)
	data, err := json.MarshalIndent(next, "", "  ")
	if err == nil {
		err = atomicfile.Replace(s.path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("the devices of the page cannot be saved: %w", err)
	}
	s.file = next
	return nil
}

// Code makes a code for one device with these rights.
func (s *Store) Code(rights api.WebRights) (text string, expires time.Time) {
	raw := strings.TrimRight(base32.StdEncoding.EncodeToString(random(codeLen)), "=")
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = 0
	s.codes = slices.DeleteFunc(s.codes, func(c code) bool { return !now.Before(c.expires) })
	if n := len(s.codes); n >= maxCodes {
		s.codes = s.codes[n-maxCodes+1:]
	}
	s.codes = append(s.codes, code{sum: sha256.Sum256([]byte(raw)), rights: rights, expires: now.Add(CodeTime)})
	const group = 4
	return strings.Join([]string{raw[:group], raw[group : 2*group], raw[2*group:]}, "-"), now.Add(CodeTime)
}

// Paired is what a device gets when it is paired; both are told once.
type Paired struct {
	api.WebDevice
	// Key goes into its cookie, Secret to the script of its page; "" without script.
	Key, Secret string
}

// Errors of Pair.
var (
	ErrCode   = errors.New("this code is not valid: it is wrong, was used, or is older than a minute: `ccdir web pair` makes a new one")
	ErrLocked = errors.New("five wrong codes were given, so none is accepted any more: `ccdir web pair` makes a new one")
	ErrMany   = fmt.Errorf("%d devices are paired: `ccdir web revoke` one that is not used", maxDevices)
)

// Pair takes a code. With script the device has a secret besides its key.
func (s *Store) Pair(given, name string, script bool) (p Paired, err error) {
	sum := sha256.Sum256([]byte(plainCode(given)))
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong >= maxWrong {
		return p, ErrLocked
	}
	at := -1
	for i, c := range s.codes { // all of them, so that the time tells nothing
		if subtle.ConstantTimeCompare(c.sum[:], sum[:]) == 1 && now.Before(c.expires) {
			at = i
		}
	}
	if at < 0 {
		if s.wrong++; s.wrong >= maxWrong {
			s.codes = nil
			return p, ErrLocked
		}
		return p, ErrCode
	}
	rights := s.codes[at].rights
	if len(s.file.Devices) >= maxDevices {
		return p, ErrMany
	}
	s.codes = slices.Delete(s.codes, at, at+1)
	p.Key = base64.RawURLEncoding.EncodeToString(random(keyLen))
	p.WebDevice = api.WebDevice{ID: hex.EncodeToString(random(idLen)), Name: cleanName(name), Rights: rights, Created: now, LastSeen: now}
	kept := device{WebDevice: p.WebDevice, Key: sumOf(p.Key)}
	if script {
		p.Secret = base64.RawURLEncoding.EncodeToString(random(keyLen))
		kept.Secret = sumOf(p.Secret)
	}
	if err := s.changeLocked(func(c *content) { c.Devices = append(c.Devices, kept) }); err != nil {
		return Paired{}, err
	}
	s.wrong = 0
	return p, nil
}

// plainCode is a code as people type it: case, blanks and dashes do not matter.
func plainCode(given string) string {
	const most = 64
	if len(given) > most {
		return ""
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-' || r == ' ':
			return -1
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return r
	}, given)
}

// cleanName is a device's name as lists and the ledger show it.
func cleanName(name string) string {
	name = strings.TrimSpace(textsafe.Line(name))
	if name == "" {
		name = "a browser"
	}
	return textsafe.Cut(name, maxName)
}

// Known is a device that has called.
type Known struct {
	api.WebDevice
	// Token is what its forms carry. It is made from the key.
	Token string
	// Revoked is closed when the device is revoked.
	Revoked <-chan struct{}
	secret  string
}

// Lookup returns the device with that key, and notes that it was seen.
func (s *Store) Lookup(key string) (Known, bool) {
	if len(key) != base64.RawURLEncoding.EncodedLen(keyLen) {
		return Known{}, false
	}
	sum := []byte(sumOf(key))
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.file.Devices, func(d device) bool { return subtle.ConstantTimeCompare([]byte(d.Key), sum) == 1 })
	if at < 0 {
		return Known{}, false
	}
	d := s.file.Devices[at]
	if now.Sub(d.LastSeen) >= seenStep {
		// If that cannot be saved, the device is known all the same.
		_ = s.changeLocked(func(c *content) { c.Devices[at].LastSeen = now })
		d.LastSeen = now
	}
	end, ok := s.ends[d.ID]
	if !ok {
		end = make(chan struct{})
		s.ends[d.ID] = end
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("form"))
	return Known{WebDevice: d.WebDevice, secret: d.Secret, Revoked: end, Token: base64.RawURLEncoding.EncodeToString(mac.Sum(nil))}, true
}

// Proves reports whether what a call carries besides the cookie is this device's: the token of its
// forms, and the secret that its page keeps, if it has one.
func (k Known) Proves(token, secret string) bool {
	good := k.Made(token)
	if k.secret == "" {
		return good
	}
	return subtle.ConstantTimeCompare([]byte(sumOf(secret)), []byte(k.secret)) == 1 && good
}

// Made reports whether a form is of a page that was made for this device. That alone proves nothing of a
// device whose page keeps a secret.
func (k Known) Made(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(k.Token)) == 1
}

// List returns the devices, oldest first.
func (s *Store) List() []api.WebDevice {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]api.WebDevice, 0, len(s.file.Devices))
	for _, d := range s.file.Devices {
		list = append(list, d.WebDevice)
	}
	return list
}

// Revoke forgets a device: its id, a unique prefix of one, or its name.
func (s *Store) Revoke(ref string) (api.WebDevice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []api.WebDevice
	for _, d := range s.file.Devices {
		if d.ID == ref {
			found = []api.WebDevice{d.WebDevice}
			break
		}
		if ref != "" && (strings.HasPrefix(d.ID, ref) || d.Name == ref) {
			found = append(found, d.WebDevice)
		}
	}
	switch {
	case len(found) == 0:
		return api.WebDevice{}, api.Errorf(api.CodeNotFound, "no device %.60q is paired: `ccdir web devices` lists them", ref)
	case len(found) > 1:
		return api.WebDevice{}, api.Errorf(api.CodeAmbiguous, "%d devices are meant by %.60q: name one by its id (`ccdir web devices`)", len(found), ref)
	}
	gone := found[0]
	err := s.changeLocked(func(c *content) {
		c.Devices = slices.DeleteFunc(c.Devices, func(d device) bool { return d.ID == gone.ID })
	})
	if err != nil {
		return api.WebDevice{}, err
	}
	if end, ok := s.ends[gone.ID]; ok {
		close(end)
		delete(s.ends, gone.ID)
	}
	return gone, nil
}

func sumOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
