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

// entry is a host with a path prefix. If wild is set, it includes all subdomains of the host.
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

type rules struct {
	allow Allow
	// addresses of indexed documents, including sections that were shown to the model
	indexed map[string]document.ID
	// addresses in retrieved documents or in people's messages
	mentioned map[string]bool
	// the context, or the basis of the question, has content that is not public
	private bool
}

var (
	errUnknown  = errors.New("only addresses in the conversation or in found documents can be opened, exactly as written there")
	errListed   = errors.New("only the operator's list permits it, and not in conversations with people outside the organisation")
	errWithheld = errors.New("not everyone in this conversation may read it")
	errPrivate  = errors.New("while documents that are not public are in use, only addresses on the operator's list can be opened")
)

type redirectChain struct {
	started bool
	// the chain began at an address that the model did not choose, while nothing private was in
	// use; redirects then cannot carry the model's data
	public  bool
	private bool // it began at a private host
	listed  bool // the operator's list was needed
}

// permit returns the reason why an address may not be requested, or nil. It is called for the given
// address and for each redirect. A public address may redirect to a private host only if that
// host's address is itself permitted.
func (t *Tool) permit(ctx context.Context, w *redirectChain, hop Hop, r rules, scope tool.Scope) error {
	address := hop.Address
	if !w.started {
		w.started, w.public, w.private = true, r.mentioned[withoutFragment(address)] && !r.private, hop.Private
	}
	switch {
	case w.public && (w.private || !hop.Private):
	case r.allow.Names(address):
		w.listed = true
	case !r.mentioned[withoutFragment(address)]:
		return errUnknown
	case r.private:
		return errPrivate
	}
	if w.listed = w.listed || hop.Private; w.listed && !scope.Audience.MayRead(Listed()) {
		return errListed
	}
	withheld, err := t.index.Withheld(ctx, scope.Audience, address)
	if err != nil {
		return fmt.Errorf("checking whether it may be opened failed: %w", err)
	}
	if withheld {
		return errWithheld
	}
	return nil
}

// turnRules returns the rules that say which addresses may be opened in a turn. An address that
// occurs only in the text of fetched pages may not be opened.
func (t *Tool) turnRules(ctx context.Context, scope tool.Scope) (rules, error) {
	r := rules{allow: t.allow, indexed: make(map[string]document.ID), mentioned: make(map[string]bool)}
	private, err := Private(ctx, t.index, scope)
	if err != nil {
		return r, err
	}
	r.private = private
	see := func(ref message.Reference) {
		if Fetched(ref.Document.ID) {
			r.mentioned[withoutFragment(ref.Document.URL)] = true // found by a web search or opened before
		} else {
			for _, address := range []string{ref.Document.URL, ref.Document.Link(ref.Anchor)} {
				if address != "" {
					r.indexed[withoutFragment(address)] = ref.Document.ID
					r.mentioned[withoutFragment(address)] = true
				}
			}
			r.addAddresses(ref.Text)
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
	for _, text := range scope.Quoted {
		r.addAddresses(text)
	}
	for _, f := range scope.Files {
		if f.Document.ID != "" {
			r.addAddresses(f.Text)
		}
	}
	return r, nil
}

// Readers checks which documents an audience may read now.
type Readers interface {
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

// Private reports whether a turn uses content that is not public, or a question derived from it.
// Text that the model writes must then not be sent outside. If the check fails, the content counts
// as private.
func Private(ctx context.Context, index Readers, scope tool.Scope) (bool, error) {
	basis := scope.Basis.With(message.BasisOf(scope.History...)).With(message.BasisOfReferences(scope.Shown)).With(message.BasisOfFiles(scope.Files))
	ids, unknown := knownDocuments(basis)
	if unknown || len(ids) == 0 {
		return unknown, nil
	}
	public, err := index.Readable(ctx, access.NewAudience(scope.Audience.Tenant()), ids)
	if err != nil {
		return true, err
	}
	return slices.ContainsFunc(ids, func(id document.ID) bool { return !public[id] }), nil
}

// knownDocuments returns the documents of a basis that are in the index, which knows their readers.
// unknown is true if the basis has other content that may not be public.
func knownDocuments(b message.Basis) (ids []document.ID, unknown bool) {
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

// findIndexed adds to r the documents of the index that have one of the addresses. These are later
// read from the index, and not from the web.
func (t *Tool) findIndexed(ctx context.Context, urls []string, r *rules, scope tool.Scope) error {
	var unknown []string
	for _, u := range urls {
		if _, ok := r.indexed[withoutFragment(u)]; !ok {
			unknown = append(unknown, strings.TrimSpace(u))
			if e := withoutFragment(u); e != strings.TrimSpace(u) {
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
			r.indexed[withoutFragment(address)] = id
		}
	}
	return nil
}

var addressPattern = regexp.MustCompile("https?://[^\\s<>|\"'`\\\\]+")

// addAddresses adds the addresses in a text to those that were mentioned. Punctuation at the end
// may or may not belong to an address, so it adds all variants.
func (r rules) addAddresses(text string) {
	for _, address := range addressPattern.FindAllString(text, -1) {
		r.mentioned[withoutFragment(address)] = true
		for address != "" && strings.ContainsRune(".,;:!?)]}*_~", rune(address[len(address)-1])) {
			address = address[:len(address)-1]
			r.mentioned[withoutFragment(address)] = true
		}
		// A Markdown link ends at an unmatched closing parenthesis.
		if before, _, found := strings.Cut(address, ")"); found && !strings.Contains(before, "(") {
			r.mentioned[withoutFragment(before)] = true
		}
	}
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(strings.TrimSpace(address), "#")
	return address
}
