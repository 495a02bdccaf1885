// Package foot creates texts that every chat platform shows under an answer or instead of it:
// notices and the list of documents. It also decides which addresses in an answer may be links. All
// functions are pure.
package foot

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/tool/openurl"
)

// Tree returns the Markdown blocks to show for an answer, beginning with its [Label]. If the answer
// has no text yet, the blocks come from [Instead], which gets progress and limit, and bare is true.
func Tree(v *stream.View, progress bool, limit int) (tree *answer.Tree, bare bool) {
	text := v.Text()
	if v.Phase != stream.Done {
		text = answer.Closed(text)
	}
	if tree = answer.ParseUntil(text, v.Abandoned); len(tree.Blocks) == 0 {
		tree, bare = Instead(v, progress, limit), true
	}
	if label := Label(v); label != "" && len(tree.Blocks) > 0 {
		tree = &answer.Tree{Blocks: append(answer.Parse(label).Blocks, tree.Blocks...)}
	}
	return tree, bare
}

// Label returns Markdown to write above an answer, which names the answer's model. It returns "" if
// the view has no label.
func Label(v *stream.View) string {
	name := strings.ReplaceAll(strings.Join(strings.Fields(v.Label), " "), "`", "")
	if name == "" {
		return ""
	}
	return "**`" + Cut(name, maxLabel) + "`**\n\n"
}

// maxLabel is the maximum length of a label in characters.
const maxLabel = 80

// Instead returns the text to show while an answer has no text. A finished answer shows its
// [Notes]. A running answer shows its current search, in at most limit characters. If progress is
// false, it shows nothing.
func Instead(v *stream.View, progress bool, limit int) *answer.Tree {
	tree := &answer.Tree{}
	say := func(s string, style answer.Style) {
		tree.Blocks = append(tree.Blocks, &answer.Block{
			Kind: answer.Paragraph, Inlines: []answer.Inline{{Kind: answer.Text, Text: s, Style: style}},
		})
	}
	if v.Phase == stream.Done {
		for _, n := range Notes(v) {
			say(n, 0)
		}
	} else if s := searching(v, limit); progress && s != "" {
		say(s, answer.Italic)
	}
	return tree
}

// Notes returns the sentences to write below an answer: errors, how the answer ended, and what was
// omitted.
func Notes(v *stream.View) []string {
	var notes []string
	add := func(s string) {
		if s = answer.Line(s); s != "" {
			notes = append(notes, s)
		}
	}
	if p := v.Problem; p != nil {
		add(p.Message)
		if p.Reference != "" {
			add("Reference: " + p.Reference)
		}
	}
	if v.Problem == nil || v.Message != v.Problem.Message {
		add(v.Message)
	}
	for _, n := range v.Notices {
		add(n)
	}
	add(OwnerNote(v))
	return notes
}

// OwnerNote returns a sentence that names the owner of the page that matches best. It returns "" if
// the view has no owner.
func OwnerNote(v *stream.View) string {
	if v.Owner == nil {
		return ""
	}
	return fmt.Sprintf("The nearest page, “%s”, belongs to %s.", cite.SafeTitle(v.Owner.Page), v.Owner.Name)
}

// Place is a section of a document that an answer cites or suggests.
type Place struct {
	Number int    // number of the citation; 0 for a close document that is not cited
	Title  string // safe title of the document and the section: "Backups › Restore"
	URL    string // as the connector gave it
}

// Source is a document in the list below an answer. The embedded Place is the first cited section,
// and Also has the others.
type Source struct {
	Place
	Also []Place
	// From is the host of the document's address. Without a host it is the kind: "file, no link".
	From string
	Age  string // "5 months old"; empty when it is not known
}

// Detail returns the text to show next to the title, such as "docs.example · 5 months old".
func (s Source) Detail() string {
	if s.From == "" || s.Age == "" {
		return s.From + s.Age
	}
	return s.From + " · " + s.Age
}

// from returns the host of a document's URL, such as "docs.example". Without a host it returns the
// kind, such as "file, no link".
func from(address string, kind document.Kind) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
		if strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-.:") != "" { // no valid host
			host = cite.SafeTitle(host)
		}
		return Cut(host, maxFrom)
	}
	if kind == "" {
		return unlinked
	}
	return Cut(cite.SafeTitle(string(kind)), maxFrom) + ", " + unlinked
}

const maxFrom = 60

const unlinked = "no link"

// Places returns all cited sections of the document, in the order of their citation numbers.
func (s Source) Places() []Place { return append([]Place{s.Place}, s.Also...) }

// Web is appended to the titles of pages from the web, because they do not belong to the
// organisation.
const Web = " (web)"

// maxWebTitle is the maximum length of a web page's title in UTF-16 units. Together with Web, the
// title must fit the label of a Discord button, which has 80 units.
const maxWebTitle = 60

func webTitle(title string) string {
	for most := maxWebTitle; answer.UTF16Count(title) > maxWebTitle; most-- {
		title = Cut(title, most)
	}
	return title + Web
}

func placeOf(c packet.CitationInfo) Place { return Place{c.Number, titleOf(c), c.URL} }

func titleOf(c packet.CitationInfo) string {
	title, section := cite.SafeTitle(c.Title), cite.SafeTitle(c.Section)
	if openurl.Fetched(c.Document) {
		return webTitle(title)
	}
	if strings.TrimSpace(c.Section) == "" || strings.EqualFold(title, section) {
		return title
	}
	return title + " › " + section
}

// Groups returns the citations of an answer, grouped by document. The groups are in the order of
// their first citation numbers.
func Groups(v *stream.View) (groups [][]packet.CitationInfo) {
	at := make(map[document.ID]int)
	for _, c := range v.Sources() {
		if i, known := at[c.Document]; known && c.Document != "" {
			groups[i] = append(groups[i], c)
			continue
		}
		at[c.Document] = len(groups)
		groups = append(groups, []packet.CitationInfo{c})
	}
	return groups
}

// Documents returns the first citation of each document that an answer cites.
func Documents(v *stream.View) (list []packet.CitationInfo) {
	for _, group := range Groups(v) {
		list = append(list, group[0])
	}
	return list
}

// Sources returns the documents that an answer cites, in the order of their first citation numbers.
// If it cites nothing, Sources returns the closest documents that the search found. It returns at
// most limit documents. more is the number of omitted documents.
func Sources(v *stream.View, now time.Time, limit int) (list []Source, more int) {
	for _, group := range Groups(v) {
		first := group[0]
		source := Source{Place: placeOf(first), From: from(first.URL, first.Source), Age: Age(Updated(v, first), now)}
		for _, c := range group[1:] {
			source.Also = append(source.Also, placeOf(c))
		}
		list = append(list, source)
	}
	if len(list) == 0 {
		for _, d := range v.Closest {
			list = append(list, Source{Place: Place{Title: cite.SafeTitle(d.Title), URL: d.URL}, From: from(d.URL, d.Source), Age: Age(d.UpdatedAt, now)})
		}
	}
	if len(list) > limit {
		return list[:limit], len(list) - limit
	}
	return list, 0
}

// More returns a sentence that says how many documents a list omits. It returns "" for 0.
func More(n int) string {
	switch n {
	case 0:
		return ""
	default:
		return fmt.Sprintf("%s %s not listed.", plural.Count(n, "more document"), plural.Are(n))
	}
}

// Head returns the heading above a list of sources, or "" if none is needed.
func Head(v *stream.View, list []Source) string {
	switch {
	case len(list) == 0:
		return ""
	case list[0].Number == 0 && v.Outcome == session.Answered: // the answer's sentence heads them
		return ""
	case list[0].Number == 0:
		return "These may help:"
	default:
		return "Sources"
	}
}

// SearchTitle returns the heading above the searches for an answer, such as "Searched the
// documents".
func SearchTitle(v *stream.View) string {
	if v.Phase == stream.Searching {
		return "Searching the documents"
	}
	return "Searched the documents"
}

// CitedCount returns a text that says how many documents an answer cites, such as "3 documents
// cited".
func CitedCount(n int) string {
	return plural.Count(n, "document") + " cited"
}

const searchPrefix = "Searching: "

// IsSearch reports whether text is what [Instead] shows of a running answer without text. text may
// be without its formatting.
func IsSearch(text string) bool {
	text = strings.TrimSpace(text)
	plain := strings.Trim(text, "*_")
	return strings.HasPrefix(plain, searchPrefix) || plain != text && !strings.Contains(plain, "\n") && len(text)-len(plain) == 2
}

func searching(v *stream.View, limit int) string {
	if v.Status != "" {
		return Cut(answer.Line(v.Status), limit)
	}
	if len(v.Queries) == 0 {
		return ""
	}
	s := searchPrefix + strings.Join(strings.Fields(strings.Join(v.Queries, " · ")), " ")
	return Cut(s, limit)
}

// Cut truncates a text to limit characters and appends an ellipsis. It cuts at a nearby end of a
// sentence or word, if there is one.
func Cut(s string, limit int) string {
	if answer.RuneCount(s) <= limit {
		return s
	}
	n, end := 0, 0
	for end < len(s) && n < limit-1 {
		size := answer.Cluster(s[end:])
		runes := answer.RuneCount(s[end : end+size])
		if n+runes > limit-1 {
			break
		}
		n, end = n+runes, end+size
	}
	s = s[:end]
	for _, stops := range []string{".!?。！？\n", " \n"} {
		if i := strings.LastIndexAny(s, stops); i >= end*3/4 {
			return strings.TrimRight(s[:i+1+continuation(s[i+1:])], " \n") + "…"
		}
	}
	return s + "…"
}

func continuation(s string) int {
	n := 0
	for n < len(s) && s[n]&0xc0 == 0x80 {
		n++
	}
	return n
}

// Policy returns a policy that allows links to the documents that the view cites, and to addresses
// that allow accepts. allow may be nil. If v.Corrected is set, a person wrote the text, and only
// local files are forbidden.
//
// A footnote links only to its own document, and only if a browser can open the document.
func Policy(v *stream.View, allow func(address string) bool) answer.Policy {
	known, cited := make(map[string]bool, 2*len(v.Citations)), make(map[int][]string, len(v.Citations))
	for _, c := range v.Citations { // findings of one document may lead to several of its sections
		known[c.URL], cited[c.Number] = true, append(cited[c.Number], c.URL)
		if safe, ok := cite.LinkURL(c.URL); ok {
			known[safe] = true
		}
	}
	return answer.Policy{
		Known: func(address string) bool {
			safe, ok := cite.LinkURL(address)
			return ok && (v.Corrected && !strings.HasPrefix(strings.ToLower(safe), "file:") || known[address] || known[safe] || allow != nil && allow(address))
		},
		Cited: func(number int, address string) (string, bool) {
			want, ok := cite.LinkURL(address)
			if !ok || !slices.ContainsFunc(cited[number], func(to string) bool {
				is, ok := cite.LinkURL(to)
				return ok && is == want
			}) {
				return "", false
			}
			if strings.HasPrefix(strings.ToLower(want), "file:") {
				return "", true
			}
			return want, true
		},
	}
}

// Sticky returns a function that wraps link policies, so that they never change a decision about an
// address. All policies that the function wraps share their decisions. Use it for text that cannot
// be edited later.
func Sticky() func(answer.Policy) answer.Policy {
	type footnote struct {
		number  int
		address string
	}
	type verdict struct {
		address string
		ok      bool
	}
	known := make(map[string]bool)
	cited := make(map[footnote]verdict)
	return func(p answer.Policy) answer.Policy {
		return answer.Policy{
			Known: func(address string) bool {
				ok, decided := known[address]
				if !decided {
					ok = p.Known(address)
					known[address] = ok
				}
				return ok
			},
			Cited: func(number int, address string) (string, bool) {
				key := footnote{number, address}
				v, decided := cited[key]
				if !decided {
					v.address, v.ok = p.Cited(number, address)
					cited[key] = v
				}
				return v.address, v.ok
			},
		}
	}
}

// Updated returns the time of the last change of the document that c cites, or nil if it is
// unknown.
func Updated(v *stream.View, c packet.CitationInfo) *time.Time {
	for _, d := range v.Documents {
		if d.ID == c.Document {
			return d.UpdatedAt
		}
	}
	return nil
}

// Age returns a document's age in the largest unit that fits, such as "5 months old". It returns ""
// if at is nil.
func Age(at *time.Time, now time.Time) string {
	if at == nil {
		return ""
	}
	const day = 24 * time.Hour
	units := []struct {
		name string
		size time.Duration
	}{{"year", 365 * day}, {"month", 30 * day}, {"day", day}}
	for _, u := range units {
		if n := int(now.Sub(*at) / u.size); n == 1 {
			return "1 " + u.name + " old"
		} else if n > 1 {
			return fmt.Sprintf("%d %ss old", n, u.name)
		}
	}
	return "from today"
}
