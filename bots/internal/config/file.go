package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/goccy/go-yaml/ast"
)

// FileName is the default path of the configuration file.
const FileName = "footnote.yaml"

// maxFile is in bytes and far above any file written by hand.
const maxFile = 1 << 20

// File is the parsed footnote.yaml. It is immutable. The zero File means that there is no file.
type File struct {
	Path string `json:"-"` // empty without a file
	// Agent is for channels and commands that name none. Empty: the built-in agent
	Agent        string
	Agents       []Agent       // in file order, like all lists
	DocumentSets []DocumentSet // sets that an agent's sources can be limited to
	Projects     []Project
	Sources      []Source
	Identity     Identity `json:",omitzero"`
	Groups       []Group  `json:",omitempty"` // chat platforms' groups, by name in access lists
	Channels     []ChannelRule
	Reports      []Report       `json:",omitempty"`
	SynonymSets  [][]string     `json:",omitempty"` // words and phrases with the same meaning
	Prices       spend.Prices   // prices of models
	Knowledge    extract.Schema `json:",omitzero"` // types that KNOWLEDGE_MODEL extracts
	Questions    FilterRule     // blocked in questions
	Answers      FilterRule     // blocked in answers
	// AssistantTools says who may use each tool for assistants. Everyone who may ask can use a tool
	// that is not listed.
	AssistantTools map[string]access.ACL `json:",omitempty"`

	agentLine int // line of Agent
	synonyms  *analyse.Synonyms
}

// Agent is a set of instructions, tools and models for answers, with the documents that it may
// search.
type Agent struct {
	prompt.Agent
	DocumentSets []string
	// ForceTool must be called in the first step of every answer. Empty: the model decides
	ForceTool  string `json:",omitempty"`
	SearchOnly bool   `json:",omitempty"` // lists documents without an answer
	Depth      turn.Depth
	// Models are 2 or 3 models that answer at the same time, instead of Model. nil: one model
	// answers
	Models []string `json:",omitempty"`
}

// DocumentSet is a named set of sources.
type DocumentSet struct {
	Name    string
	Sources []string // names of Sources, or ids as `footnote sources` prints them
}

// Project is a named set of files. Every answer in a channel with that project gets them.
type Project struct {
	Name  string
	Files []ProjectFile
}

// ProjectFile is one file of a project. An answer does not get it if a person who can see the
// answer may not read the file.
type ProjectFile struct {
	Path    string // absolute, or relative to the working folder
	BaseURL string // public address of its folder
	ACL     access.ACL
}

// Source says where documents are read from. Exactly one of Path, URL and the fields of Systems is
// set.
type Source struct {
	Name    string
	Path    string // a folder or file; absolute, or relative to the working folder
	URL     string
	BaseURL string
	ACL     access.ACL // default: members
	Include []string
	Exclude []string
	Commits bool          `json:",omitempty"` // index commits of a repository as documents too
	Every   time.Duration // interval between reads by serve; 0: never
	// Covering lists groups of the source that count as everyone. They apply to answers that people
	// can see who are not known by name.
	Covering []access.Principal `json:",omitempty"`
	Systems  `json:",omitzero"`
}

// Find returns the agent with that name, and whether it exists.
func (f *File) Find(agent string) (Agent, bool) {
	i := slices.IndexFunc(f.Agents, func(a Agent) bool { return a.Name == agent })
	if i < 0 {
		return Agent{}, false
	}
	return f.Agents[i], true
}

// Project returns the project with that name, and whether it exists.
func (f *File) Project(name string) (Project, bool) {
	i := slices.IndexFunc(f.Projects, func(p Project) bool { return p.Name == name })
	if i < 0 {
		return Project{}, false
	}
	return f.Projects[i], true
}

// Source returns the source with that name, and whether it exists.
func (f *File) Source(name string) (Source, bool) {
	i := slices.IndexFunc(f.Sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return Source{}, false
	}
	return f.Sources[i], true
}

// ErrNoFile means that the named configuration file does not exist.
var ErrNoFile = errors.New("there is no configuration file")

// ReadFile reads the configuration file. An empty path means FileName in the working folder, where
// a missing file is not an error. If a named file does not exist, ReadFile returns a zero File and
// ErrNoFile. The error joins all faults, each with its line and a correction.
func ReadFile(path string) (*File, error) {
	named := path != ""
	if !named {
		path = FileName
	}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return &File{}, nil
	case errors.Is(err, fs.ErrNotExist):
		return &File{}, fmt.Errorf("%w %s: check --config and FOOTNOTE_CONFIG", ErrNoFile, path)
	case err != nil:
		return nil, fmt.Errorf("read the configuration file: %w", err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("the configuration file %s is larger than %d bytes: it is probably another file", path, maxFile)
	}
	f, err := ParseFile(path, data)
	if err != nil {
		return nil, fmt.Errorf("the configuration file is wrong:\n%w", err)
	}
	return f, nil
}

// ReadAgain reads the configuration file like [ReadFile]. It is a fault if the file that last was
// read from is gone: without it, every rule would end.
func ReadAgain(path string, last *File) (*File, error) {
	f, err := ReadFile(path)
	if err == nil && f.Path == "" && last.Path != "" {
		return nil, fmt.Errorf("%w %s any more: put it back, or restart the program to go on without it", ErrNoFile, last.Path)
	}
	return f, err
}

// ParseFile parses the content of a configuration file. Relative paths in it start from the folder
// of path.
func ParseFile(path string, data []byte) (*File, error) {
	f := &File{Path: path}
	r := &fileReader{reader: reader{name: path}, file: f, folder: filepath.Dir(path), at: make(map[string]ast.Node)}
	if root := r.parse(data); root != nil {
		r.fields("", root,
			field{"agent", func(path string, n ast.Node) {
				r.at[path], f.agentLine = n, lineOf(n)
				r.text(&f.Agent)(path, n)
			}},
			field{"agents", r.agents},
			field{"document_sets", r.documentSets},
			field{"projects", r.projects},
			field{"sources", r.sources},
			field{"identity", r.identity},
			field{"groups", r.groups},
			field{"channels", r.channels},
			field{"reports", r.reports},
			field{"synonyms", r.synonyms},
			field{"prices", r.prices},
			field{"filters", r.filters},
			field{"knowledge", r.knowledge},
			field{"assistants", r.assistants},
		)
		r.references()
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return f, nil
}

type fileReader struct {
	reader
	file   *File
	folder string
	at     map[string]ast.Node // nodes by path, for checks after everything was read
}

func (r *fileReader) named(path string, n ast.Node, each func(path, name string, n ast.Node)) {
	r.pairs(path, n, func(name string, at, value ast.Node) {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\n\t\x00,") {
			r.fault(at, "%s has a name that cannot be typed: use letters, digits and -", path)
			return
		}
		r.at[join(path, name)] = at
		each(join(path, name), name, value)
	})
}

func (r *fileReader) path(to *string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.text(to)(path, n)
		if *to != "" && !filepath.IsAbs(*to) {
			*to = filepath.Join(r.folder, *to)
		}
	}
}

func (r *fileReader) url(to *string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.text(to)(path, n)
		if err := httpURL(new(string))(*to); err != nil {
			r.fault(n, "%s holds %s: write an address that begins with https:// or http://", path, describe(r.value(n)))
		}
	}
}

func (r *fileReader) references() {
	f := r.file
	names := func(kind string) []string {
		var all []string
		switch kind {
		case "agent":
			for _, a := range f.Agents {
				all = append(all, a.Name)
			}
		case "document set":
			for _, s := range f.DocumentSets {
				all = append(all, s.Name)
			}
		case "project":
			for _, p := range f.Projects {
				all = append(all, p.Name)
			}
		}
		return all
	}
	check := func(at ast.Node, path, kind, name string) {
		all := names(kind)
		if name == "" || slices.Contains(all, name) {
			return
		}
		have := "none is defined in this file"
		if len(all) > 0 {
			have = "write " + alternatives(all)
		}
		r.fault(at, "%s names the %s %q, which does not exist: %s", path, kind, name, have)
	}
	check(r.at["agent"], "agent", "agent", f.Agent)
	for _, a := range f.Agents {
		for _, set := range a.DocumentSets {
			check(r.at["agents."+a.Name], "agents."+a.Name+".document_sets", "document set", set)
		}
	}
	r.channelReferences(check)
	r.groupReferences()
}
