package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// Constructors for each kind of setting. The error for a bad value says what to write, such as
// "write true or false".

func nameSetting(key, values, help string, of func(*Policy) *string) Setting {
	return Setting{
		Key: key, Values: values, Help: help, show: func(p Policy) string { return *of(&p) },
		parse: func(p *Policy, text string) error {
			if text == "" || strings.ContainsAny(text, ",\n") {
				return errors.New("write one name")
			}
			*of(p) = text
			return nil
		},
	}
}

func boolSetting(key, help string, of func(*Policy) *bool) Setting {
	return Setting{
		Key: key, Values: "true or false", Choices: []string{"true", "false"}, Help: help, show: func(p Policy) string { return strconv.FormatBool(*of(&p)) },
		parse: func(p *Policy, text string) error {
			if text != "true" && text != "false" {
				return errors.New("write true or false")
			}
			*of(p) = text == "true"
			return nil
		},
	}
}

func enumSetting[T ~string](key, help string, of func(*Policy) *T, words ...T) Setting {
	values := alternatives(words)
	choices := make([]string, len(words))
	for i, w := range words {
		choices[i] = string(w)
	}
	return Setting{
		Key: key, Values: values, Choices: choices, Help: help, show: func(p Policy) string { return string(*of(&p)) },
		parse: func(p *Policy, text string) error {
			if !slices.Contains(words, T(text)) {
				return errors.New("write " + values)
			}
			*of(p) = T(text)
			return nil
		},
	}
}

func alternatives[T ~string](words []T) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

func intSetting(key string, low, high int, help string, of func(*Policy) *int) Setting {
	values := fmt.Sprintf("a whole number from %d to %d", low, high)
	return Setting{
		Key: key, Values: values, Help: help, show: func(p Policy) string { return strconv.Itoa(*of(&p)) },
		parse: func(p *Policy, text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < low || n > high {
				return errors.New("write " + values)
			}
			*of(p) = n
			return nil
		},
	}
}

func shareSetting(key, help string, of func(*Policy) *float64) Setting {
	return Setting{
		Key: key, Values: "a number from 0 to 1", Help: help,
		show: func(p Policy) string { return strconv.FormatFloat(*of(&p), 'g', -1, 64) },
		parse: func(p *Policy, text string) error {
			f, err := strconv.ParseFloat(text, 64)
			if err != nil || !(f >= 0 && f <= 1) {
				return errors.New("write a number from 0 to 1")
			}
			*of(p) = f
			return nil
		},
	}
}

// Maximum values of settings that are durations. maxWait must be less than a day, because the store
// then treats a waiting turn as lost. maxCoolDown is a month, because the store then deletes the
// time of the last unasked answer.
const (
	maxWait     = 12 * time.Hour
	maxCoolDown = 30 * 24 * time.Hour
)

func durationSetting(key string, most time.Duration, help string, of func(*Policy) *time.Duration) Setting {
	return Setting{
		Key: key, Values: "a length of time, such as 90s or 10m", Help: help, show: func(p Policy) string { return formatDuration(*of(&p)) },
		parse: func(p *Policy, text string) error {
			d, err := time.ParseDuration(text)
			if text == "0" {
				d, err = 0, nil
			}
			if err != nil || d < 0 || d > most {
				return fmt.Errorf("write a length of time up to %s, such as 90s or 10m", formatDuration(most))
			}
			*of(p) = d
			return nil
		},
	}
}

// formatDuration formats a duration without zero units: "10m" instead of "10m0s".
func formatDuration(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

const aclValues = "a list of public, members, group:NAME, channel:PLATFORM:ID and user:PLATFORM:ID"

// aclSetting returns a setting that holds access lists. Its value is the field of the policy to
// which of points. If the file and chat both set a list, a person must be in both.
func aclSetting(key, help string, of func(*Policy) *[]access.ACL) Setting {
	return Setting{
		Key: key, Values: aclValues, Help: help, Narrows: true,
		show: func(p Policy) string {
			var all []string
			for _, list := range *of(&p) {
				all = append(all, formatACL(list))
			}
			return strings.Join(all, ", and of those ")
		},
		parse: func(p *Policy, text string) error {
			list, err := parseACL(text)
			if err == nil {
				*of(p) = []access.ACL{list}
			}
			return err
		},
		narrow: func(p *Policy, text string) error {
			list, err := parseACL(text)
			if err == nil {
				*of(p) = append(slices.Clip(*of(p)), list)
			}
			return err
		},
	}
}

func parseACL(text string) (access.ACL, error) {
	list, err := access.ParseACL(text)
	if err != nil {
		return nil, errors.New("write " + aclValues)
	}
	return list, nil
}

func formatACL(list access.ACL) string {
	all := make([]string, len(list))
	for i, p := range list {
		all[i] = string(p)
	}
	return strings.Join(all, ", ")
}

func peopleSetting(key, help string, of func(*Policy) *access.ACL) Setting {
	return Setting{
		Key: key, Values: aclValues, Help: help, show: func(p Policy) string { return formatACL(*of(&p)) },
		parse: func(p *Policy, text string) (err error) {
			*of(p), err = parseACL(text)
			return err
		},
	}
}

func documentSets() Setting {
	return Setting{
		Key: "document_sets", Values: "a list of names of document sets",
		Help: "documents that are searched, within those of the agent. Unset: all of the agent's", Narrows: true,
		show: func(p Policy) string { return strings.Join(p.DocumentSets, ", ") },
		parse: func(p *Policy, text string) error {
			sets := splitList(text)
			if len(sets) == 0 {
				return errors.New("write names of document sets")
			}
			p.DocumentSets = sets
			return nil
		},
		narrow: func(p *Policy, text string) error {
			sets := splitList(text)
			if len(sets) == 0 {
				return errors.New("write names of document sets")
			}
			p.DocumentSets = Within(p.DocumentSets, sets)
			return nil
		},
	}
}

// NoDocuments is the name of an empty document set. It applies if two settings restrict a channel
// to document sets and no set is in both. Configuration cannot define a set with this name.
const NoDocuments = "(none)"

// Within returns the document sets that are in both lists. An empty list means all sets. If the
// lists have no common set, it returns only [NoDocuments].
func Within(sets, by []string) []string {
	switch {
	case len(by) == 0:
		return sets
	case len(sets) == 0:
		return by
	}
	both := slices.DeleteFunc(slices.Clone(sets), func(s string) bool { return !slices.Contains(by, s) })
	if len(both) == 0 {
		return []string{NoDocuments}
	}
	return both
}

func splitList(text string) []string {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(all, part) {
			all = append(all, part)
		}
	}
	return all
}
