package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/goccy/go-yaml/ast"
)

// ChannelRule holds the file's settings for one channel, for all channels of a workspace, or for a
// whole platform.
type ChannelRule struct {
	Platform  thread.Platform // empty: all
	Workspace string          // empty: all
	Channel   string          // empty: all
	Values    []Value         // only the settings that the file sets
}

// Value is one setting of a channel rule, as text. A list is joined with commas.
type Value struct {
	Key, Text string
	Line      int `json:"-"` // not in JSON, because moving a setting does not change it
}

// Value returns the rule's value for a setting, or "" if the rule does not set it.
func (r ChannelRule) Value(key string) string {
	i := slices.IndexFunc(r.Values, func(v Value) bool { return v.Key == key })
	if i < 0 {
		return ""
	}
	return r.Values[i].Text
}

// Said returns the file's settings that apply to a channel, from general to specific. If a setting
// occurs twice, the last one applies.
func (f *File) Said(at session.Place) []policy.SettingValue {
	var said []policy.SettingValue
	if f.Agent != "" {
		said = append(said, policy.SettingValue{Key: "agent", Value: f.Agent, Origin: f.origin(f.agentLine)})
	}
	var matching []ChannelRule
	for _, r := range f.Channels {
		if (r.Platform == "" || r.Platform == at.Platform) && (r.Workspace == "" || r.Workspace == at.Workspace) && (r.Channel == "" || r.Channel == at.Channel) {
			matching = append(matching, r)
		}
	}
	slices.SortStableFunc(matching, func(a, b ChannelRule) int { return cmp.Compare(a.weight(), b.weight()) })
	for _, r := range matching {
		for _, v := range r.Values {
			said = append(said, policy.SettingValue{Key: v.Key, Value: v.Text, Origin: f.origin(v.Line)})
		}
	}
	return said
}

// Sets reports whether the file sets key in a rule that overlaps with the place at: for the same
// place, for a part of it, or for a wider place. It also returns the line of that rule.
func (f *File) Sets(at session.Place, key string) (policy.Origin, bool) {
	meet := func(rule, place string) bool { return rule == "" || place == "" || rule == place }
	for _, r := range f.Channels {
		if !meet(string(r.Platform), string(at.Platform)) || !meet(r.Workspace, at.Workspace) || !meet(r.Channel, at.Channel) {
			continue
		}
		for _, v := range r.Values {
			if v.Key == key {
				return f.origin(v.Line), true
			}
		}
	}
	return policy.Origin{}, false
}

// Places returns, sorted, every place with a setting in the file or in changed. The zero Place,
// which means everywhere, is always included.
func (f *File) Places(changed []session.Setting) []session.Place {
	all := []session.Place{{}}
	for _, r := range f.Channels {
		all = append(all, session.Place{Platform: r.Platform, Workspace: r.Workspace, Channel: r.Channel})
	}
	for _, s := range changed {
		all = append(all, s.Place)
	}
	slices.SortFunc(all, func(a, b session.Place) int {
		return cmp.Or(cmp.Compare(a.Platform, b.Platform), cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.Channel, b.Channel))
	})
	return slices.Compact(all)
}

// Names returns the agents, projects or document sets that the file defines, if key is the setting
// that takes one of these. For any other key it returns nil.
func (f *File) Names(key string) []string {
	names := []string{}
	switch key {
	case "agent":
		for _, a := range f.Agents {
			names = append(names, a.Name)
		}
	case "project":
		for _, p := range f.Projects {
			names = append(names, p.Name)
		}
	case "document_sets":
		for _, s := range f.DocumentSets {
			names = append(names, s.Name)
		}
	default:
		return nil
	}
	return names
}

func (f *File) origin(line int) policy.Origin {
	return policy.Origin{File: filepath.Base(cmp.Or(f.Path, FileName)) + ":" + strconv.Itoa(line)}
}

// weight orders rules by how specific they are: a channel outweighs a workspace, and a workspace
// outweighs a platform.
func (r ChannelRule) weight() int {
	w := 0
	for i, said := range []bool{r.Platform != "", r.Workspace != "", r.Channel != ""} {
		if said {
			w += 1 << i
		}
	}
	return w
}

func (r *fileReader) channels(path string, n ast.Node) {
	r.items(path, n, func(path string, n ast.Node) {
		r.at[fmt.Sprintf("channels[%d]", len(r.file.Channels)+1)] = n
		r.file.Channels = append(r.file.Channels, r.channel(path, n))
	})
}

func (r *fileReader) channel(path string, n ast.Node) ChannelRule {
	var c ChannelRule
	named := false // also with a wrong name, which is a fault already
	platform := word(&r.reader, &c.Platform, "slack", "discord", "console")
	fields := []field{
		{"platform", func(path string, n ast.Node) { named = true; platform(path, n) }},
		{"workspace", r.text(&c.Workspace)},
		{"channel", r.text(&c.Channel)},
	}
	for _, s := range policy.Settings() {
		fields = append(fields, field{s.Key, r.setting(&c, s)})
	}
	r.fields(path, n, fields...)
	if c.Channel != "" && !named {
		r.fault(n, "%s names a channel but no platform: write platform: slack or platform: discord", path)
	}
	return c
}

func (r *fileReader) setting(to *ChannelRule, s policy.Setting) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		var parts []string
		items := []ast.Node{n}
		if list, ok := r.value(n).(*ast.SequenceNode); ok {
			items = list.Values
		}
		for _, item := range items {
			part, ok := scalar(r.value(item))
			if !ok {
				r.fault(item, "%s holds %s: write %s", path, describe(r.value(item)), s.Values)
				return
			}
			parts = append(parts, strings.TrimSpace(part))
		}
		text := strings.Join(parts, ", ")
		if err := s.Check(text); err != nil {
			r.fault(n, "%s holds %s: %v", path, quote(text), err)
			return
		}
		r.at[fmt.Sprintf("channels[%d].%s", len(r.file.Channels)+1, s.Key)] = n
		to.Values = append(to.Values, Value{Key: s.Key, Text: text, Line: lineOf(n)})
	}
}

// channelReferences also reports a rule whose agent and document sets have no document in common.
func (r *fileReader) channelReferences(check func(at ast.Node, path, kind, name string)) {
	for i, c := range r.file.Channels {
		path := fmt.Sprintf("channels[%d]", i+1)
		for key, kind := range map[string]string{"agent": "agent", "project": "project"} {
			check(r.at[path+"."+key], path+"."+key, kind, c.Value(key))
		}
		sets := List(c.Value("document_sets"))
		for _, set := range sets {
			check(r.at[path+".document_sets"], path+".document_sets", "document set", set)
		}
		agent, _ := r.file.Find(c.Value("agent"))
		if slices.Equal(policy.Within(agent.DocumentSets, sets), []string{policy.NoDocuments}) {
			r.fault(r.at[path+".document_sets"], "%s.document_sets leaves no documents to the agent %s, which is limited to %s: name one of these",
				path, agent.Name, strings.Join(agent.DocumentSets, ", "))
		}
	}
}

// List splits comma-separated text into its entries. It omits empty entries.
func List(text string) []string {
	var all []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}
