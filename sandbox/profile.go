package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Names of the ready profiles.
const (
	Worktree = "worktree"
	ReadOnly = "read-only"
	Offline  = "offline"
)

// Values of Profile.Network.
const (
	// NetworkAll is the machine's network.
	NetworkAll = "all"
	// NetworkHosts is one as NetworkLoopback, and the hosts of a list (Profile.Hosts).
	NetworkHosts = "hosts"
	// NetworkLoopback is a network of its own in which only its own loopback is: a server that
	// was started inside is reached inside, and nothing else.
	NetworkLoopback = "loopback"
	// NetworkNone is none: there are no sockets but those of files.
	NetworkNone = "none"
)

// networks from the widest to the narrowest.
var networks = []string{NetworkAll, NetworkHosts, NetworkLoopback, NetworkNone}

// Profile is what a session may touch. The zero value of a field of a profile of the person's
// own means: as its base.
type Profile struct {
	Name string `json:"name"`
	// Base is the profile that it begins with; "" for the ready ones.
	Base string `json:"base,omitempty"`
	// Tree: the directory in which the session works may be written.
	Tree bool `json:"tree"`
	// Write, Read and Hide are paths, absolute or with ~/ for the home, beyond those that every
	// profile has. Hide wins over the others.
	Write []string `json:"write,omitempty"`
	Read  []string `json:"read,omitempty"`
	Hide  []string `json:"hide,omitempty"`
	// Network is one of the values above; Hosts are those of NetworkHosts (ParseHost). An agent
	// reaches its vendor besides, unless it has all.
	Network string   `json:"network"`
	Hosts   []string `json:"hosts,omitempty"`
	// Wrong is a mistake in its settings, by which nobody can have it; "" for none.
	Wrong string `json:"-"`
	// Says is the profile in one line, for people.
	Says string `json:"says,omitempty"`
}

// Ready are the profiles that need no configuration.
func Ready() []Profile {
	return []Profile{
		{Name: Worktree, Tree: true, Network: NetworkAll, Says: "writes in its directory, commits, and keeps its own state; sees nothing else of the home"},
		{Name: ReadOnly, Network: NetworkAll, Says: "reads its directory and writes nothing but its own state and temporary files"},
		{Name: Offline, Tree: true, Network: NetworkNone, Says: "as worktree, without any network; an agent reaches its own vendor and nothing else"},
	}
}

// maxName bounds a profile's name, in bytes.
const maxName = 32

// CheckName returns what is wrong with the name of a profile.
func CheckName(name string) error {
	good := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return !good(r) }) {
		return fmt.Errorf("the name of a profile is 1 to %d lower-case letters, digits, - and _, found %.40q", maxName, name)
	}
	return nil
}

// Check returns what is wrong with a profile of the person's own.
func (p Profile) Check() error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	if p.Network != "" && !slices.Contains(networks, p.Network) {
		return fmt.Errorf("network is %q, %q, %q or a list of hosts, found %.40q", NetworkAll, NetworkLoopback, NetworkNone, p.Network)
	}
	if (p.Network == NetworkHosts) != (len(p.Hosts) > 0) {
		return errors.New("network is a list without a host: \"none\" is no network")
	}
	for _, host := range p.Hosts {
		if _, err := ParseHost(host); err != nil {
			return err
		}
	}
	for _, path := range slices.Concat(p.Write, p.Read, p.Hide) {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~/") || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' }) {
			return fmt.Errorf("%.200q is neither absolute nor begins with ~/", path)
		}
	}
	return nil
}

// Find returns the profile of a name, with what its bases have. own are the profiles of the
// person; one with the name of a ready profile changes that.
func Find(name string, own map[string]Profile) (Profile, error) { return find(name, own, nil) }

func find(name string, own map[string]Profile, seen []string) (Profile, error) {
	ready := slices.IndexFunc(Ready(), func(p Profile) bool { return p.Name == name })
	mine, ok := own[name]
	switch {
	case !ok && ready < 0:
		return Profile{}, fmt.Errorf("there is no sandbox profile %.40q: `ccdir sandbox ls` lists them", name)
	case !ok:
		return Ready()[ready], nil
	case mine.Wrong != "":
		return Profile{}, fmt.Errorf("the sandbox profile %s is wrong (%s): correct it in config.toml", name, mine.Wrong)
	case slices.Contains(seen, name):
		return Profile{}, fmt.Errorf("the sandbox profiles %s are bases of one another", strings.Join(seen, ", "))
	}
	base := Profile{}
	var err error
	switch {
	case ready >= 0 && (mine.Base == "" || mine.Base == name):
		base = Ready()[ready]
	case mine.Base == "":
		return Profile{}, errors.New("the sandbox profile " + name + " has no base: name one, for example base = \"worktree\"")
	default:
		if base, err = find(mine.Base, own, append(seen, name)); err != nil {
			return Profile{}, err
		}
	}
	p := base
	p.Name, p.Base = name, mine.Base
	p.Write = slices.Concat(base.Write, mine.Write)
	p.Read = slices.Concat(base.Read, mine.Read)
	p.Hide = slices.Concat(base.Hide, mine.Hide)
	if mine.Network != "" {
		p.Network, p.Hosts = mine.Network, mine.Hosts
	}
	if mine.Says != "" || mine.Base != "" {
		p.Says = mine.Says
	}
	return p, nil
}

// Narrower reports whether p lets nothing through that than does not. It compares what the
// profiles say, so a path that is merely another spelling counts as more.
func (p Profile) Narrower(than Profile) bool {
	within := func(list, of []string) bool {
		return !slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(of, s) })
	}
	return (!p.Tree || than.Tree) && within(p.Write, than.Write) && within(p.Read, slices.Concat(than.Read, than.Write)) &&
		within(than.Hide, p.Hide) && slices.Index(networks, p.Network) >= slices.Index(networks, than.Network) && (than.Network == NetworkAll || within(p.Hosts, than.Hosts))
}
