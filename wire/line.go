package wire

// LineResult answers MethodLine.
type LineResult struct {
	// Token fetches the line's descriptors, once (Hello.Line).
	Token string `json:"token"`
}

// Line answers a Hello with a Line token instead of a Welcome and is the host's last
// message on that connection. Two descriptors come with it (SCM_RIGHTS): the line's page
// and the PTY's master. The client may answer with a Line of its own (Hello.Display).
// See wire/directline.
type Line struct{}
