package redact

import (
	"strings"
	"testing"
)

// TestPasswordsOfPrograms: secrets behind options and words that mean a secret for one program only, and those that
// are fed to a program. HIDDEN stands for the secret.
func TestPasswordsOfPrograms(t *testing.T) {
	const hidden = "hunter2hunter2hunter2"
	for _, command := range []string{
		"cargo login HIDDEN", "cargo login --registry r HIDDEN", "cargo login 'HIDDEN'", "ngrok authtoken HIDDEN", "ngrok config add-authtoken HIDDEN", "infracost auth login HIDDEN", "netlify login --auth HIDDEN", "netlify deploy --auth=HIDDEN", "doctl auth init -t HIDDEN", "flyctl -t HIDDEN deploy", "vercel -t HIDDEN deploy",
		"gh secret set NAME --body HIDDEN", "gh secret set NAME -b HIDDEN", "gh secret set NAME -b'HIDDEN'", "gh secret set NAME --body='HIDDEN' -R a/b", "glab variable set NAME --value HIDDEN", "glab variable set NAME -v HIDDEN", "gh secret set NAME <<< HIDDEN", "echo HIDDEN | gh secret set NAME",
		"gem push --key HIDDEN x.gem", "gem push -k HIDDEN x.gem", "lftp -u b,HIDDEN ftp://h", "lftp --user b,HIDDEN h", "lftp -u 'b,HIDDEN' h", "ncftp -u b -p HIDDEN h",
		"mosquitto_pub -h h -u u -P HIDDEN -t a -m b", "mosquitto_sub -P 'HIDDEN' -t a", "mosquitto_rr --pw HIDDEN -t a", "rabbitmqadmin -u u -p HIDDEN list queues", "rabbitmqctl add_user u HIDDEN", "rabbitmqctl change_password u HIDDEN",
		"snmpget -v3 -u u -A HIDDEN h x", "snmpwalk -v3 -l authPriv -u u -a SHA -X HIDDEN h", "snmpset -v2c -c HIDDEN h x",
		"usermod -p HIDDEN u", "useradd -m -p 'HIDDEN' u", "usermod -p'HIDDEN' u", "ssh-keygen -t ed25519 -N HIDDEN -f k", "ssh-keygen -p -P HIDDEN -N x1 -f k", "ssh-keygen -N 'HIDDEN'", "keytool -storepass HIDDEN", "ipmitool -U u -P HIDDEN lan",
		"wg set wg0 private-key HIDDEN", "wg set wg0 peer x preshared-key HIDDEN", "echo HIDDEN | wg pubkey", "wg pubkey <<< HIDDEN", "printf '[Interface]\\nPrivateKey = HIDDEN\\n' > wg0.conf",
		"curl -b 'sid=HIDDEN' h", "curl -sb sid=HIDDEN h", "curl --cookie 'sid=HIDDEN' h", "curl -b 'a=b; sid=HIDDEN' h", "curl -x u:HIDDEN@h:1 https://x",
		"read P <<< HIDDEN", "read -r PASS <<< 'HIDDEN'", "read -rs X <<< HIDDEN", "IFS= read -r pw <<< HIDDEN", "read -r DB_TOKEN <<<HIDDEN",
		"printf '%s\\n' HIDDEN HIDDEN | passwd u", "printf 'HIDDEN\\nHIDDEN\\n' | passwd u", "printf '%s:%s' u HIDDEN | chpasswd", "printf \"HIDDEN\" | docker login --password-stdin", "printf 'u\\nHIDDEN' | sudo -S x", "echo -n HIDDEN | cryptsetup luksOpen d n", "echo HIDDEN | kinit u", "echo HIDDEN | gpg --passphrase-fd 0 -d x", "printf %s HIDDEN | openssl enc -pass stdin", "echo HIDDEN | cargo login", "echo HIDDEN | vault login -", "echo HIDDEN | su -c ls", "echo HIDDEN | smbpasswd -s u", "echo HIDDEN | htpasswd -i f u", "echo HIDDEN | npm token create",
		`expect -c 'spawn ssh h; expect assword; send "HIDDEN\r"'`, `send "HIDDEN\r"`, `expect -c "send \"HIDDEN\r\""`, `send -- "HIDDEN\n"`, `exp_send "HIDDEN\r"`, "tclsh; send {HIDDEN\\r}",
	} {
		command = strings.ReplaceAll(command, "HIDDEN", hidden)
		if out := Text(command); strings.Contains(out, hidden) || !strings.Contains(out, Mark) {
			t.Errorf("%s became %s", command, out)
		}
	}
	for _, command := range []string{
		"cargo build --release", "cargo login", "gh pr create --body 'adds a body' -b x", "gh secret list", "gem install rails -v 7", "mosquitto_sub -h h -p 1883 -t a", "rabbitmqadmin list queues", "snmpget -v3 h x", "usermod -aG docker u",
		"ssh-keygen -t ed25519 -f k", "ssh-keygen -lf k.pub", "wg show", "curl -b cookies.txt h", "curl -b jar h", "read -r line <<< 'a b'", "read a b <<< \"$x\"", "printf '%s\\n' a | sort", "echo hello | wc -c", "echo x | tee passwd.txt",
		"go test -run Send ./...", "git send-email x", "send an answer", "lftp ftp://h", "ngrok http 80", "netlify deploy", "vercel deploy", "flyctl deploy", "mkdir -p a/b", "echo done | cat",
	} {
		if out := Text(command); out != command {
			t.Errorf("%s became %s", command, out)
		}
	}
}
