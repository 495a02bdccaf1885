package index

import (
	_ "embed"
	"fmt"
	"iter"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed secretrules.tsv
var secretRulesText string

type secretRule struct {
	name    string
	entropy float64 // minimum bits per character of the secret
	// number of the group with the secret; 0: the first that matched, else the whole match
	group    int
	keywords []string
	allowed  *regexp.Regexp // matches false positives; may be nil
	whole    func() *regexp.Regexp
}

// secretRules are the rules of secretrules.tsv. An expression is compiled when a text first
// contains one of its rule's keywords.
var secretRules = sync.OnceValue(func() []secretRule {
	var rules []secretRule
	for line := range strings.Lines(secretRulesText) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		rule, err := secretRuleOf(columns)
		if err != nil {
			// TestSecretRules reads all of them
			panic(fmt.Sprintf("secretrules.tsv: %q: %v", columns[0], err))
		}
		rules = append(rules, rule)
	}
	return rules
})

func secretRuleOf(columns []string) (r secretRule, err error) {
	if len(columns) != 6 {
		return r, fmt.Errorf("%d columns instead of 6", len(columns))
	}
	r.name, r.keywords = columns[0], strings.Split(columns[3], ",")
	if r.entropy, err = strconv.ParseFloat(columns[1], 64); err != nil {
		return r, err
	}
	if r.group, err = strconv.Atoi(columns[2]); err != nil {
		return r, err
	}
	if columns[5] != "" {
		if r.allowed, err = regexp.Compile(columns[5]); err != nil {
			return r, err
		}
	}
	r.whole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(columns[4]) })
	return r, nil
}

// secretByRule returns the kind of credential that a rule finds, or "". It tries rules only near
// runs of characters that look like tokens, so that prose costs a single pass.
func secretByRule(text string) string {
	rules := secretRules()
	for window := range tokenWindows(text) {
		lower := strings.ToLower(window)
		tried := make(map[int]bool)
		for at := range max(len(lower)-1, 0) {
			for _, k := range secretKeywords()[firstTwoBytes(lower[at:])] {
				if !tried[k.rule] && strings.HasPrefix(lower[at:], k.word) {
					if tried[k.rule] = true; rules[k.rule].matches(window) {
						return "a credential (" + rules[k.rule].name + ")"
					}
				}
			}
		}
	}
	return ""
}

type secretKeyword struct {
	word string
	rule int
}

var secretKeywords = sync.OnceValue(func() *[1 << 16][]secretKeyword {
	var all [1 << 16][]secretKeyword
	for i, r := range secretRules() {
		for _, word := range r.keywords {
			all[firstTwoBytes(word)] = append(all[firstTwoBytes(word)], secretKeyword{word, i})
		}
	}
	return &all
})

func firstTwoBytes(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

const (
	// leastToken is the minimum length of a token in bytes. aroundToken is the number of bytes
	// around a token that are also searched, because they may contain other parts of the
	// credential.
	leastToken  = 16
	aroundToken = 100
)

// tokenWindows yields the parts of a text around possible tokens. A token is a run of at least
// leastToken bytes with letters and digits, or with letters of both cases. Overlapping parts are
// merged.
func tokenWindows(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from, to := 0, 0 // the pending window; empty if none
		token := func(start, end int) bool {
			start, end = max(0, start-aroundToken), min(len(text), end+aroundToken)
			if from < to && start > to {
				if !yield(text[from:to]) {
					return false
				}
				from, to = start, end
			}
			if from == to {
				from = start
			}
			to = end
			return true
		}
		start, kinds := 0, tokenKinds(0)
		for i := range len(text) {
			kind := tokenKindOf(text[i])
			if kind != 0 {
				kinds |= kind
				continue
			}
			if i-start >= leastToken && kinds.mixed() && !token(start, i) {
				return
			}
			start, kinds = i+1, 0
		}
		if len(text)-start >= leastToken && kinds.mixed() && !token(start, len(text)) {
			return
		}
		if from < to {
			yield(text[from:to])
		}
	}
}

type tokenKinds uint8

const (
	digits tokenKinds = 1 << iota
	lowerCase
	upperCase
	joiners
)

func (k tokenKinds) mixed() bool {
	return k&digits != 0 && k&(lowerCase|upperCase) != 0 || k&lowerCase != 0 && k&upperCase != 0
}

func tokenKindOf(b byte) tokenKinds {
	switch {
	case '0' <= b && b <= '9':
		return digits
	case 'a' <= b && b <= 'z':
		return lowerCase
	case 'A' <= b && b <= 'Z':
		return upperCase
	case b == '_' || b == '-':
		return joiners
	}
	return 0
}

func (r secretRule) matches(text string) bool {
	for _, found := range r.whole().FindAllStringSubmatch(text, -1) {
		secret := found[0]
		if r.group > 0 && r.group < len(found) {
			secret = found[r.group]
		} else {
			for _, group := range found[1:] {
				if group != "" {
					secret = group
					break
				}
			}
		}
		if !placeholder(secret) && entropy(secret) >= max(r.entropy, leastRuleEntropy) && (r.allowed == nil || !r.allowed.MatchString(found[0])) {
			return true
		}
	}
	return false
}

// leastRuleEntropy is the minimum entropy, in bits per byte, for all rules. Some rules state none.
const leastRuleEntropy = 3

// databasePassword matches an address such as postgres://app:PASSWORD@db/name.
var databasePassword = regexp.MustCompile(`(?i)\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|oracle|ldaps?|ftps?|sftp|smtps?|https?)://([^\s:/?#@'"<>]*):([^\s/?#@'"<>]+)@([^\s/?#'"<>]+)`)

// passwordInAddress reports whether a text contains the address of a database with a real password.
// Example passwords and example hosts do not count.
func passwordInAddress(text string) bool {
	for rest := text; ; {
		at := strings.Index(rest, "://")
		if at < 0 {
			return false
		}
		from := max(0, at-longestScheme)
		near := rest[from:min(len(rest), at+secretWindow)]
		for _, found := range databasePassword.FindAllStringSubmatch(near, -1) {
			user, password, host := found[1], found[2], found[3]
			if len(password) >= 6 && password != user && !placeholder(password) && !examplePasswords.MatchString(password) && mixed(password) &&
				!exampleHosts.MatchString(host) {
				return true
			}
		}
		rest = rest[at+len("://"):]
	}
}

const longestScheme = 16

var (
	examplePasswords = regexp.MustCompile(`(?i)pass|pwd|^\$|[{}\[\]*%(]|^x+$|foo|bar|test|hidden|admin|user|root|guest|qwerty|hunter2|my[-_]?pw|12345`)
	exampleHosts     = regexp.MustCompile(`(?i)(?:^|[.@])(?:example\.[a-z]+|[a-z0-9-]+\.example|host(?:name)?)(?::|$)|^(?:server|db|database)?(?:host|server)\d*(?::|$)`)
)

func mixed(s string) bool {
	var kinds tokenKinds
	for i := range len(s) {
		if kind := tokenKindOf(s[i]); kind != 0 {
			kinds |= kind
		} else {
			kinds |= joiners
		}
	}
	return bits.OnesCount8(uint8(kinds)) >= 2
}
