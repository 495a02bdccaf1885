package knowledge

import (
	"path"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// Read takes from a document what it states. It calls nothing and takes time in proportion to the
// text.
func Read(d *document.Document, chunks []document.Chunk) Reading {
	r := reader{document: d}
	r.titles()
	if e := release(d.Title); e != nil {
		r.add(Fact{Relation: Releases, Object: e})
		r.add(Fact{Relation: Releases, Object: &Entity{Kind: Release, Key: releases}})
	}
	r.metadata()
	if owners := path.Base(string(d.ID)) == "CODEOWNERS" || strings.HasSuffix(string(d.ID), ":CODEOWNERS"); owners {
		r.owners(chunks)
	} else {
		for i := range chunks {
			r.text(chunks[i].Words(), i)
		}
		r.linked(chunks)
	}
	return r.Reading
}

type reader struct {
	Reading
	document *document.Document
	seen     map[string]bool
}

// titles are the document's title, and that without what stands in brackets behind it.
func (r *reader) titles() {
	title := strings.TrimSpace(r.document.Title)
	if title == "" {
		return
	}
	r.Titles = append(r.Titles, title)
	if open := strings.LastIndex(title, " ("); open > 0 && strings.HasSuffix(title, ")") {
		r.Titles = append(r.Titles, title[:open])
	}
}

// add keeps a fact, each once.
func (r *reader) add(f Fact) {
	if len(r.Facts) >= MaxFacts {
		return
	}
	key := side(f.Subject) + "\x00" + string(f.Relation) + "\x00" + side(f.Object)
	if r.seen[key] {
		return
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[key] = true
	r.Facts = append(r.Facts, f)
}

func side(e *Entity) string {
	if e == nil {
		return ""
	}
	return string(e.Kind) + ":" + e.Key
}

// metadata reads what the source says of the document as a whole.
func (r *reader) metadata() {
	for key, value := range r.document.Metadata {
		r.labelled(key, value, 0)
	}
	r.changed()
}

// ChangedFiles is the key of metadata under which a commit lists the files that it changed, one a
// line: its authors worked on them, and on their folders.
const ChangedFiles = "changed files"

func (r *reader) changed() {
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
	for _, author := range several(r.document.Metadata["author"]) {
		who := someone(author)
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

// label is what a key of metadata, or of a line "Key: value", means.
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
	another // it states nothing here, and ends the value before it
)

// labels are the keys that are understood, in their normal form.
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
	"status": another, "state": another, "date": another, "version": another, "updated": another, "last updated": another, "reviewed": another, "last reviewed": another,
	"reviewer": another, "reviewers": another, "created": another, "modified": another, "due": another, "priority": another, "type": another, "tags": another, "labels": another,
	"category": another, "audience": another, "scope": another, "contact": another, "datum": another, "stand": another,
}

// longestLabel is how many bytes a key may have that is understood.
const longestLabel = 20

// labelled reads "key: value", and reports whether it is understood.
func (r *reader) labelled(key, value string, chunk int) bool {
	if len(key) > longestLabel {
		return false
	}
	meaning := labels[Form(key)]
	value = strings.TrimSpace(value)
	if meaning == noLabel || value == "" {
		return false
	}
	switch meaning {
	case authors:
		r.people(value, Authored, chunk)
	case owners:
		r.people(value, Owns, chunk)
	case workers:
		r.people(value, WorksOn, chunk)
	case teams:
		for _, name := range several(value) {
			r.add(Fact{Subject: team(name), Relation: WorksOn, Chunk: chunk})
		}
	case projects:
		for _, name := range several(value) {
			r.belongs(Project, name, chunk)
		}
	case repositories:
		for _, name := range several(value) {
			r.belongs(Repository, name, chunk)
		}
	case needs:
		for _, name := range several(value) {
			if e := EntityOf(System, unlinked(name)); e != nil {
				r.add(Fact{Relation: DependsOn, Object: e, Chunk: chunk})
			}
		}
	case replaces:
		for _, target := range targets(value) {
			r.add(Fact{Relation: Supersedes, Object: target, Chunk: chunk})
		}
	case replacedBy:
		for _, target := range targets(value) {
			r.add(Fact{Subject: target, Relation: Supersedes, Chunk: chunk})
		}
	case noLabel, another:
	}
	return true
}

// people adds a fact for each of the people and teams that a value names.
func (r *reader) people(value string, relation Relation, chunk int) {
	for _, name := range several(value) {
		if who := someone(name); who != nil {
			r.add(Fact{Subject: who, Relation: relation, Chunk: chunk})
		}
	}
}

func (r *reader) belongs(kind Kind, name string, chunk int) {
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
