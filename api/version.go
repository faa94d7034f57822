package api

import (
	"runtime/debug"
	"strings"
)

// nextRelease is the version of a build that names none.
const nextRelease = "0.1.0"

// Version is ccdir's version; daemon, shim and ccdir report a difference. It is what the
// linker was told (-ldflags "-X ccdir/api.Version=1.2.3"); without that, the release from
// whose module the program was built (`go install …@v1.2.3`, or a clean checkout of a tag).
var Version = nextRelease

func init() {
	if Version != nextRelease {
		return
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		Version = built(info.Main.Version)
	}
}

// built is the version of a program whose module has this version: that of a tag, without a
// commit since, and without a change that is not committed. (Programs of one working tree
// shall have one version, whatever was committed between their builds.)
func built(module string) string {
	number, pre, _ := strings.Cut(strings.TrimPrefix(module, "v"), "-")
	pre = strings.TrimRight(pre, "0123456789.")
	if strings.Count(number, ".") == 2 && strings.Trim(number, "0123456789.") == "" && (pre == "" || pre == "alpha" || pre == "beta" || pre == "rc") {
		return strings.TrimPrefix(module, "v")
	}
	return nextRelease
}
