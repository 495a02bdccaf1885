package web

import "net/url"

// isCopy records the state of a page that names original as its canonical page, or none. It reports
// whether the page must wait for [crawl.settleCopies]. A page that another page names is indexed
// whatever page it names itself, because two pages may each name the other.
func (c *crawl) isCopy(p page, found state, original string) bool {
	n := name(p.at)
	at, err := url.Parse(original)
	if err != nil || c.originals[n] {
		original = ""
	}
	known, before := c.known[n]
	found.Canonical, found.Alone = original, original != "" && (p.alone || before && known.indexed())
	c.now[n] = found
	if original == "" || p.alone {
		return false
	}
	c.originals[name(clean(at))] = true
	c.add(at, p.depth, "") // the date in the sitemap is that of the copy
	c.copies = append(c.copies, p)
	return true
}

// settleCopies decides about the copies once all queued pages were read. A copy is left out if its
// original is a document of this run or a stored one. Otherwise the copy is queued again, to be
// indexed under its own address. A copy whose original is a copy waits for the decision about it.
func (c *crawl) settleCopies() {
	undecided := make(map[string]bool, len(c.copies))
	for _, p := range c.copies {
		undecided[name(p.at)] = true
	}
	var rest, alone []page
	for _, p := range c.copies {
		n := name(p.at)
		found := c.now[n]
		original := c.documentOf(found.Canonical)
		at, read := c.now[original]
		switch {
		case original != n && undecided[original]:
			rest = append(rest, p)
		case original != n && read && at.indexed():
			c.forget(p)
			found.Alone = false
			c.now[n], c.moved[n] = found, original
		default:
			alone = append(alone, p)
		}
	}
	if len(rest) == len(c.copies) { // they name each other in a circle
		rest, alone = nil, rest
	}
	for _, p := range alone {
		p.alone = true
		c.queue = append(c.queue, p)
	}
	c.copies = rest
}

// longestChain is the maximum number of redirects and copies between a copy and its document.
const longestChain = 5

// documentOf returns the name of the page to which an address leads.
func (c *crawl) documentOf(address string) string {
	at, err := url.Parse(address)
	if err != nil {
		return ""
	}
	n := name(clean(at))
	for range longestChain {
		to, moved := c.moved[n]
		if !moved {
			break
		}
		n = to
	}
	return n
}
