package config

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
)

// Web is the table [web]: where the page is served, once `ccdir web` has turned it on.
type Web struct {
	// Listen is an IP address with a port, "" for a loopback address with a port that ccdir chooses and keeps.
	Listen string
	// TLSCert and TLSKey are absolute paths of files in PEM; both or neither are set.
	TLSCert, TLSKey string
}

// webKeys are the keys of [web].
var webKeys = []key{
	{"listen", `address of the page, such as "127.0.0.1:7435"; "" is a port of the loopback address that ccdir chooses and keeps. Any other address needs tls_cert and tls_key`,
		func(c *Config, v any) error {
			s, ok := v.(string)
			if !ok {
				return fmt.Errorf("expected an address, found %s", show(v))
			}
			if s != "" {
				host, port, err := net.SplitHostPort(s)
				if n, portErr := strconv.Atoi(port); err != nil || net.ParseIP(host) == nil || portErr != nil || n < 0 || n > 65535 {
					return fmt.Errorf(`expected an IP address with a port, such as "127.0.0.1:7435", found %q`, s)
				}
			}
			c.Web.Listen = s
			return nil
		}, func(c *Config) any { return c.Web.Listen }},
	{"tls_cert", "absolute path of the page's certificate, with those that lead to its authority (PEM)", pemPath(func(c *Config) *string { return &c.Web.TLSCert }),
		func(c *Config) any { return c.Web.TLSCert }},
	{"tls_key", "absolute path of the certificate's key (PEM)", pemPath(func(c *Config) *string { return &c.Web.TLSKey }),
		func(c *Config) any { return c.Web.TLSKey }},
}

// pemPath is a key that names a file.
func pemPath(at func(*Config) *string) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok || s != "" && !filepath.IsAbs(s) {
			return fmt.Errorf("expected an absolute path, found %s", show(v))
		}
		*at(c) = s
		return nil
	}
}

// Check returns why the page cannot be served so, with what to do; nil: it can.
func (w Web) Check() error {
	if (w.TLSCert == "") != (w.TLSKey == "") {
		return fmt.Errorf("web.tls_cert and web.tls_key go together: set both, or neither")
	}
	host, _, err := net.SplitHostPort(w.Listen)
	if err == nil && w.TLSCert == "" && !net.ParseIP(host).IsLoopback() {
		return fmt.Errorf("%s is no loopback address, and what is sent to it can be read on its way: set web.tls_cert and web.tls_key (`tailscale cert` makes them), or leave web.listen out and use `ssh -L`", w.Listen)
	}
	return nil
}

func (p *parser) web(v any) {
	t, _ := p.table(v, "web")
	for name, v := range t {
		i := slices.IndexFunc(webKeys, func(k key) bool { return k.name == name })
		if i < 0 {
			p.problem("unknown key (`ccdir config get web` lists all)", "web", name)
		} else if err := webKeys[i].set(&p.l.Config, v); err != nil {
			p.problem(err.Error(), "web", name)
		}
	}
	if err := p.l.Web.Check(); err != nil {
		p.problem(err.Error(), "web")
	}
}

// explainWeb lists the keys of [web].
func (l Loaded) explainWeb(standard Config) (entries []Entry) {
	for _, k := range webKeys {
		entries = append(entries, Entry{Key: "web." + k.name, Value: k.get(&l.Config), Default: k.get(&standard),
			Source: l.source("web", k.name), Doc: k.doc})
	}
	return entries
}
