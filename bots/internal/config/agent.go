package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/tool/knowledge"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/footnotehq/footnote/core/tool/readfile"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/tool/websearch"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/goccy/go-yaml/ast"
)

// Tools returns the names of the tools that an agent may use if the file does not list its tools.
func Tools() []string { return []string{search.Name, knowledge.Name, readfile.Name, openurl.Name} }

// AllTools returns every tool name that an agent may list.
func AllTools() []string { return append(Tools(), websearch.Name) }

// CheckTools returns an error for every agent that lists a tool whose provider is not configured.
func (c *Config) CheckTools(f *File) error {
	var faults []error
	for _, a := range f.Agents {
		if slices.Contains(a.Tools, websearch.Name) && c.WebSearchProvider == "" {
			faults = append(faults, fmt.Errorf("agents.%s.tools names %s, but no provider is set up: set WEB_SEARCH_PROVIDER, or remove it", a.Name, websearch.Name))
		}
	}
	return errors.Join(faults...)
}

// CheckFile returns an error for every part of the file that conflicts with the settings. It also
// checks the models in more.
func (c *Config) CheckFile(f *File, more ...string) error {
	return errors.Join(c.CheckPrices(f, more...), c.CheckTools(f))
}

func (r *fileReader) agents(path string, n ast.Node) {
	r.named(path, n, func(path, name string, n ast.Node) {
		a := Agent{Agent: prompt.Agent{Name: name}}
		before := len(r.faults)
		r.fields(path, n,
			field{"instructions", r.text(&a.Instructions)},
			field{"replace_system_prompt", r.yes(&a.ReplaceSystem)},
			field{"tools", r.tools(&a.Tools)},
			field{"document_sets", r.texts(&a.DocumentSets)},
			field{"model", r.text(&a.Model)},
			field{"models", r.models(&a.Models)},
			field{"reminder", r.text(&a.Reminder)},
			field{"force_use_tool", word(&r.reader, &a.ForceTool, AllTools()...)},
			field{"use_agentic_search", r.yes(&a.Depth.Always)},
			field{"perform_initial_search_decomposition", r.no(&a.Depth.Blind)},
			field{"allow_refinement", r.no(&a.Depth.Once)},
			field{"confirm_above", r.count(&a.Depth.Ask, 1, deepsearch.MaxQuestions)},
			field{"using_tool_calling_llm", r.no(&a.Depth.Plain)},
			field{"skip_gen_ai_answer_generation", r.yes(&a.SearchOnly)},
			field{"grounding", word(&r.reader, &a.Grounding, prompt.Open, prompt.Strict)},
		)
		if a.Model != "" && len(a.Models) > 0 {
			r.fault(r.at[path], "%s has model and models: keep models where several answer, model where one does", path)
		}
		own := a.Tools
		if len(own) == 0 {
			own = Tools()
		}
		if a.ForceTool != "" && !slices.Contains(own, a.ForceTool) {
			r.fault(r.at[path], "%s.force_use_tool names %s, which is none of its tools: add it to %s.tools", path, a.ForceTool, path)
		}
		if err := a.Validate(); err != nil && len(r.faults) == before {
			r.fault(r.at[path], "%s: %v", path, err)
		}
		r.file.Agents = append(r.file.Agents, a)
	})
}

// models returns a reader for a list of 2 to turn.MaxModels models that answer at the same time.
func (r *fileReader) models(to *[]string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		before := len(r.faults)
		r.texts(to)(path, n)
		switch {
		case len(r.faults) > before:
		case len(*to) < 2:
			r.fault(n, "%s names one model: list 2 to %d that answer at once, or write model: %s", path, turn.MaxModels, (*to)[0])
		case len(*to) > turn.MaxModels:
			r.fault(n, "%s names %d models: at most %d answer at once", path, len(*to), turn.MaxModels)
		}
		for i, name := range *to {
			if slices.Contains((*to)[:i], name) {
				r.fault(n, "%s names the model %s twice: name each once", path, name)
			}
		}
	}
}

func (r *fileReader) tools(to *[]string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.items(path, n, func(path string, n ast.Node) {
			var name string
			word(&r.reader, &name, AllTools()...)(path, n)
			if name != "" {
				*to = append(*to, name)
			}
		})
	}
}

func (r *fileReader) documentSets(path string, n ast.Node) {
	r.named(path, n, func(path, name string, n ast.Node) {
		s := DocumentSet{Name: name}
		r.texts(&s.Sources)(path, n)
		r.file.DocumentSets = append(r.file.DocumentSets, s)
	})
}

func (r *fileReader) projects(path string, n ast.Node) {
	r.named(path, n, func(path, name string, n ast.Node) {
		p := Project{Name: name}
		acl := access.ACL{access.Members}
		before := len(r.faults)
		r.fields(path, n,
			field{"acl", r.acl(&acl)},
			field{"files", func(path string, n ast.Node) {
				r.items(path, n, func(path string, n ast.Node) { p.Files = append(p.Files, r.projectFile(path, n)) })
			}},
		)
		for i := range p.Files {
			if p.Files[i].ACL == nil {
				p.Files[i].ACL = acl
			}
		}
		if len(p.Files) == 0 && len(r.faults) == before {
			r.fault(r.at[path], "%s has no files: list paths under %s.files", path, path)
		}
		r.file.Projects = append(r.file.Projects, p)
	})
}

// projectFile accepts a path, or a mapping with path, base_url and acl.
func (r *fileReader) projectFile(path string, n ast.Node) ProjectFile {
	var f ProjectFile
	if _, plain := scalar(r.value(n)); plain {
		r.path(&f.Path)(path, n)
		return f
	}
	r.fields(path, n,
		field{"path", r.path(&f.Path)},
		field{"base_url", r.url(&f.BaseURL)},
		field{"acl", r.acl(&f.ACL)},
	)
	if f.Path == "" {
		r.fault(n, "%s has no path: write path: FILE", path)
	}
	return f
}

func (r *fileReader) sources(path string, n ast.Node) {
	r.named(path, n, func(path, name string, n ast.Node) {
		s := Source{Name: name}
		before := len(r.faults)
		fields := []field{{"path", r.path(&s.Path)}, {"url", r.url(&s.URL)}}
		for _, system := range systems {
			fields = append(fields, field{system.key, system.read(r, &s.Systems)})
		}
		r.fields(path, n, append(fields,
			field{"base_url", r.url(&s.BaseURL)},
			field{"acl", r.acl(&s.ACL)},
			field{"include", r.texts(&s.Include)},
			field{"exclude", r.texts(&s.Exclude)},
			field{"commits", r.yes(&s.Commits)},
			field{"every", r.every(&s.Every)},
			field{"covering", r.covering(&s.Covering)},
		)...)
		read := s.all()
		places := len(read)
		for _, place := range []string{s.Path, s.URL} {
			if place != "" {
				places++
			}
		}
		switch {
		case len(r.faults) > before:
		case places != 1:
			r.fault(r.at[path], "%s: write either path: FOLDER, url: ADDRESS, or %s with what is read of it below, exactly one of them", path, alternatives(systemKeys()))
		case s.Commits && (s.URL == "" || !strings.HasSuffix(strings.SplitN(s.URL, "#", 2)[0], ".git")):
			r.fault(r.at[path], "%s: commits is for repositories, whose url ends in .git", path)
		case len(read) == 1 && (s.BaseURL != "" || len(s.ACL)+len(s.Include)+len(s.Exclude) > 0):
			r.fault(r.at[path], "%s: base_url, acl, include and exclude are not for %s", path, read[0].readers)
		case len(read) == 1 && s.Every == 0:
			s.Every = systemEvery
		case len(read) == 0 && len(s.ACL) == 0:
			s.ACL = access.ACL{access.Members}
		}
		r.file.Sources = append(r.file.Sources, s)
	})
}

func (r *fileReader) every(to *time.Duration) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		var text string
		before := len(r.faults)
		r.text(&text)(path, n)
		every, err := sources.ParseEvery(text)
		if err != nil && len(r.faults) == before {
			r.fault(n, "%s holds %s, which %v", path, describe(r.value(n)), err)
		}
		*to = every
	}
}
