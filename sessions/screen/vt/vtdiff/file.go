package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// checkpoint is what xterm.js shows after the first upto bytes of a recording,
// in the format of testdata/recordings/checkpoints.jsonl.
type checkpoint struct {
	File   string   `json:"file"`
	Cols   int      `json:"cols"`
	Rows   int      `json:"rows"`
	Upto   int      `json:"upto"`
	Grid   []string `json:"grid"`
	Cursor [2]int   `json:"cursor"`
	Type   string   `json:"type"`
}

// compareFile compares on prefixes of a recording, cut at even steps, and
// records the checkpoints on which both agree.
func compareFile(o *oracle, path string, points int, rec io.Writer) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".raw")
	c := stream{Graphemes: true}
	if _, err := fmt.Sscanf(name[strings.LastIndex(name, "-")+1:], "%dx%d", &c.Cols, &c.Rows); err != nil {
		log.Fatalf("vtdiff: %s: the name does not end in -COLSxROWS.raw", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		log.Fatal("vtdiff: ", err)
	}
	same := true
	for i := range points {
		upto := len(data) * (i + 1) / points
		c.Parts = []string{string(data[:upto])}
		got, want := run(c), o.play(c)
		if what := compare(c, got, want); what != "" {
			same = false
			fmt.Printf("--- %s, %d bytes: %s\n got %q %v %q\nwant %q %v %q\n", path, upto, what, got.Grid, got.Cursor, got.Reply, want.Grid, want.Cursor, want.Reply)
			continue
		}
		p := checkpoint{filepath.Base(path), c.Cols, c.Rows, upto, want.Grid, want.Cursor, "normal"}
		if want.Alt {
			p.Type = "alternate"
		}
		line, err := json.Marshal(p)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Fprintf(rec, "%s\n", line)
	}
	return same
}
