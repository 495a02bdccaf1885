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

// eventLimits limits the size of one event of a stream. It is large enough for an event with a
// complete answer.
var eventLimits = boundedjson.Limits{Bytes: 1 << 20, Elements: 20_000, Depth: 64}

// maxStream and maxLines limit a whole stream. An event with one word has about a hundred bytes in
// two or three lines.
const (
	maxStream = 128 << 20 // bytes
	maxLines  = 600_000
)

var (
	errEventTooLong  = fmt.Errorf("%w: an event of the stream is longer than %d bytes", llm.ErrEndless, eventLimits.Bytes)
	errStreamTooLong = fmt.Errorf("%w: the stream is longer than %d MiB or %d lines", llm.ErrEndless, maxStream>>20, maxLines)
)

// maxKeptBuffer is the maximum size in bytes of a buffer that is reused for the next event.
const maxKeptBuffer = 16 << 10

// eventReader converts a server-sent event stream to the form that the SDK requires: one "data:"
// line for each event. Comments and pings become empty events. Ids and retry hints are dropped.
//
// An error inside the stream ends it with a *responseError. If the connection ends inside an event,
// the event is dropped and the error is io.ErrUnexpectedEOF.
type eventReader struct {
	body io.ReadCloser
	in   *bufio.Reader
	out  []byte
	err  error

	name         string // name of the current event
	data         []byte // data lines of the current event, each with a line break
	checkedBytes int    // length of data at the last call of isComplete
	read         int    // bytes read from the stream
	lines        int    // lines read from the stream
	first        bool   // the next line is the first, which may begin with a byte order mark
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

func (r *eventReader) advance() {
	line, err := r.line()
	if err != nil {
		// Many servers omit the blank line after the last event. An incomplete event has invalid
		// JSON.
		if len(line) > 0 {
			r.field(line)
		}
		complete := r.isComplete()
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

func (r *eventReader) line() ([]byte, error) {
	var line []byte
	r.lines++
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if int64(len(line)) > eventLimits.Bytes {
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
		r.emitKeepAlive()
	case "event":
		r.name = string(value)
	case "data":
		if len(r.data) >= 2*r.checkedBytes { // checking after every line would take quadratic time
			r.checkedBytes = len(r.data)
			if r.isComplete() { // the server sends no blank line between events
				r.dispatch()
			}
		}
		if int64(len(r.data)+len(value)+1) > eventLimits.Bytes {
			r.err = errEventTooLong
			return
		}
		r.data = append(append(r.data, value...), '\n')
	}
}

func (r *eventReader) emitKeepAlive() { r.out = append(r.out, "data: {}\n"...) }

func (r *eventReader) isComplete() bool {
	data := bytes.TrimSpace(r.data)
	return len(data) > 0 && (string(data) == "[DONE]" || json.Valid(data))
}

func (r *eventReader) dispatch() {
	// A line break inside an event can only be white space of its JSON. The SDK expects one line.
	data, name := bytes.ReplaceAll(bytes.TrimSpace(r.data), []byte("\n"), []byte(" ")), r.name
	r.data, r.name, r.checkedBytes = r.data[:0], "", 0
	if cap(r.data) > maxKeptBuffer {
		r.data = nil
	}
	if name == "ping" || name == "heartbeat" || name == "keepalive" {
		r.emitKeepAlive()
		return
	}
	if len(data) == 0 {
		return
	}
	if err := eventLimits.Check(data); err != nil {
		r.err = fmt.Errorf("%w: %w", llm.ErrEndless, err)
		return
	}
	if failure := streamError(name, data); failure != nil {
		r.err = failure
		return
	}
	// The SDK treats any line that begins with {"error": as an error, even if it is null.
	r.out = append(append(r.out, "data: "...), bytes.Replace(data, []byte(`{"error"`), []byte(`{ "error"`), 1)...)
	r.out = append(r.out, '\n')
}

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
