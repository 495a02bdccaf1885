package openurl

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/tool"
)

// Allow is the operator's list of addresses that may always be opened.
type Allow struct {
	entries []entry
}

// entry is a host with a path that addresses must begin with; wild stands for all hosts below it.
type entry struct {
	host, path string
	wild       bool
}

// ParseAllow parses a list of hosts ("docs.example.org", "*.example.org") and address prefixes
// ("https://example.org/docs/").
func ParseAllow(list []string) (Allow, error) {
	var a Allow
	var faults []error
	for _, text := range list {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		whole := text
		if !strings.Contains(text, "://") {
			text = "https://" + text
		}
		u, err := url.Parse(text)
		if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" {
			faults = append(faults, fmt.Errorf("%q is neither a host such as docs.example.org or *.example.org nor the beginning of an address", whole))
			continue
		}
		host, wild := strings.CutPrefix(strings.ToLower(u.Host), "*.")
		a.entries = append(a.entries, entry{host: host, path: u.EscapedPath(), wild: wild})
	}
	return a, errors.Join(faults...)
}

// Names reports whether an address is on the list.
func (a Allow) Names(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return false
	}
	host, path := strings.ToLower(u.Host), u.EscapedPath()
	if path == "" {
		path = "/"
	}
	for _, e := range a.entries {
		if host != e.host && !(e.wild && strings.HasSuffix(host, "."+e.host)) {
			continue
		}
		within := path == e.path || strings.HasPrefix(path, strings.TrimSuffix(e.path, "/")+"/")
		if e.path == "" || within && !strings.Contains(path, "..") && !strings.Contains(strings.ToLower(path), "%2e") {
			return true
		}
	}
	return false
}

// rules say what may be opened in a turn at this moment.
type rules struct {
	allow Allow
	// addresses of documents of the index, with their sections where the model was shown some
	indexed map[string]document.ID
	// addresses that stand in retrieved documents or in what people wrote
	named map[string]bool
	// something that is not public is in the context, or the question was made of it
	private bool
}

var (
	errUnknown  = errors.New("it is neither in the conversation nor in the documents that were found, and only such addresses can be opened, exactly as written there")
	errListed   = errors.New("only the operator's list lets it be opened, and not where people who do not belong to the organisation read along")
	errWithheld = errors.New("not everybody in this conversation may read what is there")
	errPrivate  = errors.New("documents that are not public are in use, and then only addresses that the operator listed can be opened")
)

// way is what an address led to so far.
type way struct {
	begun bool
	// it began at an address that others chose while nothing private was in use: where that leads
	// carries nothing of the model's
	free    bool
	private bool // it began at a private host
	listed  bool // the operator's lists were needed
}

// permit returns why an address may not be requested: the one that is to be opened, and each that
// it redirects to. What is on a private host is reached from there, and from elsewhere only by its
// own address.
func (t *Tool) permit(ctx context.Context, w *way, hop Hop, r rules, scope tool.Scope) error {
	address := hop.Address
	if !w.begun {
		w.begun, w.free, w.private = true, r.named[exact(address)] && !r.private, hop.Private
	}
	switch {
	case w.free && (w.private || !hop.Private):
	case r.allow.Names(address):
		w.listed = true
	case !r.named[exact(address)]:
		return errUnknown
	case r.private:
		return errPrivate
	}
	if w.listed = w.listed || hop.Private; w.listed && !scope.Audience.MayRead(Listed()) {
		return errListed
	}
	withheld, err := t.index.Withheld(ctx, scope.Audience, address)
	if err != nil {
		return fmt.Errorf("it could not be found out whether it may be opened here: %w", err)
	}
	if withheld {
		return errWithheld
	}
	return nil
}

// rules reads the context of a turn. What a fetched page says counts for nothing: its links are not
// opened.
func (t *Tool) rules(ctx context.Context, scope tool.Scope) (rules, error) {
	r := rules{allow: t.allow, indexed: make(map[string]document.ID), named: make(map[string]bool)}
	private, err := Private(ctx, t.index, scope)
	if err != nil {
		return r, err
	}
	r.private = private
	see := func(ref message.Reference) {
		if Fetched(ref.Document.ID) {
			r.named[exact(ref.Document.URL)] = true // a web search found it, or it was opened before
		} else {
			for _, address := range []string{ref.Document.URL, ref.Document.Link(ref.Anchor)} {
				if address != "" {
					r.indexed[exact(address)] = ref.Document.ID
					r.named[exact(address)] = true
				}
			}
			r.hear(ref.Text)
		}
	}
	for _, m := range scope.History {
		for _, ref := range m.Documents {
			see(ref)
		}
	}
	for _, ref := range scope.Shown {
		see(ref)
	}
	for _, text := range scope.Said {
		r.hear(text)
	}
	for _, f := range scope.Files {
		if f.Document.ID != "" {
			r.hear(f.Text)
		}
	}
	return r, nil
}

// Readers determines which documents an audience may read now.
type Readers interface {
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Private reports whether a turn's context contains anything that is not public, or its question
// was derived from such content. In that case text that the model writes must not be sent outside.
// If the check fails, the content counts as private.
func Private(ctx context.Context, index Readers, scope tool.Scope) (bool, error) {
	basis := scope.Basis.With(message.BasisOf(scope.History...)).With(message.BasisOfReferences(scope.Shown)).With(message.BasisOfFiles(scope.Files))
	ids, unknown := known(basis)
	if unknown || len(ids) == 0 {
		return unknown, nil
	}
	public, err := index.Readable(ctx, access.NewAudience(scope.Audience.Tenant()), ids)
	if err != nil {
		return true, err
	}
	return slices.ContainsFunc(ids, func(id document.ID) bool { return !public[id] }), nil
}

// known returns the documents of a basis whose readers the index knows. unknown reports whether it
// holds anything that is not taken to be public, whatever the index says.
func known(b message.Basis) (ids []document.ID, unknown bool) {
	unknown = b.Unknown
	for _, id := range b.Documents {
		if !Fetched(id) {
			ids = append(ids, id)
		} else if !Public(id) {
			unknown = true
		}
	}
	return ids, unknown
}

// find looks the addresses up in the index. A document that has one is read there, shown before or
// not: that sends nothing anywhere.
func (t *Tool) find(ctx context.Context, urls []string, r *rules, scope tool.Scope) error {
	var unknown []string
	for _, u := range urls {
		if _, ok := r.indexed[exact(u)]; !ok {
			unknown = append(unknown, strings.TrimSpace(u))
			if e := exact(u); e != strings.TrimSpace(u) {
				unknown = append(unknown, e)
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	found, err := t.index.Addressed(ctx, scope.Audience, scope.Sources, unknown)
	if err != nil {
		return err
	}
	for _, address := range unknown {
		if id, ok := found[address]; ok {
			r.indexed[exact(address)] = id
		}
	}
	return nil
}

var written = regexp.MustCompile("https?://[^\\s<>|\"'`\\\\]+")

// hear notes the addresses that stand in a text. Where one ends in running text is not certain, so each end that punctuation allows counts.
func (r rules) hear(text string) {
	for _, address := range written.FindAllString(text, -1) {
		r.named[exact(address)] = true
		for address != "" && strings.ContainsRune(".,;:!?)]}*_~", rune(address[len(address)-1])) {
			address = address[:len(address)-1]
			r.named[exact(address)] = true
		}
		// A Markdown link ends at the parenthesis that was not opened inside it.
		if before, _, found := strings.Cut(address, ")"); found && !strings.Contains(before, "(") {
			r.named[exact(before)] = true
		}
	}
}

// exact is an address without its fragment, which is never sent.
func exact(address string) string {
	address, _, _ = strings.Cut(strings.TrimSpace(address), "#")
	return address
}
