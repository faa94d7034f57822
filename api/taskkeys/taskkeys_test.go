package taskkeys

import (
	"testing"

	"ccdir/api"
)

// TestLists: keys of several values take a list, and one value alone; others take no list.
func TestLists(t *testing.T) {
	t.Parallel()
	lists := map[string]func(api.NewTask) int{
		"steps": func(n api.NewTask) int { return len(n.Steps) }, "args": func(n api.NewTask) int { return len(n.Args) },
		"accounts": func(n api.NewTask) int { return len(n.Accounts) }, "env": func(n api.NewTask) int { return len(n.ExtraEnv) },
		"labels": func(n api.NewTask) int { return len(n.Labels) }, "after": func(n api.NewTask) int { return len(n.After) },
		"after_always": func(n api.NewTask) int { return len(n.After) },
	}
	for _, key := range Keys {
		var several, one api.NewTask
		f, err := Of(key, []any{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		count := lists[key]
		if err := Set(&several, f); (err == nil) != (count != nil) || count != nil && count(several) != 2 {
			t.Errorf("%s: %v %+v", key, err, several)
		}
		if count != nil {
			if err := Set(&one, Field{Key: key, Text: "a"}); err != nil || count(one) != 1 {
				t.Errorf("%s: %v %+v", key, err, one)
			}
		}
	}
}
