package answer

// Flow formats an answer as pages while it is being written. Finished pages never change, and the
// last page grows until it is nearly full. A Flow is not safe for concurrent use.
type Flow struct {
	text        growingText
	w           *writer
	pending     []*Block // parsed blocks that are not written yet
	lastRead    *Block   // last parsed block
	lastWritten *Block   // last written block

	start       int // index of the first piece of the first page that may change
	number      int // number of the first page that may change
	effort      int // bytes that may still be parsed or written again
	isAbandoned func() bool
}

// freeEffort and perByte limit the bytes that all calls of Flow.Pages together may parse and write.
// The limit is freeEffort bytes, plus perByte for each byte of the answer.
const (
	freeEffort = 2 << 20
	perByte    = 8
)

// NewFlow returns a Flow whose pages have at most limit units. count returns the number of units in
// a text. count(a+b) must not exceed count(a)+count(b).
func NewFlow(d Dialect, count func(string) int, limit int) *Flow {
	w := newWriter(d, Policy{}, count, limit)
	w.growing = true
	return &Flow{text: growingText{segmenter: newSegmenter()}, w: w, effort: freeEffort, isAbandoned: func() bool { return false }}
}

// Until sets a function that reports whether the answer is no longer needed. Once ended returns
// true, running calls return early and the Flow must not be used again.
func (f *Flow) Until(ended func() bool) { f.isAbandoned = ended }

// Write appends text to the answer.
func (f *Flow) Write(delta string) {
	f.effort += perByte * len(delta)
	f.parseSegments(f.text.write(delta))
}

func (f *Flow) parseSegments(done []segment) {
	for _, s := range done {
		if f.isAbandoned() {
			return
		}
		if blocks := s.parse(f.lastRead); len(blocks) > 0 {
			f.pending = append(f.pending, blocks...)
			f.lastRead = blocks[len(blocks)-1]
		}
	}
}

// Pages returns the pages that are new or longer than before. first is the number of the first of
// them. Frequent calls without much new text return no pages, which limits the total work.
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
	f.writePending(policy)
	open := segment{text: f.text.stablePart(), continuesList: f.text.continuesList}
	if len(open.text) == 0 {
		return f.pages(len(f.w.pieces))
	}
	pieces, gap, rank, across, seam, above := len(f.w.pieces), f.w.gap, f.w.rank, f.w.across, f.w.seam, f.lastWritten
	f.write(open.parse(f.lastRead))
	first, pages = f.pages(pieces)
	f.w.pieces, f.w.gap, f.w.rank, f.w.across, f.w.seam, f.lastWritten = f.w.pieces[:pieces], gap, rank, across, seam, above
	return first, pages
}

// End returns the new and changed pages, and the number of the first of them. Call it once, when
// the answer is complete.
func (f *Flow) End(policy Policy) (first int, pages []Page) {
	f.parseSegments(f.text.finish())
	f.writePending(policy)
	return f.pages(len(f.w.pieces))
}

// Empty reports whether the finished answer has no text.
func (f *Flow) Empty() bool { return f.lastRead == nil }

func (f *Flow) writePending(policy Policy) {
	f.w.policy = policy
	f.write(f.pending)
	f.pending = nil
}

func (f *Flow) write(blocks []*Block) {
	for _, b := range blocks {
		if f.isAbandoned() {
			return
		}
		f.w.writeBelow(f.lastWritten, b)
		f.lastWritten = b
	}
}

// pages returns the pages that may have changed. first is the number of the first of them. Full
// pages whose pieces are below the index settled are final, and later calls do not return them.
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
