package index

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// errSecret marks a document that contains a key or token. The document is skipped, and its indexed
// version is removed.
var errSecret = errors.New("keys and passwords are not for an index")

// cutSecrets replaces each block that contains a usable key or token with a placeholder. It returns
// the kind of the first secret, or "". It returns an error if a secret is in a heading or spans
// several blocks, or if secrets fill more than a quarter of the document.
//
// Examples in documentation stay: a private key must have a valid body, and a token must look
// random.
func cutSecrets(d *document.Document) (found string, err error) {
	all, gone, marked := 0, 0, false
	for i, s := range d.Sections {
		own := false // whether the blocks are a copy that may be modified
		for j, b := range s.Blocks {
			all += len(b.Text)
			kind := secretIn(b.Text)
			if kind == "" {
				marked = marked || strings.Contains(b.Text, pemBegin)
				continue
			}
			if b.Kind == document.Heading { // headings also appear in paths and links
				return "", secretError(kind)
			}
			if !own {
				d.Sections[i].Blocks, own = slices.Clone(s.Blocks), true
			}
			gone += len(b.Text)
			found = cmp.Or(found, kind)
			d.Sections[i].Blocks[j] = document.Block{Kind: document.Paragraph, Text: "[" + kind + ", left out of what is read]"}
		}
	}
	if gone*maxSecretShare > all {
		return "", secretError(found)
	}
	if marked && privateKeyIn(d.Text()) { // some formats store each line of a key as a paragraph
		return "", secretError("a private key")
	}
	return found, nil
}

// maxSecretShare limits how much of a document's text may be in blocks with secrets. The limit is
// the length of the text divided by maxSecretShare.
const maxSecretShare = 4

func secretError(kind string) error {
	return fmt.Errorf("it holds %s, and %w. Take it out, and change what it opens if others could read it: %w", kind, errSecret, ErrSkipped)
}

func secretIn(text string) string {
	if strings.Contains(text, pemBegin) && privateKeyIn(text) {
		return "a private key"
	}
	for _, s := range secretShapes {
		for at := 0; ; {
			next := strings.Index(text[at:], s.mark)
			if next < 0 {
				break
			}
			at += next
			length, secret := s.match(text, at)
			if secret {
				return s.name
			}
			at += max(length, len(s.mark))
		}
	}
	if passwordInAddress(text) {
		return "a password in an address"
	}
	return secretByRule(text)
}

// shape describes one kind of token by a fixed mark, such as "ghp_", and an expression for the
// whole token.
type shape struct {
	name, mark string
	whole      *regexp.Regexp // from the mark on; the first group is the random part
	check      func(random, around string) bool
}

// secretWindow is the maximum length of a token in bytes, from the beginning of its mark. The
// second half of a secret with two parts is searched within the same distance of the mark.
const secretWindow = 400

func (s shape) match(text string, at int) (length int, secret bool) {
	if s.mark != openAIMark && at > 0 && wordByte(text[at-1]) {
		return 0, false
	}
	most := secretWindow
	if strings.HasPrefix(s.mark, "client-key-data") {
		most = longestSecret
	}
	found := s.whole.FindStringSubmatch(text[at:min(len(text), at+most)])
	switch {
	case found == nil:
		return 0, false
	case s.check != nil:
		return len(found[0]), s.check(found[1], text[max(0, at-secretWindow):min(len(text), at+secretWindow)])
	default:
		return len(found[0]), looksRandom(found[1])
	}
}

// longestSecret is the maximum length, in bytes, of a private key that is searched for.
const longestSecret = 16 << 10

func wordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
}

// secretShapes are tokens whose format is documented by their vendor.
var secretShapes = []shape{
	{"an access key of Amazon Web Services", "AKIA", regexp.MustCompile(`^AKIA([A-Z2-7]{16})\b`), awsSecret},
	{"an access key of Amazon Web Services", "ASIA", regexp.MustCompile(`^ASIA([A-Z2-7]{16})\b`), awsSecret},
	{"a token of GitHub", "ghp_", regexp.MustCompile(`^ghp_([A-Za-z0-9]{36})\b`), nil},
	{"a token of GitHub", "gho_", regexp.MustCompile(`^gho_([A-Za-z0-9]{36})\b`), nil},
	{"a token of GitHub", "ghu_", regexp.MustCompile(`^ghu_([A-Za-z0-9]{36})\b`), nil},
	{"a token of GitHub", "ghs_", regexp.MustCompile(`^ghs_([A-Za-z0-9]{36})\b`), nil},
	{"a token of GitHub", "ghr_", regexp.MustCompile(`^ghr_([A-Za-z0-9]{36,76})\b`), nil},
	{"a token of GitHub", "github_pat_", regexp.MustCompile(`^github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`), nil},
	{"a token of GitLab", "glpat-", regexp.MustCompile(`^glpat-([A-Za-z0-9_-]{20,})`), nil},
	{"a token of Slack", "xox", regexp.MustCompile(`^xox[abeoprs](?:\.xox[bp])?-(?:[0-9]{1,13}-){1,3}([A-Za-z0-9-]{20,})`), nil},
	{"a token of Slack", "xapp-", regexp.MustCompile(`^xapp-[0-9]-[A-Z0-9]+-[0-9]+-([a-f0-9]{64})\b`), nil},
	{"a key of Stripe", "sk_live_", regexp.MustCompile(`^sk_live_([A-Za-z0-9]{24,})\b`), nil},
	{"a key of Stripe", "rk_live_", regexp.MustCompile(`^rk_live_([A-Za-z0-9]{24,})\b`), nil},
	{"a token of npm", "npm_", regexp.MustCompile(`^npm_([A-Za-z0-9]{36})\b`), nil},
	{"a key of SendGrid", "SG.", regexp.MustCompile(`^SG\.([A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})`), nil},
	{"a key of Anthropic", "sk-ant-", regexp.MustCompile(`^sk-ant-[a-z0-9]+-([A-Za-z0-9_-]{80,})`), nil},
	{"a key of OpenAI", openAIMark, regexp.MustCompile(`^T3BlbkFJ([A-Za-z0-9_-]{20,})`), nil},
	{"the key of a client of Kubernetes", "client-key-data:", regexp.MustCompile(`^client-key-data:\s*["']?([A-Za-z0-9+/=]{100,})`), packedKey},
	{"the key of a client of Kubernetes", `client-key-data"`, regexp.MustCompile(`^client-key-data"\s*:\s*"([A-Za-z0-9+/=]{100,})`), packedKey},
}

// openAIMark appears in the middle of OpenAI's keys.
const openAIMark = "T3BlbkFJ"

// awsSecret reports whether the secret half of an access key is near its id. The id alone gives no
// access. A hash of 40 hexadecimal digits does not count as a secret half.
func awsSecret(id, around string) bool {
	if placeholder(id) {
		return false
	}
	start := 0
	for at := 0; at <= len(around); at++ {
		if at < len(around) && base64Byte(around[at]) {
			continue
		}
		if half := around[start:at]; len(half) == awsLength && !hexadecimal.MatchString(half) && looksRandom(half) {
			return true
		}
		start = at + 1
	}
	return false
}

const awsLength = 40

var hexadecimal = regexp.MustCompile(`^(?:[0-9a-f]+|[0-9A-F]+)$`)

func base64Byte(b byte) bool { return wordByte(b) && b != '_' || b == '+' || b == '/' }

func packedKey(packed, _ string) bool {
	raw, err := base64.StdEncoding.DecodeString(packed)
	return err == nil && privateKeyIn(string(raw))
}

var placeholders = regexp.MustCompile(`(?i)example|xxxx|1234567|abcdefg|your|token|secret|changeme|redacted|dummy|sample|MjM0NTY3ODkw|\.\.\.|0000`)

func placeholder(s string) bool { return placeholders.MatchString(s) }

// leastRandom is the minimum entropy of a random token, in bits per character. Random strings of 36
// letters and digits have about 4.6, and of 64 hexadecimal digits 3.8.
const leastRandom = 3.2

func looksRandom(s string) bool {
	return !placeholder(s) && entropy(s) >= leastRandom
}

func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// pemBegin is the beginning of a key in the textual encoding of RFC 7468 and similar encodings.
const pemBegin = "-----BEGIN "

var (
	pemHead = regexp.MustCompile(`^-----BEGIN (?:(?:RSA |EC |DSA |OPENSSH |ENCRYPTED )?PRIVATE KEY|PGP PRIVATE KEY BLOCK)-----`)
	// pemFields are the fields before the body of password-protected keys and PGP keys.
	pemFields = regexp.MustCompile(`^\s*(?:Proc-Type:\s*\S+\s+DEK-Info:\s*\S+\s+|(?:(?:Version|Comment|Hash|Charset):[^\n]*\n\s*)+)`)
)

// privateKeyIn reports whether a text contains a private key with a valid body: Base64 of the
// length that the key states.
func privateKeyIn(text string) bool {
	for {
		at := strings.Index(text, pemBegin)
		if at < 0 {
			return false
		}
		text = text[at:]
		head := pemHead.FindString(text[:min(len(text), 64)])
		text = text[len(pemBegin):]
		if head == "" {
			continue
		}
		body := text[len(head)-len(pemBegin):]
		end := strings.Index(body[:min(len(body), longestSecret)], "-----")
		if end >= 0 && strings.HasPrefix(body[end:], "-----END ") && keyBody(body[:end]) {
			return true
		}
	}
}

// keyLines removes the quoting of JSON or source code from a key.
var keyLines = strings.NewReplacer(`\r`, "", `\n`, "\n", `"`, "", "'", "", ",", "", "`", "", "> ", "")

func keyBody(body string) bool {
	body = keyLines.Replace(body)
	fields := pemFields.FindString(body)
	body = body[len(fields):]
	if sum := strings.LastIndex(body, "\n="); sum >= 0 && strings.Contains(fields+body[sum:], "\n=") && len(strings.TrimSpace(body[sum:])) == 5 {
		body = body[:sum] // PGP ends with a check sum
	}
	packed := strings.Join(strings.Fields(body), "")
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil || len(raw) < 32 {
		return false
	}
	switch {
	case fields != "": // encrypted, or PGP: the body cannot be checked further
		return true
	case strings.HasPrefix(string(raw), "openssh-key-v1\x00"):
		return len(raw) > 100
	case raw[0]&0x80 != 0: // a packet of PGP
		return true
	default:
		return derLength(raw) == len(raw)
	}
}

// derLength returns the total length in bytes that the header of a DER sequence states. It returns
// -1 for other data.
func derLength(raw []byte) int {
	if raw[0] != 0x30 {
		return -1
	}
	n := int(raw[1])
	if n < 0x80 {
		return 2 + n
	}
	size := n & 0x7f
	if size == 0 || size > 3 {
		return -1
	}
	length := 0
	for _, b := range raw[2 : 2+size] {
		length = length<<8 | int(b)
	}
	return 2 + size + length
}
