package checkup_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/checkup"
)

func TestFind(t *testing.T) {
	t.Parallel()
	slack := []string{"slack"}
	channel := checkup.Channel{Platform: "slack", ID: "C0123456789"}
	handbook := checkup.Source{ID: "files-1", Name: "/srv/handbook", Declared: "handbook", InFile: true, Documents: 3, Local: true, BaseURL: "https://docs.example"}
	with := func(change func(*checkup.Source)) []checkup.Source {
		s := handbook
		change(&s)
		return []checkup.Source{s}
	}
	sets := func(names ...string) []checkup.Set { return []checkup.Set{{Name: "all", Unknown: names}} }
	for name, tt := range map[string]struct {
		state checkup.State
		want  string // in its only finding; empty: none
	}{
		"nothing is wrong":          {checkup.State{Platforms: slack, Sources: []checkup.Source{handbook}, Sets: sets(), Rules: []checkup.Rule{{Channel: channel, Number: 1}, {Number: 2}}, Sockets: 4, Replicas: 2}, ""},
		"no tokens":                 {checkup.State{}, "Set SLACK_BOT_TOKEN or DISCORD_BOT_TOKEN"},
		"a channel's name":          {checkup.State{Platforms: slack, Rules: []checkup.Rule{{Channel: checkup.Channel{Platform: "slack", ID: "help"}, Number: 2}}}, `channels[2] names the channel "help", which is no id of slack`},
		"a name in Discord":         {checkup.State{Platforms: slack, Rules: []checkup.Rule{{Channel: checkup.Channel{Platform: "discord", ID: "general"}, Number: 1}}}, "Copy Channel ID"},
		"a channel that is missing": {checkup.State{Platforms: slack, Rules: []checkup.Rule{{Channel: channel, Number: 1}}, Missing: []checkup.Channel{channel}}, "does not exist in slack"},
		"a set's unknown source":    {checkup.State{Platforms: slack, Sources: []checkup.Source{handbook}, Sets: sets("handbok")}, `document_sets.all names the source "handbok", which does not exist, so nothing of it is found. The sources of the file are handbook.`},
		"a removed source":          {checkup.State{Platforms: slack, Sources: with(func(s *checkup.Source) { s.InFile = false })}, "3 documents of it can still be found. To remove that, run: footnote sources remove files-1"},
		"a removed, empty source":   {checkup.State{Platforms: slack, Sources: with(func(s *checkup.Source) { s.InFile, s.Documents = false, 0 })}, ""},
		"no base_url":               {checkup.State{Platforms: slack, Sources: with(func(s *checkup.Source) { s.BaseURL = "" })}, "Set sources.handbook.base_url"},
		"no --base-url":             {checkup.State{Platforms: slack, Sources: with(func(s *checkup.Source) { s.BaseURL, s.InFile, s.Declared = "", false, "" })}, "/srv/handbook has no base_url, so its citations in chat cannot be opened. Index it again with --base-url"},
		"a shared token":            {checkup.State{Platforms: slack, Sockets: 3, Replicas: 1}, "Slack counts 3 connections"},
		"no server runs":            {checkup.State{Platforms: slack, Sockets: 1}, "Slack counts 1 connection with"},
	} {
		found := checkup.Find(tt.state)
		switch {
		case tt.want == "" && len(found) > 0:
			t.Errorf("%s: %+v", name, found)
		case tt.want != "" && (len(found) != 1 || !strings.Contains(found[0].Text, tt.want)):
			t.Errorf("%s: %+v, want %q", name, found, tt.want)
		}
	}
}

func TestTokenWatch(t *testing.T) {
	t.Parallel()
	type look struct{ sockets, counted, replicas int }
	times := func(n int, l look) (all []look) {
		for range n {
			all = append(all, l)
		}
		return all
	}
	for name, tt := range map[string]struct {
		looks [][]look
		want  bool
	}{
		"as many as the replicas may have":      {[][]look{times(9, look{4, 1, 2})}, false},
		"more":                                  {[][]look{times(3, look{5, 1, 2})}, true},
		"more for a short time":                 {[][]look{times(2, look{5, 1, 2})}, false},
		"a replica ended after the count":       {[][]look{times(3, look{6, 1, 3}), times(9, look{6, 1, 2})}, false},
		"a replica ended right after the count": {[][]look{times(3, look{4, 1, 3}), times(9, look{6, 2, 2})}, false},
		"more in the count after a replica ended": {
			[][]look{times(3, look{6, 1, 3}), times(3, look{6, 1, 2}), times(1, look{4, 2, 2}), times(3, look{6, 3, 2})}, true,
		},
	} {
		var watch checkup.TokenWatch
		found := false
		for _, l := range slices.Concat(tt.looks...) {
			found = watch.Observe(l.sockets, time.Unix(int64(l.counted), 0), l.replicas) != "" || found
		}
		if found != tt.want {
			t.Errorf("%s: found %t", name, found)
		}
	}
}
