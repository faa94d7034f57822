package programs

import (
	"flag"
	"strconv"
)

// Parallel sets how many parallel tests run at once, unless the command line does; for
// a TestMain. Tests that wait for other processes should run more than one per
// processor.
func Parallel(n int) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", strconv.Itoa(n)) // it is a number
	}
}
