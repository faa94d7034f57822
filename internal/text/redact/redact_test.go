package redact

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	const hidden = "hunter2hunter2hunter2"
	for _, input := range []string{
		`{"password":"` + hidden + `"}`,
		`{"env":{"API_KEY":"` + hidden + `","GITHUB_TOKEN":"` + hidden + `"}}`,
		`{"command":"curl -H 'Authorization: Bearer ` + hidden + `' x"}`,
		`{"command":"PASSWORD=` + hidden + ` make"}`,
		`{"command":"login --password ` + hidden + ` -u me"}`,
		`{"args":["login","--token","` + hidden + `"]}`,
		`{"command":"git clone https://me:` + hidden + `@example.org/x"}`,
		`{"content":"key: sk-` + hidden + `"}`,
		`{"content":"-----BEGIN RSA PRIVATE KEY-----\n` + hidden + `"}`,
		`{"content":"{\"client_secret\": \"` + hidden + `\"}"}`,
		`{"a":[[{"secret":"` + hidden + `"}]]}`,
		`{"db_password":["` + hidden + `"]}`,
		`password=` + hidden,
	} {
		out := JSON(json.RawMessage(input))
		if strings.Contains(string(out), hidden) || !strings.Contains(string(out), Mark) {
			t.Errorf("%s became %s", input, out)
		}
	}
	for _, input := range []string{`{"command":"go test ./...","path":"token_test.go","n":3,"b":true,"x":null}`, `{"old_string":"a := token()"}`, `{"args":["-v","./..."]}`} {
		var want, got any
		_ = json.Unmarshal([]byte(input), &want)
		_ = json.Unmarshal(JSON(json.RawMessage(input)), &got)
		w, _ := json.Marshal(want)
		g, _ := json.Marshal(got)
		if string(w) != string(g) {
			t.Errorf("%s became %s", w, g)
		}
	}
	if out := JSON(json.RawMessage(`{"content":"` + strings.Repeat("é", 100_000) + `"}`)); len(out) > 2*maxText || !strings.Contains(string(out), "200000 bytes") {
		t.Errorf("%d bytes: %.100s", len(out), out)
	}
}

// TestRedactShapes: secrets as they stand in commands.
func TestRedactShapes(t *testing.T) {
	const hidden = "hunter2hunter2hunter2"
	for _, command := range []string{
		"curl -u me:" + hidden + " https://x", "curl -sSu 'me:" + hidden + "' https://x", "curl --user me:" + hidden + " x", "curl --user=me:" + hidden + " x",
		"curl -H 'Authorization: token " + hidden + "' x", "curl -H \"Authorization: Bearer " + hidden + "\" x", "curl -H 'authorization: abc " + hidden + "'",
		"curl -H 'Cookie: a=b; session=" + hidden + "' x", "curl -H 'X-Api-Key: " + hidden + "'", "curl -H X-Auth-Token:" + hidden + " x", "curl -b session_cookie=" + hidden,
		"curl -d '{\"password\": \"" + hidden + "\"}'", "curl -d \"{\\\"password\\\":\\\"" + hidden + "\\\"}\"", "curl 'https://x/?api_key=" + hidden + "&a=b'", "curl https://x/?access_token=" + hidden,
		"git clone https://" + hidden + "@github.com/x/y", "git clone https://me:" + hidden + "@h/x", "git remote add o https://oauth2:" + hidden + "@h/x", "psql postgres://u:" + hidden + "@h/db", "redis-cli -u redis://:" + hidden + "@h",
		"mysql -u root -p" + hidden + " db", "mysqldump --password=" + hidden + " db", "sshpass -p " + hidden + " ssh h", "sshpass -p'" + hidden + "' ssh h", "redis-cli -a " + hidden + " ping", "docker login -u me -p " + hidden + " r",
		"export AWS_SECRET_ACCESS_KEY=" + hidden, "AWS_SESSION_TOKEN=" + hidden + " aws s3 ls", "PGPASSWORD=" + hidden + " psql", "MYSQL_PWD=" + hidden + " mysql", "DB_PASS='" + hidden + "' x", "OPENAI_KEY=" + hidden + " x", "SIGNING_KEY=" + hidden + " x", "SENTRY_DSN=" + hidden + " x",
		"login --password " + hidden, "login --password='" + hidden + "'", "login --token=" + hidden, "gh auth login --with-token " + hidden, "openssl rsa -passin pass:" + hidden, "az x --account-key " + hidden, "x 'AccountKey=" + hidden + ";'",
		"echo //registry.npmjs.org/:_authToken=" + hidden + " >> .npmrc", "x npm_" + hidden, "x hf_" + hidden, "x sk-ant-" + hidden, "x sk_live_" + hidden, "x rk_test_" + hidden, "x glpat-" + hidden, "x ghp_" + hidden, "x github_pat_" + hidden,
		"x xoxb-" + hidden, "x SG." + hidden + "." + hidden, "x ya29." + hidden, "x pypi-" + hidden, "x dop_v1_" + hidden, "x shpat_" + hidden, "x glsa_" + hidden, "x hvs." + hidden, "x lin_api_" + hidden, "x 123456789:AA" + hidden + hidden,
		"curl https://hooks.slack.com/services/T0/B0/" + hidden, "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx" + hidden + "." + hidden, "x AGE-SECRET-KEY-1" + strings.ToUpper(hidden),
		"az login -u me -p " + hidden, "az acr login -n r -u me -p '" + hidden + "' --output json", "curl 'https://a.blob.core.windows.net/c?sv=2022&sig=" + hidden + "%3D&se=x'",
		"echo machine h login me password " + hidden + " >> ~/.netrc", "echo " + hidden + " | sudo -S apt update", "printf '%s' '" + hidden + "' | sudo -k -S ls", "sudo -S ls <<< " + hidden,
		"openssl enc -aes-256-cbc -k " + hidden + " -in a", "openssl enc -d -pass pass:" + hidden + " -in a", "openssl aes-256-cbc -K '" + hidden + "'", "vault login " + hidden, "vault login -no-print " + hidden + " && x",
		"smbclient //h/s -U me%" + hidden + " -c ls", "smbclient -U 'me%" + hidden + "' //h/s", "rpcclient --user=me%" + hidden + " h", "http -a me:" + hidden + " https://x", "https -a 'me:" + hidden + "' x", "http --auth=me:" + hidden + " x", "http -A bearer -a " + hidden + " x", "xh -a me:" + hidden + " x",
		"htpasswd -b users me " + hidden, "htpasswd -nbB me '" + hidden + "'", "echo " + hidden + " | gh auth login --with-token", "echo \"" + hidden + "\" | docker login -u me --password-stdin r",
		"sqlcmd 'Server=h;Uid=me;Pwd=" + hidden + ";'", "echo me:" + hidden + " | chpasswd",
		"-----BEGIN OPENSSH PRIVATE KEY-----\n" + hidden, "-----BEGIN PGP PRIVATE KEY BLOCK-----\n" + hidden + "\n-----END PGP PRIVATE KEY BLOCK-----", "-----BEGIN EC PRIVATE KEY-----\n" + hidden,
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		out := strings.ToLower(string(JSON(input)))
		if strings.Contains(out, hidden) || !strings.Contains(out, Mark) {
			t.Errorf("%s became %s", command, out)
		}
	}
	for _, command := range []string{
		"openssl s_client -connect h:443", "openssl x509 -in a.pem -text", "vault login -method=oidc", "vault kv get a/b", "smbclient -U me //h/s -c ls", "http -v https://x/a:b", "http POST https://x a=b", "curl -k https://x -a",
		"git push origin main", "curl -sS -u https://x", "git clone https://github.com/a/b", "git clone ssh://git@github.com/a/b", "scp a me@host:b", "mysql -u root -p db", "tar -xzf a -C b", "ls -la keys/", "cp key.pem b", "grep -rn token src", "go test -run TestToken ./...",
		"cd /srv && PWD=/srv make", "echo $PWD", "echo hello | sudo tee /etc/motd", "echo token | grep -c token", "az group list -o table", "htpasswd -c users me", "login page: password rules",
		"git show 0123456789abcdef0123456789abcdef01234567", "cat src/components/Accounts2/SettingsPage/a", "go test ./internal/Handlers/V2/TestSomething123456", "sig=abc ./x",
		"npm run build", "unzip -l a.zip", "sort -k2 a", "ssh -p 22 host", "docker run -p 80:80 x", "make KEY_FILE=x",
	} {
		input, _ := json.Marshal(map[string]string{"command": command})
		if out := JSON(input); strings.Contains(string(out), "redacted") {
			t.Errorf("%s became %s", command, out)
		}
	}
	long, _ := json.Marshal(map[string]string{"command": strings.Repeat("echo a; ", 400)})
	if out := JSON(long); string(out) != string(long) {
		t.Errorf("a command of %d bytes became one of %d", len(long), len(out))
	}
}

// TestBareAWSKey: forty characters of the AWS alphabet are known by their mixture alone.
func TestBareAWSKey(t *testing.T) {
	const key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" // the one of AWS's documentation
	for _, text := range []string{key, "aws configure set x " + key, "key: " + key + ",", "x=" + key + " y"} {
		if got := Text(text); strings.Contains(got, key) || !strings.Contains(got, Mark) {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestRules: every rule compiles, and replaces its group alone.
func TestRules(t *testing.T) {
	for _, rules := range [][]rule{formRules, gitleaksRules, placeRules} {
		for _, r := range rules {
			if re, err := regexp.Compile(r.pattern); err != nil || re.NumSubexp() < r.group {
				t.Errorf("%s: %v", r.id, err)
			}
			for _, k := range r.keywords {
				if k == "" || k != strings.ToLower(k) {
					t.Errorf("%s: the keyword %q", r.id, k)
				}
			}
		}
	}
	for text, want := range map[string]string{
		"a 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; b":                                           "a " + Mark + "; b",
		"x 'dt0c01.ABCDEFGHIJKLMNOPQRSTUVWX.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ01'": "x '" + Mark + "'",
		"tk-us-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":                                               "tk-us-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", // no entropy
	} {
		if got := Text(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("go test ./internal/... && git commit -m 'x' ", 10)
	for b.Loop() {
		Text(text)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"password":["x",{"a":1}],"c":"--token y"}`))
	f.Add([]byte(`[[[[[[[[[[[[1]]]]]]]]]]]]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := JSON(in)
		if len(out) > maxRecord || !json.Valid(out) {
			t.Errorf("%q became %.200q", in, out)
		}
	})
}

func TestArgs(t *testing.T) {
	in := []string{"--model", "opus", "--api-key", "hunter2", "--token=hunter2", "-v", "--password", "-x", "https://me:hunter2@example.org/", "sk-hunter2hunter2hunter2", "API_KEY=hunter2"}
	want := []string{"--model", "opus", "--api-key", Mark, "--token=" + Mark, "-v", "--password", "-x", "https://me:" + Mark + "@example.org/", Mark, "API_KEY=" + Mark}
	if got := Args(in); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Args(nil); got == nil || len(got) != 0 {
		t.Errorf("no arguments became %#v", got)
	}
}
