package sandbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Host is an entry of a list of hosts: a name, a name's subdomains, or an address; with a port or
// those of the web.
type Host struct {
	// Name is in lower case, without a final dot; for Sub that of the domain, of which only names
	// below are meant.
	Name string
	Sub  bool
	// Port is 0 for 443 and 80.
	Port int
}

// maxHost bounds an entry, in bytes.
const maxHost = 260

// lowestForward is the first port that a process without rights can listen on.
const lowestForward = 1024

// ParseHost reads an entry: "example.com", "*.example.com", "example.com:8443", "10.0.0.7",
// "[2001:db8::1]:443", "localhost:5432".
func ParseHost(text string) (h Host, err error) {
	wrong := func(what string) error { return fmt.Errorf("%.80q is no host: %s", text, what) }
	if len(text) > maxHost {
		return h, wrong("it is too long")
	}
	name, port, found := strings.Cut(text, ":")
	if strings.HasPrefix(text, "[") || strings.Count(text, ":") > 1 { // an IPv6 address
		name, port, found = strings.Trim(text, "[]"), "", false
		if i := strings.LastIndex(text, "]:"); i >= 0 {
			name, port, found = strings.TrimPrefix(text[:i], "["), text[i+2:], true
		}
	}
	if found {
		if h.Port, err = strconv.Atoi(port); err != nil || h.Port < 1 || h.Port > 65535 {
			return h, wrong("its port is not a number up to 65535")
		}
	}
	if h.Name = CleanHost(name); strings.HasPrefix(h.Name, "*.") {
		h.Name, h.Sub = h.Name[2:], true
	}
	_, notAddress := netip.ParseAddr(h.Name)
	switch {
	case notAddress == nil && !h.Sub:
	case h.Name == "" || strings.Contains(h.Name, "..") || strings.HasPrefix(h.Name, ".") || strings.ContainsFunc(h.Name, notInName):
		return h, wrong("write example.com, *.example.com, or with a port example.com:8443")
	case h.Sub && !strings.Contains(h.Name, "."):
		return h, wrong("a whole top-level domain is no list")
	}
	if Loopback(h.Name) && (h.Sub || h.Port < lowestForward) {
		return h, wrong(fmt.Sprintf("this machine is named with a port from %d on, as in localhost:5432", lowestForward))
	}
	return h, nil
}

// CleanHost is a host's name or address as lists have it.
func CleanHost(name string) string {
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if a, err := netip.ParseAddr(name); err == nil {
		return a.Unmap().String()
	}
	return name
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}

// Loopback reports whether a host's name or address means the machine itself.
func Loopback(name string) bool {
	a, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && a.Unmap().IsLoopback()
}

// Match reports whether the entry lets a host through at a port.
func (h Host) Match(name string, port int) bool {
	if h.Port != port && (h.Port != 0 || port != 443 && port != 80) {
		return false
	}
	if Loopback(h.Name) {
		return Loopback(name)
	}
	return !h.Sub && name == h.Name || h.Sub && strings.HasSuffix(name, "."+h.Name)
}

// Let says how a list lets a host through: not at all, by its own name, or with others of its
// domain. An entry that cannot be read lets nothing through.
func Let(hosts []string, name string, port int) (let, byName bool) {
	for _, text := range hosts {
		if h, err := ParseHost(text); err == nil && h.Match(name, port) {
			let, byName = true, byName || !h.Sub
		}
	}
	return let, byName
}

// Forwards are the ports of the machine itself that a list names: what listens there is reached
// at the same port of the process's own loopback.
func Forwards(hosts []string) (ports []int) {
	for _, text := range hosts {
		if h, err := ParseHost(text); err == nil && Loopback(h.Name) {
			ports = append(ports, h.Port)
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// Reserved reports whether an address is never what a name may lead to: the machine itself, its
// neighbours by link, nobody in particular. Private ones are for names that are listed in full: whoever owns
// a domain could point one of its names at the person's router.
func Reserved(a netip.Addr, byName bool) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsUnspecified() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsPrivate() && !byName
}
