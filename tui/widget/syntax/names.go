package syntax

import (
	"path"
	"strings"
	"sync"
)

// languages are the lexers with the ends of names, or whole names, of their files.
var languages = []struct{ lexer, names string }{
	{"bash", ".sh .bash .zsh .ksh .env .bashrc .zshrc PKGBUILD"}, {"c", ".c .h"}, {"c#", ".cs"}, {"c++", ".cpp .hpp .cc .hh .cxx .hxx .ipp"}, {"clojure", ".clj .cljs .cljc .edn"},
	{"cmake", ".cmake CMakeLists.txt"}, {"css", ".css"}, {"dart", ".dart"}, {"docker", ".dockerfile Dockerfile Containerfile"}, {"elixir", ".ex .exs"}, {"erlang", ".erl .hrl"},
	{"fish", ".fish"}, {"go", ".go"}, {"graphql", ".graphql .graphqls"}, {"haskell", ".hs"}, {"hcl", ".hcl"}, {"html", ".html .htm"},
	{"ini", ".ini .cfg .conf .service .socket .timer .editorconfig .gitconfig"}, {"java", ".java"}, {"javascript", ".js .mjs .cjs"}, {"json", ".json .jsonc .jsonl"},
	{"kotlin", ".kt .kts"}, {"lua", ".lua"}, {"makefile", ".mk Makefile makefile GNUmakefile Justfile justfile"}, {"nix", ".nix"}, {"ocaml", ".ml .mli"}, {"perl", ".pl .pm"},
	{"php", ".php"}, {"powershell", ".ps1 .psm1"}, {"protocol_buffer", ".proto"}, {"python", ".py .pyi .bzl .star BUILD BUILD.bazel"}, {"r", ".r .R"}, {"react", ".jsx"},
	{"ruby", ".rb .rake .gemspec Rakefile Gemfile"}, {"rust", ".rs"}, {"scala", ".scala .sbt"}, {"scss", ".scss"}, {"sql", ".sql"}, {"swift", ".swift"}, {"terraform", ".tf .tfvars"},
	{"toml", ".toml"}, {"typescript", ".ts .tsx .mts .cts"}, {"vue", ".vue"}, {"xml", ".xml .svg .xsd .xslt .csproj .plist"}, {"yaml", ".yaml .yml"}, {"zig", ".zig"},
}

// uses are the lexers that others call.
var uses = map[string][]string{"docker": {"bash"}, "makefile": {"bash"}, "html": {"javascript", "css"}}

var byName = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, l := range languages {
		for _, name := range strings.Fields(l.names) {
			names[name] = l.lexer
		}
	}
	return names
})

// languageOf is the lexer for a file; "" if there is none.
func languageOf(file string) string {
	name := path.Base(file)
	if l, ok := byName()[name]; ok {
		return l
	}
	return byName()[path.Ext(name)]
}
