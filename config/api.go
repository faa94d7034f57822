package config

import (
	"fmt"
	"net/url"
	"slices"
)

// API is the table [api]: the daemon's API over TCP. The API on the daemon's unix
// socket is always on.
type API struct {
	// Listen is a loopback address, "" for none.
	Listen string
	// Origins are web origins, besides the address's own, whose pages may call with the
	// token, for example "http://localhost:5173".
	Origins []string
	// Rate is the rate limit in calls per second.
	Rate int
}

// apiKeys are the keys of [api].
var apiKeys = []key{
	{"listen", `loopback address of the API over TCP, such as "127.0.0.1:7434"; "" for none (read at the daemon's start)`,
		func(c *Config, v any) (err error) {
			address, err := loopback(v)
			if err == nil {
				c.API.Listen = address
			}
			return err
		}, func(c *Config) any { return c.API.Listen }},
	{"origins", "web origins whose pages may call it, besides the address's own", setOrigins, func(c *Config) any { return c.API.Origins }},
	{"rate", "calls over TCP per second (1 to 10000)", number(func(c *Config) *int { return &c.API.Rate }, 1, 10_000), func(c *Config) any { return c.API.Rate }},
}

func setOrigins(c *Config, v any) error {
	list, err := stringList(v)
	if err != nil {
		return err
	}
	for _, o := range list {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != o {
			return fmt.Errorf(`expected origins such as "http://localhost:5173", found %q`, o)
		}
	}
	c.API.Origins = list
	return nil
}

func (p *parser) api(v any) {
	t, _ := p.table(v, "api")
	for name, v := range t {
		i := slices.IndexFunc(apiKeys, func(k key) bool { return k.name == name })
		if i < 0 {
			p.problem("unknown key (`ccdir config get api` lists all)", "api", name)
		} else if err := apiKeys[i].set(&p.l.Config, v); err != nil {
			p.problem(err.Error(), "api", name)
		}
	}
}

// explainAPI lists the keys of [api].
func (l Loaded) explainAPI(standard Config) (entries []Entry) {
	for _, k := range apiKeys {
		entries = append(entries, Entry{Key: "api." + k.name, Value: k.get(&l.Config), Default: k.get(&standard),
			Source: l.source("api", k.name), Doc: k.doc})
	}
	return entries
}
