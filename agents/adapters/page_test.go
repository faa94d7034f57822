package adapters

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/config"
)

var update = flag.Bool("update", false, "write the tables of docs/agents.md anew")

// Marks around the generated part of docs/agents.md.
const (
	pageBegin = "<!-- Written by `go test ./agents/adapters -run TestPage -update`. -->\n"
	pageEnd   = "<!-- End of what is written. -->\n"
)

// TestPage: docs/agents.md has the tables that the adapters' descriptions give.
func TestPage(t *testing.T) {
	const path = "../../docs/agents.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), pageBegin)
	_, tail, ok2 := strings.Cut(rest, pageEnd)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks around its tables", path)
	}
	want := head + pageBegin + tables() + pageEnd + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Errorf("%s differs from the descriptions of the adapters: go test ./agents/adapters -run TestPage -update", path)
	}
}

// tables are a table of all agents, and one of each with its means and what they lack.
func tables() string {
	var about []agents.Description
	for _, kind := range config.Kinds {
		adapter, _ := Lookup(kind)
		if d, ok := adapter.(agents.Described); ok {
			about = append(about, d.Describe())
		}
	}
	var b strings.Builder
	row := func(cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	head, line, tested := []string{""}, []string{"---"}, []string{"tested version"}
	for _, d := range about {
		head, line, tested = append(head, d.Title), append(line, "---"), append(tested, d.TestedText())
	}
	b.WriteString("\n")
	row(head...)
	row(line...)
	row(tested...)
	for _, ability := range agents.Abilities {
		cells := []string{string(ability)}
		for _, d := range about {
			s := d.Can[ability]
			cells = append(cells, map[bool]string{true: "–", false: map[bool]string{true: "yes", false: "in part"}[s.Lacks == ""]}[s.How == ""])
		}
		row(cells...)
	}
	for _, d := range about {
		fmt.Fprintf(&b, "\n### %s\n\n`%s`\n\n| | by | lacks |\n|---|---|---|\n", d.Title, d.Install)
		for _, ability := range agents.Abilities {
			if s := d.Can[ability]; s.How != "" {
				row(string(ability), s.How, s.Lacks)
			} else {
				row(string(ability), "–", "")
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}

// TestAbilitiesAreKnown: a description has no ability that nothing shows, and one that works in
// part has a means.
func TestAbilitiesAreKnown(t *testing.T) {
	for _, kind := range config.Kinds {
		adapter, _ := Lookup(kind)
		d, ok := adapter.(agents.Described)
		if !ok {
			continue
		}
		for ability, s := range d.Describe().Can {
			if !slices.Contains(agents.Abilities, ability) || s.How == "" {
				t.Errorf("%s: %s %+v", kind, ability, s)
			}
		}
		_, resumes := adapter.(agents.Conversationalist)
		_, prints := adapter.(agents.Printer)
		_, forks := adapter.(agents.Forker)
		can := d.Describe().Can
		for ability, is := range map[agents.Ability]bool{agents.AbilityTranscript: resumes, agents.AbilityOneShot: prints, agents.AbilityFork: forks} {
			if (can[ability].How != "") != is {
				t.Errorf("%s: its description of %s is not what its adapter has", kind, ability)
			}
		}
	}
}
