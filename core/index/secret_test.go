package index

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
)

// drawn returns n characters of an alphabet, at random.
func drawn(t testing.TB, alphabet string, n int) string {
	t.Helper()
	raw := make([]byte, n)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	for i, b := range raw {
		raw[i] = alphabet[int(b)%len(alphabet)]
	}
	return string(raw)
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	base32  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// privateKeys returns one of each kind, as the tools write them.
func privateKeys(t testing.TB) map[string]string {
	t.Helper()
	written := func(kind string, raw []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
	}
	old, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(edwards)
	sec1, curveErr := x509.MarshalECPrivateKey(curve)
	return map[string]string{
		"RSA":     written("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(old), nil),
		"Ed25519": written("PRIVATE KEY", pkcs8, err),
		"EC":      written("EC PRIVATE KEY", sec1, curveErr),
		"OpenSSH": written("OPENSSH PRIVATE KEY", append([]byte("openssh-key-v1\x00"), drawn(t, letters, 200)...), nil),
		"encrypted": strings.Replace(written("RSA PRIVATE KEY", []byte(drawn(t, letters, 600)), nil), "-----\n",
			"-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,"+hex.EncodeToString([]byte(drawn(t, letters, 16)))+"\n\n", 1),
	}
}

func TestSecretsAreFoundByWhatTheyAre(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"GitHub":          "The deploy token is ghp_" + drawn(t, letters, 36) + ", keep it safe.",
		"GitHub, new":     "github_pat_" + drawn(t, letters, 22) + "_" + drawn(t, letters, 59),
		"GitLab":          "token = \"glpat-" + drawn(t, letters, 20) + "\"",
		"Slack":           "SLACK_BOT_TOKEN=xoxb-" + drawn(t, "0123456789", 12) + "-" + drawn(t, "0123456789", 12) + "-" + drawn(t, letters, 24),
		"Slack, app":      "xapp-1-A0" + drawn(t, base32, 9) + "-" + drawn(t, "0123456789", 13) + "-" + drawn(t, "0123456789abcdef", 64),
		"Stripe":          "sk_live_" + drawn(t, letters, 24),
		"OpenAI":          "sk-proj-" + drawn(t, letters, 20) + "T3BlbkFJ" + drawn(t, letters, 20),
		"npm":             "//packages.example.org/:_authToken=npm_" + drawn(t, letters, 36),
		"Amazon":          "aws_access_key_id = AKIA" + drawn(t, base32, 16) + "\naws_secret_access_key = " + drawn(t, letters+"+/", 40) + "\n",
		"Amazon, as JSON": `{"AccessKeyId": "AKIA` + drawn(t, base32, 16) + `", "SecretAccessKey": "` + drawn(t, letters+"+/", 40) + `"}`,
	}
	for kind, key := range privateKeys(t) {
		account, err := json.Marshal(map[string]string{"type": "service_account", "private_key": key})
		if err != nil {
			t.Fatal(err)
		}
		texts[kind] = "Our key:\n\n" + key + "\nEnd."
		texts[kind+" in one paragraph"] = strings.Join(strings.Fields(key), " ")
		texts[kind+" of a service account"] = string(account)
		texts[kind+" of Kubernetes"] = "users:\n- name: admin\n  user:\n    client-key-data: " + base64.StdEncoding.EncodeToString([]byte(key)) + "\n"
	}
	for name, text := range texts {
		if secretIn(text) == "" {
			t.Errorf("%s was not found: %q", name, text)
		}
	}
	var parted []document.Block
	for line := range strings.Lines(privateKeys(t)["RSA"]) {
		parted = append(parted, document.Block{Text: strings.TrimSpace(line)})
	}
	_, err := cutSecrets(&document.Document{Sections: []document.Section{{Blocks: parted}}})
	if !errors.Is(err, errSecret) || !errors.Is(err, ErrSkipped) {
		t.Errorf("a key of many paragraphs: %v", err)
	}
}

// A long page with a key on it is read without the key; a file that is mostly keys is not read.
func TestAKeyOnAPageIsCutOut(t *testing.T) {
	t.Parallel()
	key, prose := privateKeys(t)["RSA"], strings.Repeat("Rotate the certificate once a year, in March. ", 200)
	blocks := []document.Block{{Text: prose}, {Kind: document.Code, Text: key}, {Text: "Then reload the server."}}
	d := document.Document{Sections: []document.Section{{Blocks: blocks}}}
	found, err := cutSecrets(&d)
	if text := d.Text(); err != nil || found != "a private key" || strings.Contains(text, "BEGIN") || strings.Contains(text, key[100:140]) ||
		!strings.Contains(text, "Then reload the server.") || !strings.Contains(text, "[a private key, left out of what is read]") {
		t.Errorf("%q, %v: %s", found, err, text)
	}
	if blocks[1].Text != key {
		t.Error("the connector's own blocks were changed")
	}
	for name, blocks := range map[string][]document.Block{
		"a file of keys":       {{Text: "Keys:"}, {Kind: document.Code, Text: key}, {Text: prose[:400]}},
		"a key as its heading": {{Kind: document.Heading, Text: "ghp_" + drawn(t, letters, 36)}, {Text: prose}},
	} {
		if _, err := cutSecrets(&document.Document{Sections: []document.Section{{Blocks: blocks}}}); !errors.Is(err, errSecret) || !errors.Is(err, ErrSkipped) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Pages that explain what keys and tokens look like are documents.
func TestPagesAboutSecretsAreKept(t *testing.T) {
	t.Parallel()
	whole := privateKeys(t)["RSA"]
	for name, text := range map[string]string{
		"a header":           "A private key begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
		"a header in lines":  "-----BEGIN RSA PRIVATE KEY-----\nBase64-encoded data\n-----END RSA PRIVATE KEY-----\n",
		"dots":               "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7...\n-----END RSA PRIVATE KEY-----",
		"its beginning":      "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7\n-----END RSA PRIVATE KEY-----",
		"cut short":          whole[:len(whole)/2],
		"a public key":       strings.ReplaceAll(whole, "RSA PRIVATE", "PUBLIC"),
		"a certificate":      strings.ReplaceAll(whole, "RSA PRIVATE KEY", "CERTIFICATE"),
		"a command":          "openssl genrsa | grep -c -- '-----BEGIN RSA PRIVATE KEY-----'",
		"Amazon's example":   "aws_access_key_id=AKIAIOSFODNN7EXAMPLE\naws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
		"an id alone":        "The key AKIA" + drawn(t, base32, 16) + " was used from Frankfurt.",
		"a shape":            "Tokens look like ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx or ghp_abcdefghijklmnopqrstuvwxyz0123456789.",
		"a Slack shape":      "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx and xoxb-your-token-here and xapp-1-…",
		"a kubeconfig shape": "client-key-data: <base64 of the key>\nclient-key-data: DATA+OMITTED\nclient-key-data: REDACTED",
		"an account's shape": `{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n"}`,
		"part of a name":     "the variable my_ghp_" + drawn(t, letters, 36),
		"a hash":             "sha256:" + drawn(t, "0123456789abcdef", 64),
	} {
		if kind := secretIn(text); kind != "" {
			t.Errorf("%s is taken for %s: %q", name, kind, text)
		}
	}
}

// Looking for secrets takes time in proportion to the text, whatever it repeats.
func TestLookingForSecretsIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "glpat-", "T3BlbkFJ", "sk-ant-", "AKIA", "AKIAAAAAAAAAAAAAAAAA ", "xox", "xoxb-1-", "client-key-data: ", "ghp_",
		"A1b2C3d4E5f6G7h8 ", "discord A1b2C3d4E5f6G7h8", "eyJhbGciOiJIUzI1NiIs,", "postgres://a:b", "://", "https://a1:B2c3d4"} {
		if kind := secretIn(strings.Repeat(unit, 500_000/len(unit))); kind != "" {
			t.Errorf("%q again and again is taken for %s", unit, kind)
		}
	}
}
