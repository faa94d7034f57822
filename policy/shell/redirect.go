package shell

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
	targets *findTargets
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
		in.sure = body.Known()
		in.texts = []string{body.Text}
		return
	case syntax.WordHdoc:
		body := w.word(r.Word.Parts)
		in.sure = body.Known()
		in.texts = append([]string{body.Text}, body.alts...)
		return
	case syntax.DplIn, syntax.DplOut:
		target := w.word(r.Word.Parts)
		if strings.Trim(target.Text, "0123456789-") == "" && target.Known() {
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
func (w *walker) hdoc(r *syntax.Redirect) Word {
	for _, p := range r.Word.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(l.Value, "\\") { // a quoted delimiter: the body is as written
			return lit(r.Hdoc.Lit())
		}
	}
	b := builder{w: w, alts: [][]byte{{}}}
	b.parts(r.Hdoc.Parts, true)
	return Word{Text: b.text.String(), dynamic: b.word.dynamic, alts: b.values()}
}

// file adds a file that the shell itself opens.
func (w *walker) file(kind Kind, target Word) {
	switch target.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero":
		return
	}
	p := Part{Kind: kind, Text: target.Text, Unclear: !target.Known(), File: File{Anything: target.dynamic}}
	if p.Unclear {
		p.Barred = "the name of a file that it opens isn't known before it runs"
	}
	if strings.HasPrefix(target.Text, "/dev/tcp/") || strings.HasPrefix(target.Text, "/dev/udp/") {
		p.Barred = "it opens a network connection"
	}
	if strings.HasPrefix(target.Text, "~") && target.unquoted {
		p.Text = w.home + target.Text[1:]
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
func (w *walker) chdir(dir Word) {
	switch {
	case !dir.Known() || dir.Text == "-" || w.loops || len(w.dirs) > 8:
		w.anywhere = true
		return
	case dir.Text == "" || dir.Text == "~":
		w.dirs = append(w.dirs, w.home)
		return
	case strings.HasPrefix(dir.Text, "~/") && dir.unquoted:
		dir.Text = path.Join(w.home, dir.Text[2:])
	case strings.HasPrefix(dir.Text, "~") && dir.unquoted:
		w.anywhere = true
		return
	}
	if path.IsAbs(dir.Text) {
		w.dirs = append(w.dirs, dir.Text)
		return
	}
	for _, d := range w.dirs {
		w.dirs = append(w.dirs, d+"/"+dir.Text) // not cleaned: ".." after a link is the link's parent
	}
}
