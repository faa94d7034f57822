package programs

import (
	"flag"
	"strconv"
)

// Parallel lets at most n parallel tests run at once, unless the command line says
// how many; for a TestMain. Tests that wait for other processes take more than one
// a processor.
func Parallel(n int) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "test.parallel" })
	if !set {
		_ = flag.Set("test.parallel", strconv.Itoa(n)) // it is a number
	}
}
