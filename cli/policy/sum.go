package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/widget/format"
)

// sums reports whether decisions are counted and not listed: a moment alone asks what happened
// since.
func sums(cmd *cobra.Command, asked, json bool) bool {
	fl := cmd.Flags()
	narrowed := slices.ContainsFunc([]string{"tool", "by", "decision", "limit", "verify"}, fl.Changed)
	return asked || fl.Changed("since") && !narrowed && !json
}

// sumDecisions prints the number of decisions since a moment.
func sumDecisions(ctx context.Context, a *verb.App, c *client.Client, f api.LedgerFilter) error {
	sum, err := c.SumDecisions(ctx, f.Session, f.Since)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(sum)
	}
	if len(sum.Counts)+len(sum.Refusals) == 0 {
		fmt.Fprintln(a.Stderr, "no decisions")
		return nil
	}
	t := verb.Table{}
	for _, g := range sumGroups() {
		if n, text := g.count(sum.Counts); n > 0 {
			t.Row(verb.Plain(g.label, fmt.Sprint(n), text)...)
		}
	}
	if n, text := countRefusals(sum); n > 0 {
		t.Row(verb.Plain("refused by walls", fmt.Sprint(n), text)...)
	}
	var names []string
	for _, s := range sum.Sessions {
		names = append(names, fmt.Sprintf("%s %d", textsafe.Line(cmp.Or(s.Name, s.ID)), s.Rows))
	}
	if sum.Others > 0 {
		names = append(names, format.Plural(sum.Others, "other", "others"))
	}
	if len(names) > 0 {
		t.Row(verb.Plain("sessions", fmt.Sprint(len(sum.Sessions)+sum.Others), strings.Join(names, ", "))...)
	}
	if err := t.WriteWithin(a.Out, a.Colours(), a.Columns()); err != nil {
		return err
	}
	if !sum.Complete {
		fmt.Fprintf(a.Stderr, "calls that nobody was asked about are known from %s on: the event log has no older events\n", sum.From.Local().Format(time.DateTime))
	}
	return nil
}

// countRefusals returns how often walls refused something, and what that was.
func countRefusals(sum api.LedgerSum) (n int, text string) {
	var words []string
	for _, r := range sum.Refusals {
		n += r.Count
		words = append(words, fmt.Sprintf("%s %d", textsafe.Line(cmp.Or(r.Host, r.Tool)), r.Count))
	}
	if sum.OtherRefusals > 0 {
		n += sum.OtherRefusals
		words = append(words, fmt.Sprintf("others %d", sum.OtherRefusals))
	}
	return n, strings.Join(words, ", ")
}

// sumGroup is a line of the sum: the counts that fit, told apart by a word.
type sumGroup struct {
	label string
	fits  func(c api.LedgerCount) bool
	word  func(c api.LedgerCount) string
}

func sumGroups() []sumGroup {
	by := func(c api.LedgerCount) string { return c.By }
	effect := func(decision string) func(api.LedgerCount) bool {
		return func(c api.LedgerCount) bool { return c.Decision == decision && c.By != api.ByAgent }
	}
	return []sumGroup{
		{"allowed", effect(api.EffectAllow), by},
		{"denied", effect(api.EffectDeny), by},
		{"refused by the agent", func(c api.LedgerCount) bool { return c.By == api.ByAgent }, func(api.LedgerCount) string { return "its own classifier" }},
		{"asked", effect(api.EffectAsk), by},
		{"left to the pane", func(c api.LedgerCount) bool { return c.Decision == api.EffectNone && c.By == "" }, func(api.LedgerCount) string { return "" }},
		{"nobody was asked", func(c api.LedgerCount) bool { return c.By == api.ByUnasked }, func(c api.LedgerCount) string {
			return cmp.Or(textsafe.Line(c.Mode), "mode not known")
		}},
		{"other rows", func(c api.LedgerCount) bool {
			return !slices.Contains([]string{api.EffectAllow, api.EffectDeny, api.EffectAsk, api.EffectNone}, c.Decision)
		}, func(c api.LedgerCount) string { return c.Decision }},
	}
}

// count returns how many rows fit, and how many of them have each word.
func (g sumGroup) count(counts []api.LedgerCount) (n int, text string) {
	var words []string
	of := map[string]int{}
	for _, c := range counts { // the most frequent first
		if !g.fits(c) {
			continue
		}
		n += c.Rows
		word := g.word(c)
		if of[word] == 0 && word != "" {
			words = append(words, word)
		}
		of[word] += c.Rows
	}
	for i, word := range words {
		words[i] = fmt.Sprintf("%s %d", word, of[word])
	}
	return n, strings.Join(words, ", ")
}
