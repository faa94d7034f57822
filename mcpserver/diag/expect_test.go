package diag

import "testing"

// TestCompared: what was expected and what was there, as the test libraries write it.
func TestCompared(t *testing.T) {
	for text, want := range map[string][2]string{
		"expect(received).toBe(expected) // Object.is equality\n\nExpected: 2\nReceived: 1\n": {"2", "1"},
		"Error Trace: x\n\tError: Not equal:\n\t  expected: 2\n\t  actual  : 1\n":             {"2", "1"},
		"assertion `left == right` failed\n  left: 1\n right: 2":                              {"2", "1"},
		"assertion failed: `(left == right)`\n  left: `\"a\"`,\n right: `\"b\"`":              {`"b"`, `"a"`},
		"AssertionError: expected 1 to be 2 // Object.is equality":                            {"2", "1"},
		"AssertionError: expected [ 1 ] to deeply equal [ 2 ]":                                {"[ 2 ]", "[ 1 ]"},
		"Expected values to be strictly equal:\n\n1 !== 2\n":                                  {"2", "1"},
		"assert add(1, 1) == 3\n +  where 2 = add(1, 1)":                                      {"3", "add(1, 1)"},
		"AssertionError: assert 'a' == 'b'":                                                   {"'b'", "'a'"},
		"AssertionError: 1 != 2 : they differ":                                                {"2", "1"},
		"expected: <2> but was: <1>":                                                          {"2", "1"},
		"F(1) = 1, want 2":                                                                    {"2", "1"},
		"got 1; want 2":                                                                       {"2", "1"},
		"want [a b], got [a]":                                                                 {"[a b]", "[a]"},
		"not two":                                                                             {"", ""},
		"I expected better":                                                                   {"", ""},
	} {
		if expected, got := compared(text); [2]string{expected, got} != want {
			t.Errorf("%q: expected %q, got %q; want %q", text, expected, got, want)
		}
	}
}
