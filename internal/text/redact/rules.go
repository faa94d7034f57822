package redact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// rule recognises secrets by their form, or by the command around them.
type rule struct {
	id string
	// keywords: the rule is tried on texts that contain one of them, in any case.
	keywords []string
	// run, instead of keywords: the rule is tried on texts with so many letters, digits,
	// / and + in a row.
	run int
	// pattern matches the secret in group, 0 for the whole match.
	pattern string
	group   int
	// entropy is the least Shannon entropy of a secret, in bits per character.
	entropy float64
	// check, if set, has to accept the secret.
	check func(secret string) bool
}

const (
	quotedOrWord = `("[^"]*"|'[^']*'|[^\s;|&]+)`
	// stdin are commands that read a password from their standard input.
	stdin = `(?:\bsudo\s[^;|&\n]*-[a-zA-Z]*S\b|--with-token\b|--password-stdin\b|--stdin\b|\bchpasswd\b)`
	// fed are programs that read one without such an option, at the beginning of a command.
	fed = `(?:sudo\s+)?(?:passwd|kinit|su|smbpasswd|cryptsetup|htpasswd\s+-[a-zA-Z]*i[a-zA-Z]*|wg\s+(?:pubkey|set)|(?:cargo|vault)\s+login|npm\s+(?:token|login)|(?:gh\s+secret|glab\s+variable)\s+set|gpg\s[^;|&\n]*--passphrase-fd|openssl\s[^;|&\n]*\bstdin)`
	// textWord is a word of a command without its end.
	textWord = `(?:"[^"]*"|'[^']*'|[^\s;|&"'<>][^\s;|&<>]*)`
)

// formRules are for secrets that are known by their form, besides gitleaks' rules, which
// are stricter about the length.
var formRules = []rule{
	{id: "private-key", keywords: []string{"-----begin"}, pattern: `-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)`},
	{id: "sk", keywords: []string{"sk-"}, pattern: `\bsk-[A-Za-z0-9_-]{16,}`},
	{id: "github", keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"}, pattern: `\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}`},
	{id: "gitlab", keywords: []string{"glpat-"}, pattern: `\bglpat-[A-Za-z0-9_-]{16,}`},
	{id: "slack", keywords: []string{"xox", "hooks.slack.com"}, pattern: `\bxox[abeprs]-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/_-]+`},
	{id: "discord", keywords: []string{"/api/webhooks/"}, pattern: `discord(?:app)?\.com/api/webhooks/[A-Za-z0-9/_-]+`},
	{id: "aws", keywords: []string{"akia", "asia"}, pattern: `\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`},
	{id: "aws-secret-key", run: 40, pattern: `(?:^|[^A-Za-z0-9/+_.-])([A-Za-z0-9/+]{40})(?:$|[^A-Za-z0-9/+=_.-])`, group: 1, entropy: 4.2, check: mixed},
	{id: "google", keywords: []string{"aiza", "ya29."}, pattern: `\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{16,}`},
	{id: "jwt", keywords: []string{"eyj"}, pattern: `\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`},
	{id: "authorization", keywords: []string{"bearer", "basic"}, pattern: `(?i:\bbearer\s+)[A-Za-z0-9._~+/-]{4,}=*|(?i:\bbasic\s+)[A-Za-z0-9+/]{8,}=*`},
	{id: "issuer-token", keywords: []string{"npm", "hf", "gsk", "lin_api", "shpat", "shpss", "dop_v1", "doo_v1", "dckr_pat", "glsa", "glc", "sntrys", "figd", "ntn", "sbp", "pscale_tkn", "pul", "rubygems", "tfp", "xai", "r8", "ghs", "atatt", "hvs", "hvb"},
		pattern: `\b(?:npm|hf|gsk|lin_api|shpat|shpss|dop_v1|doo_v1|dckr_pat|glsa|glc|sntrys|figd|ntn|sbp|pscale_tkn|pul|rubygems|tfp|xai|r8|ghs|ATATT|hvs|hvb)[._][A-Za-z0-9_.-]{16,}`},
	{id: "stripe", keywords: []string{"sk_", "rk_", "pk_", "whsec_"}, pattern: `\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}`},
	{id: "sendgrid", keywords: []string{"sg."}, pattern: `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`},
	{id: "pypi", keywords: []string{"pypi-"}, pattern: `\bpypi-[A-Za-z0-9_-]{16,}`},
	{id: "age", keywords: []string{"age-secret-key-"}, pattern: `\bAGE-SECRET-KEY-[A-Z0-9]+`},
	{id: "issuer-key", keywords: []string{"nrak", "pmak", "hrku", "key", "dapi", "glrt", "gldt", "glptt", "akcp"}, pattern: `\b(?:NRAK|PMAK|HRKU|key|dapi|glrt|gldt|glptt|AKCp)-?[A-Za-z0-9-]{24,}`},
	{id: "telegram", keywords: []string{":aa"}, pattern: `\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}`},
}

// placeRules are for secrets that are known by the text around them: options, variables,
// headers and commands.
var placeRules = []rule{
	{id: "url", keywords: []string{"://"}, pattern: `[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@`, group: 1},
	{id: "url-token", keywords: []string{"://"}, pattern: `[a-zA-Z][a-zA-Z0-9+.-]*://([^/\s:@]{20,})@`, group: 1},
	// The secret lasts until the end of the quotes or of the line.
	{id: "header", keywords: []string{"authorization", "cookie", "x-"}, group: 1,
		pattern: `(?i)(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[a-z0-9-]*(?:key|token|secret|auth)[a-z0-9-]*)\s*:\s*([^"'\n\\]+)`},
	{id: "curl", keywords: []string{"curl"}, pattern: `\bcurl\b[^;|&\n]*?\s(?:-[a-zA-Z]*[uU]\s*|--(?:proxy-)?user[\s=])["']?[^\s:"'/]*:([^\s;|&"'/][^\s;|&"']*)`, group: 1},
	{id: "mysql", keywords: []string{"mysql", "mariadb"}, pattern: `\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^;|&\n]*?\s-p([^\s;|&]+)`, group: 1},
	{id: "password-option", keywords: []string{"sshpass", "7z", "zip", "redis-cli", "htpasswd", "mongo", "login", "sqlcmd", "isql", "ldap"}, group: 1,
		pattern: `\b(?:sshpass|7z|7za|unzip|zip|redis-cli|htpasswd|mongo|mongosh|mongodump|docker login|podman login|sqlcmd|isql|ldapsearch|ldapmodify)\b[^;|&\n]*?\s-[paPw]\s*` + quotedOrWord},
	{id: "azure-sas", keywords: []string{"sig="}, pattern: `(?i)(?:^|[?&;"'\s])sig=([^&\s"';|]{16,})`, group: 1},
	{id: "azure-cli", keywords: []string{"az "}, pattern: `\baz\s[^;|&\n]*?\s-p[\s=]+` + quotedOrWord, group: 1},
	{id: "openssl", keywords: []string{"openssl"}, pattern: `\bopenssl\b[^;|&\n]*?\s-[kK]\s+` + quotedOrWord, group: 1},
	{id: "vault", keywords: []string{"vault"}, pattern: `\bvault\s+login\s+(?:-\S+\s+)*([^\s;|&=-][^\s;|&=]*)(?:$|[\s;|&])`, group: 1},
	{id: "samba", keywords: []string{"smb", "rpcclient"}, pattern: `\b(?:smb[a-z]+|rpcclient)\b[^;|&\n]*?\s(?:-U\s*|--user[\s=])["']?[^\s%"']+%([^\s;|&"']+)`, group: 1},
	{id: "httpie", keywords: []string{"http", "xh"}, pattern: `\b(?:https?|xhs?)\s[^;|&\n]*?(?:-a\s*|--auth[\s=])["']?(?:[^\s:"'-]+:)?([^\s:;|&"'-][^\s;|&"']*)`, group: 1},
	{id: "netrc", keywords: []string{"password"}, pattern: `(?i)\blogin\s+[^\s:;,]+\s+password\s+` + quotedOrWord, group: 1},
	{id: "htpasswd", keywords: []string{"htpasswd"}, pattern: `\bhtpasswd\b[^;|&\n]*\s-[a-zA-Z]*b[a-zA-Z]*\s[^;|&\n]*\s` + quotedOrWord, group: 1},
	{id: "connection-string", keywords: []string{"pwd"}, pattern: `(?i)\bpwd\s*=\s*([^/$~.\s;"'&|][^;\s"'&|]*)`, group: 1},
	{id: "piped", keywords: []string{"echo", "printf"}, group: 1,
		pattern: `\b(?:echo|printf)\s+(?:-[a-zA-Z]+\s+)*(` + textWord + `(?:\s+` + textWord + `)*)\s*\|(?:[^;|&\n]*` + stdin + `|\s*` + fed + `(?:\s|$))`},
	{id: "here-string", keywords: []string{"<<<"}, group: 1, pattern: `(?:` + stdin + `|(?:^|[\n;&|])\s*` + fed + `\s)[^;|&\n]*<<<\s*` + quotedOrWord},
	{id: "read", keywords: []string{"<<<"}, group: 1, pattern: `(?i)\bread\s+(?:-\S+\s+)*(?:-[a-z]*s[a-z]*\s+[^;|&\n<]*|[a-z0-9_]*(?:pass|pw|secret|token|key|\bp)[a-z0-9_]*\s*)<<<\s*` + quotedOrWord},
	{id: "send", keywords: []string{"send"}, group: 1, pattern: `send\s+(?:--\s+)?(?:\\?"|\{)([^"}\\]+)\\+[rn]`},
	{id: "cookie-option", keywords: []string{"curl"}, pattern: `\bcurl\b[^;|&\n]*?\s-[a-zA-Z]*b\s*("[^"]*=[^"]*"|'[^']*=[^']*'|[^\s;|&"'=]+=[^\s;|&]*)`, group: 1},
	{id: "proxy-user", keywords: []string{"curl"}, pattern: `\bcurl\b[^;|&\n]*?\s(?:-[a-zA-Z]*x\s*|--proxy[\s=])["']?[^\s:"'@/]+:([^\s;|&"'/@]+)@`, group: 1},
	{id: "user-comma", keywords: []string{"lftp"}, pattern: `\blftp\b[^;|&\n]*?\s(?:-u\s*|--user[\s=])["']?[^\s,"']*,([^\s;|&"']+)`, group: 1},
	{id: "capital-option", keywords: []string{"mosquitto_", "ssh-keygen", "ipmitool", "snmp"}, group: 1,
		pattern: `\b(?:mosquitto_\w+\b[^;|&\n]*?\s(?:-P|--pw)|ssh-keygen\b[^;|&\n]*?\s-[NP]|ipmitool\b[^;|&\n]*?\s-P|snmp[a-z]+\b[^;|&\n]*?\s-[AXc])[\s=]*` + quotedOrWord},
	{id: "small-option", keywords: []string{"rabbitmqadmin", "user", "ncftp", "gh ", "glab ", "gem ", "doctl", "fly", "vercel", "netlify"}, group: 1,
		pattern: `\b(?:(?:rabbitmqadmin|useradd|usermod|ncftp)\b[^;|&\n]*?\s-p|gh\s+secret\s+set\b[^;|&\n]*?\s(?:-b|--body)|glab\s+variable\s+set\b[^;|&\n]*?\s(?:-v|--value)|gem\s+push\b[^;|&\n]*?\s(?:-k|--key)|(?:doctl|flyctl|vercel)\b[^;|&\n]*?\s-t|netlify\b[^;|&\n]*?\s--auth)[\s=]*` + quotedOrWord},
	{id: "login-word", keywords: []string{"login", "authtoken", "rabbitmqctl", "wg "}, group: 1,
		pattern: `\b(?:cargo\s+login\s+(?:--registry[\s=]\S+\s+|--?[a-z-]+\s+)*|infracost\s+auth\s+login\s+|ngrok\s+(?:config\s+add-)?authtoken\s+|rabbitmqctl\s+(?:add_user|change_password)\s+\S+\s+|wg\s[^;|&\n]*?\s(?:private|preshared)-key\s+)` + `("[^"]*"|'[^']*'|[^\s;|&<>-][^\s;|&]*)`},
	{id: "assigned", keywords: words, group: 1,
		pattern: `(?i)(?:[a-z0-9_-]*` + word + `[a-z0-9_-]*\\?["']?\s*[=:]\s*|\b[a-z0-9_]+_(?:key|pwd|pat|auth|dsn)=)(\\?"[^"]*"|'[^']*'|[^\s&;|,]+)`},
	{id: "option", keywords: words, pattern: `(?i)--?[a-z0-9-]*` + word + `[a-z0-9-]*\s+("[^"]*"|'[^']*'|[^\s-][^\s;|&]*)`, group: 1},
}

// words are in every text that has a word, or the end of a name, of a secret.
var words = []string{"pass", "secret", "token", "key", "credential", "authorization", "cookie", "signature", "_pwd", "_pat", "_auth", "_dsn"}

// compiled has the expressions of rules that were tried, by pattern.
var compiled sync.Map

func (r *rule) expression() *regexp.Regexp {
	if re, ok := compiled.Load(r.pattern); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(r.pattern)
	compiled.Store(r.pattern, re)
	return re
}

// concerns reports whether a text in lower case may have such a secret.
func (r *rule) concerns(lower string) bool {
	if r.run > 0 {
		return hasRun(lower, r.run)
	}
	return slices.ContainsFunc(r.keywords, func(k string) bool { return strings.Contains(lower, k) })
}

// hasRun reports whether n letters, digits, / and + stand together.
func hasRun(s string, n int) bool {
	length := 0
	for i := range len(s) {
		c := s[i]
		if length++; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '/' && c != '+' {
			length = 0
		}
		if length == n {
			return true
		}
	}
	return false
}

func (r *rule) replace(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range r.expression().FindAllStringSubmatchIndex(s, -1) {
		start, end := m[2*r.group], m[2*r.group+1]
		if start < 0 || entropy(s[start:end]) < r.entropy || r.check != nil && !r.check(s[start:end]) {
			continue
		}
		b.WriteString(s[at:start] + Mark)
		at = end
	}
	return b.String() + s[at:]
}

// entropy is the Shannon entropy of a text in bits per byte.
func entropy(s string) (bits float64) {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// mixed reports whether a text has upper and lower case and digits, and is no path.
func mixed(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && strings.ContainsFunc(s, unicode.IsLower) && strings.ContainsFunc(s, unicode.IsDigit) &&
		strings.Count(s, "/") < 4
}
