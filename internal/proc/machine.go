package proc

// MachineID returns what identifies this installation of the operating system, "" if it does not
// tell. It is a secret of the machine: hash it before it leaves.
func MachineID() string { return machineID() }
