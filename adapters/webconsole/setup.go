package webconsole

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type setupPart struct{ Key, Title string }

// setupParts are the pages of the setup. All roles may open the last one.
var setupParts = []setupPart{{"agents", "Agents"}, {"projects", "Projects"}, {"sets", "Document sets"}, {"channels", "Channels"}}

const (
	maxInstructions = 2_000 // bytes
	maxPlaces       = 40
	maxFiles        = 100 // files of all projects together
	maxFileReaders  = 5
)

func (s *server) setup(w http.ResponseWriter, r *http.Request, in visitor) {
	parts := setupParts
	if !in.Role.Opens(review.PartSettings) {
		parts = parts[len(parts)-1:]
	}
	key := cmp.Or(r.PathValue("part"), parts[0].Key)
	at := slices.IndexFunc(parts, func(p setupPart) bool { return p.Key == key })
	if at < 0 {
		s.fail(w, http.StatusNotFound, "There is no such page.")
		return
	}
	data := struct {
		review.Setup
		Part  string
		Parts any
		More  int

		Edits     bool // the viewer may change settings
		Platforms []thread.Platform
	}{Part: key, Parts: parts, Edits: in.Role.Opens(review.PartSettings), Platforms: s.Settings.Platforms}
	var err error
	if data.Setup, err = s.Setup(r.Context()); err != nil {
		s.serverError(w, r, err)
		return
	}
	data.More = fitSetup(&data.Setup, in.Viewer, in.Role, key)
	s.show(w, http.StatusOK, "setup", newView(in, review.PageSetup, parts[at].Title, data))
}

// fitSetup removes the entries of a part that the viewer may not see or that do not fit on a page.
// It returns the number of entries that did not fit.
func fitSetup(all *review.Setup, v review.Viewer, role review.Role, part string) (more int) {
	cut := func(n, most int) int {
		more += max(0, n-most)
		return min(n, most)
	}
	switch part {
	case "agents":
		all.Agents = slices.Clone(all.Agents[:cut(len(all.Agents), maxItems)])
		for i := range all.Agents {
			a := &all.Agents[i]
			a.Instructions, a.Reminder = fit(a.Instructions, maxInstructions), fit(a.Reminder, maxSentence)
		}
	case "projects":
		all.Projects = slices.Clone(all.Projects[:cut(len(all.Projects), maxItems)])
		room := maxFiles
		for i := range all.Projects {
			p := all.Projects[i].For(v.Audience)
			n := cut(len(p.Files), room)
			p.Files, room = slices.Clone(p.Files[:n]), room-n
			for j := range p.Files {
				f := &p.Files[j]
				f.Path, f.BaseURL, f.Readers = fit(f.Path, maxTitle), fit(f.BaseURL, maxTitle), f.Readers[:min(len(f.Readers), maxFileReaders)]
			}
			all.Projects[i] = p
		}
	case "sets":
		all.Sets = slices.Clone(all.Sets[:cut(len(all.Sets), 2*maxItems)])
		for i := range all.Sets {
			set := &all.Sets[i]
			set.Sources, set.Agents = set.Sources[:min(len(set.Sources), maxItems)], set.Agents[:min(len(set.Agents), maxItems)]
		}
	case "channels":
		all.Places = slices.DeleteFunc(slices.Clone(all.Places), func(p review.Place) bool { return !review.ShowsPlace(v, role, p.Place) })
		all.Places = slices.Clone(all.Places[:cut(len(all.Places), maxPlaces)])
		for i := range all.Places {
			p := &all.Places[i]
			p.Settings = slices.Clone(p.Settings)
			for j := range p.Settings {
				p.Settings[j].Value = fit(p.Settings[j].Value, maxTitle)
			}
		}
	}
	return more
}

// placed returns the name of a [session.Place] for the beginning of a heading, such as "Everywhere"
// or "slack workspace T1".
func placed(p session.Place) string {
	name := p.Name()
	if p.Platform == "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return name
}
