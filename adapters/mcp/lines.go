package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lines reads the messages of a client over standard streams, one in each line. The SDK ends the
// session at a line that is no message. lines answers such a line with an error and goes on.
type lines struct {
	io.Closer
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the current line
}

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{Closer: in, in: bufio.NewReader(in), out: out}
}

// Read implements io.Reader. It returns text of one line at a time.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			l.rest = append(line, '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line, or an empty one in place of a line that it has answered.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(line) == 0 && !long || !errors.Is(err, io.EOF)):
			return nil, err
		case long:
			return nil, l.refuse(jsonrpc.CodeParseError, fmt.Sprintf("the line is longer than %d bytes", maxMessage))
		case len(bytes.TrimSpace(line)) == 0:
			return nil, nil
		case !json.Valid(line):
			return nil, l.refuse(jsonrpc.CodeParseError, "the line is not JSON: write each message in one line")
		}
		if _, err := jsonrpc.DecodeMessage(line); err != nil {
			return nil, l.refuse(jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0: write one message, and no batch")
		}
		return line, nil
	}
}

// refuse answers a message whose id is unknown (JSON-RPC 2.0, section 5: "it MUST be Null").
func (l *lines) refuse(code int64, text string) error {
	data, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      *int           `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", nil, &jsonrpc.Error{Code: code, Message: text}})
	if err != nil {
		return fmt.Errorf("encode an error: %w", err)
	}
	if _, err := l.out.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("answer a line that is no message: %w", err)
	}
	return nil
}

// lockedWriter lets the SDK and lines write to one stream. Both write whole messages.
type lockedWriter struct {
	io.WriteCloser
	mu sync.Mutex
}

// Write implements io.Writer.
func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
