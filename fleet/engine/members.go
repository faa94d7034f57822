package engine

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nkeys"
	"golang.org/x/sys/unix"

	"ccdir/fleet"
	"ccdir/internal/disk/atomicfile"
)

// Member is somebody who may connect.
type Member struct {
	Name string `json:"name"`
	// Key is the public one.
	Key string `json:"key"`
	// Runs: it runs tasks. Asks: it gives tasks.
	Runs    bool      `json:"runs"`
	Asks    bool      `json:"asks"`
	Invited time.Time `json:"invited"`
}

func (m Member) rights() fleet.Rights {
	if m.Runs {
		return fleet.NodeRights(m.Name, m.Asks)
	}
	return fleet.ClientRights(m.Name)
}

// Invitation is what a machine needs to join: a secret.
type Invitation struct {
	Name string   `json:"name"`
	URLs []string `json:"urls"`
	Seed string   `json:"seed"`
	// Via is how this machine reaches the server, ssh://[USER@]HOST[:PORT], and CA the file of the authority of its
	// certificate; "" for neither. Creds is a file of credentials that replaces the key, where a NATS server of others
	// wants that. They are this machine's, and kept with the invitation.
	Via   string `json:"via,omitempty"`
	CA    string `json:"ca,omitempty"`
	Creds string `json:"creds,omitempty"`
}

const invitePrefix = "ccdir-fleet-"

// String is the invitation as one word.
func (i Invitation) String() string {
	data, err := json.Marshal(i)
	if err != nil {
		panic(err) // strings
	}
	return invitePrefix + base64.RawURLEncoding.EncodeToString(data)
}

// ParseInvitation reads what String wrote.
func ParseInvitation(text string) (i Invitation, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), invitePrefix)
	data, err := base64.RawURLEncoding.DecodeString(rest)
	if err == nil && ok {
		err = json.Unmarshal(data, &i)
	}
	if err != nil || !ok || i.Name == "" || len(i.URLs) == 0 {
		return i, errors.New("this is no invitation: `ccdir-fleet invite NAME` on the server prints one")
	}
	if _, err := nkeys.FromSeed([]byte(i.Seed)); err != nil {
		return i, fmt.Errorf("the invitation's key: %w", err)
	}
	return i, nil
}

func membersFile(dir string) string { return filepath.Join(dir, "members.json") }

// Members reads who may connect; nobody without a file.
func Members(dir string) (list []Member, err error) {
	data, err := os.ReadFile(membersFile(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", membersFile(dir), err)
	}
	for _, m := range list {
		if !fleet.ValidName(m.Name) || !nkeys.IsValidPublicUserKey(m.Key) {
			return nil, fmt.Errorf("%s: %.40q is no member", membersFile(dir), m.Name)
		}
	}
	return list, nil
}

// Invite makes a key for a member and lets it connect.
func Invite(dir string, m Member, urls []string) (Invitation, error) {
	if !fleet.ValidName(m.Name) || m.Name[0] == '-' { // a flag behind "--" is a slip
		return Invitation{}, fmt.Errorf("%q cannot be a name: letters, digits, '_' and, not as the first, '-', at most 64", m.Name)
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return Invitation{}, err
	}
	seed, err := pair.Seed()
	if err != nil {
		return Invitation{}, err
	}
	if m.Key, err = pair.PublicKey(); err != nil {
		return Invitation{}, err
	}
	err = change(dir, func(list []Member) ([]Member, error) {
		if slices.ContainsFunc(list, func(o Member) bool { return o.Name == m.Name }) {
			return nil, fmt.Errorf("%s is a member already: `ccdir-fleet revoke %s` first", m.Name, m.Name)
		}
		return append(list, m), nil
	})
	return Invitation{Name: m.Name, URLs: urls, Seed: string(seed)}, err
}

// Revoke takes a member's key away.
func Revoke(dir, name string) error {
	return change(dir, func(list []Member) ([]Member, error) {
		left := slices.DeleteFunc(slices.Clone(list), func(m Member) bool { return m.Name == name })
		if len(left) == len(list) {
			return nil, fmt.Errorf("no member %.64q: `ccdir-fleet status` lists them", name)
		}
		return left, nil
	})
}

// change rewrites the list of members, one change at a time.
func change(dir string, fn func([]Member) ([]Member, error)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "members.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	list, err := Members(dir)
	if err != nil {
		return err
	}
	if list, err = fn(list); err != nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Replace(membersFile(dir), append(data, '\n'))
}
