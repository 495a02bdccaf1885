package github

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/gitmirror"
	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// moves is how often a branch is asked for again that moves while it is read.
const moves = 3

// readTree reads the files of a repository's branch, or of its wiki, through Git: whatever their
// number, the list of them is whole, which GitHub's own ("truncated: true") may not be.
func (p *pass) readTree(ctx context.Context, r repositoryOf, of sort) error {
	mirror, base, err := p.mirror(r, of)
	if err != nil {
		return err
	}
	release, err := mirror.Lock()
	if err != nil {
		return err
	}
	defer release()
	held, err := p.update(ctx, mirror, &r, of)
	absent := of == wiki && gitmirror.Absent(err)
	if absent { // it is turned on without any page, or the credential does not see its repository
		held, err = gitmirror.State{}, nil
	}
	if err != nil {
		return err
	}
	there := make(map[document.ID]bool)
	if held.Files > 0 {
		if err := p.yieldTree(ctx, r, of, mirror.Files(), base, held, there); err != nil {
			return err
		}
	}
	grown := p.state.of(r.id, r.name).tree(of)
	if absent || grown.Shrunk != 0 {
		unmet, err := p.unmet(index.Batch{}, r.id, of, func(id document.ID, _ string) bool { return there[id] })
		if err != nil {
			return err
		}
		grown.Head, grown.At = held.Commit, sourcepass.Seconds(p.now)
		return p.settle(r, of, unmet, &grown.Shrunk)
	}
	grown.Head, grown.At = held.Commit, sourcepass.Seconds(p.now)
	// the commit says what is deleted
	return p.emit(index.Batch{Review: func(id document.ID) index.Verdict {
		repository, sort, _, ok := p.place(id)
		return index.Verdict{Gone: ok && repository == r.id && sort == of && !there[id]}
	}})
}

// mirror is where the files of a repository are kept, and where readers find them.
func (p *pass) mirror(r repositoryOf, of sort) (*gitmirror.Mirror, string, error) {
	remote, err := url.Parse(r.url + map[sort]string{files: ".git", wiki: ".wiki.git"}[of])
	if err != nil || !p.client.owns(remote) {
		return nil, "", fmt.Errorf("GitHub names %q as its place, which is not on %s", r.url, p.client.site.Host)
	}
	base, branch := r.url+"/wiki/", ""
	wanted := func(name string) bool { return p.options.Wanted == nil || p.options.Wanted(name) }
	kept := fmt.Sprintf("%s-%d-wiki", p.source.ID, r.id)
	if of == files {
		branch = r.standing.DefaultBranchRef.Name
		base = r.url + "/blob/" + (&url.URL{Path: branch}).EscapedPath() + "/"
		chosen := pattern.List(p.options.Files)
		any := wanted
		wanted = func(name string) bool { return chosen.Match(name) && any(name) || isOwners(name) }
		sum := fnv.New32a()
		_, _ = fmt.Fprintf(sum, "%q", p.options.Files) // a sum takes anything
		kept = fmt.Sprintf("%s-%d-%08x", p.source.ID, r.id, sum.Sum32())
	}
	folder, err := gitmirror.Folder(p.options.CacheDir, kept)
	if err != nil {
		return nil, "", err
	}
	mirror, err := gitmirror.New(gitmirror.Options{
		Remote: remote, Branch: branch, Token: p.client.auth.current, Client: p.client.git, Folder: folder, MaxBytes: p.options.MaxBytes,
		MaxFetch: p.options.MaxFetch, Wanted: wanted, Access: "that the credential for GitHub may read contents",
	})
	return mirror, base, err
}

// update brings the mirror up to date. Git asks for a repository by its name, which may come to be
// another's: its commit must be the one that GitHub tells of by the repository's number, and a
// wiki's repository must be called the same afterwards.
func (p *pass) update(ctx context.Context, mirror *gitmirror.Mirror, r *repositoryOf, of sort) (gitmirror.State, error) {
	for attempt := 1; ; attempt++ {
		expected := ""
		if of == files {
			expected = head(r.standing)
		}
		held, err := mirror.Update(ctx, expected)
		if err == nil && of == files || err != nil && !errors.Is(err, gitmirror.ErrMoved) {
			return held, err
		}
		now, asking := p.standings(ctx, []repository{{ID: r.id, NodeID: r.node}})
		if asking != nil {
			return held, asking
		}
		is, there := now[r.id]
		if !there || is.Name != r.name {
			return held, fmt.Errorf("it is called otherwise now")
		}
		if of == wiki {
			return held, nil
		}
		if attempt == moves || is.DefaultBranchRef == nil || is.DefaultBranchRef.Name != r.standing.DefaultBranchRef.Name {
			return held, err
		}
		r.standing = is
	}
}

// yieldTree yields the documents of a folder, and notes which there are.
func (p *pass) yieldTree(ctx context.Context, r repositoryOf, of sort, folder, base string, held gitmirror.State, there map[document.ID]bool) error {
	settings := Folder{
		Path: folder, Base: base, ACL: access.ACL{p.node(r.id)},
		Source: document.Source{ID: document.SourceID(strings.TrimSuffix(p.prefix(r.id, of), ":")), Kind: Kind, Name: r.name},
	}
	if of == files {
		settings.Files = p.options.Files
	}
	connector, err := p.options.Read(settings)
	if err != nil {
		return err
	}
	owners := readOwners(folder)
	named := func(all []index.Notice) []index.Notice {
		for i := range all {
			all[i].Name = r.name + ": " + all[i].Name
		}
		return all
	}
	skipped := named(held.Skipped)
	for batch, err := range connector.Sync(ctx, nil) {
		if err != nil {
			return err
		}
		out := index.Batch{Failures: named(batch.Failures), Skipped: append(skipped, named(batch.Skipped)...)}
		skipped = nil
		for _, item := range batch.Documents {
			there[item.ID] = true
			out.Documents = append(out.Documents, p.treeItem(item, r, of, base, owners))
		}
		p.total += len(out.Documents) + len(batch.Failures) // GitHub does not count files
		if err := p.emit(out); err != nil {
			return err
		}
	}
	return nil
}

// treeItem adds what GitHub knows of a file.
func (p *pass) treeItem(item index.Item, r repositoryOf, of sort, base string, owners ownership) index.Item {
	name := strings.TrimPrefix(string(item.ID), p.prefix(r.id, of))
	more := map[string]string{"repository": r.name}
	if who := owners.of(name); who != "" {
		more["owners"] = who
	}
	sum := fnv.New32a()
	_, _ = fmt.Fprintf(sum, "%q %q", base, more) // a sum takes anything
	item.ModifiedAt = item.ModifiedAt.Truncate(time.Second).Add(time.Duration(sum.Sum32()%1_000_000) * time.Microsecond)
	load := item.Load
	item.Load = func(ctx context.Context) (document.Document, error) {
		d, err := load(ctx)
		if err != nil {
			return d, err
		}
		if d.Metadata == nil {
			d.Metadata = make(map[string]string)
		}
		maps.Copy(d.Metadata, more)
		if of == wiki { // a page's address is its name alone, whatever folder it lies in
			page := strings.TrimSuffix(path.Base(name), path.Ext(name))
			d.URL, d.OwnURL = base+url.PathEscape(page), ""
			d.Title = strings.ReplaceAll(page, "-", " ")
		}
		d.Title += " (" + r.name + ")"
		return d, nil
	}
	return item
}

// ownership is a CODEOWNERS file: the last line that matches a file names its owners
// (https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners).
type ownership []owned

type owned struct {
	patterns pattern.List
	owners   string
}

// ownerFiles are where GitHub looks for it, in this order.
var ownerFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

func isOwners(name string) bool {
	for _, place := range ownerFiles {
		if name == place {
			return true
		}
	}
	return false
}

// mostOwned bounds what is read of the file: GitHub ignores one of more than 3 MB.
const mostOwned = 3 << 20

// readOwners reads the file where there is one. Lines that cannot be understood are passed over, as
// GitHub does.
func readOwners(folder string) ownership {
	for _, place := range ownerFiles {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(place)))
		if err != nil || len(data) > mostOwned {
			continue
		}
		var all ownership
		for line := range strings.Lines(string(data)) {
			line, _, _ = strings.Cut(line, "#")
			fields := strings.Fields(line)
			if len(fields) == 0 {
				continue
			}
			if o := (owned{ownedBy(fields[0]), strings.Join(fields[1:], " ")}); o.patterns.Check() == nil {
				all = append(all, o)
			}
		}
		return all
	}
	return nil
}

// ownedBy is a pattern of CODEOWNERS, which follows that of .gitignore: with a slash before its end
// it begins at the root, a folder means all below.
func ownedBy(p string) pattern.List {
	rooted := strings.Contains(strings.TrimSuffix(p, "/"), "/")
	bare := strings.Trim(p, "/")
	if bare == "" {
		return pattern.List{"/**"}
	}
	if !rooted {
		bare = "**/" + bare
	}
	if strings.HasSuffix(p, "/") {
		return pattern.List{"/" + bare + "/**"}
	}
	if strings.HasSuffix(bare, "/*") { // files of this folder alone
		return pattern.List{"/" + bare}
	}
	return pattern.List{"/" + bare, "/" + bare + "/**"}
}

func (o ownership) of(name string) string {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i].patterns.Match(name) {
			return o[i].owners
		}
	}
	return ""
}
