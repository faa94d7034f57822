package shell

import "strings"

// progSSH handles a remote command: the words behind the host, for a shell there.
func progSSH(w *walker, c *call) {
	args := c.words[1:]
	i, ok := w.sshOptions(c, args)
	if !ok {
		w.opaque("ssh with arguments that aren't known", c.words)
		return
	}
	c.own = min(i, len(args))
	rest := args[c.own:]
	if len(rest) > 0 {
		rest = rest[1:]
	}
	for len(rest) > 0 && (rest[0].Text == "--" || len(rest[0].Text) > 1 && rest[0].Text[0] == '-') { // options after the host
		w.opaque("an option of ssh", nil)
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		w.fromInput(c)
		w.parts[c.part].Covered = false
	case !known(rest):
		w.opaque("a remote command that isn't known", c.words)
	default:
		w.script(Join(rest))
	}
}

// sshValues are the letters of ssh that take a value.
const sshValues = "BbcDEeFIiJLlmOoPpQRSWw"

// sshOptions returns the index of the host; ok is false if unknown.
func (w *walker) sshOptions(c *call, args []Word) (i int, ok bool) {
	for ; i < len(args); i++ {
		s := args[i].Text
		switch {
		case !args[i].Known() && args[i].Several:
			return i, false
		case s == "--":
			return i + 1, true
		case len(s) < 2 || s[0] != '-':
			return i, true
		case s[1] == '-': // ssh has none; programs that are used like it do
			w.opaque("an option of "+c.name, nil)
			continue
		}
		at := strings.IndexAny(s, sshValues)
		if at < 0 {
			continue
		}
		value, _ := valueIn(args[i], args[i+1:], s[at], sshValues, "")
		if s[at] == 'F' || s[at] == 'I' || s[at] == 'o' && !harmlessSSH(value.Text) {
			w.opaque("the option -"+s[at:at+1]+" of "+c.name, nil)
		}
		if at == len(s)-1 {
			i++
		}
	}
	return i, true
}
