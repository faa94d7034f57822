// Package failpoint has the host's fail points, for tests with a world that breaks. Only
// builds with the tag faults have any.
package failpoint
