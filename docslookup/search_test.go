package docslookup

import (
	"fmt"
	"testing"

	"ccdir/api"
)

// TestReach: what an index can know of a question, by the words that occur in it.
func TestReach(t *testing.T) {
	q := ask("temporary directory doublestar")
	q.weigh(map[string]int{"": 100, stem("temporary"): 1, stem("directory"): 1, stem("doublestar"): 1})
	for _, c := range []struct {
		words []string
		want  float64
	}{{nil, 0}, {[]string{"directory"}, 1. / 3}, {[]string{"tmp"}, 0.3}, {[]string{"temporarydirectory"}, 2. / 3}, {[]string{"temp", "dir", "doublestar"}, 2.8 / 3}} {
		counts := map[string]int{}
		for _, w := range c.words {
			counts[stem(w)]++
		}
		if got := q.reach(counts); got < c.want-0.001 || got > c.want+0.001 {
			t.Errorf("%v: got %v, want %v", c.words, got, c.want)
		}
	}
}

// TestReachAsksEnough: a package that knows all of the question is found among many that know a
// part, and one that knows only a name is found by it.
func TestReachAsksEnough(t *testing.T) {
	files := map[string]string{".git/HEAD": ""}
	names := ""
	add := func(name, text string) {
		files["node_modules/"+name+"/package.json"] = `{"name":"` + name + `","version":"1.0.0"}`
		files["node_modules/"+name+"/index.d.ts"] = text
		names += fmt.Sprintf(`,%q:"1"`, name)
	}
	for i := range 15 {
		add(fmt.Sprint("part", i), "/** Knows stripes. */\nexport declare function other(): void;\n")
	}
	add("whole", "/** Counts the stripes of zebras. */\nexport declare function count(): void;\n")
	add("name", "export declare function zebraStripe(): void;\n")
	files["package.json"] = `{"dependencies":{` + names[1:] + `}}`
	dir, l := grow(t, files), library(t)
	for query, want := range map[string]string{"count stripes of zebras": "whole", "zebraStripe": "name"} {
		if out := lookup(t, l, api.DocsQuestion{Dir: dir, Query: query}); len(out.Hits) == 0 || out.Hits[0].Package != want {
			t.Errorf("%s: got %+v", query, out)
		}
	}
}
