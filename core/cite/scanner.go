package cite

// maxHold is the maximum number of input bytes that are held back.
const maxHold = 128

type sink interface {
	// text receives plain text. The slice is only valid during the call.
	text(b []byte)
	// cite receives a citation whose numbers are all known.
	cite(c citation)
}

type citation struct {
	raw     []byte // as the model wrote it, valid during the call
	numbers []int  // as the model wrote them, valid during the call
	bang    bool   // an unescaped '!' directly precedes it

	invented int // numbers that were left out because they were never shown
	// sources of the numbers, chosen by the sentence; for an empty Source the mapping's source
	// applies
	sources []Source
}

type mode uint8

const (
	modeLine      mode = iota // the prefix of a line: indentation, markers
	modeText                  // prose
	modeEscape                // the byte after a backslash in prose
	modeTicks                 // the opening run of an inline code span
	modeCode                  // inline code
	modeMath                  // $$…$$, \(…\), \[…\]
	modeURL                   // a bare address
	modeTag                   // an HTML tag or <autolink>
	modeElement               // the content of <code>, <pre>, <a> …
	modeComment               // <!-- … -->
	modeTarget                // (target) of a link, or of a definition
	modeFenceInfo             // what follows an opening fence on its line
	modeFence                 // a line of fenced code
	modeIndent                // a line of indented code
)

// scanner is the state machine that finds citations in Markdown, one byte at a time. Its result
// never depends on how the input is cut into deltas. It holds back only bracket expressions that
// may become citations.
type scanner struct {
	sink    sink
	isKnown func(n int) bool
	// isInvented reports which numbers are dropped from citations. It may be nil.
	isInvented func(n int) bool
	tail       []byte // last emitted bytes, if isInvented is set

	mode mode
	hist uint64 // the last eight bytes, newest lowest; cleared by escapes
	out  []byte // decided text that the sink has not received
	// number of calls of feed; a byte may need more than one call
	fed int

	block  block
	cand   candidate
	labels labels
	inline inline
	tag    tag
	target target
}

func newScanner(out sink, known func(n int) bool) scanner {
	return scanner{sink: out, isKnown: known, block: newBlock()}
}

func (s *scanner) push(delta string) {
	for i := 0; i < len(delta); {
		if n := s.skipPlain(delta[i:]); n > 0 {
			i += n
			continue
		}
		s.feed(delta[i])
		i++
	}
	s.flushOut()
}

// skipPlain consumes the bytes at the start of text that cannot change any state, and returns their
// number. It is a faster equivalent of calling feed for each byte.
func (s *scanner) skipPlain(text string) int {
	if s.cand.active() || len(s.labels.marks) > 0 {
		return 0
	}
	n := 0
	switch s.mode {
	case modeText:
		if s.labels.closed.valid || s.block.head {
			return 0
		}
		for n < len(text) && !stopBytes[text[n]] {
			n++
		}
	case modeFence, modeIndent:
		for n < len(text) && text[n] != '\n' {
			n++
		}
	case modeCode:
		if s.inline.run > 0 {
			return 0
		}
		for n < len(text) && text[n] != '\n' && text[n] != '`' {
			n++
		}
	default: // every byte counts
	}
	for i := max(0, n-8); i < n; i++ {
		s.hist = s.hist<<8 | uint64(text[i])
	}
	s.out = append(s.out, text[:n]...)
	if s.isInvented != nil {
		s.remember([]byte(text[max(0, n-tailBytes):n])...)
	}
	return n
}

var stopBytes = func() (t [256]bool) {
	for _, b := range []byte("\n[]\\`$</.^") {
		t[b] = true
	}
	t[fullOpen[0]], t[wideOpen[0]] = true, true
	return t
}()

func (s *scanner) feed(b byte) {
	s.fed++
	if s.cand.active() {
		s.feedCandidate(b)
		return
	}
	switch s.mode {
	case modeLine:
		s.feedLine(b)
	case modeText:
		s.feedText(b)
	case modeEscape:
		s.feedEscape(b)
	case modeTicks, modeCode:
		s.feedCode(b)
	case modeMath:
		s.feedMath(b)
	case modeURL:
		s.feedURL(b)
	case modeTag:
		s.feedTag(b)
	case modeElement:
		s.feedElement(b)
	case modeComment:
		s.feedComment(b)
	case modeTarget:
		s.feedTarget(b)
	case modeFenceInfo:
		s.feedFenceInfo(b)
	case modeFence, modeIndent:
		s.feedRaw(b)
	}
}

func (s *scanner) refeed(held []byte) {
	for _, b := range held {
		s.feed(b)
	}
}

// emit passes on a byte unchanged. While a citation is held, it holds the byte too.
func (s *scanner) emit(b byte) {
	s.hist = s.hist<<8 | uint64(b)
	s.remember(b)
	if len(s.labels.marks) == 0 {
		s.out = append(s.out, b)
		return
	}
	s.labels.held = append(s.labels.held, b)
	if len(s.labels.held) >= maxHold {
		s.release()
	}
}

func (s *scanner) flushOut() {
	if len(s.out) > 0 {
		s.sink.text(s.out)
		s.out = s.out[:0]
	}
}

func (s *scanner) finish() {
	switch {
	case s.cand.closed() && s.isRefused(0, true):
		s.emitCandidate()
	case s.cand.closed():
		s.accept()
	case s.cand.active():
		s.emitCandidate()
	}
	for _, b := range s.target.held {
		s.emit(b)
	}
	s.release()
	s.flushOut()
	s.mode, s.hist, s.tail = modeLine, 0, s.tail[:0]
	s.block, s.inline = newBlock(), inline{}
	s.target.reset()
	s.tag.reset()
}

func (s *scanner) heldText() int {
	return len(s.cand.raw) + len(s.labels.held) + len(s.target.held)
}

func (s *scanner) last() byte { return byte(s.hist) }
