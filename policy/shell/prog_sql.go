package shell

import (
	"slices"
	"strings"
)

// progSQL handles clients of databases. A statement that runs no program and opens no file is
// harmless; anything else is opaque, as are scripts in files and on standard input.
func progSQL(w *walker, c *call) {
	statements, ok := sqlStatements(c.name, c.words[1:])
	if len(c.words) == 2 && quietOptions[c.words[1].Text] || ok && len(statements) > 0 && !slices.ContainsFunc(statements, dangerousSQL) {
		return
	}
	w.opaque("code for "+c.name, c.words)
}

// sqlStatements returns the statements in the arguments of a client; ok is false if there may
// be others elsewhere.
func sqlStatements(name string, args []Word) (statements []string, ok bool) {
	database := name != "sqlite3" && name != "duckdb"
	for i := 0; i < len(args); i++ {
		s := args[i].Text
		option, _, joined := strings.Cut(s, "=")
		switch {
		case !args[i].Known():
			return nil, false
		case option == "-c" || option == "-e" || option == "--command" || option == "--execute":
			_, value, _ := strings.Cut(s, "=")
			if !joined {
				i++
				value = argAt(args, i)
			}
			if i == len(args) || !args[i].Known() {
				return nil, false
			}
			statements = append(statements, value)
		case harmlessSQLOptions[option]:
		case valuedSQLOptions[option]:
			if !joined {
				i++
			}
		case strings.HasPrefix(s, "-"):
			return nil, false
		case !database:
			database = true
		case name == "sqlite3":
			statements = append(statements, s)
		}
	}
	return statements, true
}

// harmlessSQLOptions change only how results look, valuedSQLOptions say whom to ask and take
// a value.
var (
	harmlessSQLOptions = set("-t -A -x -q -X -N -B -s -w -W -header -noheader -csv -json -line -column -list -box -table -markdown -html -readonly -bail -batch --csv --json --quiet --tuples-only --no-align --expanded --no-psqlrc --batch --silent --table --skip-column-names")
	valuedSQLOptions   = set("-h -U -d -p -u -P -D --host --username --dbname --port --user --database -separator -nullvalue")
)

// dangerousSQL reports whether a statement may run a program or open a file: commands of the
// client, and functions and clauses for files.
func dangerousSQL(s string) bool {
	s = strings.ToLower(s)
	if word, rest, _ := strings.Cut(s, " "); showsTables[word] && !strings.ContainsAny(rest, "\\`|\n") {
		return false
	}
	if strings.ContainsAny(s, "\\`") {
		return true
	}
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), ".") {
			return true
		}
	}
	// Between a function and its parenthesis may stand blanks, quotes and comments.
	called := strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "[", "", "]", "").Replace(s)
	return strings.Contains(s, "/*") || slices.ContainsFunc(filesInSQL, func(word string) bool {
		return strings.Contains(s, word) || strings.HasSuffix(word, "(") && strings.Contains(called, word)
	})
}

// showsTables are commands of the clients that only show what there is, or how it looks.
var showsTables = set(`\d \d+ \dt \dt+ \di \dv \dn \du \df \l \l+ \z \x \conninfo .tables .schema .indexes .databases .headers .mode`)

var filesInSQL = strings.Fields("program pager tee load_ writefile readfile edit( fsdir system outfile dumpfile infile pg_read pg_ls pg_file lo_import lo_export copy attach vacuum source read_csv read_json read_parquet read_text read_blob glob( export import install load create from_file")
