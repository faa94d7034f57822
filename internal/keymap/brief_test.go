package keymap

import "testing"

// TestFollowing: every key that may follow the prefix key is in the panel once, by its own key,
// also when the configuration has moved it; an action without a key is not.
func TestFollowing(t *testing.T) {
	m, problems := Make("", map[string][]string{"zoom": {"F5"}, "redraw": {}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	said := map[string]string{}
	n := 0
	for _, f := range m.Following() {
		if len([]rune(f.Group)) > 8 {
			t.Errorf("the group %q is wider than its column", f.Group)
		}
		for _, k := range f.Keys {
			if k.Word == "" || k.Key == "" || len(k.Word) > 30 {
				t.Errorf("%q %q is no brief key", k.Key, k.Word)
			}
			said[f.Group+" "+k.Word] = k.Key
			n++
		}
	}
	for what, key := range map[string]string{"panes focus": "hjkl", "panes number": "1-9", "panes zoom": "F5", "panes swap": "{}", "more layouts": "M-0…M-7", "more border": "C-Left…C-Right", "work conversation": "m", "work shell": "!", "panes last": ";", "sessions scope": "w", "sessions mark": "*", "more itself": "C-b"} {
		if said[what] != key {
			t.Errorf("%s is %q, want %q", what, said[what], key)
		}
	}
	if _, there := said["more redraw"]; there || len(said) != n {
		t.Errorf("%d words for %d keys: %v", len(said), n, said)
	}
	listed := map[Action]bool{}
	for _, g := range briefs {
		for _, row := range g.keys {
			for _, a := range row.actions {
				if listed[a] || ModeOf(m.Of(a).Group) != ModePrefix || m.Of(a).Text == "" {
					t.Errorf("%s is listed twice, or is no action after the prefix key", a)
				}
				listed[a] = true
			}
		}
	}
}
