package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// baselineJSON has the costs (ratios to tmux or to the limit, the more the worse)
// that were measured when it was recorded, by id.
//
//go:embed baseline.json
var baselineJSON []byte

// tolerated is the ratio to the recorded cost up to which a result passes. Machines and
// their loads differ: only gross regressions shall fail.
const tolerated = 3

// verdict is a result that fails the check.
type verdict struct {
	result
	cost, recorded float64
}

// check compares results with the baseline; results without a baseline pass.
func check(found []result) (bad []verdict) {
	var baseline map[string]float64
	if err := json.Unmarshal(baselineJSON, &baseline); err != nil {
		panic(err) // it is part of this program, and a test reads it
	}
	for _, r := range found {
		recorded, known := baseline[r.ID]
		cost, ok := r.cost()
		if known && ok && cost > tolerated*recorded && cost > r.Floor {
			bad = append(bad, verdict{r, cost, recorded})
		}
	}
	return bad
}

// regression is the error that names what failed.
func regression(bad []verdict) error {
	var lines []string
	for _, v := range bad {
		lines = append(lines, fmt.Sprintf("%s: %s, more than %d times the recorded %s", v.ID, figure(v.cost), tolerated, figure(v.recorded)))
	}
	return fmt.Errorf("much slower than recorded (cmd/ccdir-bench/baseline.json): %s", strings.Join(lines, "; "))
}
