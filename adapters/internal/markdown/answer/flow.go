package answer

// Flow lays an answer out as pages while it is written. It never takes a page back: the last page
// grows until it nears the limit at a good place to end. It parses and writes each segment of the
// text once. A Flow is not safe for concurrent use.
type Flow struct {
	text   growing
	w      *writer
	closed []*Block // read and not yet written
	last   *Block   // that was read last
	above  *Block   // that was written last

	start  int // piece that the page begins with
	number int // of that page
	effort int // bytes that may still be read or written again
	ended  func() bool
}

// What is open of an answer, at most a segment and a page, is read and written again each time that
// Pages is called. That may come to so many bytes, and so many for each byte of the text. It is
// enough for hundreds of calls, and a few for each segment; a caller for each character gets
// several at once.
const (
	freeEffort = 2 << 20
	perByte    = 8
)

// NewFlow begins an answer with pages of at most limit units. count returns the units of a text;
// count(a+b) must not exceed count(a)+count(b).
func NewFlow(d Dialect, count func(string) int, limit int) *Flow {
	w := newWriter(d, Policy{}, count, limit)
	w.growing = true
	return &Flow{text: growing{segmenter: newSegmenter()}, w: w, effort: freeEffort, ended: func() bool { return false }}
}

// Until sets a function that reports whether the caller has gone. Later calls then end early, at
// most thousands of characters after it returns true. After that, the Flow must not be used.
func (f *Flow) Until(ended func() bool) { f.ended = ended }

// Write appends text to the answer.
func (f *Flow) Write(delta string) {
	f.effort += perByte * len(delta)
	f.read(f.text.write(delta))
}

func (f *Flow) read(done []segment) {
	for _, s := range done {
		if f.ended() {
			return
		}
		if blocks := s.parse(f.last); len(blocks) > 0 {
			f.closed = append(f.closed, blocks...)
			f.last = blocks[len(blocks)-1]
		}
	}
}

// Pages returns the new and changed pages and the number of the first one. The new text of a page
// begins with its old text. To limit its cost, Pages returns none if it is called too often for the
// amount of new text.
func (f *Flow) Pages(policy Policy) (first int, pages []Page) {
	if f.effort <= 0 {
		return f.number, nil
	}
	defer func() {
		f.effort -= len(f.text.open) + f.text.lineCost
		for _, p := range pages {
			f.effort -= len(p.Text)
		}
	}()
	f.settle(policy)
	open := segment{text: f.text.stable(), goesOn: f.text.goesOn}
	if len(open.text) == 0 {
		return f.pages(len(f.w.pieces))
	}
	pieces, gap, rank, across, seam, above := len(f.w.pieces), f.w.gap, f.w.rank, f.w.across, f.w.seam, f.above
	f.write(open.parse(f.last))
	first, pages = f.pages(pieces)
	f.w.pieces, f.w.gap, f.w.rank, f.w.across, f.w.seam, f.above = f.w.pieces[:pieces], gap, rank, across, seam, above
	return first, pages
}

// End returns the last pages when the answer is complete.
func (f *Flow) End(policy Policy) (first int, pages []Page) {
	f.read(f.text.finish())
	f.settle(policy)
	return f.pages(len(f.w.pieces))
}

// Empty reports whether the finished answer has no text.
func (f *Flow) Empty() bool { return f.last == nil }

// settle writes what was read.
func (f *Flow) settle(policy Policy) {
	f.w.policy = policy
	f.write(f.closed)
	f.closed = nil
}

func (f *Flow) write(blocks []*Block) {
	for _, b := range blocks {
		if f.ended() {
			return
		}
		f.w.below(f.above, b)
		f.above = b
	}
}

// pages lays out what is written, and leaves the pages behind that the first settled pieces fill.
func (f *Flow) pages(settled int) (first int, pages []Page) {
	first = f.number
	for start := f.start; start < len(f.w.pieces); {
		end := f.w.forward(start)
		full := end < len(f.w.pieces)
		pages = append(pages, f.w.page(start, end, full))
		if start = end; full && end <= settled {
			f.start, f.number = end, f.number+1
		}
	}
	return first, pages
}
