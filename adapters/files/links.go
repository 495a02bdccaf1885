package files

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/document"
)

// links resolves the links of a file. Links to files of the folder become document ids, and other
// links become web addresses. It drops dead links, links to other local files, and links to the
// file itself. It opens no file.
func (c *Connector) links(root *os.Root, name string, page parsed) []document.Link {
	from := c.address(root.Name(), name)
	if base, err := from.Parse(page.base); err == nil {
		from = base
	}
	var out []document.Link
	for _, l := range page.links {
		if l.To = c.target(root, from, l.To); l.To != "" && l.To != string(c.id(name)) {
			out = append(out, l)
		}
	}
	return out
}

// target resolves a link to a document id or a web address. from is the base address of the page.
// target returns "" if a reader could not open the link.
func (c *Connector) target(root *os.Root, from *url.URL, written string) string {
	link, err := url.Parse(written)
	if err != nil || link.Opaque != "" || link.User != nil || len(written) > longestClaim {
		return ""
	}
	home := c.base
	if home == nil {
		home = &url.URL{Scheme: "file", Path: strings.TrimSuffix(filepath.ToSlash(root.Name()), "/") + "/"}
	}
	to := from.ResolveReference(link)
	if link.Scheme == "" && link.Host == "" && to.Scheme == home.Scheme && to.Host == home.Host {
		if below, ok := strings.CutPrefix(to.Path+"/", home.Path); ok {
			if below = path.Clean(below); !fs.ValidPath(below) || strings.ContainsFunc(below, unicode.IsControl) {
				return "" // dots hidden as %2e, or no valid file name
			}
			if name := existing(root, below); name != "" {
				return string(c.id(name))
			}
			if path.Ext(below) != "" && len(below) <= longestTarget { // the file may be created later
				return string(c.id(below))
			}
			return ""
		}
		// "/path" is relative to the folder, as in repositories
		if rooted, ok := strings.CutPrefix(link.Path, "/"); ok {
			if name := existing(root, path.Clean(rooted)); name != "" {
				return string(c.id(name))
			}
		}
	}
	if to.Host == "" || to.Scheme != "https" && to.Scheme != "http" {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	return to.String()
}

// longestTarget is the maximum length in bytes of a link to a file that does not exist yet. Longer
// links are dropped.
const longestTarget = 500

func existing(root *os.Root, name string) string {
	if !fs.ValidPath(name) {
		return ""
	}
	bare := strings.TrimSuffix(name, ".html")
	for _, file := range []string{name, path.Join(name, "index.html"), path.Join(name, "index.md"), path.Join(name, "README.md"), bare + ".md", bare + ".html"} {
		if info, err := root.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

func (c *Connector) id(name string) document.ID {
	return document.ID(string(c.source.ID) + ":" + name)
}
