package config

import (
	"slices"
	"strings"
)

// Options of ssh(1) that run no program on this machine and read no file that names one. Those
// with a value are in sshWithValue as well.
const (
	sshHarmless  = "46AaCKkqvxbBcilmpJ"
	sshWithValue = "BbcDEeFIiJLlmOoPpQRSWw"
)

// sshKeys are keywords of ssh_config(5), in lower case, of which the same holds.
var sshKeys = []string{
	"addressfamily", "batchmode", "bindaddress", "bindinterface", "certificatefile", "checkhostip", "ciphers", "compression",
	"connectionattempts", "connecttimeout", "forwardagent", "globalknownhostsfile", "gssapiauthentication", "hostkeyalgorithms",
	"hostkeyalias", "hostname", "identitiesonly", "identityagent", "identityfile", "ipqos", "kbdinteractiveauthentication",
	"kexalgorithms", "loglevel", "macs", "numberofpasswordprompts", "passwordauthentication", "port", "preferredauthentications",
	"proxyjump", "pubkeyacceptedalgorithms", "pubkeyauthentication", "rekeylimit", "serveralivecountmax", "serveraliveinterval",
	"stricthostkeychecking", "tcpkeepalive", "updatehostkeys", "user", "userknownhostsfile",
}

// MayRun returns the first of ssh's options that may run a program on this machine, such as
// ProxyCommand, or that read a configuration which may (-F); "" if none does. Options that are not
// known here count.
func MayRun(options []string) string {
	for i := 0; i < len(options); i++ {
		word := options[i]
		if len(word) < 2 || word[0] != '-' {
			return word
		}
		for j := 1; j < len(word); j++ {
			letter, shown, value := word[j:j+1], word, word[j+1:]
			valued := strings.Contains(sshWithValue, letter)
			if valued && value == "" && i+1 < len(options) {
				i++
				value = options[i]
				shown += " " + value
			}
			if letter == "o" && !harmlessSetting(value) || letter != "o" && !strings.Contains(sshHarmless, letter) {
				return shown
			}
			if valued {
				break
			}
		}
	}
	return ""
}

// harmlessSetting reports whether a setting of ssh's -o is of one of sshKeys.
func harmlessSetting(setting string) bool {
	key := strings.TrimLeft(setting, " \t")
	if end := strings.IndexAny(key, " \t="); end >= 0 {
		key = key[:end]
	}
	return slices.Contains(sshKeys, strings.ToLower(key)) && !strings.ContainsAny(setting, "\n\r\x00")
}
