// Package checkup finds mistakes in an installation that cause no error. Examples are a rule for a
// channel that does not exist, and a removed source that still gives answers.
package checkup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/plural"
)

// State is the configuration and the current state of an installation, which [Find] examines.
type State struct {
	Platforms []string // platforms with tokens, such as "slack"
	Rules     []Rule
	Sets      []Set
	Sources   []Source
	// Missing lists the channels of Rules that do not exist on their platforms.
	Missing []Channel
	// Sockets is the number of connections to Slack with this app token, according to Slack.
	// Replicas is the number of processes that share the database.
	Sockets, Replicas int
}

// Channel is a channel of a platform that a rule names.
type Channel struct{ Platform, ID string }

// Rule is an item of the list "channels" in the configuration file. Channel.ID is empty for all
// channels.
type Rule struct {
	Channel
	Number int // position in the list, from 1
}

// Set is an item of "document_sets" in the configuration file.
type Set struct {
	Name    string
	Unknown []string // names of sources that do not exist
}

// Source is a document source in the configuration file or in the index.
type Source struct {
	ID, Name string // id and name in the index; empty before the first indexing
	// name in the configuration file when the source was last read; empty if the file never had the
	// source
	Declared  string
	InFile    bool // it is in the configuration file now
	Documents int64
	Local     bool // a folder or file, to which a browser has no address
	BaseURL   string
}

func (s Source) called() string {
	if s.Declared != "" {
		return s.Declared
	}
	return s.Name
}

// Finding describes a mistake in an installation and how to correct it.
type Finding struct{ Part, Text string }

// Find returns mistakes in an installation that cause no error, such as a rule for a channel that
// does not exist.
func Find(s State) []Finding {
	var found []Finding
	for _, check := range checks {
		for _, text := range check.find(s) {
			found = append(found, Finding{check.part, text})
		}
	}
	return found
}

var checks = []struct {
	part string
	find func(State) []string
}{
	{"platforms", noTokens},
	{"channels", unknownChannels},
	{"document_sets", unknownSources},
	{"sources", removedSources},
	{"sources", unlinkedSources},
	{"Slack app token", sharedToken},
}

func noTokens(s State) []string {
	if len(s.Platforms) > 0 {
		return nil
	}
	return []string{"No platform is configured, so serve answers no question. Set SLACK_BOT_TOKEN or DISCORD_BOT_TOKEN."}
}

// ids holds the form of channel ids on each platform, and a sentence that says where to find an id.
var ids = map[string]struct {
	form *regexp.Regexp
	find string
}{
	"slack":   {regexp.MustCompile(`^[CGD][A-Z0-9]{6,}$`), "In Slack, open the channel's details and copy the id at their end (C…)."},
	"discord": {regexp.MustCompile(`^[0-9]{15,20}$`), "In Discord, turn on developer mode and choose Copy Channel ID."},
}

// Named returns the ids of the platform's channels that appear in s.Rules. It omits values that do
// not have the form of an id, such as channel names.
func (s State) Named(platform string) []string {
	var named []string
	for _, r := range s.Rules {
		if kind, known := ids[platform]; known && r.Platform == platform && kind.form.MatchString(r.ID) && !slices.Contains(named, r.ID) {
			named = append(named, r.ID)
		}
	}
	return named
}

func unknownChannels(s State) []string {
	var texts []string
	for _, r := range s.Rules {
		kind, known := ids[r.Platform]
		switch {
		case r.ID == "" || !known:
		case !kind.form.MatchString(r.ID):
			texts = append(texts, fmt.Sprintf("channels[%d] names the channel %q, which is no id of %s, so the rule never applies. %s", r.Number, r.ID, r.Platform, kind.find))
		case slices.Contains(s.Missing, r.Channel):
			texts = append(texts, fmt.Sprintf("channels[%d] names the channel %s, which does not exist in %s or is hidden from the bot. Correct its id, or invite the bot there.", r.Number, r.ID, r.Platform))
		}
	}
	return texts
}

func unknownSources(s State) []string {
	var known, texts []string
	for _, source := range s.Sources {
		if source.InFile {
			known = append(known, source.called())
		}
	}
	for _, set := range s.Sets {
		for _, name := range set.Unknown {
			text := fmt.Sprintf("document_sets.%s names the source %q, which does not exist, so nothing of it is found.", set.Name, name)
			if len(known) > 0 {
				text += " The sources of the file are " + strings.Join(known, ", ") + "."
			}
			texts = append(texts, text)
		}
	}
	return texts
}

func removedSources(s State) []string {
	var texts []string
	for _, source := range s.Sources {
		if source.Declared != "" && !source.InFile && source.Documents > 0 {
			place := ""
			if slices.ContainsFunc(s.Sources, func(other Source) bool { return other.InFile && other.Declared == source.Declared }) {
				place = fmt.Sprintf(" with this address (%s)", source.Name)
			}
			texts = append(texts, fmt.Sprintf("%s is no longer in the configuration file%s, and %s of it can still be found. To remove that, run: footnote sources remove %s",
				source.called(), place, plural.Count(source.Documents, "document"), source.ID))
		}
	}
	return texts
}

// unlinkedSources returns a finding for each local source without base_url, because its citations
// cannot be opened in chat. It returns none without a chat platform, because paths can be opened in
// a terminal.
func unlinkedSources(s State) []string {
	if len(s.Platforms) == 0 {
		return nil
	}
	var texts []string
	for _, source := range s.Sources {
		if !source.Local || source.BaseURL != "" || !source.InFile && source.Documents == 0 {
			continue
		}
		text := fmt.Sprintf("%s has no base_url, so its citations in chat cannot be opened. ", source.called())
		if source.InFile {
			text += fmt.Sprintf("Set sources.%s.base_url to the address where the folder is published.", source.called())
		} else {
			text += "Index it again with --base-url and the address where the folder is published."
		}
		texts = append(texts, text)
	}
	return texts
}

// SocketsEach is the number of connections to Slack that one process opens.
const SocketsEach = 2

func sharedToken(s State) []string {
	if text := SharedToken(s.Sockets, s.Replicas); text != "" {
		return []string{text}
	}
	return nil
}

// SharedToken returns a finding if another installation uses the same Slack app token, or "". It
// assumes so if Slack counts more sockets than the given number of replicas can open.
func SharedToken(sockets, replicas int) string {
	most := replicas * SocketsEach
	if sockets <= most {
		return ""
	}
	return fmt.Sprintf("Slack counts %s with this SLACK_APP_TOKEN, and the servers of this database have %d at most. "+
		"Another server with the same token and another database takes a part of the questions. Stop it, or create another app for it.",
		plural.Count(sockets, "connection"), most)
}
