package shell

// Kind says which rules a part is for.
type Kind uint8

// Kinds of parts. A command makes those of commands, files and code; the others are of
// tools that run none.
const (
	KindTool    Kind = iota // a use of a tool that has no finer parts
	KindCommand             // a simple command
	KindRead                // a file that is read
	KindEdit                // a file that is written
	KindFetch               // a web address
	KindNamed               // a tool with a name for argument
	KindOpaque              // code that can't be seen through
)

// Part is one thing that a request does. Rules are matched against it.
type Part struct {
	Kind Kind
	// Text is the part as allow rules match it and as people read it. What is unknown in
	// it is Wild.
	Text string
	// Unclear: Text has unknown pieces, or more happens than it says. Deny and ask rules
	// match what it may be.
	Unclear bool
	// Covered: the part needs no allow rule, because the parts that do include what it
	// is about: a wrapper's command, the file in an argument, another way to write a command.
	Covered bool
	// Possible: the part may not exist. It can make a request ask, never deny it.
	Possible bool
	// Barred is why no allow rule is enough, for people; "" if one can be.
	Barred string

	Command Command // of KindCommand and KindOpaque; else zero
	File    File    // of KindRead and KindEdit; else zero
}

// Command is a simple command as rules about commands see it.
type Command struct {
	// Words are the name and the arguments; none for most parts of KindOpaque.
	Words []Word
	// Assigned are the assignments before the command, as "A=1 B=2 ".
	Assigned string
	// UnsafeVar is a variable of Assigned that changes what the command does: an allow
	// rule must spell the assignment. "" if there is none.
	UnsafeVar string
	// Script is the script that the command runs: an allow rule must name it in its
	// fixed beginning. "" if there is none.
	Script string
	// WithoutOptions is the command without harmless options before git's subcommand: a
	// second text for allow rules, if Dirs lie in the project. "" if there is none.
	WithoutOptions string
	// Dirs are the values of `git -C`, each relative to the one before.
	Dirs []Word
	// VerbFirst: the first argument is a subcommand of git. Deny and ask rules must have
	// it in the same place.
	VerbFirst bool

	// program and ways are what Program and Ways return, made when first needed.
	program string
	ways    []string
}

// File has what rules about files need besides the path in Part.Text.
type File struct {
	// From are the absolute directories that a relative path may start from; none if
	// that isn't known.
	From []string
	// Anything: the path may be any, not only one that Part.Text can be.
	Anything bool
	// Literal: the path is compared as it is written, links are not followed.
	Literal bool
	// Below: all that is below the directory is read or changed.
	Below bool
	// Names: of a file only its name and attributes are looked at, of a directory the names
	// in it.
	Names bool
	// Visible: hidden files below are left out, if that isn't a file itself.
	Visible bool
	// Whole: a directory is moved or removed with all that is below.
	Whole bool
	// Alias: what is below the directory gets a second name.
	Alias bool
	// Inside: the directory that the command is in. A rule is about that only if it is not
	// about the whole project.
	Inside bool
	// Receives: a directory of that name gains or loses files.
	Receives bool
	// NamePattern matches the names of the files below Part.Text that are
	// meant, Wild for what isn't; "" for all files.
	NamePattern string
}

// Program returns the name of a command's program, in the spelling of the tables. The
// command's name must be known.
func (p *Part) Program() string {
	if p.Command.program == "" {
		p.Command.program = ProgramName(p.Command.Words[0].Text)
	}
	return p.Command.program
}

// Ways are the texts by which deny and ask rules may know a command: as it is, without
// quotes, with its assignments, and with the plain name of its program. The command's name
// must be known.
func (p *Part) Ways() []string {
	if p.Command.ways != nil {
		return p.Command.ways
	}
	name := p.Command.Words[0].Text
	plain := Join(p.Command.Words)
	out := append(make([]string, 0, 4), p.Text)
	if plain != p.Text {
		out = append(out, plain)
	}
	if p.Command.Assigned != "" {
		out = append(out, p.Command.Assigned+plain)
	}
	if program := p.Program(); program != name {
		out = append(out, program+plain[len(name):])
	}
	p.Command.ways = out
	return out
}

// Bar says why the part isn't allowed, unless there is a reason already.
func (p *Part) Bar(why string) {
	if p.Barred == "" {
		p.Barred = why
	}
}
