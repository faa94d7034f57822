// Command gen writes prices.tsv of package prices from a checkout, or a bare clone, of
// models.dev's repository: one line for each model that costs something known.
//
//	go run ./usage/prices/gen MODELS.DEV > usage/prices/prices.tsv
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// vendors are the providers whose models are taken: those of the agents, and the one that
// opencode offers by itself.
var vendors = []string{"anthropic", "google", "openai", "opencode"}

// hourWrite is what Anthropic asks for a cache write that is kept for an hour, as a multiple of
// input; models.dev has the price of those that are kept for five minutes.
const hourWrite = 2

// cost has the prices of a model in US dollars per million tokens; nil: not known.
type cost struct {
	Input      *float64 `toml:"input"`
	Output     *float64 `toml:"output"`
	CacheRead  *float64 `toml:"cache_read"`
	CacheWrite *float64 `toml:"cache_write"`
}

type model struct {
	Cost struct {
		cost
		Tiers []struct {
			cost
			Tier struct {
				Type string `toml:"type"`
				Size int64  `toml:"size"`
			} `toml:"tier"`
		} `toml:"tiers"`
	} `toml:"cost"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: gen MODELS.DEV > prices.tsv")
	}
	if err := write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func git(dir string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output() //nolint:gosec // a program for developers
	return strings.TrimRight(string(out), "\n"), err
}

// write prints the table of the newest commit.
func write(dir string) error {
	commit, err := git(dir, "log", "-1", "--format=%h %cs", "HEAD")
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Made by usage/prices/gen from models.dev; do not edit. Copyright (c) 2025 models.dev, MIT licence: see LICENSE-models.dev.\n# commit %s\n", commit)
	fmt.Fprint(&out, "# vendor, model, context above which the prices hold, input, output, cache read, cache write, cache write for an hour; US dollars per million tokens, -: not known\n")
	for _, vendor := range vendors {
		names, err := git(dir, "ls-tree", "--name-only", "HEAD", "providers/"+vendor+"/models/")
		if err != nil {
			return err
		}
		for name := range strings.SplitSeq(names, "\n") {
			text, err := git(dir, "show", "HEAD:"+name)
			if err != nil {
				return err
			}
			var m model
			if err := toml.Unmarshal([]byte(text), &m); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			id := vendor + "\t" + strings.TrimSuffix(path.Base(name), ".toml")
			line(&out, id, vendor, 0, m.Cost.cost)
			for _, t := range m.Cost.Tiers {
				if t.Tier.Type != "" && t.Tier.Type != "context" {
					return fmt.Errorf("%s: a tier by %q", name, t.Tier.Type)
				}
				line(&out, id, vendor, t.Tier.Size, t.cost)
			}
		}
	}
	_, err = out.WriteTo(os.Stdout)
	return err
}

// line writes the prices of one model, if it has any.
func line(out *bytes.Buffer, id, vendor string, above int64, c cost) {
	if c.Input == nil || c.Output == nil {
		return
	}
	var hour *float64
	if strings.HasPrefix(strings.TrimPrefix(id, vendor+"\t"), "claude-") {
		h := hourWrite * *c.Input
		hour = &h
	}
	fmt.Fprintf(out, "%s\t%d", id, above)
	for _, p := range []*float64{c.Input, c.Output, c.CacheRead, c.CacheWrite, hour} {
		text := "-"
		if p != nil {
			text = strconv.FormatFloat(*p, 'f', -1, 64)
		}
		fmt.Fprint(out, "\t"+text)
	}
	fmt.Fprintln(out)
}
