package main

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ccdir/api"
)

// page returns a verb's manual page as roff (man macros).
func page(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"ccdir %s\" \"ccdir\"\n", strings.ToUpper(name(cmd)), api.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name(cmd)), escape(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", escape(synopsis(cmd)))
	b.WriteString(".SH DESCRIPTION\n" + text(cmp.Or(cmd.Long, cmd.Short+".")))
	verbs(&b, cmd)
	options(&b, cmd)
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + verbatim(cmd.Example))
	}
	if !cmd.HasParent() {
		b.WriteString(places)
	}
	seeAlso(&b, cmd)
	return b.String()
}

// places are the sections of ccdir(1) that no help has.
const places = `.SH FILES
.TP
.I ~/.config/ccdir/config.toml
settings
.TP
.I ~/.local/state/ccdir
sessions, events, queue
.TP
.I /tmp/ccdir\-UID
sockets
.SH ENVIRONMENT
.TP
.B CCDIR_HOME
a directory in which settings, state and sockets are instead
.SH EXIT STATUS
0 done, 1 failed (one line on standard error says why and what to do), 2 called wrongly.
`

// synopsis returns the forms in which a verb is called, one per line. Use separates
// them by " | ", and all but the first lack the verb's parents.
func synopsis(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "ccdir\nccdir VERB [ARGUMENTS]"
	}
	line := cmd.UseLine()
	forms := strings.Split(line, " | ")
	for i, form := range forms {
		switch {
		case strings.Count(form, "[") != strings.Count(form, "]"):
			return line // an alternative inside of a form
		case i > 0 && strings.HasPrefix(form, "-"):
			forms[i] = cmd.CommandPath() + " " + form
		case i > 0:
			forms[i] = cmd.Parent().CommandPath() + " " + form
		}
	}
	return strings.Join(forms, "\n")
}

// verbs lists the verbs below cmd, by the groups of its help if it has any.
func verbs(b *strings.Builder, cmd *cobra.Command) {
	list := shown(cmd)
	if len(list) == 0 {
		return
	}
	b.WriteString(".SH VERBS\n")
	row := func(sub *cobra.Command) {
		fmt.Fprintf(b, ".TP\n.BR %s (1)\n%s\n", escape(name(sub)), escape(sub.Short))
	}
	for _, group := range cmd.Groups() {
		fmt.Fprintf(b, ".SS %s\n", escape(strings.TrimSuffix(group.Title, ":")))
		for _, sub := range list {
			if sub.GroupID == group.ID {
				row(sub)
			}
		}
	}
	for _, sub := range list {
		if sub.GroupID == "" {
			row(sub)
		}
	}
}

// options lists the flags of cmd.
func options(b *strings.Builder, cmd *cobra.Command) {
	heading := ".SH OPTIONS\n"
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		option := `\fB` + escape("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			option = `\fB` + escape("-"+f.Shorthand) + `\fR, ` + option
		}
		if value != "" {
			option += ` \fI` + escape(value) + `\fR`
		}
		fmt.Fprintf(b, "%s.TP\n%s\n%s\n", heading, option, escape(usage))
		heading = ""
	})
}

// seeAlso names the parent of cmd and the verbs beside it.
func seeAlso(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasParent() {
		return
	}
	related := []*cobra.Command{cmd.Parent()}
	if cmd.Parent().HasParent() {
		for _, sub := range shown(cmd.Parent()) {
			if sub != cmd {
				related = append(related, sub)
			}
		}
	}
	b.WriteString(".SH SEE ALSO\n")
	for i, other := range related {
		end := ","
		if i == len(related)-1 {
			end = ""
		}
		fmt.Fprintf(b, ".BR %s (1)%s\n", escape(name(other)), end)
	}
}

// text returns a help's text: paragraphs, and lines that are indented as they stand.
func text(s string) string {
	var b strings.Builder
	for i, block := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		indented := false
		for line := range strings.Lines(block + "\n") {
			if now := strings.HasPrefix(line, "  "); now != indented {
				indented = now
				if now {
					b.WriteString(".PP\n.nf\n")
				} else {
					b.WriteString(".fi\n.PP\n")
				}
			}
			b.WriteString(escape(line))
		}
		if indented {
			b.WriteString(".fi\n")
		}
	}
	return b.String()
}

// verbatim returns s without filling.
func verbatim(s string) string { return ".nf\n" + escape(strings.Trim(s, "\n")) + "\n.fi\n" }

// escape returns plain text as roff, in ASCII.
func escape(s string) string {
	var b strings.Builder
	begins := true // of a line, where a dot and an apostrophe are commands
	for _, r := range s {
		if begins && (r == '.' || r == '\'') {
			b.WriteString(`\&`)
		}
		begins = r == '\n'
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
