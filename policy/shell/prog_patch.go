package shell

import (
	"strings"

	"ccdir/internal/text/patchtext"
	"ccdir/policy/glob"
)

// progPatch handles apply_patch, which agents that have a tool of that name run as a program
// too. The patch is its argument or its input.
func progPatch(w *walker, c *call) {
	texts, sure := c.in.texts, c.in.sure
	if len(c.words) > 1 {
		texts, sure = []string{c.words[1].Text}, c.words[1].Known() && len(c.words) == 2
	}
	for _, text := range texts {
		files, whole := patchtext.Parse(text)
		sure = sure && whole
		for _, f := range files {
			for _, path := range []string{f.Path, f.MoveTo} {
				if path != "" {
					w.add(Part{Kind: KindEdit, Text: path, Unclear: strings.Contains(path, glob.Wild)})
				}
			}
		}
	}
	if !sure || len(texts) == 0 {
		w.opaque("a patch", c.words)
	}
}
