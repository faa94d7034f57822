package gitstatus

import (
	"slices"
	"strings"
)

// local are the variables by which git passes a repository on to the programs that it runs
// (`git rev-parse --local-env-vars`, and GIT_QUARANTINE_PATH of a push): a hook that calls us
// has them.
var local = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_OBJECT_DIRECTORY",
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
	"GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_QUARANTINE_PATH",
}

// Local reports whether a variable binds a process to the repository of its caller. Others,
// such as GIT_AUTHOR_NAME and GIT_SSH_COMMAND, are a person's settings.
func Local(name string) bool {
	return slices.Contains(local, name) || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}
