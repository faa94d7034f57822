package host

// waitExited reaps the process: x/sys has no waitid for macOS. The group's id
// stays taken while any member of it runs, and a pid is not reused at once, so
// a signal in the moment until the end is noted goes nowhere.
func waitExited(c *child) { _ = c.cmd.Wait() }
