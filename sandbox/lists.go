package sandbox

import "strings"

// System is what programs need of a machine; what is not there is left out.
func System(goos string) []string {
	if goos == "darwin" {
		return strings.Fields("/usr /bin /sbin /opt /System /Library /private/etc /private/var/db/timezone /private/var/select /Applications/Xcode.app /dev/null /dev/zero /dev/random /dev/urandom")
	}
	return strings.Fields("/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix /snap /sys /run/systemd/resolve /run/current-system /run/opengl-driver")
}

// toolchains are programs and settings below the home that hold no secrets.
var toolchains = strings.Fields(".local/bin .local/lib .local/share/claude .local/share/mise .local/share/pnpm .local/share/uv .nvm .volta .asdf .bun/bin " +
	".deno/bin .cargo/bin .rustup .pyenv .rbenv .sdkman .npm-global .npmrc.d go/bin sdk .gitconfig .config/git .terminfo .inputrc")

// Cache is a directory below the home in which programs keep what they can get again.
type Cache struct {
	Path string // below the home
	Name string // of the private directory
	Env  string // the variable that moves it; "" if none does
}

// Caches are private to the session: the person's own build would use what was planted in a
// shared one.
var Caches = []Cache{
	{".cache", "cache", "XDG_CACHE_HOME"}, {".npm", "npm", "npm_config_cache"}, {".cargo/registry", "cargo", ""}, {".cargo/git", "cargo-git", ""},
	{".gradle", "gradle", "GRADLE_USER_HOME"}, {".m2", "m2", ""}, {"go/pkg", "go", ""},
}

// planted are names in a work tree that programs of the person run or obey without being asked.
var planted = strings.Fields(".envrc .vscode .idea .claude .codex .gemini .opencode .mcp.json .ccdir .ccdir.toml .husky .gitmodules")
