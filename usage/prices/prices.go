// Package prices says what tokens cost by a table of prices that vendors publish.
//
// Contract: pure. The table is generated from models.dev (prices/gen), has a date and is part of the
// program: nothing is asked of a network. A model is found by its exact name, or by its name with a date
// behind it; one that is not in the table, or has no price for what was used, costs an unknown sum,
// never 0. What a person really pays may differ: by a subscription, a discount, a change since the
// table's date.
package prices

import (
	_ "embed" // the table
	"regexp"
	"strconv"
	"strings"
	"sync"

	"ccdir/api"
)

//go:embed prices.tsv
var file string

// Price is what a model costs, in US dollars per million tokens. A negative one is not known.
type Price struct {
	Input, Output, CacheRead, CacheWrite, CacheWriteHour float64
}

// tier is a price that holds for requests with more than above tokens of context.
type tier struct {
	above int64
	Price
}

// table has the prices of models, by vendor and name, the tiers of each with the smallest context
// first.
type table struct {
	of   map[[2]string][]tier
	date string
}

var tables = sync.OnceValue(func() table { return read(file) })

// unknown is the price of what has none.
const unknown = -1

// read reads a table; a line that is none is left out.
func read(text string) table {
	t := table{of: map[[2]string][]tier{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if commit, ok := strings.CutPrefix(line, "# commit "); ok {
			_, t.date, _ = strings.Cut(commit, " ")
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 8 {
			continue
		}
		above, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			continue
		}
		var p [5]float64
		for i, f := range fields[3:] {
			if p[i], err = strconv.ParseFloat(f, 64); err != nil {
				p[i] = unknown
			}
		}
		key := [2]string{fields[0], fields[1]}
		t.of[key] = append(t.of[key], tier{above, Price{p[0], p[1], p[2], p[3], p[4]}})
	}
	return t
}

// Date is the day of the table, as YYYY-MM-DD.
func Date() string { return tables().date }

// dated matches the date behind a model's name: claude-opus-4-5-20251101, gpt-5.2-2025-12-11.
var dated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-20\d{2}-?[01]\d-?[0-3]\d$`) })

// largeContext is what Claude Code writes behind the name of a model whose context is the large one.
const largeContext = "[1m]"

// find returns the tiers of a model.
func (t table) find(vendor, model string) []tier {
	model = strings.TrimSuffix(model, largeContext)
	if tiers := t.of[[2]string{vendor, model}]; tiers != nil {
		return tiers
	}
	if at := dated().FindStringIndex(model); at != nil {
		return t.of[[2]string{vendor, model[:at[0]]}]
	}
	return nil
}

// Cost is what one request costs in US dollars; false: that is not known. The vendor is one of
// models.dev's names: anthropic, google, openai, opencode. tokens are those of that one request, because
// some prices depend on how much context it has.
func Cost(vendor, model string, tokens api.TurnTokens) (usd float64, known bool) {
	context := tokens.Input + tokens.CacheRead + tokens.CacheWrite
	var price *Price
	for _, t := range tables().find(vendor, model) {
		if price == nil || context > t.above {
			price = &t.Price
		}
	}
	if price == nil {
		return 0, false
	}
	hour := min(tokens.CacheWriteHour, tokens.CacheWrite)
	for _, part := range []struct {
		tokens int64
		price  float64
	}{
		{tokens.Input, price.Input}, {tokens.Output, price.Output}, {tokens.CacheRead, price.CacheRead},
		{tokens.CacheWrite - hour, price.CacheWrite}, {hour, price.CacheWriteHour},
	} {
		if part.tokens <= 0 {
			continue
		}
		if part.price < 0 {
			return 0, false
		}
		usd += float64(part.tokens) * part.price / 1e6
	}
	return usd, true
}
