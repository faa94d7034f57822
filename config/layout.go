package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/text/tomltext"
)

// Layout are sessions that belong together, and how the grid shows them: a layout file, or a
// [templates.NAME].
type Layout struct {
	// File is where it is written, for messages.
	File string
	// Layout, Focus and Zoom are those of api.Grid; the latter two are names of sessions. "" leaves
	// the grid as it is.
	Layout, Focus, Zoom string
	// Sizes are the borders that were moved; nil leaves them as they are.
	Sizes map[string]api.GridSizes
	// Sessions are in the order of their panes.
	Sessions []LayoutSession
}

// LayoutSession is one session of a layout. Empty fields are as those of api.NewSession.
type LayoutSession struct {
	// Line is where it is written, from 1.
	Line int
	// Name is never empty.
	Name string
	// Dir is absolute, or, in a template, relative to the directory in which that is opened.
	Dir string
	// Argv is a command instead of an agent.
	Argv []string
	// Agent, Model, Account, Role, Sandbox, Args, Prompt, Resume and AfterLimit (api.ResumeMode) are for an agent.
	Agent, Model, Account, Role, Sandbox, Prompt, Resume, AfterLimit string
	Args                                                             []string
	// Env has K=V pairs, by K.
	Env []string
	// Worktree and Base are those of api.NewSession.
	Worktree, Base string
	Marks          api.Marks
	// Hidden: it has no pane.
	Hidden bool
}

// layoutKeys are the texts of a session in a layout, in the order in which they are written.
var layoutKeys = []struct {
	name string
	at   func(*LayoutSession) *string
}{
	{"name", func(s *LayoutSession) *string { return &s.Name }},
	{"dir", func(s *LayoutSession) *string { return &s.Dir }},
	{"worktree", func(s *LayoutSession) *string { return &s.Worktree }},
	{"base", func(s *LayoutSession) *string { return &s.Base }},
	{"agent", func(s *LayoutSession) *string { return &s.Agent }},
	{"model", func(s *LayoutSession) *string { return &s.Model }},
	{"account", func(s *LayoutSession) *string { return &s.Account }},
	{"role", func(s *LayoutSession) *string { return &s.Role }},
	{"sandbox", func(s *LayoutSession) *string { return &s.Sandbox }},
	{"prompt", func(s *LayoutSession) *string { return &s.Prompt }},
	{"resume", func(s *LayoutSession) *string { return &s.Resume }},
	{"resume_after_limit", func(s *LayoutSession) *string { return &s.AfterLimit }},
	{"group", func(s *LayoutSession) *string { return &s.Marks.Group }},
	{"color", func(s *LayoutSession) *string { return &s.Marks.Color }},
	{"note", func(s *LayoutSession) *string { return &s.Marks.Note }},
}

// layoutOthers are the keys of a session that are no texts.
var layoutOthers = []string{"args", "command", "env", "hidden", "pin"}

// ReadLayout reads a layout file, whose relative directories are relative to it; home replaces
// "~". Nothing of a file with problems is to be used. The error is that of reading it.
func ReadLayout(file, home string) (Layout, []Problem, error) {
	data, err := untrusted.Read(file, maxFile)
	if err != nil {
		return Layout{}, nil, err
	}
	l, problems := ParseLayout(data, file, home)
	return l, problems, nil
}

// ParseLayout is ReadLayout for text that was read already; file is absolute.
func ParseLayout(data []byte, file, home string) (Layout, []Problem) {
	p := parser{l: &Loaded{File: file}, home: home}
	raw, lines, err := tomltext.Decode(string(data))
	if err != nil {
		at := Problem{File: file, Message: err.Error()}
		var syntax *tomltext.Error
		if errors.As(err, &syntax) {
			at.Line, at.Message = syntax.Line, syntax.Message
		}
		return Layout{}, []Problem{at}
	}
	p.l.lines = lines
	l := p.layout(raw)
	for i := range l.Sessions {
		if s := &l.Sessions[i]; !filepath.IsAbs(s.Dir) {
			s.Dir = filepath.Join(filepath.Dir(file), s.Dir)
		}
	}
	slices.SortStableFunc(p.l.Problems, func(a, b Problem) int { return a.Line - b.Line })
	return l, p.l.Problems
}

// In is the template in a directory.
func (l Layout) In(dir string) Layout {
	l.Sessions = slices.Clone(l.Sessions)
	for i := range l.Sessions {
		if s := &l.Sessions[i]; !filepath.IsAbs(s.Dir) {
			s.Dir = filepath.Join(dir, s.Dir)
		}
	}
	return l
}

// TemplateNames are the names of the templates, sorted.
func (c Config) TemplateNames() []string { return slices.Sorted(maps.Keys(c.Templates)) }

// templates reads [templates.NAME].
func (p *parser) templates(v any) {
	t, _ := p.table(v, "templates")
	p.l.Templates = map[string]Layout{}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fields, ok := p.table(t[name], "templates", name)
		if !ok {
			continue
		}
		if !validAgentName(name) {
			p.problem("a template's name is 1 to 32 lower-case letters, digits, - and _", "templates", name)
			continue
		}
		before := len(p.l.Problems)
		if l := p.layout(fields, "templates", name); len(p.l.Problems) == before { // half a picture is none
			p.l.Templates[name] = l
		}
	}
}

// layout reads a layout whose table is at path.
func (p *parser) layout(raw map[string]any, path ...string) Layout {
	l := Layout{File: p.l.File}
	at := func(more ...string) []string { return slices.Concat(path, more) }
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		v := raw[name]
		text, isText := v.(string)
		switch to := map[string]*string{"layout": &l.Layout, "focus": &l.Focus, "zoom": &l.Zoom}[name]; {
		case name == "session":
			p.layoutSessions(&l, v, path)
		case name == "sizes":
			p.layoutSizes(&l, v, path)
		case to == nil:
			p.problem("unknown key; a layout has layout, focus, zoom, sizes and [[session]]", at(name)...)
		case !isText:
			p.problem("expected a string, found "+typeName(v), at(name)...)
		default:
			*to = text
		}
	}
	for key, name := range map[string]string{"focus": l.Focus, "zoom": l.Zoom} {
		if name != "" && !slices.ContainsFunc(l.Sessions, func(s LayoutSession) bool { return s.Name == name }) {
			p.problem(fmt.Sprintf("no session here is called %q", textsafe.Line(name)), at(key)...)
		}
	}
	if len(l.Sessions) == 0 && len(p.l.Problems) == 0 {
		p.problem("it has no [[session]]", path...)
	}
	return l
}

// layoutSizes reads the borders that were moved.
func (p *parser) layoutSizes(l *Layout, v any, path []string) {
	shapes, _ := p.table(v, slices.Concat(path, []string{"sizes"})...)
	l.Sizes = map[string]api.GridSizes{}
	for shape, v := range shapes {
		at := slices.Concat(path, []string{"sizes", shape})
		fields, ok := p.table(v, at...)
		if !ok {
			continue
		}
		var s api.GridSizes
		lines, err := wholes(fields["lines"])
		rows, isList := fields["cells"].([]any)
		if fields["cells"] != nil && !isList {
			err = errors.New("expected lists of whole numbers")
		}
		s.Lines = lines
		for _, row := range rows {
			list, rowErr := wholes(row)
			s.Cells, err = append(s.Cells, list), errors.Join(err, rowErr)
		}
		l.Sizes[shape] = s
		if err == nil {
			err = (api.Grid{Sizes: map[string]api.GridSizes{shape: s}}).Check()
		}
		if err != nil {
			p.problem(err.Error(), at...)
		}
	}
}

// wholes reads a list of whole numbers; nil is none.
func wholes(v any) (list []int, err error) {
	items, ok := v.([]any)
	if v != nil && !ok {
		return nil, errors.New("expected lists of whole numbers")
	}
	for _, item := range items {
		n, ok := item.(int64)
		if !ok {
			return nil, errors.New("expected lists of whole numbers")
		}
		list = append(list, int(n))
	}
	return list, nil
}

// layoutSessions reads the sessions of a layout.
func (p *parser) layoutSessions(l *Layout, v any, path []string) {
	list, ok := tomltext.Tables(v)
	if !ok {
		p.problem("write each session as [[session]] with name and dir", slices.Concat(path, []string{"session"})...)
		return
	}
	lines := map[string]int{}
	for i, fields := range list {
		at := slices.Concat(path, []string{"session", strconv.Itoa(i)})
		s := LayoutSession{Line: p.l.lines.Line(at...)}
		for field, v := range fields {
			if err := p.layoutField(&s, field, v); err != nil {
				p.problem(err.Error(), slices.Concat(at, []string{field})...)
			}
		}
		s.Dir = expandPath(s.Dir, p.home)
		if err := s.check(); err != nil {
			p.problem(err.Error(), at...)
		}
		if line := lines[s.Name]; line > 0 && s.Name != "" {
			p.problem(fmt.Sprintf("line %d has a session called %s already", line, textsafe.Line(s.Name)), slices.Concat(at, []string{"name"})...)
		}
		lines[s.Name] = s.Line
		l.Sessions = append(l.Sessions, s)
	}
}

// layoutField takes one key of a session.
func (p *parser) layoutField(s *LayoutSession, field string, v any) (err error) {
	for _, k := range layoutKeys {
		if k.name == field {
			return text(func(*Config) *string { return k.at(s) })(nil, v)
		}
	}
	switch field {
	case "args":
		s.Args, err = stringList(v)
	case "command":
		if line, ok := v.(string); ok { // for a shell, as that of a tool
			s.Argv = []string{"sh", "-c", line}
			return nil
		}
		s.Argv, err = stringList(v)
	case "env":
		var env map[string]string
		env, err = stringTable(v)
		for _, k := range slices.Sorted(maps.Keys(env)) {
			s.Env = append(s.Env, k+"="+env[k])
		}
	case "hidden":
		err = boolean(func(*Config) *bool { return &s.Hidden })(nil, v)
	case "pin":
		err = boolean(func(*Config) *bool { return &s.Marks.Pinned })(nil, v)
	default:
		names := slices.Clone(layoutOthers)
		for _, k := range layoutKeys {
			names = append(names, k.name)
		}
		slices.Sort(names)
		err = errors.New("unknown key; a session has " + strings.Join(names, ", "))
	}
	return err
}

// check returns what of a session does not fit together.
func (s LayoutSession) check() error {
	_, err := api.SetMarks{Group: &s.Marks.Group, Note: &s.Marks.Note, Color: &s.Marks.Color}.Over(api.Marks{})
	isCommand := len(s.Argv) > 0
	switch {
	case strings.TrimSpace(s.Name) == "":
		return errors.New("a session needs a name")
	case err != nil:
		return err
	case s.Role != "" && !api.ValidRole(s.Role):
		return errRole(s.Role)
	case isCommand && (s.Agent != "" || s.Model != "" || s.Account != "" || s.Prompt != "" || s.Resume != "" || s.AfterLimit != "" || len(s.Args) > 0):
		return errors.New("a command has no agent, model, account, prompt, resume, resume_after_limit or args")
	case s.AfterLimit != "" && !slices.Contains(api.ResumeModes, api.ResumeMode(s.AfterLimit)):
		return fmt.Errorf("resume_after_limit %.20q is unknown: on, own, ask or off", s.AfterLimit)
	case isCommand && s.Argv[0] == "":
		return errors.New("the command is empty")
	case s.Base != "" && (s.Worktree == "" || s.Worktree == "-"):
		return errors.New("base is for a worktree: name its branch")
	}
	return nil
}

// New is what starts the session; env is the caller's environment.
func (s LayoutSession) New(env []string) api.NewSession {
	return api.NewSession{
		Name: s.Name, CWD: s.Dir, Env: env, ExtraEnv: s.Env, Argv: s.Argv,
		Agent: s.Agent, Args: s.Args, Model: s.Model, Account: s.Account, Role: s.Role, Sandbox: s.Sandbox,
		Worktree: s.Worktree, Base: s.Base, Prompt: s.Prompt, Resume: s.Resume, ResumeAfterLimit: api.ResumeMode(s.AfterLimit),
	}
}
