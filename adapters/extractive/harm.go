package extractive

import (
	"regexp"
	"strings"
)

// A command that stops, deletes or overwrites something is quoted only for a question about that:
// whoever asks how to end one query is not helped by the command that shuts the server down.

// harmLess is what such a command loses of its worth.
const harmLess = 0.5

var (
	harms  = regexp.MustCompile(`(?i)(?:^|[\s;&|])rm\s|\b(shut ?down|halt|reboot|stop|kill|terminate|rmdir|unlink|del|delete|drop|truncate|destroy|purge|wipe|erase|prune|clean|reset|revert|force|hard|format|mkfs|dd|overwrite|uninstall|remove|disable|revoke|expire|filter-branch)\b`)
	denied = regexp.MustCompile(`(?i)\b(without|instead of|rather than|avoid|not|never|don['’]?t|no)\s+(to\s+|any\s+|a\s+|the\s+)?[\pL]+`)
)

// harmful reports whether a span has such a command.
func (s *scorer) harmful(x *span) bool {
	for _, b := range x.follow {
		if b.kind == code && s.unasked(b.text) {
			return true
		}
	}
	return x.kind == code && s.unasked(x.code)
}

// unasked reports whether code does harm that the question does not speak of.
func (s *scorer) unasked(text string) bool {
	for _, word := range harms.FindAllString(text, maxHarms) {
		for stem := range stems(strings.ToLower(word), s.language) {
			if !s.wants(stem) {
				return true
			}
		}
	}
	return false
}

const maxHarms = 20 // that are looked at in one piece of code

// wants reports whether the question speaks of an action.
func (s *scorer) wants(action string) bool {
	if s.actions == nil {
		s.actions = map[string]bool{}
		for stem := range stems(denied.ReplaceAllString(s.text, " "), s.language) {
			s.actions[stem] = true
		}
	}
	return s.actions[action]
}
