package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream, so that a broken server cannot exhaust memory.
const maxEvent = 16 << 20

var errEventTooLong = errors.New("an event of the stream is longer than 16 MiB")

// eventReader reads a server-sent event stream and passes on only what the SDK understands: one "data:" line per event. Comments,
// pings, ids and retry hints are dropped; an error inside the stream ends it as a *responseError. An event that the connection's end
// cut in two is dropped, and the end is then io.ErrUnexpectedEOF.
type eventReader struct {
	body io.ReadCloser
	in   *bufio.Reader
	out  []byte
	err  error

	name  string   // of the event that is being read
	data  [][]byte // its data lines
	held  int      // bytes in data, with a line break for each
	tried int      // bytes in data when complete last looked at them
	first bool     // the next line is the first of the stream, which may begin with a byte order mark
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
		// Servers that forget the blank line after their last event are common; half an event is recognised by its JSON.
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
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, errEventTooLong
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
	case "event":
		r.name = string(value)
	case "data":
		if r.held >= 2*r.tried { // looking at every line would take the square of their length
			r.tried = r.held
			if r.complete() { // a server that puts no blank line between events
				r.dispatch()
			}
		}
		r.held += len(value) + 1
		if r.held > maxEvent {
			r.err = errEventTooLong
			return
		}
		r.data = append(r.data, value)
	}
}

// complete reports whether what was read is a whole event even without the blank line.
func (r *eventReader) complete() bool {
	data := bytes.TrimSpace(bytes.Join(r.data, []byte("\n")))
	return len(data) > 0 && (string(data) == "[DONE]" || json.Valid(data))
}

// dispatch hands the finished event on.
func (r *eventReader) dispatch() {
	// A line break inside an event can only be white space of its JSON, and the SDK reads one line.
	data, name := bytes.TrimSpace(bytes.Join(r.data, []byte(" "))), r.name
	r.data, r.name, r.held, r.tried = nil, "", 0, 0
	if len(data) == 0 || name == "ping" || name == "heartbeat" || name == "keepalive" {
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
