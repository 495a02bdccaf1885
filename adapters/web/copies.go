package web

import "net/url"

// isCopy records the state of a page. It reports whether the page is a copy of the page original,
// and must wait for [crawl.settleCopies]. original is "" if the page names no other page. A page
// is not a copy if a page that was read earlier names it as its original.
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

// settleCopies decides which copies to index, once all queued pages were read. It drops a copy
// whose original is indexed. It queues any other copy again, to be indexed under its own address.
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
			found.Alone, found.Closed = false, false
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

// longestChain limits how many redirects and copies documentOf follows.
const longestChain = 5

// documentOf follows redirects and copies from an address. It returns the name of the last page, or
// "" if the address is invalid.
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
