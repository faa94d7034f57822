package usage

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/cli/verb"
)

// rows prints what was used, with the total.
func rows(a *verb.App, u api.Usage) error {
	if len(u.Rows) == 0 {
		return nil
	}
	if len(u.Windows) > 0 {
		fmt.Fprintln(a.Out)
	}
	total, most := api.UsageRow{Key: "total"}, 0.0
	for _, r := range u.Rows {
		add(&total, r)
		if r.CostUSD != nil {
			most = max(most, *r.CostUSD)
		}
	}
	t := verb.Table{}
	t.Row(verb.Plain("", "COST", "", "INPUT", "OUTPUT", "CACHE READ", "CACHE WRITE")...)
	for _, r := range append(slices.Clone(u.Rows), total) {
		share := ""
		if r.CostUSD != nil && most > 0 && r.Key != total.Key {
			share = spark(*r.CostUSD/most, a.Unicode())
		}
		t.Row(verb.Plain(cmp.Or(r.Name, r.Key, "(none)"), cost(r), share, tokens(r.InputTokens), tokens(r.OutputTokens), tokens(r.CacheReadTokens), tokens(r.CacheWriteTokens))...)
	}
	if err := t.WriteWithin(a.Out, a.Colours(), a.Columns()); err != nil {
		return err
	}
	if total.Estimate {
		fmt.Fprintf(a.Out, "~ is an estimate, by prices of %s\n", u.Prices)
	}
	if len(total.Lacks) > 0 {
		fmt.Fprintf(a.Out, "not in the cost, because the price is not known: %s\n", strings.Join(total.Lacks, ", "))
	}
	return nil
}

// add adds a row to the total.
func add(total *api.UsageRow, r api.UsageRow) {
	for _, n := range [][2]**int64{{&total.InputTokens, &r.InputTokens}, {&total.OutputTokens, &r.OutputTokens},
		{&total.CacheReadTokens, &r.CacheReadTokens}, {&total.CacheWriteTokens, &r.CacheWriteTokens}} {
		if *n[1] != nil {
			sum := **n[1]
			if *n[0] != nil {
				sum += **n[0]
			}
			*n[0] = &sum
		}
	}
	if r.CostUSD != nil {
		sum := *r.CostUSD
		if total.CostUSD != nil {
			sum += *total.CostUSD
		}
		total.CostUSD = &sum
	}
	total.Estimate = total.Estimate || r.Estimate
	for _, m := range r.Lacks {
		if !slices.Contains(total.Lacks, m) {
			total.Lacks = append(total.Lacks, m)
		}
	}
}

// cost is what a row cost: "$0.17", "~$0.17" if that is an estimate, "$0.17+" if something lacks.
func cost(r api.UsageRow) string {
	if r.CostUSD == nil {
		return "?"
	}
	text := "$" + strconv.FormatFloat(*r.CostUSD, 'f', 2, 64)
	if r.Estimate {
		text = "~" + text
	}
	if len(r.Lacks) > 0 {
		text += "+"
	}
	return text
}

// spark is a share of the most as one column of eight heights.
func spark(share float64, unicode bool) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	if !unicode {
		levels = []rune(".:-=+*#@")
	}
	return string(levels[min(int(share*float64(len(levels))), len(levels)-1)])
}

// tokens is a number of tokens, short.
func tokens(n *int64) string {
	switch {
	case n == nil:
		return "?"
	case *n >= 1_000_000:
		return strconv.FormatFloat(float64(*n)/1e6, 'f', 1, 64) + "M"
	case *n >= 10_000:
		return strconv.FormatInt(*n/1000, 10) + "k"
	}
	return strconv.FormatInt(*n, 10)
}
