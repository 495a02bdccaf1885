package review

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// Setup lists the agents, their documents, and the settings of the installation, its workspaces
// and channels.
type Setup struct {
	File     string // configuration file that defines Agents, Projects and Sets; empty: none
	Agents   []Agent
	Projects []Project
	Sets     []DocumentSet
	Places   []Place
}

// Agent is an agent of the configuration file. Its JSON names are stable.
type Agent struct {
	Name                string   `json:"name"`
	Default             bool     `json:"default"`
	Grounding           string   `json:"grounding"`
	ReplaceSystemPrompt bool     `json:"replace_system_prompt"`
	Tools               []string `json:"tools"`
	DocumentSets        []string `json:"document_sets"` // empty: all documents
	Model               string   `json:"model"`
	Instructions        string   `json:"instructions"`
	Reminder            string   `json:"reminder"`
}

// Project is a named set of files. Its JSON names are stable.
type Project struct {
	Name  string        `json:"name"`
	Files []ProjectFile `json:"files"`
	// Hidden is the number of further files that the viewer may not read.
	Hidden int `json:"-"`
}

// ProjectFile is a file or folder of a project.
type ProjectFile struct {
	Path    string     `json:"path"`
	BaseURL string     `json:"base_url,omitempty"`
	Readers access.ACL `json:"readers"`
}

// For returns the project without the files that an audience may not read. The names of these files
// are hidden too.
func (p Project) For(audience access.Audience) Project {
	out := Project{Name: p.Name}
	for _, f := range p.Files {
		if audience.MayRead(f.Readers) {
			out.Files = append(out.Files, f)
		} else {
			out.Hidden++
		}
	}
	return out
}

// DocumentSet is a named set of sources. Its JSON names are stable.
type DocumentSet struct {
	Name    string   `json:"name"`
	Sources []string `json:"sources"` // names in the configuration file, or ids
	Agents  []string `json:"agents"`  // agents that are limited to this set
}

// Place lists the settings of a channel, a workspace, or the whole installation.
type Place struct {
	session.Place
	Settings []PlaceSetting
}

// PlaceSetting is the effective value of a setting in a place, with the origins of the value.
type PlaceSetting struct {
	Key, Value string
	Origins    []policy.Origin // empty: the value is the default
	Undo       string          // the command that undoes it in the channel; empty: none
}

// Owner returns where the value was last set: "file" for the configuration file, "changed" for chat
// or the console, or "default" if it was never set.
func (s PlaceSetting) Owner() string {
	if len(s.Origins) == 0 {
		return "default"
	}
	if s.Origins[len(s.Origins)-1].Changed {
		return "changed"
	}
	return "file"
}

// SettingsOf returns the settings of a place. If all is false, it returns only the settings that
// were set.
func SettingsOf(at session.Place, e policy.Effective, all bool) Place {
	p := Place{Place: at}
	for _, s := range policy.Settings() {
		if origins := e.Origins(s.Key); len(origins) > 0 || all {
			one := PlaceSetting{Key: s.Key, Value: s.Show(e.Policy), Origins: origins}
			if at.Channel != "" && one.Owner() == "changed" {
				one.Undo = undo(s.Key, e.Policy)
			}
			p.Settings = append(p.Settings, one)
		}
	}
	return p
}

func undo(key string, p policy.Policy) string {
	switch {
	case key == "report" && !p.Report:
		return "/footnote report on"
	case key == "paused" && p.Paused:
		return "/footnote resume"
	default:
		return "/footnote config " + key + " reset"
	}
}
