package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stdin is the known standard input of a command.
type stdin struct {
	// texts are its possible contents, nil if unknown. sure: the first one is the whole
	// input.
	texts []string
	sure  bool
	// targets are the files that it lists; nil if unknown.
	targets *findTargets
}

// redirect adds the file of a redirection.
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
			return // copies a descriptor
		}
		w.opensAll(r.Word, KindEdit)
	case syntax.RdrIn:
		in.sure, in.texts = false, nil
		w.opensAll(r.Word, KindRead)
	case syntax.RdrInOut:
		in.sure, in.texts = false, nil
		w.opensAll(r.Word, KindRead, KindEdit)
	default:
		if r.Word.Lit() == "!" {
			w.opaque("a redirection that means something else in some shells", nil)
		}
		// >, >>, >|, &>, &>> and operators of later parsers
		w.opensAll(r.Word, KindEdit)
	}
}

// opensAll adds the files of a redirection. bash refuses braces that make several words; zsh
// opens each.
func (w *walker) opensAll(x *syntax.Word, kinds ...Kind) {
	for _, target := range w.expandWord(nil, x) {
		w.copied(target, false)
		for _, kind := range kinds {
			w.opens(kind, target)
		}
	}
}

// hdoc returns the body of a here-document.
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

// opens adds a file that the shell itself opens.
func (w *walker) opens(kind Kind, target Word) {
	switch target.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty", "/dev/zero":
		return
	}
	p := Part{Kind: kind, Text: target.Text, Unclear: !target.Known(), File: File{Anything: target.dynamic}}
	if p.Unclear {
		p.Barred = "it opens a file whose name is unknown until it runs"
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

// starts returns the directories that relative paths may start from; nil if unknown.
func (w *walker) starts() []string {
	if w.cwd.unknown {
		return nil
	}
	return w.cwd.known
}

// chdir records that the command may be in another directory from here on.
func (w *walker) chdir(dir Word) {
	switch {
	case !dir.Known() || dir.Text == "-" || w.seen.loops || len(w.cwd.known) > 8:
		w.cwd.unknown = true
		return
	case dir.Text == "" || dir.Text == "~":
		w.cwd.known = append(w.cwd.known, w.home)
		return
	case strings.HasPrefix(dir.Text, "~/") && dir.unquoted:
		dir.Text = path.Join(w.home, dir.Text[2:])
	case strings.HasPrefix(dir.Text, "~") && dir.unquoted:
		w.cwd.unknown = true
		return
	}
	if path.IsAbs(dir.Text) {
		w.cwd.known = append(w.cwd.known, dir.Text)
		return
	}
	for _, d := range w.cwd.known {
		w.cwd.known = append(w.cwd.known, d+"/"+dir.Text) // not cleaned: ".." after a link is the link's parent
	}
}
