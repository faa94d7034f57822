package proc

import "testing"

func TestAvailable(t *testing.T) {
	if n, err := available("MemTotal:       32768 kB\nMemAvailable:    1024 kB\n"); err != nil || n != 1<<20 {
		t.Errorf("%d, %v", n, err)
	}
	for _, bad := range []string{"", "MemAvailable: much kB\n", "MemAvailable:\n"} {
		if _, err := available(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if n, err := Available(); err != nil || n == 0 {
		t.Errorf("of this machine: %d, %v", n, err)
	}
}
