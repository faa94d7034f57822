package sessions

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ccdir/api"
)

// maxConversation bounds the id of a conversation, in bytes.
const maxConversation = 256

// checkConversation says why a session cannot go on with a conversation. Its id
// becomes an argument of the agent, which must not take it for an option.
func checkConversation(id string) error {
	if strings.HasPrefix(id, "-") || len(id) > maxConversation || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return api.Errorf(api.CodeInvalid, "%q is no id of a conversation: `ccdir ls --json` and `ccdir history --json` tell them", cut(id, 64))
	}
	return nil
}
