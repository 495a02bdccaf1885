package knowledge

import (
	"path"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// Read extracts the facts and names of a document, such as its authors and owners. It takes linear
// time and makes no calls to other systems.
func Read(d *document.Document, chunks []document.Chunk) Reading {
	r := reader{document: d}
	r.addTitles()
	if e := releaseOf(d.Title); e != nil {
		r.add(Fact{Relation: Releases, Object: e})
		r.add(Fact{Relation: Releases, Object: &Entity{Kind: Release, Key: anyRelease}})
	}
	r.readMetadata()
	if owners := path.Base(string(d.ID)) == "CODEOWNERS" || strings.HasSuffix(string(d.ID), ":CODEOWNERS"); owners {
		r.owners(chunks)
	} else {
		for i := range chunks {
			r.readText(chunks[i].Words(), i)
		}
		r.addLinks(chunks)
	}
	return r.Reading
}

type reader struct {
	Reading
	document *document.Document
	seen     map[string]bool
}

// addTitles adds the title, and the title without a part in brackets at its end.
func (r *reader) addTitles() {
	title := strings.TrimSpace(r.document.Title)
	if title == "" {
		return
	}
	r.Titles = append(r.Titles, title)
	if open := strings.LastIndex(title, " ("); open > 0 && strings.HasSuffix(title, ")") {
		r.Titles = append(r.Titles, title[:open])
	}
}

func (r *reader) add(f Fact) {
	if len(r.Facts) >= MaxFacts {
		return
	}
	key := sideKey(f.Subject) + "\x00" + string(f.Relation) + "\x00" + sideKey(f.Object)
	if r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[key] = true
	r.Facts = append(r.Facts, f)
}

func sideKey(e *Entity) string {
	if e == nil {
		return ""
	}
	return string(e.Kind) + ":" + e.Key
}

func (r *reader) readMetadata() {
	for key, value := range r.document.Metadata {
		r.readLabel(key, value, 0)
	}
	r.addChangedFiles()
}

// ChangedFiles is the metadata key under which a commit lists its changed files, one per line. The
// authors of the commit worked on these files and their folders.
const ChangedFiles = "changed files"

func (r *reader) addChangedFiles() {
	source, _, found := strings.Cut(string(r.document.ID), ":")
	value := r.document.Metadata[ChangedFiles]
	if !found || value == "" {
		return
	}
	names := strings.Split(value, "\n")
	var places []string
	for _, name := range names[:min(len(names), MaxChanged)] {
		for place := name; place != "." && place != "" && place != "/"; place = path.Dir(strings.TrimSuffix(place, "/")) {
			if place != name {
				place += "/"
			}
			if !slices.Contains(places, place) && len(place) <= MaxNameBytes && len(places) < 3*MaxChanged {
				places = append(places, place)
			}
		}
	}
	for _, author := range splitNames(r.document.Metadata["author"]) {
		who := personOrTeam(author)
		if who == nil {
			continue
		}
		for _, place := range places {
			e := &Entity{Kind: File, Key: source + ":" + place, Name: place}
			if bare := strings.TrimSuffix(place, path.Ext(place)); bare != place {
				e.Other = []string{bare}
			}
			r.add(Fact{Subject: who, Relation: WorksOn, Object: e})
		}
	}
}

// label is the meaning of a metadata key, or of the key in a line such as "Owner: Ann Lee".
type label int

const (
	noLabel label = iota
	authors
	owners
	workers
	teams
	projects
	repositories
	needs
	replaces
	replacedBy
	otherLabel // it has no meaning, but ends the previous value
)

var labels = map[string]label{
	"author": authors, "authors": authors, "written by": authors, "created by": authors, "verfasser": authors, "autor": authors,
	"owner": owners, "owners": owners, "owned by": owners, "code owner": owners, "code owners": owners, "codeowners": owners, "maintainer": owners,
	"maintainers": owners, "page owner": owners, "responsible": owners, "verantwortlich": owners,
	"assignee": workers, "assignees": workers, "assigned to": workers, "contributor": workers, "contributors": workers, "worked on by": workers,
	"team": teams, "teams": teams,
	"project": projects, "projects": projects, "space": projects, "milestone": projects, "epic": projects, "service": projects, "part of": projects,
	"repository": repositories, "repo": repositories,
	"depends on": needs, "dependencies": needs, "hangt ab von": needs, "abhangigkeiten": needs,
	"supersedes": replaces, "replaces": replaces, "obsoletes": replaces, "ersetzt": replaces,
	"superseded by": replacedBy, "replaced by": replacedBy, "obsoleted by": replacedBy, "deprecated by": replacedBy, "ersetzt durch": replacedBy,
	"status": otherLabel, "state": otherLabel, "date": otherLabel, "version": otherLabel, "updated": otherLabel, "last updated": otherLabel, "reviewed": otherLabel, "last reviewed": otherLabel,
	"reviewer": otherLabel, "reviewers": otherLabel, "created": otherLabel, "modified": otherLabel, "due": otherLabel, "priority": otherLabel, "type": otherLabel, "tags": otherLabel, "labels": otherLabel,
	"category": otherLabel, "audience": otherLabel, "scope": otherLabel, "contact": otherLabel, "datum": otherLabel, "stand": otherLabel,
}

const maxLabel = 20

func (r *reader) readLabel(key, value string, chunk int) bool {
	if len(key) > maxLabel {
		return false
	}
	meaning := labels[Form(key)]
	value = strings.TrimSpace(value)
	if meaning == noLabel || value == "" {
		return false
	}
	switch meaning {
	case authors:
		r.addPeople(value, Authored, chunk)
	case owners:
		r.addPeople(value, Owns, chunk)
	case workers:
		r.addPeople(value, WorksOn, chunk)
	case teams:
		for _, name := range splitNames(value) {
			r.add(Fact{Subject: team(name), Relation: WorksOn, Chunk: chunk})
		}
	case projects:
		for _, name := range splitNames(value) {
			r.addPartOf(Project, name, chunk)
		}
	case repositories:
		for _, name := range splitNames(value) {
			r.addPartOf(Repository, name, chunk)
		}
	case needs:
		for _, name := range splitNames(value) {
			if e := EntityOf(System, stripLink(name)); e != nil {
				r.add(Fact{Relation: DependsOn, Object: e, Chunk: chunk})
			}
		}
	case replaces:
		for _, target := range replacedDocuments(value) {
			r.add(Fact{Relation: Supersedes, Object: target, Chunk: chunk})
		}
	case replacedBy:
		for _, target := range replacedDocuments(value) {
			r.add(Fact{Subject: target, Relation: Supersedes, Chunk: chunk})
		}
	case noLabel, otherLabel:
	}
	return true
}

func (r *reader) addPeople(value string, relation Relation, chunk int) {
	for _, name := range splitNames(value) {
		if who := personOrTeam(name); who != nil {
			r.add(Fact{Subject: who, Relation: relation, Chunk: chunk})
		}
	}
}

func (r *reader) addPartOf(kind Kind, name string, chunk int) {
	form := Form(name)
	if form == "" || len(form) > MaxNameBytes {
		return
	}
	e := &Entity{Kind: kind, Key: form, Name: name}
	if kind == Repository {
		e.Key = strings.ToLower(name)
		e.Other = []string{path.Base(name)}
	}
	r.add(Fact{Relation: PartOf, Object: e, Chunk: chunk})
}
