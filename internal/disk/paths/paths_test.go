package paths

import (
	"strings"
	"testing"
)

// TestTooLong: SQLite would not open the database, with a message that does not say why.
func TestTooLong(t *testing.T) {
	long := "/" + strings.Repeat("x", maxDatabase)
	for _, key := range []string{"CCDIR_HOME", "XDG_STATE_HOME", "HOME"} {
		env := map[string]string{"HOME": "/home/someone", key: long}
		_, err := New(func(k string) string { return env[k] }, 1000)
		if err == nil || !strings.Contains(err.Error(), "set CCDIR_HOME to a shorter one") || len(err.Error()) > 150 {
			t.Errorf("%s: %v", key, err)
		}
	}
	env := map[string]string{"CCDIR_HOME": long[:maxDatabase-len("/state/ccdir.db")]}
	if p, err := New(func(k string) string { return env[k] }, 1000); err != nil || len(p.Database()) != maxDatabase {
		t.Error(p, err)
	}
}
