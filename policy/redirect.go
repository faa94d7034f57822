package policy

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdin is what is known of a command's standard input.
type stdin struct {
	// texts are what it may be; sure says that the first one is all of it.
	texts []string
	sure  bool
	// files: what it lists are names that find found.
	files *finding
}

// redirect adds the file of a redirection as a part.
func (w *walker) redirect(r *syntax.Redirect, in *stdin) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc == nil {
			*in = stdin{texts: []string{""}, sure: true}
			return
		}
		body := w.hdoc(r)
		in.sure = body.known()
		in.texts = []string{body.s}
		return
	case syntax.WordHdoc:
		body := w.word(r.Word.Parts)
		in.sure = body.known()
		in.texts = append([]string{body.s}, body.alts...)
		return
	case syntax.DplIn, syntax.DplOut:
		target := w.word(r.Word.Parts)
		if strings.Trim(target.s, "0123456789-") == "" && target.known() {
			return // a copy of a descriptor
		}
		w.file(KindEdit, target)
	case syntax.RdrIn:
		in.sure, in.texts = false, nil
		w.file(KindRead, w.word(r.Word.Parts))
	case syntax.RdrInOut:
		in.sure, in.texts = false, nil
		target := w.word(r.Word.Parts)
		w.file(KindRead, target)
		w.file(KindEdit, target)
	default:
		if r.Word.Lit() == "!" {
			w.opaque("a redirection that some shells read otherwise", nil)
		}
		// >, >>, >|, &>, &>> and what a later parser may add
		w.file(KindEdit, w.word(r.Word.Parts))
	}
}

// hdoc is the body of a here-document.
func (w *walker) hdoc(r *syntax.Redirect) word {
	for _, p := range r.Word.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, "\\") { // a quoted delimiter: the body is as written
			return lit(r.Hdoc.Lit())
		}
	}
	b := builder{w: w, alts: [][]byte{{}}}
	b.parts(r.Hdoc.Parts, true)
	return word{s: b.text.String(), dynamic: b.word.dynamic, alts: b.values()}
}

// file adds a file that the shell itself opens.
func (w *walker) file(kind Kind, target word) {
	switch target.s {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero":
		return
	}
	p := Part{Kind: kind, Text: target.s, Unclear: !target.known(), File: File{Anything: target.dynamic}}
	if p.Unclear {
		p.Barred = "the name of a file that it opens isn't known before it runs"
	}
	if strings.HasPrefix(target.s, "/dev/tcp/") || strings.HasPrefix(target.s, "/dev/udp/") {
		p.Barred = "it opens a network connection"
	}
	if strings.HasPrefix(target.s, "~") && target.bare {
		p.Text = w.home + target.s[1:]
	}
	w.add(p)
	for _, alt := range target.alts {
		w.add(Part{Kind: kind, Text: alt, Covered: true})
	}
}

// bases says where the relative paths of the command's files may start.
func (w *walker) bases() []string {
	if w.anywhere {
		return nil
	}
	return w.dirs
}

// chdir notes that the command may be in another directory from here on.
func (w *walker) chdir(dir word) {
	switch {
	case !dir.known() || dir.s == "-" || w.loops || len(w.dirs) > 8:
		w.anywhere = true
		return
	case dir.s == "" || dir.s == "~":
		w.dirs = append(w.dirs, w.home)
		return
	case strings.HasPrefix(dir.s, "~/") && dir.bare:
		dir.s = path.Join(w.home, dir.s[2:])
	case strings.HasPrefix(dir.s, "~") && dir.bare:
		w.anywhere = true
		return
	}
	if path.IsAbs(dir.s) {
		w.dirs = append(w.dirs, dir.s)
		return
	}
	for _, d := range w.dirs {
		w.dirs = append(w.dirs, d+"/"+dir.s) // not cleaned: ".." after a link is the link's parent
	}
}
