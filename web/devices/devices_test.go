package devices

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/web/push"
)

// store is a new store with a clock that the test sets.
func store(t testing.TB) (s *Store, path string, now *time.Time) {
	t.Helper()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	path = filepath.Join(t.TempDir(), "web.json")
	s, err := Open(path, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	return s, path, &at
}

// pair pairs a device.
func pair(t testing.TB, s *Store, rights api.WebRights, name string, script bool) Paired {
	t.Helper()
	code, _ := s.Code(rights)
	p, err := s.Pair(code, name, script)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPush: the key of notifications is made once; a subscription is its device's, and goes with it.
func TestPush(t *testing.T) {
	t.Parallel()
	s, path, _ := store(t)
	p := pair(t, s, api.WebSee, "phone", true)
	key, err := s.PushKey()
	if err != nil || key == "" {
		t.Fatal(err)
	}
	sub := push.Subscription{Endpoint: "https://push.service.com/x"}
	if err := s.Subscribe("nobody", &sub); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("a device that is none: %v", err)
	}
	sub.Keys.P256dh, sub.Keys.Auth = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", "BTBZMqHH6r4Tts7J_aSIgg"
	if err := s.Subscribe(p.ID, &sub); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if list := again.Subscriptions(); len(list) != 1 || list[0].Device != p.ID || list[0].Endpoint != sub.Endpoint {
		t.Errorf("%+v", list)
	}
	if same, err := again.PushKey(); err != nil || same != key {
		t.Errorf("another key: %v", err)
	}
	if _, err := again.Revoke(p.ID); err != nil || len(again.Subscriptions()) != 0 {
		t.Errorf("a revoked device is told: %v", err)
	}
	if err := s.Subscribe(p.ID, nil); err != nil || len(s.Subscriptions()) != 0 {
		t.Errorf("%v", err)
	}
}

// TestPair: a code lets one device in, as people type it; the key and the secret are not in the file,
// which belongs to the user alone, and hold after a restart.
func TestPair(t *testing.T) {
	t.Parallel()
	s, path, _ := store(t)
	code, _ := s.Code(api.WebApprove)
	p, err := s.Pair(" "+strings.ToLower(strings.ReplaceAll(code, "-", " "))+" ", "Phone\x1b[31m", true)
	if err != nil || p.Rights != api.WebApprove || strings.Contains(p.Name, "\x1b") || p.Key == "" || p.Secret == "" {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := s.Pair(code, "again", true); !errors.Is(err, ErrCode) {
		t.Errorf("a code twice: %v", err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), p.Key) || strings.Contains(string(data), p.Secret) || strings.Contains(string(data), code) {
		t.Errorf("%v: %s", err, data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	again, err := Open(path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	known, ok := again.Lookup(p.Key)
	if !ok || known.ID != p.ID || again.Name() != s.Name() {
		t.Errorf("after a restart: %+v %v", known, ok)
	}
	if _, ok := again.Lookup(p.Secret); ok {
		t.Error("the secret is a key")
	}
}

// TestProves: what a form carries is of the device's key, and with script of its secret as well.
func TestProves(t *testing.T) {
	t.Parallel()
	s, _, _ := store(t)
	with, without := pair(t, s, api.WebType, "a", true), pair(t, s, api.WebType, "b", false)
	a, _ := s.Lookup(with.Key)
	b, _ := s.Lookup(without.Key)
	for name, got := range map[string][2]bool{
		"all":                     {a.Proves(a.Token, with.Secret), true},
		"no secret":               {a.Proves(a.Token, ""), false},
		"another's token":         {a.Proves(b.Token, with.Secret), false},
		"no token":                {a.Proves("", with.Secret), false},
		"without script":          {b.Proves(b.Token, ""), true},
		"without script or token": {b.Proves("", ""), false},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %v", name, got[0])
		}
	}
}

// TestWrongCodes: five wrong codes end all that are open; a new one is accepted again.
func TestWrongCodes(t *testing.T) {
	t.Parallel()
	s, _, now := store(t)
	code, _ := s.Code(api.WebSee)
	for i := range maxWrong - 1 {
		if _, err := s.Pair("WRONG", "", true); !errors.Is(err, ErrCode) {
			t.Errorf("try %d: %v", i, err)
		}
	}
	for _, given := range []string{"WRONG", code, code} {
		if _, err := s.Pair(given, "", true); !errors.Is(err, ErrLocked) {
			t.Errorf("%q: %v", given, err)
		}
	}
	if pair(t, s, api.WebSee, "", false).Name != "a browser" {
		t.Error("a device without a name")
	}
	code, expires := s.Code(api.WebSee)
	*now = expires
	if _, err := s.Pair(code, "", true); !errors.Is(err, ErrCode) {
		t.Errorf("an old code: %v", err)
	}
}

// TestRevoke: a device that is revoked is not known, and what it has open is told.
func TestRevoke(t *testing.T) {
	t.Parallel()
	s, _, now := store(t)
	one, two := pair(t, s, api.WebSee, "phone", true), pair(t, s, api.WebSee, "phone", true)
	if _, err := s.Revoke("phone"); api.CodeOf(err) != api.CodeAmbiguous {
		t.Errorf("a name of two: %v", err)
	}
	known, _ := s.Lookup(one.Key)
	*now = now.Add(time.Hour)
	if _, err := s.Revoke(one.ID[:6]); err != nil {
		t.Fatal(err)
	}
	select {
	case <-known.Revoked:
	default:
		t.Error("its pages are not told")
	}
	if _, ok := s.Lookup(one.Key); ok {
		t.Error("it is known")
	}
	if other, ok := s.Lookup(two.Key); !ok || !other.LastSeen.Equal(*now) {
		t.Errorf("the other: %+v %v", other, ok)
	}
	if _, err := s.Revoke(one.ID); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("twice: %v", err)
	}
}

// TestUnsaved: a device whose key cannot be saved gets none.
func TestUnsaved(t *testing.T) {
	t.Parallel()
	s, path, _ := store(t)
	if err := os.Remove(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	code, _ := s.Code(api.WebSee)
	if p, err := s.Pair(code, "", true); err == nil || p.Key != "" || len(s.List()) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// FuzzPair: no text but the code pairs.
func FuzzPair(f *testing.F) {
	f.Add("ABCD-EFGH-IJKL", "name")
	f.Add("", "\x00\u202e")
	f.Fuzz(func(t *testing.T, given, name string) {
		s, _, _ := store(t)
		code, _ := s.Code(api.WebSee)
		if p, err := s.Pair(given, name, true); err == nil && plainCode(given) != plainCode(code) {
			t.Fatalf("%q pairs %+v", given, p)
		}
		if n := len([]rune(cleanName(name))); n == 0 || n > maxName {
			t.Fatalf("the name %q has %d characters", cleanName(name), n)
		}
	})
}

// FuzzFile: a file with anything in it is refused, or gives devices with rights and keys.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"on": true, "name": "00ff", "devices": [{"id": "a", "rights": "see", "key": "00"}]}`))
	f.Add([]byte(`{"name": "../"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decode(data)
		if err != nil {
			return
		}
		for _, d := range c.Devices {
			if d.ID == "" || !d.Rights.Has(api.WebSee) || !isSum(d.Key) {
				t.Fatalf("%+v", d)
			}
		}
	})
}
