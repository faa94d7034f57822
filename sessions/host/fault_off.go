//go:build !faults

package host

// fault is a fail point of builds with the tag faults.
func fault(string) error { return nil }
