package api

import (
	"regexp"
	"strings"
	"testing"
)

func TestValidRole(t *testing.T) {
	want := regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}\z`)
	names := []string{"", "a", "dev", "lead", "guests", "a-", "a_b-9", "-a", "_a", "9a", "Dev", "dEv", "é", "aé", "a b", "a\n", "a.", "a\x00",
		strings.Repeat("a", 32), strings.Repeat("a", 33)}
	for c := range 256 {
		names = append(names, string([]byte{byte(c)}), string([]byte{'a', byte(c)}))
	}
	for _, name := range names {
		if got := ValidRole(name); got != want.MatchString(name) {
			t.Errorf("ValidRole(%q) = %v", name, got)
		}
	}
	if ValidRole(RoleGuest) {
		t.Error("guests can have no session")
	}
}
