package config

import (
	"strings"
	"testing"
)

// TestMayRun: options of ssh that may run a program are found however they are written, and those
// that everybody uses are not.
func TestMayRun(t *testing.T) {
	for _, harmless := range []string{
		"", "-p 2222", "-p2222 -J jump", "-4Cp 22", "-i key -l you", "-o Port=22", "-oPort=22", "-o|ServerAliveInterval 5", "-vvv", "-A -o ForwardAgent=yes",
	} {
		if got := MayRun(words(harmless)); got != "" {
			t.Errorf("%q: %q may run a program", harmless, got)
		}
	}
	for _, runs := range []string{
		"-o ProxyCommand=x", "-oProxyCommand=x", "-o|proxycommand x", "-o|\tProxyCommand = x", "-4oProxyCommand=x", "-4o ProxyCommand=x", "-CvoLocalCommand=x",
		"-o PermitLocalCommand=yes", "-o KnownHostsCommand=x", "-o PKCS11Provider=x", "-o SecurityKeyProvider=x", "-o Include=x", "-o|Match exec x",
		"-o XAuthLocation=x", "-F file", "-Ffile", "-p 22 -F file", "-I lib.so", "-o|Port=22\nProxyCommand=x", "-o", "-Z", "x", "-S sock", "-p -F -F x", "-",
	} {
		if got := MayRun(words(runs)); got == "" {
			t.Errorf("%q: nothing may run a program", runs)
		}
	}
}

// words splits a line at blanks, or at | if it has one.
func words(line string) []string {
	if strings.Contains(line, "|") {
		return strings.Split(line, "|")
	}
	return strings.Fields(line)
}
