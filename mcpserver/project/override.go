package project

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/tomltext"
)

// maxConfig bounds .ccdir.toml, in bytes.
const maxConfig = 1 << 20

// override is a table [commands.ACTION] of .ccdir.toml; docs/config.md lists its keys.
type override struct {
	// Run is the program and its arguments. {path}, {name}, {tags}, {seed} and
	// {max_failures} in an argument stand for the options of test; an argument whose
	// option is not given is left out. {report} stands for a file that the tool writes
	// for the decoder.
	Run []string `toml:"run"`
	// Decoder is the name of a decoder.
	Decoder string `toml:"decoder"`
	// Reports are patterns of report files that the tool writes.
	Reports []string `toml:"reports"`
	// Patterns are regular expressions with named groups.
	Patterns []string `toml:"patterns"`
	// Errorformat are patterns in the syntax of Vim's option.
	Errorformat []string `toml:"errorformat"`
}

// OverrideKeys are the keys of a table [commands.ACTION].
func OverrideKeys() []string {
	return []string{"run", "decoder", "reports", "patterns", "errorformat"}
}

func readOverrides(file string) (map[string]override, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var raw []byte
	if err == nil {
		raw, err = untrusted.Read(file, maxConfig)
	}
	if errors.Is(err, untrusted.ErrNotRegular) || errors.Is(err, untrusted.ErrTooLarge) || err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file of at most 1 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var doc struct {
		Commands map[string]override `toml:"commands"`
	}
	values, places, err := tomltext.Decode(string(raw))
	if err == nil {
		err = tomltext.Unmarshal(string(raw), &doc)
	}
	var syntax *tomltext.Error
	if errors.As(err, &syntax) {
		return nil, fmt.Errorf("%s:%d: %s", file, syntax.Line, syntax.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	tables, _ := values["commands"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(doc.Commands)) {
		at := fmt.Sprintf("%s:%d", file, places.Line("commands", name))
		if name != "format_check" && !slices.Contains(Actions, name) {
			return nil, fmt.Errorf("%s: unknown table commands.%s; there are %s and format_check", at, name, strings.Join(Actions, ", "))
		}
		table, _ := tables[name].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if !slices.Contains(OverrideKeys(), key) {
				return nil, fmt.Errorf("%s:%d: unknown key commands.%s.%s; a command has run, decoder, reports, patterns and errorformat", file, places.Line("commands", name, key), name, key)
			}
		}
		if o := doc.Commands[name]; len(o.Run) == 0 || o.Run[0] == "" {
			return nil, fmt.Errorf("%s: commands.%s: run = [\"PROGRAM\", …] is missing", at, name)
		}
	}
	return doc.Commands, nil
}

func (o override) command(opts TestOptions) (Command, error) {
	values := map[string]string{"{path}": opts.Path, "{name}": opts.Name, "{tags}": strings.Join(opts.Tags, ","), "{seed}": opts.Seed, "{max_failures}": ""}
	if opts.MaxFailures > 0 {
		values["{max_failures}"] = strconv.Itoa(opts.MaxFailures)
	}
	c := Command{Decoder: o.Decoder, Reports: o.Reports, Patterns: o.Patterns, Errorformat: o.Errorformat}
	if c.Decoder == "" && len(o.Patterns) == 0 && len(o.Errorformat) == 0 {
		c.Decoder = "generic"
	}
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, name, value)
	}
	fill := strings.NewReplacer(pairs...) // in one pass: a value may look like a placeholder
next:
	for _, arg := range o.Run {
		for name, value := range values {
			if strings.Contains(arg, name) && value == "" {
				continue next
			}
		}
		c.Argv = append(c.Argv, fill.Replace(arg))
	}
	if len(c.Argv) == 0 {
		return c, errors.New(".ccdir.toml: run is empty without these options")
	}
	return c, nil
}
