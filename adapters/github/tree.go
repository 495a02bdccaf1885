package github

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/gitmirror"
	"github.com/footnotehq/footnote/adapters/internal/pattern"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// moves is the maximum number of attempts to read a branch that changes meanwhile.
const moves = 3

// tree lists the files of a branch or a wiki from a local Git mirror. If only is not empty, the
// page has only those documents. The mirror is locked until page.Close is called.
func (v *vendor) tree(ctx context.Context, s repositoryState, of contentSort, only []document.ID) (page crawl.Page, err error) {
	mirror, base, err := v.mirror(s, of)
	if err != nil {
		return page, err
	}
	release, err := mirror.Lock()
	if err != nil {
		return page, err
	}
	shut := func() {}
	stop := func() {
		shut()
		release()
	}
	defer func() {
		if page.Close == nil {
			stop()
		}
	}()
	held, err := v.update(ctx, mirror, &s, of)
	if of == wiki && gitmirror.Absent(err) { // the wiki has no page or is invisible
		return crawl.Page{Hidden: true}, nil
	}
	if err != nil {
		return page, err
	}
	v.failing, page.Exact = 0, true // files that the commit does not have are deleted
	if held.Files > 0 {
		if shut, err = v.list(ctx, s, of, mirror.Files(), base, &page); err != nil {
			return crawl.Page{}, err
		}
	}
	page.Skipped = append(noticesOf(s, held.Skipped), page.Skipped...)
	if len(only) > 0 {
		page.Items = slices.DeleteFunc(page.Items, func(it crawl.Item) bool { return !slices.Contains(only, it.ID) })
		page.Gone = slices.DeleteFunc(slices.Clone(only), func(id document.ID) bool {
			return slices.ContainsFunc(page.Items, func(it crawl.Item) bool { return it.ID == id })
		})
	}
	page.Close = stop
	return page, nil
}

// mirror returns the local mirror of a repository or its wiki. It also returns the web address
// below which the files are.
func (v *vendor) mirror(s repositoryState, of contentSort) (*gitmirror.Mirror, string, error) {
	remote, err := url.Parse(s.URL + map[contentSort]string{files: ".git", wiki: ".wiki.git"}[of])
	if err != nil || !v.client.owns(remote) {
		return nil, "", fmt.Errorf("GitHub names %q as its place, which is not on %s", s.URL, v.client.site.Host)
	}
	base, branch := s.URL+"/wiki/", ""
	wanted := func(name string) bool { return v.options.Wanted == nil || v.options.Wanted(name) }
	kept := fmt.Sprintf("%s-%d-wiki", v.source.ID, s.ID)
	if of == files {
		branch = s.DefaultBranchRef.Name
		base = s.URL + "/blob/" + (&url.URL{Path: branch}).EscapedPath() + "/"
		chosen := pattern.List(v.options.Files)
		any := wanted
		wanted = func(name string) bool { return chosen.Match(name) && any(name) || isOwners(name) }
		sum := fnv.New32a()
		_, _ = fmt.Fprintf(sum, "%q", v.options.Files) // writing to a hash never fails
		kept = fmt.Sprintf("%s-%d-%08x", v.source.ID, s.ID, sum.Sum32())
	}
	folder, err := gitmirror.Folder(v.options.CacheDir, kept)
	if err != nil {
		return nil, "", err
	}
	mirror, err := gitmirror.New(gitmirror.Options{
		Remote: remote, Branch: branch, Token: v.client.auth.current, Client: v.client.git, Folder: folder, MaxBytes: v.options.MaxBytes,
		MaxFetch: v.options.MaxFetch, Wanted: wanted, Access: "that the credential for GitHub may read contents",
	})
	return mirror, base, err
}

var errRenamed = errors.New("it is called otherwise now")

// update fetches the branch or wiki into the mirror. It returns an error if another repository may
// have got the repository's name meanwhile. For a branch it compares the commit with the one that
// GitHub reports for the repository's id. For a wiki it checks the name afterwards.
func (v *vendor) update(ctx context.Context, mirror *gitmirror.Mirror, s *repositoryState, of contentSort) (gitmirror.State, error) {
	for attempt := 1; ; attempt++ {
		expected := ""
		if of == files {
			expected = head(*s)
		}
		held, err := mirror.Update(ctx, expected)
		if err == nil && of == files || err != nil && !errors.Is(err, gitmirror.ErrMoved) {
			return held, err
		}
		now, asking := v.repositoryStates(ctx, []repository{{ID: s.ID, NodeID: s.NodeID}})
		if asking != nil {
			return held, asking
		}
		is, there := now[s.ID]
		if !there || is.Name != s.Name {
			return held, errRenamed
		}
		if of == wiki {
			return held, nil
		}
		if attempt == moves || is.DefaultBranchRef == nil || is.DefaultBranchRef.Name != s.DefaultBranchRef.Name {
			return held, err
		}
		*s = is
	}
}

func noticesOf(s repositoryState, all []index.Notice) []index.Notice {
	for i := range all {
		all[i].Name = s.Name + ": " + all[i].Name
	}
	return all
}

// list adds the documents of a folder to page. The folder stays open until the caller calls shut.
func (v *vendor) list(ctx context.Context, s repositoryState, of contentSort, folder, base string, page *crawl.Page) (shut func(), err error) {
	settings := Folder{
		Path: folder, Base: base, ACL: v.acl(s.ID),
		Source: document.Source{ID: document.SourceID(strings.TrimSuffix(v.prefix(s.ID, of), ":")), Kind: Kind, Name: s.Name},
	}
	if of == files {
		settings.Files = v.options.Files
	}
	connector, err := v.options.Read(settings)
	if err != nil {
		return func() {}, err
	}
	owners := readOwners(folder)
	next, shut := iter.Pull2(connector.Sync(ctx, nil))
	for listed := 0; ; {
		batch, err, more := next()
		if err != nil || !more {
			return shut, err
		}
		page.Notices, page.Skipped = append(page.Notices, noticesOf(s, batch.Failures)...), append(page.Skipped, noticesOf(s, batch.Skipped)...)
		for _, item := range batch.Documents {
			page.Items = append(page.Items, v.file(item, s, of, base, owners))
		}
		// Calling next again would close the folder.
		if listed += len(batch.Documents); batch.Complete || listed == batch.Total {
			return shut, nil
		}
	}
}

// file adds the repository's name and the file's owners to a document. A wiki page gets its web
// address.
func (v *vendor) file(item index.Item, s repositoryState, of contentSort, base string, owners ownership) crawl.Item {
	name := strings.TrimPrefix(string(item.ID), v.prefix(s.ID, of))
	more := map[string]string{"repository": s.Name}
	if who := owners.of(name); who != "" {
		more["owners"] = who
	}
	sum := fnv.New32a()
	_, _ = fmt.Fprintf(sum, "%q %q", base, more) // writing to a hash never fails
	load := func(ctx context.Context) (document.Document, error) {
		d, err := item.Load(ctx)
		if err != nil {
			return d, err
		}
		if d.Metadata == nil {
			d.Metadata = make(map[string]string)
		}
		maps.Copy(d.Metadata, more)
		if of == wiki { // the address of a page has no folders
			page := strings.TrimSuffix(path.Base(name), path.Ext(name))
			d.URL, d.OwnURL = base+url.PathEscape(page), ""
			d.Title = strings.ReplaceAll(page, "-", " ")
		}
		d.Title += " (" + s.Name + ")"
		return d, nil
	}
	return crawl.Item{
		ID: item.ID, ModifiedAt: item.ModifiedAt.Truncate(time.Second).Add(time.Duration(sum.Sum32()%1_000_000) * time.Microsecond),
		Size: item.Size, Wait: item.Wait, ACL: v.acl(s.ID), Data: crawl.Read(load),
	}
}

// ownership is a parsed CODEOWNERS file. The last line that matches a file names the file's owners
// (https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners).
type ownership []owned

type owned struct {
	patterns pattern.List
	owners   string
}

// ownerFiles lists the paths where GitHub looks for CODEOWNERS, in this order.
var ownerFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

func isOwners(name string) bool {
	for _, place := range ownerFiles {
		if name == place {
			return true
		}
	}
	return false
}

// mostOwned is the maximum size of a CODEOWNERS file in bytes. GitHub ignores files of more than 3
// MB.
const mostOwned = 3 << 20

// readOwners parses the first CODEOWNERS file below folder. It ignores invalid lines, as GitHub
// does. It returns nil if there is no such file.
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

// ownedBy converts a pattern of CODEOWNERS. The syntax follows .gitignore. A pattern with a slash
// before its end starts at the root. A folder matches everything below it.
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
	if strings.HasSuffix(bare, "/*") { // only files directly in this folder
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
