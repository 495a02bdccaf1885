package files

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

const keysSentence = "Going by its name it holds keys or passwords, which are not for an index."

// keysByName reports whether the name of a file or folder suggests private keys, passwords or other
// secrets. It does not match public keys, certificates, or pages about passwords such as
// "secrets.md".
func keysByName(name string) bool {
	name = strings.ToLower(name)
	ending := path.Ext(name)
	if ending == ".pub" {
		return false
	}
	return slices.Contains(keyEndings, ending) || slices.Contains(keyNames, name) || keyShapes.MatchString(name)
}

// keyEndings lists the extensions of key stores and private keys, and of Terraform's state and
// variable files, which contain passwords.
var keyEndings = []string{
	".pem", ".key", ".p8", ".pk8", ".p12", ".pfx", ".jks", ".keystore", ".bks", ".kdb", ".kdbx", ".ppk", ".ovpn", ".agilekeychain", ".opvault", ".keychain",
	".env", ".tfstate", ".tfvars", ".kubeconfig", ".gpg", ".pgp", ".age", ".mobileprovision", ".htpasswd",
}

var keyNames = []string{
	"netrc", ".netrc", "_netrc", "pgpass", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", "npmrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".dockercfg",
	".dockerconfigjson", ".git-credentials", ".gitcookies", ".htpasswd", "htpasswd", ".envrc", ".s3cfg", ".boto", ".vault-token", "vault-token", ".terraformrc", "terraform.rc",
	"credentials", ".credentials", "secrets", ".secrets", "kubeconfig", ".kubeconfig", "wallet.dat", "application_default_credentials.json",
	".ssh", ".aws", ".azure", ".kube", ".gnupg", ".docker", ".password-store", "filezilla.xml", "sitemanager.xml", "winscp.ini", "logins.json", "key4.db",
}

// keyShapes matches the names of files that probably contain secrets, such as "id_rsa_work",
// ".env.production" and "secrets.prod.yaml". It does not match documents about passwords, such as
// "passwords.md".
var keyShapes = regexp.MustCompile(`^(?:id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[_.-].*)?$|ssh_host_\w+_key$|\.env\.|.*\.tfstate\.|.*\.tfvars\.json$|kubeconfig[._-]|` +
	`(?:.*[_.-])?(?:secrets?|credentials?|passwords?)\.(?:txt|csv|tsv)$|` +
	`(?:.*[_.-])?(?:secrets?|credentials?|passwords?|client_secret|service[_-]account)(?:[_.-].*)?\.(?:json|ya?ml|toml|ini|cfg|conf|config|properties|xml|enc|db|sqlite|plist|hcl|tf)$)`)
