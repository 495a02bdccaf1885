package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/llm"
)

// events bounds one event of a stream. Most have a word; an answer that comes whole is one event as
// well.
var events = boundedjson.Limits{Bytes: 1 << 20, Elements: 20_000, Depth: 64}

// Bounds of a stream. Most of it is the wrapping of words: an event of one word has some hundred
// bytes in two or three lines.
const (
	maxStream = 128 << 20 // bytes
	maxLines  = 600_000
)

var (
	errEventTooLong  = fmt.Errorf("%w: an event of the stream is longer than %d bytes", llm.ErrEndless, events.Bytes)
	errStreamTooLong = fmt.Errorf("%w: the stream is longer than %d MiB or %d lines", llm.ErrEndless, maxStream>>20, maxLines)
)

// keepBuffer is how large a buffer may be that is used for the next event.
const keepBuffer = 16 << 10

// eventReader reads a server-sent event stream and passes on only what the SDK understands: one
// "data:" line per event. Comments and pings become empty events; ids and retry hints are dropped;
// an error inside the stream ends it as a *responseError. An event that the connection's end cut in
// two is dropped, and the end is then io.ErrUnexpectedEOF.
type eventReader struct {
	body io.ReadCloser
	in   *bufio.Reader
	out  []byte
	err  error

	name  string // of the event that is being read
	data  []byte // its data lines, each with a line break
	tried int    // bytes in data when complete last looked at them
	read  int    // bytes of the stream
	lines int    // of the stream
	first bool   // the next line is the first of the stream, which may begin with a byte order mark
}

func newEventReader(body io.ReadCloser) *eventReader {
	return &eventReader{body: body, in: bufio.NewReader(body), first: true}
}

// Read implements io.Reader.
func (r *eventReader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.advance()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *eventReader) Close() error { return r.body.Close() }

// advance reads one line.
func (r *eventReader) advance() {
	line, err := r.line()
	if err != nil {
		// Servers that forget the blank line after their last event are common; half an event is
		// recognised by its JSON.
		if len(line) > 0 {
			r.field(line)
		}
		complete := r.complete()
		if complete {
			r.dispatch()
		}
		if r.err == nil {
			r.err = err
			if errors.Is(err, io.EOF) && !complete && len(r.data) > 0 {
				r.err = io.ErrUnexpectedEOF
			}
		}
		return
	}
	if len(line) == 0 {
		r.dispatch()
		return
	}
	r.field(line)
}

// line returns the next line without its end, together with an error if the stream ended within it.
func (r *eventReader) line() ([]byte, error) {
	var line []byte
	r.lines++
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if int64(len(line)) > events.Bytes {
			return nil, errEventTooLong
		}
		if r.read += len(part); r.read > maxStream || r.lines > maxLines {
			return nil, errStreamTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if r.first {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			r.first = false
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

func (r *eventReader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "": // a comment
		r.alive()
	case "event":
		r.name = string(value)
	case "data":
		if len(r.data) >= 2*r.tried { // looking at every line would take the square of their length
			r.tried = len(r.data)
			if r.complete() { // a server that puts no blank line between events
				r.dispatch()
			}
		}
		if int64(len(r.data)+len(value)+1) > events.Bytes {
			r.err = errEventTooLong
			return
		}
		r.data = append(append(r.data, value...), '\n')
	}
}

// alive passes on an event that says nothing but that the server is there.
func (r *eventReader) alive() { r.out = append(r.out, "data: {}\n"...) }

// complete reports whether what was read is a whole event even without the blank line.
func (r *eventReader) complete() bool {
	data := bytes.TrimSpace(r.data)
	return len(data) > 0 && (string(data) == "[DONE]" || json.Valid(data))
}

// dispatch hands the finished event on.
func (r *eventReader) dispatch() {
	// A line break inside an event can only be white space of its JSON, and the SDK reads one line.
	data, name := bytes.ReplaceAll(bytes.TrimSpace(r.data), []byte("\n"), []byte(" ")), r.name
	r.data, r.name, r.tried = r.data[:0], "", 0
	if cap(r.data) > keepBuffer {
		r.data = nil
	}
	if name == "ping" || name == "heartbeat" || name == "keepalive" {
		r.alive()
		return
	}
	if len(data) == 0 {
		return
	}
	if err := events.Check(data); err != nil {
		r.err = fmt.Errorf("%w: %w", llm.ErrEndless, err)
		return
	}
	if failure := streamError(name, data); failure != nil {
		r.err = failure
		return
	}
	// The SDK takes a line that begins with {"error": for an error, null or not.
	r.out = append(append(r.out, "data: "...), bytes.Replace(data, []byte(`{"error"`), []byte(`{ "error"`), 1)...)
	r.out = append(r.out, '\n')
}

// streamError returns the error that an event carries, or nil.
func streamError(name string, data []byte) error {
	if name != "error" && !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	var event struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &event) == nil && len(event.Error) > 0 && string(event.Error) != "null" {
		failure := &responseError{inStream: true}
		failure.read(data)
		return failure
	}
	if name != "error" {
		return nil
	}
	failure := &responseError{inStream: true}
	failure.read(data)
	return failure
}
