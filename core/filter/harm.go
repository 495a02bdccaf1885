package filter

import (
	"regexp"
	"strings"
	"unicode"
)

// Command is a word of a text that stops, deletes or overwrites something when it is run.
type Command struct {
	Verb string // such as "kill"; in lower case
	Name string // the word with the verb, such as "pkill"; in lower case
}

// The groups of these expressions are verbs. In a command, a verb may also begin or end a longer
// name, as in "pkill" and "dropdb". Words such as "format" or "stop" mean harm only in a command.
var (
	inCommand = regexp.MustCompile("(?i)(?:^|[\\s;&|`\"'(/\\\\])(rm)(?:\\s|$)" +
		`|\b(stop|terminate|rmdir|unlink|del|prune|clean|reset|revert|force|hard|format|mkfs|dd|overwrite|uninstall|disable|revoke|expire|filter-branch)\b` +
		`|(?:\b|_)(?:[a-z]*(` + verbs + `)(?:\b|_)|(` + verbs + `)[a-z]*)|\b(?:user|group)(del)\b|\b(del)(?:user|group)\b`)
	inIntroduction = regexp.MustCompile(`(?i)\b(shut ?down|kill|delete|erase|destroy|overwrite|wipe|drop)\b`)
)

const verbs = "kill|drop|shut ?down|power ?off|halt|reboot|wipe|shred|delete|purge|destroy|flush|remove|erase|truncate"

// Harms returns the harmful commands of code and of other text that people run without thinking.
func Harms(text string) []Command { return commandsIn(inCommand, text) }

// IntroducesHarm returns the verbs of harm in a sentence that introduces a command.
func IntroducesHarm(sentence string) []Command { return commandsIn(inIntroduction, sentence) }

func commandsIn(harm *regexp.Regexp, text string) (out []Command) {
	for _, found := range harm.FindAllStringSubmatch(text, -1) {
		name := strings.TrimFunc(found[0], func(r rune) bool { return !unicode.IsLetter(r) })
		out = append(out, Command{strings.ToLower(strings.Join(found[1:], "")), strings.ToLower(name)})
	}
	return out
}
