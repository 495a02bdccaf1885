package files

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// keysSentence is the reason why a file is skipped by keysByName.
const keysSentence = "Going by its name it holds keys or passwords, which are not for an index."

// keysByName knows files and folders by their names that hold keys, passwords or what they protect.
// Public keys and certificates are none of them, and a page about passwords ("secrets.md") is a
// page.
func keysByName(name string) bool {
	name = strings.ToLower(name)
	ending := path.Ext(name)
	if ending == ".pub" {
		return false
	}
	return slices.Contains(keyEndings, ending) || slices.Contains(keyNames, name) || keyShapes.MatchString(name)
}

// keyEndings are the extensions of key stores, private keys, and Terraform's state and variables,
// which contain passwords.
var keyEndings = []string{
	".pem", ".key", ".p8", ".pk8", ".p12", ".pfx", ".jks", ".keystore", ".bks", ".kdb", ".kdbx", ".ppk", ".ovpn", ".agilekeychain", ".opvault", ".keychain",
	".env", ".tfstate", ".tfvars", ".kubeconfig", ".gpg", ".pgp", ".age", ".mobileprovision", ".htpasswd",
}

// keyNames are files of programs that keep a login, and the folders of such.
var keyNames = []string{
	"netrc", ".netrc", "_netrc", "pgpass", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", "npmrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".dockercfg",
	".dockerconfigjson", ".git-credentials", ".gitcookies", ".htpasswd", "htpasswd", ".envrc", ".s3cfg", ".boto", ".vault-token", "vault-token", ".terraformrc", "terraform.rc",
	"credentials", ".credentials", "secrets", ".secrets", "kubeconfig", ".kubeconfig", "wallet.dat", "application_default_credentials.json",
	".ssh", ".aws", ".azure", ".kube", ".gnupg", ".docker", ".password-store", "filezilla.xml", "sitemanager.xml", "winscp.ini", "logins.json", "key4.db",
}

// keyShapes are names with a part that differs: "id_rsa_work", ".env.production",
// "terraform.tfstate.backup", "secrets.prod.yaml". Words that documents are named by count only
// before the endings of data and settings.
var keyShapes = regexp.MustCompile(`^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[_.-].*)?$|ssh_host_\w+_key$|\.env\.|.*\.tfstate\.|.*\.tfvars\.json$|kubeconfig[._-]|` +
	`(?:.*[_.-])?(?:secrets?|credentials?|passwords?)\.(?:txt|csv|tsv)$|` +
	`(?:.*[_.-])?(?:secrets?|credentials?|passwords?|client_secret|service[_-]account)(?:[_.-].*)?\.(?:json|ya?ml|toml|ini|cfg|conf|config|properties|xml|enc|db|sqlite|plist|hcl|tf)$)`)
